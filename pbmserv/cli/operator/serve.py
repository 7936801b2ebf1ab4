"""`pbmserv serve`: run the server."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import home_of
from pbmserv.errors import Misconfigured
from pbmserv.server.console import OUT, prepare_streams, say
from pbmserv.server.roles import INTAKE, ROLES, Role

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.database.leases import Lease
    from pbmserv.server.app import App
    from pbmserv.server.shell_socket import ShellSocket
    from pbmserv.settings import Settings

PATIENCE = 3.0  # seconds that a stopped or killed server may take to end
_OBJECTS_BETWEEN_SEARCHES = 10_000  # new ones that are left, before Python searches for garbage
FORESEEABLE = (
    "only for demonstrations: anybody who knows the SEED of --repeatable can predict the dice"
)


@click.command("serve")
@click.option(
    "--repeatable",
    type=int,
    metavar="SEED",
    help="Only for demonstrations: anybody who knows SEED can predict the dice.",
)
@click.option(
    "--new", is_flag=True, help="Begin with an empty database in a home whose database is lost."
)
@click.option(
    "--only",
    type=click.Choice(ROLES),
    help="Run one of the two processes: intake takes email, sending sends letters.",
)
@click.option("--quiet", is_flag=True, help="Log only problems, not every email and letter.")
@click.pass_context
def command(
    context: click.Context, repeatable: int | None, new: bool, only: Role | None, quiet: bool
) -> None:
    """Run the server: receive email, carry out commands and send letters, until you stop it.

    Email comes by SMTP, by LMTP, and from the mailboxes in the settings.  SIGTERM, Ctrl-C
    or closing its terminal stops the server within fifteen seconds; it finishes the current email
    first.  It logs a line for each email and letter to standard error.  One process takes email,
    another one sends letters.  Each is started again if it dies.
    """
    from pbmserv.home import words_about_new
    from pbmserv.server.supervisor import supervised

    prepare_streams()
    if said := words_about_new(home_of(context)):
        click.echo(f"pbmserv: {said}", err=True)
    if new:  # once: a restarted worker must not do it again
        _begin_again(home_of(context))
    work = supervised([only] if only else ROLES)  # from here on this is a worker

    from pbmserv.home import check_home, check_private, open_home
    from pbmserv.monitoring import server_log
    from pbmserv.server import wakeups
    from pbmserv.server.app import opened

    home = home_of(context)
    if work.is_home_made:
        check_home(home)
    check_private(open_home(home))
    with opened(home, is_there=work.is_home_made, after_restore="renew") as app:
        server_log.begin("warning" if quiet else app.settings.log_level, os.environ, work.role)
        with (
            _alone(app, work.role) as lease,
            wakeups.waiting(app.settings.home, work.role) as woken,
        ):
            work.orphaned.append(_excuse(app, work.role))
            if work.role == INTAKE:
                _take_in(app, lease, woken, repeatable, quiet=quiet, ready=work.ready)
            else:
                _send(app, lease, woken, ready=work.ready)
            server_log.stopped()


def _excuse(app: App, role: Role) -> Callable[[], None]:
    """The function that clears the current email or letter of the suspicion to end this process."""
    from pbmserv.outbox import sent_journal

    if role == INTAKE:
        return app.processor.crashing.excuse
    return partial(sent_journal.excuse, app.settings.home)


def _take_in(
    app: App,
    lease: Lease,
    woken: int | None,
    repeatable: int | None,
    *,
    quiet: bool,
    ready: Callable[[], None],
) -> None:
    """Take email until the server stops."""
    import asyncio

    from pbmserv.server.intake_worker import IntakeWorker

    if repeatable is not None:
        say(FORESEEABLE)
    played = app if repeatable is None else _foreseeable(app, repeatable)
    shells = _shells(app.settings, "warning" if quiet else app.settings.log_level)
    worker = IntakeWorker(played, lease, shells, woken)
    asyncio.run(worker.run(partial(say, to=OUT), partial(_begun, app, ready)))


def _send(app: App, lease: Lease, woken: int | None, *, ready: Callable[[], None]) -> None:
    """Send letters until the server stops."""
    from pbmserv.server.sending_worker import SendingWorker

    SendingWorker(app, lease, woken).run(partial(_begun, app, ready))


def _begun(app: App, ready: Callable[[], None]) -> None:
    """Report that this process does its work."""
    import gc
    from importlib.metadata import version

    from pbmserv.monitoring import server_log

    server_log.started(version("pbmserv"), app.settings.home)
    # A search for garbage takes 0.1 s if it looks through what stays as long as this process.
    gc.freeze()
    # With Python's 700 objects, the searches took 1.3 % of the time of a move.
    gc.set_threshold(_OBJECTS_BETWEEN_SEARCHES)
    ready()


def _shells(settings: Settings, log_level: str) -> ShellSocket | None:
    """The socket for shells, with the program that serves it; None where nobody can be served."""
    from pbmserv.home import SHELL_SOCKET_FILE
    from pbmserv.server.shell_socket import ShellSocket, is_possible

    # -P: no module comes from the folder in which the server was started.
    program = [sys.executable, "-P", "-m", "pbmserv.cli.shell_server"]
    group = settings.shell_group
    words = [str(settings.home), log_level, group]
    if not is_possible():
        return None
    return ShellSocket(settings.home, SHELL_SOCKET_FILE, [*program, *words], group)


def _begin_again(home: Path) -> None:
    """Make an empty database and a new key in a home whose database is lost."""
    from pbmserv.server.app import opened

    with opened(home, new=True):
        pass


@contextmanager
def _alone(app: App, role: Role) -> Iterator[Lease]:
    """The lease of the only process of a role in this home, and on its database.

    Raises Misconfigured if another one runs in this home.  Raises TryLater if one works elsewhere.
    If that machine is lost, its lease ends within a minute, and systemd's next try gets it.
    """
    from importlib.metadata import version

    from pbmserv.database import leases
    from pbmserv.server.app import ROLE_LOCKS

    home = app.settings.home
    with _locked_role(app, home / ROLE_LOCKS[role]) as mine:
        if not mine:
            who = leases.holder_of(app.engine)
            raise Misconfigured(f"{home}: a server is already running here: {who}")
        supervisor = f"process {os.getppid()} on {socket.gethostname()}"
        me = f"{supervisor}, pbmserv {version('pbmserv')}"
        if role == INTAKE:
            lease = leases.serving(app.engine, me, app.processor.clock(), PATIENCE)
        else:
            lease = leases.sending(app.engine, PATIENCE)
        with lease as held:
            yield held


@contextmanager
def _locked_role(app: App, file: Path) -> Iterator[bool]:
    """Hold the lock file of a role; False if a server that does not end has it.

    A server that was told to stop may need longer than `PATIENCE`: this says so, and waits for it.
    """
    from pbmserv.database import leases
    from pbmserv.file_locks import locked
    from pbmserv.server.supervisor import SECONDS_TO_END, is_ending

    with locked(file, patience=PATIENCE) as mine:
        if mine:
            yield True
            return
    who = leases.holder_of(app.engine)
    number, _, rest = who.removeprefix("process ").partition(" on ")
    host = rest.partition(",")[0]
    is_here = host == socket.gethostname() and number.isdecimal()
    # After a death of our worker a second server may have begun here; as it finds ours, it ends.
    is_ours = is_here and int(number) == os.getppid()
    if is_here and not is_ours and not is_ending(int(number)):
        yield False
        return
    waits = f"waits up to {SECONDS_TO_END:g} s until another server has ended"
    waits += "" if is_ours else f": {who}"
    say(f"{app.settings.home}: {waits}")
    with locked(file, patience=SECONDS_TO_END) as mine:
        yield mine


def _foreseeable(app: App, seed: int) -> App:
    """The App with repeatable random numbers: for demonstrations, never for real games."""
    chance = Random(seed)  # noqa: S311 - a show is to be foreseen
    processor = replace(app.processor, seed=lambda: chance.randbytes(32), chance=chance)
    return replace(app, processor=processor)
