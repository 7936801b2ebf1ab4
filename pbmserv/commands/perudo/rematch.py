"""`rematch`: challenge the players of a finished board again."""

from __future__ import annotations

import click

from pbmserv.commands.completion import finished_boards
from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "rematch",
    example="perudo rematch 12 ann secret",
    letters=(
        "perudo/started",
        "invitation",
        "invited",
        "taken",
        "invitation_answer",
        "perudo/chat",
    ),
)
@click.argument("board", shell_complete=finished_boards)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("player", nargs=-1)
@message_option
def command(
    context: Context, board: str, userid: str, password: str, player: tuple[str, ...]
) -> list[Letter]:
    """Play again with the players of a finished board.

    You must be a player of that board.  The new board has the same rules, times and house players.
    The order of play is drawn again, unless the first challenge had -inorder.  The new board is
    rated if the first challenge was for a rated one.

    Who left the game while the others played on is not invited again.  To invite that player, too,
    write the name behind your password.

    To play a rated game with a house player, write a new challenge with -rated: help challenge.

    If another player has asked first, you accept that board: two requests make one rematch.

    This is a challenge: the same limits hold, and players who want to be asked first get an
    invitation.  The text below the command is the opening message.  For 30 days you can reply to
    the last letter of a board with just rematch on the first line.
    """
    from pbmserv.boards.board import board_number
    from pbmserv.lobby import rematches

    number = board_number(board)
    asker = rematches.asker(context, number, userid, password)
    return rematches.asked_for(context, number, asker, named([*player]))
