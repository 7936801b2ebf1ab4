"""The server's process for shells: it has imported everything, and forks for each call.

It forks before the call comes, as that takes as long as a short command.  The process that waits
gets the caller's words, standard files and some variables.  It carries out the command as any
process would: in a transaction of its own, beside the server.  The caller is known
by the system (SO_PEERCRED).  Players' commands are for the members of the group that the settings
name, too.  The operator's are for root and the user of the server alone.  It reads no file for a
caller.
"""

from __future__ import annotations

import gc
import logging
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import click

import pbmserv
from pbmserv.cli import client, main
from pbmserv.cli.caller_files import MOST_INPUT, Prompter, become, exactly
from pbmserv.cli.player_shell import PlayerShell
from pbmserv.cli.shell_access import Caller, caller_of, may
from pbmserv.cli.shell_log_budget import LogBudget
from pbmserv.cli.shell_request import NO_REQUEST, STANDARD_FILES, Asked, read
from pbmserv.commands.perudo import verify
from pbmserv.database.engine import disconnect_kept_engines, keep_engine
from pbmserv.errors import Misconfigured, describe
from pbmserv.fast_dataclasses import dataclass
from pbmserv.file_locks import identity
from pbmserv.home import name_of_user, open_home
from pbmserv.monitoring import server_log

