"""`showas`: show boards as one player sees them."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, player_command
from pbmserv.commands.perudo.show import MOST_SHOWN
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "showas",
    example="perudo showas ann secret 12",
    letters=("perudo/show",),
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("what", shell_complete=boards, nargs=-1)
def command(context: Context, userid: str, password: str, what: tuple[str, ...]) -> list[Letter]:
    """Show your boards with your own dice.

    Use it if you have lost a letter.  WHAT is one or more boards' numbers, or all, active or next
    (your turn); default active.  If you ask by email from your own address, you can reply to the
    answer with your move.

    If somebody challenged you to a board, you accept when you name its number.
    """
    from pbmserv.boards import listing, notices, seating
    from pbmserv.boards.board import board_number
    from pbmserv.boards.seating import TokenUse
    from pbmserv.players import accounts

    named = [board_number(word) for word in what if word[:1].isdigit()]
    words = [word for word in what if not word[:1].isdigit()]
    player = context.authenticate(userid, password).player
    name = accounts.named(context.connection, [player])[0].userid
    numbers = [*named]
    if words or not numbers:
        _, status = listing.names_and_status(words, just_status=True)
        numbers += listing.numbers(context.connection, [name], status)
    # A password may be used from anywhere, but only the player may get a letter with a token.
    readers = accounts.players_of_address(context.connection, context.sender)
    own = any(each.id == player for each in readers)
    found = [
        seating.authorized(context, str(number), userid, password, TokenUse.PRIVATE)
        for number in list(dict.fromkeys(numbers))[:MOST_SHOWN]
    ]
    if not found:
        raise Refused("no_boards_found")
    return [
        notices.shown(
            context,
            seating.take(context, board, seat) if board.id in named else board,
            seat,
            to_own_address=own,
        )
        for board, seat in found
    ]
