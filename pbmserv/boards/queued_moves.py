"""Store moves and resignations that wait for the turn of their seat.

`boards/play.py` plays them when the turn comes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pbmserv.boards import impossible_moves, play, seating
from pbmserv.boards.board import Board, require_open
from pbmserv.boards.record import Played, change_seat
from pbmserv.context import UnitOfWork
from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.notation import read_action, write_bid
from pbmserv.games.perudo.table import legal_calls, smallest_raises

MOST_QUEUED = 10  # more than one player ever makes in a round


def queue(
    work: UnitOfWork, board: Board, seat: int, moves: Sequence[str], salt: str = ""
) -> Played:
    """Replace the queued moves of a seat; an empty list removes the queue.  `salt` is for them.

    If it is the seat's turn, they are tried at once.  Raises Refused `game_over`, `eliminated`,
    `unreadable_move`, `too_many_moves`, or `beacon_awaited`: a queue is for the bids of a round.
    Raises `bid_range`, `over_cap` or `call_unknown_here` for a move that no turn allows.
    """
    if (winner := board.table.winner) is not None:
        name = board.names[winner] if winner >= 0 else None
        raise Refused("game_over", winner=name, board=board.id)
    if not board.table.cups[seat]:
        raise Refused("eliminated", board=board.id)
    require_open(board)
    if len(moves) > MOST_QUEUED:
        raise Refused("too_many_moves", most=MOST_QUEUED)
    refusals = [impossible_moves.refusal(board, each) for each in map(read_action, moves)]
    for refusal in filter(None, refusals):
        raise refusal
    kept = {"queued": json.dumps(moves), "salt": salt} if moves else {"queued": "", "salt": ""}
    change_seat(work, board, seat, **kept)
    noted = seating.with_seat(seating.take(work, board, seat), seat, queued=tuple(moves), salt=salt)
    return play.by_itself(work, Played(noted, ()))


def none_legal(board: Board, moves: Sequence[str]) -> Refused:
    """The refusal for moves that were tried on the player's turn when none of them was legal."""
    bids: list[Fact] = [write_bid(each) for each in smallest_raises(board.table)]
    calls: list[Fact] = [*legal_calls(board.table, board.table.turn)]
    facts: dict[str, Fact] = {"moves": list(moves), "smallest": bids, "calls": calls}
    facts["may_call"] = bool(calls)
    return Refused("none_legal", board=board.id, **facts)


def resign_later(work: UnitOfWork, board: Board, seat: int) -> bool:
    """Note or cancel a resignation that waits for the seat's turn; returns True if it is noted now.

    Raises Refused `eliminated`.
    """
    if not board.table.cups[seat]:
        raise Refused("eliminated", board=board.id)
    board = seating.take(work, board, seat)
    leaving = not board.seats[seat].leaving
    change_seat(work, board, seat, leaving=leaving)
    return leaving