MOST = 8  # commands at once: each may need 64 MiB to check a password
MOST_OF_OTHERS, MOST_OF_ONE = 6, 4  # of users that are not the server's; of one of them
PATIENCE = 5  # seconds for the words of a caller
REHEARSED = ("pbmserv hepl", "perudo games", "perudo show 1", "pbmserv queue list")  # all only read
BETWEEN_WARNINGS = 60.0  # seconds
LONGEST, LONGEST_OF_OTHERS = 60 * 60, 10 * 60  # seconds for a command, with what is typed for it
_WAKING = 4096  # bytes of signals, read at once
_PROGRAMS: Mapping[str, click.Group] = {"perudo": main.perudo, "pbmserv": main.pbmserv}
_BUG = "this failed because of a bug; the server's log has it"
# Of these the first imports large libraries where they are installed: 18 MB in each process.
_NOT_OF_COMMANDS = {"pbmserv.env", "pbmserv.migrations"}
_LOGGED, _UNLOGGED = b"L", b"U"  # what comes with a call: whether the log has room for it
_FAILED = 1  # exit code of Python for an exception
logger = logging.getLogger("pbmserv.shells")  # other loggers write to the caller, as in its process


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A process that waits for a call, and the socket that brings it."""

    process: int
    channel: socket.socket


class ShellServer:
    """Takes calls at a socket until its standard input ends, which is when the server ends."""

    def __init__(self, home: Path, listening: socket.socket, *, has_group: bool) -> None:
        self._home, self._listening, self._has_group = home, listening, has_group
        self._place = identity(home)
        self._hears, self._bell = os.pipe()  # a byte for each signal
        os.set_blocking(self._hears, False)
        os.set_blocking(self._bell, False)
        self._running: dict[int, Caller] = {}
        self._waiting: _Waiting | None = None
        self._warned_at = float("-inf")
        self._log_budget = LogBudget()

    def run(self) -> None:
        """Serve to the end."""
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it wakes by the pipe
        signal.set_wakeup_fd(self._bell)
        self._have_one_wait()
        while True:
            ready, _, _ = select.select([sys.stdin, self._listening, self._hears], [], [])
            if self._hears in ready:
                os.read(self._hears, _WAKING)
                self._reap()
            if sys.stdin in ready:
                return
            if self._listening in ready:
                # That caller has left, or there is no process for it: its own does the work.
                with suppress(OSError):
                    self._take(self._listening.accept()[0])

    def _reap(self) -> None:
        for number in [*self._running]:
            if os.waitpid(number, os.WNOHANG)[0]:
                del self._running[number]
        if self._waiting and os.waitpid(self._waiting.process, os.WNOHANG)[0]:
            # Somebody killed it.  The next call makes another: here they might die without end.
            self._waiting.channel.close()
            self._waiting = None
            return
        self._have_one_wait()  # now, because a command that begins needs the processors

    def _have_one_wait(self) -> None:
        """Have a process wait for the next call; without one, the call makes it."""
        with suppress(OSError):
            self._waiting = self._waiting or self._made()

    def _take(self, call: socket.socket) -> None:
        with call:
            caller = caller_of(call)
            if self._is_full_for(caller):
                self._warn(caller)
                call.setblocking(False)
                call.send(client.BUSY)
                return
            is_logged = caller.is_operator or self._is_logged(caller)
            waiting, self._waiting = self._waiting or self._made(), None
            self._running[waiting.process] = caller
            with waiting.channel:
                said = _LOGGED if is_logged else _UNLOGGED
                socket.send_fds(waiting.channel, [said], [call.fileno()])

    def _made(self) -> _Waiting:
        """A process that waits for a call; it ends when it gets none any more."""
        ours, theirs = socket.socketpair()
        with theirs:
            number = os.fork()
            if not number:
                ours.close()
                self._attend(theirs)
        return _Waiting(number, ours)

    def _is_logged(self, caller: Caller) -> bool:
        """Whether the log has room for a call by this user; it says how many were left out."""
        left_out = self._log_budget.left_out(caller.user, monotonic())
        if left_out:
            name = name_of_user(caller.user)
            logger.info(
                "shell: %s (user %s): %s calls were not logged", name, caller.user, left_out
            )
        return left_out is not None

    def _warn(self, caller: Caller) -> None:
        """Log that there are too many commands, as often as the log can take it."""
        if monotonic() - self._warned_at > BETWEEN_WARNINGS:
            self._warned_at = monotonic()
            logger.warning("shell: too many commands at once, by %s", _named(caller))

    def _is_full_for(self, caller: Caller) -> bool:
        """Whether this caller must wait; other users leave room for the server's own."""
        others = [each for each in self._running.values() if not each.is_operator]
        if caller.is_operator or len(self._running) >= MOST:
            return len(self._running) >= MOST
        mine = [each for each in others if each.user == caller.user]
        return len(others) >= MOST_OF_OTHERS or len(mine) >= MOST_OF_ONE

    def _attend(self, channel: socket.socket) -> NoReturn:
        """In a process of its own: wait for a call, carry out its command, and end."""
        code = _FAILED
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            said, files, _, _ = socket.recv_fds(channel, 1, 1)
            for each in (self._listening.fileno(), self._hears, self._bell):
                os.close(each)
            code = self._answered(socket.socket(fileno=files[0]), said) if files else 0
        finally:
            os._exit(code)

    def _answered(self, call: socket.socket, said: bytes) -> int:
        """Carry out the command of a call, if there is one; its exit code."""
        signal.alarm(PATIENCE)  # it ends this process
        if said == _UNLOGGED:
            logging.disable(logging.CRITICAL)
        caller = caller_of(call)
        try:
            return self._carried_out(call, caller)
        except (OSError, ValueError) as problem:  # the caller has left, or is not a program of ours
            logger.info("shell: nothing was done for %s: %s", _named(caller), problem)
            return _FAILED

    def _carried_out(self, call: socket.socket, caller: Caller) -> int:
        """Carry out what a caller asks for; its exit code.  Raises OSError, ValueError."""
        call.sendall(client.GREETING)
        try:
            asked, files = _heard(call)
        except ValueError:
            call.sendall(client.NOT_MINE)  # a client of another version does it itself
            raise
        signal.alarm(LONGEST if caller.is_operator else LONGEST_OF_OTHERS)
        if not may(caller, asked, has_group=self._has_group):
            logger.info("shell: %s: not for this caller: %s", _named(caller), _command_name(asked))
            call.sendall(client.NOT_MINE)
            return 0
        if self._place is None or self._place != identity(self._home):
            logger.warning("shell: the home was moved; start the server again")
            call.sendall(client.NOT_MINE)  # here a new home would be made, where nobody looks
            return 0
        logger.info("shell: %s: %s", _named(caller), _command_name(asked))
        prompter = Prompter(call)
        _keep_log()
        become(asked, files, prompter, float("inf") if caller.is_operator else MOST_INPUT)
        try:
            prompter.begin()
            code = _run(asked, self._home, caller)
        except verify.NotHere:
            call.sendall(client.NOT_MINE)
            return 0
        except KeyboardInterrupt:  # click catches it only when a command runs
            click.echo("\nAborted!", err=True)
            code = _FAILED
        call.sendall(client.DONE + bytes([code & 255]))
        return code


