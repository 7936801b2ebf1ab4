"""`move`: make a bid or a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, expected_move, message_option, player_command
from pbmserv.commands.perudo.accept import answered
from pbmserv.commands.perudo.decline import declined
from pbmserv.commands.perudo.resign import resigned
from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.letter import Letter

if TYPE_CHECKING:
    from pbmserv.boards.board import Board


@player_command(
    "move",
    example="perudo move 12 ann secret 4-2s",
    letters=(
        "perudo/moved",
        "perudo/ended",
        "perudo/offer",
        "perudo/started",
        "already_played",
        "invitation_answer",
        "resign_pending",
        "resign_cancelled",
        "declined",
        "taken",
        "challenged",
        "perudo/chat",
        "chat_sent",
    ),
    spellings=("board",),
    mistyped=("mvoe",),
)
@click.argument("board", shell_complete=boards)
@click.argument("userid")
@click.argument("password", cls=Secret, by_address=True)
@click.argument("move", nargs=-1, required=True)
@message_option
def command(
    context: Context, board: str, userid: str, password: str, move: tuple[str, ...]
) -> list[Letter]:
    """Bid, call or resign when it is your turn.

    MOVE is a bid such as 4-2s (four dice showing 2), or dudo, calza, pacao, resign.  propose, or
    draw, offers to stop the game as a draw, at any time.  accept and reject answer such an offer,
    or an invitation to the board.  With reject you also take back your own offer.  decline leaves a
    board before your first move: help decline.  The text below the command goes to the other
    players.  A last word #17 means: only if this is move 17 of the board.  In a reply to a game
    letter, write just the move on the first line.  You need no command and no password.  You can
    leave out the password, or write -, if this server can prove your address.  Your email is mixed
    into the dice of the next round.  Words that you write after salt are mixed in, too, as in 4-2s
    salt any words: help dice.

    A move cannot be taken back: the others have seen it.
    """
    from pbmserv.boards import seating
    from pbmserv.boards.seating import TokenUse
    from pbmserv.boards.stale_moves import is_calza, is_resignation
    from pbmserv.games.perudo.notation import bare_move, split_salt

    said, own_words = split_salt(" ".join(move))
    text, expected = bare_move(said), expected_move()
    if text in {"accept", "reject"}:
        accepts = text == "accept"
        return answered(context, board, userid, password, accepts=accepts, expected=expected)
    if text == "decline":
        return declined(context, board, userid, password, expected=expected)
    use = TokenUse.CALZA if is_calza(text) else TokenUse.MOVE
    if text == "propose" or is_resignation(text):
        use = TokenUse.ANY_TIME
    place = seating.authorized(context, board, userid, password, use, expected=expected)
    return _made(context, *place, said, own_words)


def _made(context: Context, board: Board, seat: int, said: str, own_words: str) -> list[Letter]:
    """What the words of a move, or of the offer of a draw, do at a board."""
    from pbmserv.boards import draw_offers, notices, play
    from pbmserv.games.perudo.notation import bare_move, read_action
    from pbmserv.games.perudo.player_salts import salt_of
    from pbmserv.games.perudo.table import Resign

    if bare_move(said) == "propose":
        return draw_offers.propose(context, board, seat, asks="?" in said)
    action = replace(read_action(said), salt=salt_of(context.identifier, own_words))
    if isinstance(action, Resign):
        return resigned(context, board, seat, action)
    return notices.of_move(context, play.move(context, board, seat, action, context.message), seat)
