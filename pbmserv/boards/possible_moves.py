"""What a player may do at a board now, for the answer to an email that does not say it clearly."""

from __future__ import annotations

from sqlalchemy import Connection, select

from pbmserv.boards.board import INVITED, Board, load_board
from pbmserv.boards.deadlines import forfeit_at
from pbmserv.boards.rating_eligibility import rating_of
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.notation import read_bid, write_bid
from pbmserv.games.perudo.suggestions import offered_bids
from pbmserv.games.perudo.table import (
    PlainDice,
    Raise,
    Table,
    legal_bids,
    legal_calls,
    play,
)
from pbmserv.games.perudo.view import view
from pbmserv.letters.payloads.boards import OnTurn


@dataclass(frozen=True, slots=True)
class PossibleMoves:
    """The bids and calls that are legal now for a player, as `4-2s` and `dudo`.

    `examples` are up to two of them to show.  `turn` is the userid of another player who is on
    turn, or "".  `draw`: a draw is on offer and waits for this player's answer.  `invited`: the
    board is an invitation that waits for it.  `declines`: the player may leave the game without a
    penalty.  `plays`: the player has dice at a board that is not over.  `resigned` and `declined`:
    so the player did, and leaves when the turn comes.  `is_out`: the player has no dice.
    `is_over`: the board is over, and `winner` is who won, or "".  `not_begun`: it is an invitation,
    or was one that was `withdrawn`.  `table` is the game at a board that is not over, in which the
    player has this `seat`.  `rated`: who leaves now loses for the ratings.
    """

    legal: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()
    turn: str = ""
    draw: bool = False
    invited: bool = False
    declines: bool = False
    plays: bool = False
    resigned: bool = False
    declined: bool = False
    is_out: bool = False
    is_over: bool = False
    winner: str = ""
    not_begun: bool = False
    withdrawn: bool = False
    table: Table | None = None
    seat: int = 0
    rated: bool = False

    @property
    def rules(self) -> str:
        """The name of the rule set; "" if there is no game."""
        return self.table.rules.name if self.table else ""

    @property
    def wild(self) -> bool:
        """Whether ones count for other faces, too, in this round."""
        table = self.table
        return table is not None and table.rules.counts_wild(2, table.palifico is not None)

    @property
    def beacon(self) -> int | None:
        """The round of the beacon for which a call waits."""
        return self.table.pending.beacon if self.table and self.table.pending else None

    def refusal(self, bid: str) -> Refused | None:
        """Why a bid such as `4-2s` is not legal now; None if it is, and out of turn."""
        if self.table is None or self.table.pending or self.table.turn != self.seat:
            return None
        try:
            play(self.table, self.table.turn, Raise(read_bid(bid)), PlainDice())
        except Refused as refusal:
            return refusal
        return None


def possible_moves(connection: Connection, number: int, player: int) -> PossibleMoves:
    """What a player may do at a board; no move before it begins, and after its end."""
    try:
        board = load_board(connection, number)
        seat = board.seat_of(player)
    except Refused as refusal:  # it has not begun, or the player has left
        invited, withdrawn = is_invited(connection, number, player), refusal.facts.get("withdrawn")
        not_begun = refusal.code == "not_begun"
        return PossibleMoves(invited=invited, not_begun=not_begun, withdrawn=bool(withdrawn))
    if (winner := board.table.winner) is not None:
        return PossibleMoves(is_over=True, winner=board.names[winner] if winner >= 0 else "")
    draw = waits_for(board, player)
    plays = bool(board.table.cups[seat])
    declines = not (board.seats[seat].taken or board.seats[seat].leaving)
    calls = legal_calls(board.table, seat)
    rated = _is_rated_loss(board)
    if board.table.turn == seat and not board.table.pending:
        bids = [write_bid(each) for each in legal_bids(board.table)]
        examples = _examples(board, bids, calls)
        return PossibleMoves(
            frozenset((*bids, *calls)),
            examples,
            draw=draw,
            declines=declines,
            plays=plays,
            table=board.table,
            seat=seat,
            rated=rated,
        )
    turn = "" if board.table.pending else board.on_turn.userid
    taken, leaves = board.seats[seat].taken, plays and board.seats[seat].leaving
    return PossibleMoves(
        frozenset(calls),
        calls,
        turn,
        draw,
        declines=declines,
        plays=plays,
        resigned=leaves and taken,
        declined=leaves and not taken,
        is_out=not plays,
        table=board.table,
        seat=seat,
        rated=rated,
    )


def _is_rated_loss(board: Board) -> bool:
    """Whether to leave a board counts for ratings: before somebody has lost a die, it does not."""
    has_lost = any(0 < len(cup) < board.table.rules.dice for cup in board.table.cups)
    return has_lost and rating_of(board) == "rated"


def on_turn(connection: Connection, number: int, player: int) -> tuple[int, OnTurn] | None:
    """The next move, and what this player needs for it; None for a player who is not on turn.

    It has the player's dice, so it is for nobody else.
    """
    return own_cup(connection, number, player, is_on_turn=True)


def own_cup(
    connection: Connection, number: int, player: int, *, is_on_turn: bool = False
) -> tuple[int, OnTurn] | None:
    """As `on_turn`, for any player with dice unless only for one who `is_on_turn`."""
    try:
        board = load_board(connection, number)
        seat = board.seat_of(player)
    except Refused:  # it has not begun, or the player has left
        return None
    seen = view(board.table, seat)
    if seen.winner is not None or seen.pending or not seen.cups[seat]:
        return None
    if is_on_turn and seen.turn != seat:
        return None
    by, bid = seen.bids[-1] if seen.bids else (seat, None)
    told: OnTurn = {
        "dice": sorted(seen.cups[seat]),
        "bid": write_bid(bid) if bid else "",
        "by": board.names[by],
    }
    if not is_on_turn and not board.table.rules.hidden:
        left = zip(board.names, seen.counts, strict=True)
        told["left"] = [f"{name} {count}" for name, count in left if count]
    clock = board.clock
    forfeit = forfeit_at(clock, board.on_turn.away)
    is_forfeited = not (board.on_turn.level or clock.terms.standin)
    if is_forfeited and (clock.closes or forfeit + 1) > forfeit:
        told["forfeit"] = forfeit
    return seen.move, told


def _examples(board: Board, legal: list[str], calls: tuple[str, ...]) -> tuple[str, ...]:
    """Up to two moves of the player on turn: a bid and a call, or two bids."""
    offered = [write_bid(each) for each in offered_bids(board.table)[:2]]
    bids = [*offered, *(each for each in legal if each not in offered)]
    return (*bids[: 1 if calls else 2], *calls)[:2]


def is_invited(connection: Connection, number: int, player: int) -> bool:
    """Whether this board is an invitation that waits for this player."""
    board, seat = models.Board, models.Seat
    query = select(seat.seat).join(board, board.id == seat.board_id).where(board.id == number)
    waits = query.where(board.state == INVITED, ~seat.accepted, seat.player_id == player)
    return connection.execute(waits).first() is not None


def waits_for(board: Board, player: int) -> bool:
    """Whether a draw is on offer at this board, and waits for this player."""
    waiting = (board.seats[seat].player for seat in board.undecided)
    return bool(board.agreed) and board.table.winner is None and player in waiting
