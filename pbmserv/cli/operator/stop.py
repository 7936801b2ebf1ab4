"""`pbmserv stop`: end a board without a winner."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import BoardNumber, home_there, reason_option, told


@click.command("stop")
@click.argument("board", type=BoardNumber())
@reason_option("The reason, told to the players.")
@click.pass_context
def command(context: click.Context, board: int, why: str) -> None:
    """End a running board without a winner; it does not count for ratings.

    All its players and spectators are told.  You cannot undo this: the cups are opened.
    """
    from pbmserv.boards import operator_actions
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app:
        said = told(app, lambda work: operator_actions.stopped(work, board, why))
        app.deliver()
    click.echo(f"Board {board} is stopped; {said}.")
