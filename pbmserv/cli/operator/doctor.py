"""`pbmserv doctor`: check the server and show remedies."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbmserv.cli import json_output
from pbmserv.cli.operator_commands import home_of
from pbmserv.cli.terminal_output import folded, progress
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from sqlalchemy import Engine

    from pbmserv.settings import Settings

SIGNS = {True: "ok", False: "FAIL", None: "-"}
STATES = {True: "ok", False: "failed", None: "skipped"}  # in a document
COLOURS = {True: "green", False: "red", None: None}


@click.command("doctor")
@click.option("--no-letter", is_flag=True, help="Send no letter to the operator.")
@click.option("--no-dns", is_flag=True, help="Do not check DNS.")
@click.option("--dkim", default="", metavar="SELECTOR", help="The DKIM key your relay signs with.")
@click.option("--wait", default=300, show_default=True, help="Seconds to wait for your answer.")
@json_output.json_option
@click.pass_context
def command(
    context: click.Context, no_letter: bool, no_dns: bool, dkim: str, wait: int, as_json: bool
) -> None:
    """Health check: check everything that the server needs (exit 0 if all is well).

    It checks settings, owners of files, disk, database, migrations, clock, queues and listeners.
    It also checks mailboxes, proof of senders, the relay's login and DNS records.  Last it sends a
    letter to the operator: please answer it.  Nothing is changed, except that missing folders of
    ours in a mailbox are created.

    The keys of --json are well, problems (how many) and checks.  Each check has name, state (ok,
    failed or skipped), said and remedy (null if nothing is to be done).
    """
    home = home_of(context)
    found: list[Finding] = []
    for finding in _examined(home, no_letter=no_letter, no_dns=no_dns, dkim=dkim, wait=wait):
        found.append(finding)
        if not as_json:
            click.echo(_line(finding))
    wrong = sum(finding.is_well is False for finding in found)
    if as_json:
        checks = [_facts(finding) for finding in found]
        json_output.write({"well": not wrong, "problems": wrong, "checks": checks})
    else:
        said = "All is well." if not wrong else "1 problem" if wrong == 1 else f"{wrong} problems"
        click.secho(said, fg=COLOURS[not wrong])
    if wrong:
        sys.exit(1)


def _facts(finding: Finding) -> dict[str, str | None]:
    return {
        "name": finding.name,
        "state": STATES[finding.is_well],
        "said": finding.said,
        "remedy": finding.remedy or None,
    }


def _line(finding: Finding) -> str:
    """A finding in lines of at most 80 columns, with its remedy below it."""
    sign, blanks = f"{SIGNS[finding.is_well]:<5}", " " * len(f"{'':<5} {'':<10} ")
    said = folded(f"{sign} {finding.name:<10} {finding.said}", hang=len(blanks))
    lines = [click.style(sign, fg=COLOURS[finding.is_well]) + said.removeprefix(sign)]
    if finding.remedy:
        lines.append(folded(f"{blanks}-> {finding.remedy}", hang=len(blanks) + 3))
    return "\n".join(lines)


def _examined(
    home: Path, *, no_letter: bool, no_dns: bool, dkim: str, wait: int
) -> Iterator[Finding]:
    from pbmserv.maintenance.doctor.dns_records import names, resolver
    from pbmserv.maintenance.doctor.files import files, privacy, user_of
    from pbmserv.maintenance.doctor.home import settings_of, space
    from pbmserv.maintenance.doctor.mailboxes import mailboxes
    from pbmserv.maintenance.doctor.senders import senders
    from pbmserv.maintenance.doctor.shells import shells
    from pbmserv.maintenance.doctor.transports import incoming, login_in_clear, outgoing
    from pbmserv.server.app import is_served

    if stranger := user_of(home):
        yield stranger
        return
    first, settings = settings_of(home)
    yield first
    if settings is None:
        return
    yield (owned := files(home))
    yield privacy(settings)
    yield space(settings)
    is_whole = bool(owned.is_well)
    if is_whole:
        for finding in _examined_database(settings):
            is_whole = is_whole and finding.is_well is not False
            yield finding
        yield from incoming(settings, is_served=is_served(home))
        yield shells(settings, is_served=is_served(home))
    else:
        yield unseen("database", "skipped: first correct the files, as said above")
    yield from mailboxes(settings)
    if owned.is_well:
        yield senders(settings, is_served=is_served(home))
    if in_clear := login_in_clear(settings):
        yield in_clear
    yield (out := outgoing(settings))
    yield from [unseen("dns", "skipped")] if no_dns else names(settings.address, resolver(), dkim)
    if no_letter or not settings.operator:
        yield unseen("letter", "skipped" if no_letter else "no operator is set")
    elif not is_whole or not out.is_well:
        yield unseen("letter", "skipped: first fix the problems above")
    else:
        yield _letter(home, wait)


def _examined_database(settings: Settings) -> Iterator[Finding]:
    from pbmserv.database.engine import close, engine_for
    from pbmserv.home import KEY_FILE
    from pbmserv.maintenance.doctor.database import database, fsync, key, migrations, writable

    try:
        engine = engine_for(settings)
    except Misconfigured as problem:
        yield ill("database", str(problem), "Correct `database` in pbmserv.toml.")
        return
    try:
        yield (first := database(engine, has_key=(settings.home / KEY_FILE).exists()))
        if not first.is_well:
            return
        yield key(engine, settings)
        yield (able := writable(engine))
        yield from fsync(engine)
        yield (second := migrations(engine))
        if second.is_well and able.is_well:
            yield from _examined_work(engine, settings)
    finally:
        with suppress(Misconfigured, TryLater):  # the check `database` has said it
            close(engine)


def _examined_work(engine: Engine, settings: Settings) -> Iterator[Finding]:
    from pbmserv.maintenance.doctor import work
    from pbmserv.maintenance.doctor.database import restored, server
    from pbmserv.server.app import is_served

    yield server(engine)
    yield from restored(engine, settings)
    now = int(time.time())
    yield work.clock(engine, now, is_served=is_served(settings.home))
    yield work.deadlines(engine, now)
    yield work.queues(engine, now)
    yield work.sending(settings)
    yield work.operator(engine, settings)
    if is_on := work.emergency(engine):
        yield is_on
    if of_beacon := work.beacon(engine, settings, now):
        yield of_beacon
    if of_values := work.beacon_values(settings, now):
        yield of_values


def _letter(home: Path, wait: int) -> Finding:
    """The round trip, with a progress line at a terminal."""
    from pbmserv.maintenance.doctor.roundtrip import round_trip
    from pbmserv.server.app import opened

    with opened(home, after_restore="look") as app:
        click.echo(f"      A letter goes to {app.settings.operator}: please answer it.", err=True)
        try:
            return round_trip(app, wait, lambda said: progress(f"      {said}"))
        finally:
            progress("")