def _keep_log() -> None:
    """Let this logger write to the server's log when file 2 is the caller's; it writes no INFO."""
    root = logging.getLogger()
    kept = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")
    for handler in root.handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(kept)
            logger.addHandler(handler)
    logger.setLevel(max(root.level, logging.WARNING))
    logger.propagate = False


def _heard(call: socket.socket) -> tuple[Asked, list[int]]:
    """What a caller asks for, and its standard files; raises OSError, ValueError."""
    head, files, _, _ = socket.recv_fds(call, client.LENGTH, STANDARD_FILES)
    length = int.from_bytes(head, "big")
    if len(head) != client.LENGTH or len(files) != STANDARD_FILES or length > client.LARGEST:
        raise ValueError(NO_REQUEST)
    return read(exactly(call, length)), files


def _named(caller: Caller) -> str:
    return f"{name_of_user(caller.user)} (user {caller.user}, process {caller.process})"


def _command_name(asked: Asked) -> str:
    """The command without its words, among which there may be a password."""
    group = _PROGRAMS[asked.program]
    command = group.get_command(click.Context(group), asked.words[0])
    return f"{asked.program} {command.name}" if command else f"{asked.program}, no command"


def _run(asked: Asked, home: Path, caller: Caller) -> int:
    """Run the command line; its exit code as Python would have it."""
    group = _PROGRAMS[asked.program]
    code: Any = _FAILED
    try:
        group.main(prog_name=asked.program, obj=PlayerShell(str(home), caller.user))
    except SystemExit as end:
        code = end.code
    except verify.NotHere:
        raise
    except OSError as problem:  # of the caller's own files: the server's are translated
        click.echo(f"{asked.program}: {problem.strerror or problem}", err=True)
    except Exception as problem:  # a bug of ours, and no matter of the caller
        logger.error("shell: %s: %s: %s", _named(caller), _command_name(asked), describe(problem))
        click.echo(f"{asked.program}: {_BUG}", err=True)
    for each in (sys.stdout, sys.stderr):
        with suppress(OSError):
            each.flush()
    return code if isinstance(code, int) else 0 if code is None else _FAILED


def modules() -> Iterator[str]:
    """The names of all modules that a command may need."""
    for each in pkgutil.iter_modules(pbmserv.__path__, "pbmserv."):
        if each.name not in _NOT_OF_COMMANDS:
            yield each.name
            if each.ispkg:
                inside = import_module(each.name).__path__
                yield from (part.name for part in pkgutil.walk_packages(inside, f"{each.name}."))


def _prepare(home: Path) -> None:
    """Import all that a command may need, and do what many commands do: its first time is slow."""
    for name in modules():
        with suppress(ImportError):  # an extra that is not installed
            import_module(name)
    with suppress(Misconfigured):  # each command says so
        keep_engine(open_home(home))
    for line in REHEARSED:
        program, *words = line.split()
        shell = PlayerShell(str(home), os.geteuid())
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
            suppress(Exception, SystemExit),
        ):
            _PROGRAMS[program].main(words, program, obj=shell)
    disconnect_kept_engines()
    gc.collect()
    gc.freeze()  # memory that is not written to is not copied


if __name__ == "__main__":
    home, level, group, number = sys.argv[1:]
    server_log.begin(level, os.environ)
    if identity(Path(home)):  # else it would be made
        _prepare(Path(home))
    ShellServer(Path(home), socket.socket(fileno=int(number)), has_group=bool(group)).run()
