"""`pbmserv audit`: replay every board and compare the results."""

from __future__ import annotations

import sys
from io import StringIO

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.cli.terminal_output import folded
from pbmserv.errors import Misconfigured


@click.command("audit")
@click.pass_context
def command(context: click.Context) -> None:
    """Replay every game from its history and check the result (exit 0 if all match).

    The ratings are computed again, too.
    """
    from pbmserv.boards import ratings
    from pbmserv.database.engine import reading
    from pbmserv.maintenance import audit
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        checked, broken = 0, 0
        boards = audit.board_numbers(app.engine)
        seen = sys.stderr if sys.stderr.isatty() else StringIO()  # cron would email it
        with click.progressbar(boards, label="Boards", file=seen) as numbers:
            for number in numbers:
                checked += 1
                for problem in audit.problems(app.engine, number):
                    broken += 1
                    click.echo(folded(f"board {number}: {problem}"))
        with reading(app.engine) as connection:
            for problem in ratings.problems(connection):
                broken += 1
                click.echo(folded(problem))
    click.echo(f"Boards: {checked}, problems: {broken}")
    if broken:
        raise Misconfigured("the database does not match its own history")
