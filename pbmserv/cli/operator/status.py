"""`pbmserv status`: show in one screen whether the server runs, and what waits."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from pbmserv.cli import json_output
from pbmserv.cli.operator_commands import home_there, moment
from pbmserv.cli.terminal_output import folded

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.maintenance.status import Status

PROBLEM, NOT_RUNNING = 1, 3  # exit codes; 3 as the Linux Standard Base has it for `status`
_NAMES = 10  # columns of the names


@click.command("status")
@json_output.json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Show whether the server runs, what waits, and what came and left last.

    The exit code is for monitoring.  0: a server runs and all is well.  3: no server runs.  1:
    something else is wrong, which is said last.  Nothing is changed, and nothing is sent.  For a
    thorough check with remedies: pbmserv doctor.

    The keys of --json are running, server, since, settings_changed, version, last_email,
    last_letter and last_tick.  The other keys are emails_waiting, emails_aside, letters_waiting,
    letters_failed, boards, boards_closed, database_bytes, migration and problems.  The cups of
    boards_closed wait for the beacon.  A key without a value yet is null.  A problem has name, said
    and remedy.
    """
    from pbmserv.database.installation import unchanged
    from pbmserv.home import open_home
    from pbmserv.maintenance.status import status_of

    settings = open_home(home_there(context))
    with unchanged(settings) as engine:
        status = status_of(engine, settings, int(time.time()))
    if as_json:
        json_output.write(_document(status))
    else:
        for name, said in _rows(status):
            click.echo(folded(f"{name:<{_NAMES}} {said}", hang=_NAMES + 1))
    if status.server is None:
        sys.exit(NOT_RUNNING)
    if status.problems:
        sys.exit(PROBLEM)


def _rows(status: Status) -> list[tuple[str, str]]:
    """The lines for a terminal: a name, and what is said."""
    running = "not running"
    if status.server is not None:
        running = f"running since {_last(status.since)}: {status.server}"
    emails = f"waiting: {status.emails}, set aside: {status.aside}"
    letters = f"waiting: {status.letters}, given up: {status.failed}"
    problems = [
        line
        for each in status.problems
        for line in (("PROBLEM", f"{each.name}: {each.said}"), ("", f"-> {each.remedy}"))
    ]
    closed = f"; cups wait for the beacon: {status.closed}" if status.closed else ""
    changed = "changed after the server began: restart it to use them"
    return [
        ("server", running),
        *([("settings", changed)] if status.changed else []),
        ("version", status.version),
        ("emails", f"last received {_last(status.last_email)}; {emails}"),
        ("letters", f"last sent {_last(status.last_letter)}; {letters}"),
        ("deadlines", f"last checked {_last(status.last_tick)}"),
        ("boards", f"{status.boards} running{closed}"),
        ("database", f"{status.size / 1e6:,.1f} MB, migration {status.revision}"),
        *problems,
    ]


def _last(seconds: int | None) -> str:
    return "never" if seconds is None else moment(seconds)


def _document(status: Status) -> dict[str, object]:
    return {
        "running": status.server is not None,
        "server": status.server,
        "since": json_output.moment(status.since),
        "settings_changed": status.changed,
        "version": status.version,
        "last_email": json_output.moment(status.last_email),
        "last_letter": json_output.moment(status.last_letter),
        "last_tick": json_output.moment(status.last_tick),
        "emails_waiting": status.emails,
        "emails_aside": status.aside,
        "letters_waiting": status.letters,
        "letters_failed": status.failed,
        "boards": status.boards,
        "boards_closed": status.closed,
        "database_bytes": status.size,
        "migration": status.revision,
        "problems": [
            {"name": each.name, "said": each.said, "remedy": each.remedy}
            for each in status.problems
        ],
    }
