"""`pbmserv talk`: show what was said at a board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import BoardNumber, home_there, moment
from pbmserv.cli.terminal_output import folded

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from sqlalchemy import Connection

MOST_REPORTS = 100  # the latest


@click.command("talk")
@click.argument("board", type=BoardNumber(), required=False)
@click.option("--reports", is_flag=True, help="List the reports of players about all boards.")
@click.pass_context
def command(context: click.Context, board: int | None, reports: bool) -> None:
    """Show the messages of a board; they are kept for 30 days (`keep_days`).

    Reported messages are kept for a year.  Passwords and tokens are left out.

    Example: pbmserv talk 12
    """
    from pbmserv.database.engine import reading
    from pbmserv.server.app import opened

    if (board is None) is not reports:
        raise click.UsageError("Give the number of a board, or --reports.", context)
    with opened(home_there(context)) as app, reading(app.engine) as connection:
        lines = _reports(connection) if board is None else _said(connection, board)
    for line in lines:
        click.echo(folded("".join(sign for sign in line if sign.isprintable()), hang=2))


def _said(connection: Connection, board: int) -> list[str]:
    from pbmserv.boards import chat_log

    lines = []
    for each in chat_log.of_board(connection, board):
        lines.append(f"{moment(each['at'])}  {each['from']}:")
        lines += [f"  {line}" for line in each["text"].splitlines()]
    return lines or [f"No messages of board {board} are kept."]


def _reports(connection: Connection) -> list[str]:
    from pbmserv.monitoring import action_log

    return [
        f"{moment(each['at'])}  board {each['board']}, by {each['who']}"
        + (f": {each['why']}" if each["why"] else "")
        for each in action_log.reports(connection, MOST_REPORTS)
    ] or ["No reports."]
