"""`pbmserv annul`: take a board out of the ratings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import BoardNumber, home_there, reason_option, told

if TYPE_CHECKING:  # as in this package
    from sqlalchemy import Connection

    from pbmserv.context import UnitOfWork
    from pbmserv.letters.payloads.letter import Letter


@click.command("annul")
@click.argument("board", type=BoardNumber())
@click.option("--undo", is_flag=True, help="The board counts again.")
@reason_option("The reason, told to the players.")
@click.pass_context
def command(context: click.Context, board: int, undo: bool, why: str) -> None:
    """Exclude a board from the ratings, finished or still running.

    All ratings are computed again from the records, as if the board had not been played.  Its
    players are told.  Either all of this is done, or nothing.
    """
    from pbmserv.boards import operator_actions, ratings
    from pbmserv.database.engine import reading
    from pbmserv.server.app import opened

    decide = operator_actions.reinstated if undo else operator_actions.annulled
    seen = sys.stderr if sys.stderr.isatty() else StringIO()  # cron would email it
    said = ""
    with opened(home_there(context)) as app:

        def write(settle: Callable[[Connection], None]) -> None:
            nonlocal said

            def decided(work: UnitOfWork) -> list[Letter]:
                letters = decide(work, board, why)
                settle(work.connection)
                return letters

            said = told(app, decided)

        with reading(app.engine) as connection:
            operator_actions.checked(connection, board, counts=undo)
        ratings.recount(
            app.engine,
            partial(click.progressbar, label="Boards", file=seen),
            ratings.Decision(board, undo, write),
        )
        app.deliver()
    click.echo(f"Board {board} {'counts again' if undo else 'is annulled'}; {said}.")
