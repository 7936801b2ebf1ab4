"""`queue`: store moves for the player's next turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.boards import QUEUED, Queued
from pbmserv.letters.payloads.letter import Letter

if TYPE_CHECKING:
    from pbmserv.boards.board import Board

OFF = "off"


@player_command(
    "queue",
    example="perudo queue 12 ann secret 5-4s dudo",
    letters=("queued", "perudo/moved", "perudo/ended", "perudo/chat"),
)
@click.argument("board", shell_complete=boards)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("move", nargs=-1, required=True)
def command(
    context: Context, board: str, userid: str, password: str, move: tuple[str, ...]
) -> list[Letter]:
    """Plan moves that are played automatically when your turn comes.

    They are tried in order, and the first legal one is played.  Write MOVE as in the command move,
    each without spaces: 5-4s dudo.  A new queue replaces the old one; off cancels it.  Your letter
    of that turn says what was played and what was dropped.  A queue is only for the current round.
    If new dice are rolled before your turn, it is dropped, and your letter says so.  If it is
    already your turn, the queue is tried at once.  The text below the command then goes to the
    others.  Words after salt are mixed into the coming dice: help dice.

    You can also reply to the latest letter about the board.  Write just queue and the moves on the
    first line, or queue off.
    """
    from pbmserv.boards import seating
    from pbmserv.boards.seating import TokenUse

    place = seating.authorized(context, board, userid, password, TokenUse.PRIVATE)
    return _queued(context, *place, move)


def _queued(context: Context, board: Board, seat: int, words: Sequence[str]) -> list[Letter]:
    """Replace the queue of a seat by the moves in `words`, and try it if it is the seat's turn."""
    from pbmserv.boards import notices, opening_messages, queued_moves
    from pbmserv.games.perudo.notation import bare_move, split_salt
    from pbmserv.games.perudo.player_salts import salt_of

    said, own_words = split_salt(" ".join(words))
    moves = tuple(map(bare_move, said.split()))
    moves = () if moves == (OFF,) else moves
    salt = salt_of(context.identifier, own_words)
    played = queued_moves.queue(context, board, seat, moves, salt)
    if played.events:
        released = opening_messages.release(context, board, seat, context.message)
        return notices.of_move(context, replace(played, message=released), seat)
    if seat in played.tried:
        raise queued_moves.none_legal(board, moves)
    unsaid = bool(moves and context.message)
    released = opening_messages.release(context, board, seat, "")
    letters = notices.of_chat(context, board, seat, released) if released else []
    told: Queued = {"board": board.id, "moves": moves, "unsaid": unsaid}
    told["salted"] = bool(moves and own_words)
    told["reply"] = notices.hears_reply(context, board, seat)
    return [*letters, notices.noted(context, QUEUED, told, board, seat)]
