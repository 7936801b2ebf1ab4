"""Draws: the remaining players agree to stop a game without a winner.

When all who are left accept, the game ends unrated.  A reject or any bid ends the offer.
Bots, and bots that stand in for a player, agree when the people agree.  Every player is told of an
offer.  So a player may offer once a move, and once a day while nobody moves.
"""

from __future__ import annotations

from sqlalchemy import Connection

from pbmserv.boards import notices, play, seating
from pbmserv.boards.board import Board, Seated, load_board, require_open
from pbmserv.boards.record import change_seat
from pbmserv.context import Context
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import blocks
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.security.credentials import DRAW, Identity
from pbmserv.timeunits import DAY

PROPOSED, ACCEPTED, REJECTED, WITHDRAWN = "proposed", "accepted", "rejected", "withdrawn"
_OFFER, _MOMENT = "offer", "moment of offer"  # what `fixed_window` counts


def propose(context: Context, board: Board, seat: int, *, asks: bool = False) -> list[Letter]:
    """Offer a draw, or accept the one on offer.

    `asks`: with a question, which offers a draw, but accepts none.  Raises Refused `game_over`,
    `eliminated`, `agreed_already`, `offered_already`, `draw_on_offer`, `blocked_by`,
    `house_plays_on` or `beacon_awaited`.
    """
    require_player(board, seat)
    require_open(board)
    if board.agreed:
        if asks and not board.seats[seat].agrees:
            raise Refused("draw_on_offer", board=board.id)
        return _agree(context, board, seat, ACCEPTED)
    there = {each.player for each in _with_dice(board)}
    if blocking := blocks.blockers(context.connection, board.seats[seat].player) & there:
        names: list[Fact] = [each.userid for each in board.seats if each.player in blocking]
        raise Refused("blocked_by", names=names)
    offer = _OFFER, _name_of_counter(board, board.seats[seat])
    if not fixed_window.allowed(context.connection, *offer, 1, DAY, context.now):
        raise Refused("offered_already", board=board.id)
    letters = _agree(context, board, seat, PROPOSED)
    fixed_window.note(context.connection, *offer, DAY, context.now)
    long = fixed_window.LONG[_MOMENT]
    fixed_window.note(context.connection, _MOMENT, _coming(board), long, context.now)
    return letters


def offered_after(connection: Connection, board: Board, moment: int) -> bool:
    """Whether a draw was offered after a moment, for the coming move."""
    return any(since > moment for since in Counters(connection).rows(_MOMENT, _coming(board)))


def _coming(board: Board) -> str:
    """The name under which offers for the coming move are noted."""
    return f"{board.id} {board.table.move}"


def _name_of_counter(board: Board, seated: Seated) -> str:
    """The name under which an offer of this player's is counted."""
    return f"{board.id} {board.table.move} {seated.player}"


def answer(context: Context, board: Board, seat: int, accepts: bool) -> list[Letter]:
    """Accept or reject the draw on offer; a player who agreed to it takes that back by rejecting.

    Raises Refused `no_offer`, `agreed_already`, `game_over` or `eliminated`.
    """
    require_player(board, seat)
    if not board.agreed:
        raise Refused("no_offer", board=board.id)
    if accepts:
        return _agree(context, board, seat, ACCEPTED)
    board = seating.take(context, board, seat)
    for place, seated in enumerate(board.seats):
        if seated.agrees:
            change_seat(context, board, place, agrees=False)
    kind = WITHDRAWN if board.seats[seat].agrees else REJECTED
    return notices.of_offer(context, board, seat, kind, (), context.message)


def require_newest(context: Context, number: int, identity: Identity) -> None:
    """Check that a yes or no does not answer a letter from before the draw that is on offer.

    Raises Refused `offer_ended` for the token of an earlier letter about a draw.  If the player has
    not taken the seat, the answer may be to the challenge.  So it raises Refused `seat_not_taken`
    for the token of another earlier letter.
    """
    if identity.board != number or identity.move is None or identity.player not in context.owners:
        return
    board = load_board(context.connection, number)
    seat = board.seat_of(identity.player)
    if board.table.winner is not None or identity.move >= board.table.move:
        return
    if identity.about == DRAW:
        raise Refused("offer_ended", board=board.id)
    if board.agreed and not board.seats[seat].taken:
        raise Refused("seat_not_taken", board=board.id)


def require_player(board: Board, seat: int) -> None:
    """Raise Refused `game_over` or `eliminated` for a seat that is not in a running game."""
    if board.table.winner is not None:
        winner = board.names[board.table.winner] if board.table.winner >= 0 else None
        raise Refused("game_over", winner=winner, board=board.id)
    if not board.table.cups[seat]:
        raise Refused("eliminated", board=board.id)


def _with_dice(board: Board) -> list[Seated]:
    return [each for each, cup in zip(board.seats, board.table.cups, strict=True) if cup]


def _agree(context: Context, board: Board, seat: int, kind: str) -> list[Letter]:
    """Note that one more player agrees; when all have agreed, the game is stopped.

    Bots agree with two or more people, but not with one alone.  Otherwise nobody would need to lose
    a game against bots.  Players who have signed off are not asked.  Raises Refused
    `house_plays_on` or `agreed_already`.
    """
    waiting = [place for place in board.undecided if place != seat]
    if not waiting and not board.agreed:
        gone: list[Fact] = [each.userid for each in _with_dice(board) if each.left]
        raise Refused("house_plays_on", board=board.id, gone=gone)
    if waiting and board.seats[seat].agrees:
        raise Refused("agreed_already", board=board.id)
    board = seating.take(context, board, seat)
    change_seat(context, board, seat, agrees=True)
    if waiting:
        return notices.of_offer(context, board, seat, kind, waiting, context.message)
    stopped = replace(play.stop_board(context, board), message=context.message)
    return notices.of_move(context, stopped, seat, notices.reason("agreed"))
