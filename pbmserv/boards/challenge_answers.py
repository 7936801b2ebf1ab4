"""The answers of players to a challenge whose board has begun: accept or decline.

`boards/seating.py` says what they mean for the board.
"""

from __future__ import annotations

from sqlalchemy import select

from pbmserv.boards import draw_offers, notices, opening_messages, play, seating
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.notices import reason
from pbmserv.boards.possible_moves import on_turn, possible_moves
from pbmserv.boards.record import Played, change_board
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.letters.payloads.boards import CHAT_SENT, DECLINED, TAKEN, ResignPending, Taken
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import accounts
from pbmserv.security.credentials import Identity


def leave(work: UnitOfWork, board: Board, seat: int) -> Played:
    """Let a player leave a running board without a penalty, before all players took their seats.

    The seat leaves the table when its turn comes.  If too few players stay, the game ends at once.
    """
    after = seating.as_declined(board, seat)
    seating.note_declined(work, board, seat)
    if seating.goes_on(after):
        return play.by_itself(work, Played(after, ()))
    played = play.stop_board(work, after)
    seating.end_declined(work, after)
    return played


def asks(board: Board, seat: int) -> bool:
    """Whether a yes or no of this seat answers the challenge, and not an offer of a draw."""
    return board.table.winner is None and not board.seats[seat].taken and not board.agreed


def answer(context: Context, board: Board, seat: int, *, accepts: bool) -> list[Letter]:
    """Take the seat, or decline."""
    return accepted(context, board, seat) if accepts else declined(context, board, seat)


def accepted(context: Context, board: Board, seat: int) -> list[Letter]:
    """Take the seat at a running board, and send the player's message to the others.

    Raises Refused `eliminated` if the player has declined and is already out of the game.
    """
    draw_offers.require_player(board, seat)
    is_again = board.seats[seat].taken
    board = seating.take_after_all(context, board, seat)
    words = opening_messages.release(context, board, seat, context.message)
    letters = notices.of_chat(context, board, seat, words) if words else []
    rated = board.clock.terms.rated
    told: Taken = {"board": board.id, "waiting": seating.waiting(board), "rated": rated}
    told["seated"] = is_again
    pending = board.table.pending
    if pending is None or pending.beacon is None:
        told["turn"] = board.on_turn.userid
    else:
        told["beacon"], told["opens"] = pending.beacon, emitted_at(pending.beacon)
    return [
        *letters,
        notices.noted(context, TAKEN, _with_turn(context, board, seat, told), board, seat),
    ]


def _with_turn(context: Context, board: Board, seat: int, told: Taken) -> Taken:
    """The answer with the dice and some legal moves for a player on turn who can reply to it."""
    player = board.seats[seat].player
    if context.at_shell or not notices.hears_reply(context, board, seat):
        return told
    if (found := on_turn(context.connection, board.id, player)) is None:
        return told
    examples = possible_moves(context.connection, board.id, player).examples
    return {**told, "on_turn": found[1], "moves": examples}


def release_message(work: UnitOfWork, number: int, identity: Identity) -> list[Letter]:
    """Send the opening message of a challenger who does not play and now proves to be its sender.

    Returns no letters if no message waits for this proof.  The same holds if the player has a seat
    at the board: then a reply can prove it.
    """
    row = models.Board
    query = select(row.opening).where(row.id == number, row.challenger_id == identity.player)
    if not work.connection.execute(query).scalar() or identity.board is not None:
        return []
    board = load_board(work.connection, number)
    if identity.player in [each.player for each in board.seats]:
        return []
    change_board(work, board, opening="")
    userid = accounts.named(work.connection, [identity.player])[0].userid
    letters = notices.of_words(work, board, identity.player, userid, board.opening)
    return [*letters, CHAT_SENT.to(None, {"board": board.id, "to": board.names})]


def declined(context: Context, board: Board, seat: int) -> list[Letter]:
    """Leave a board without a penalty: now, or when the seat's turn comes.

    Raises Refused `game_over` or `eliminated`.  Raises Refused `seat_is_taken` if the player has
    moved, written or accepted there.
    """
    draw_offers.require_player(board, seat)
    seated = board.seats[seat]
    if seated.taken:
        raise Refused("seat_is_taken", board=board.id)
    unsaid = bool(context.message)
    if not seated.leaving:
        played = leave(context, board, seat)
        if played.events:
            played = replace(played, message=context.message)
            return notices.of_move(context, played, seat, reason("declined", seated.userid))
    replies = notices.hears_reply(context, board, seat)
    told: ResignPending = {"board": board.id, "unsaid": unsaid, "reply": replies}
    return [notices.noted(context, DECLINED, told, board, seat)]
