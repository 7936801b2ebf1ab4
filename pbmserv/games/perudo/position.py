"""The table: a position of the game as a value, and the effect of each event on it.

`after` records events and never checks that they are legal (`play` does).  So a spectator may apply
public events, too, and then has dice 0 in the cups.  No event names the player on turn after a bid:
`turns` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import (
    NOBODY,
    Bade,
    Beacon,
    Called,
    Cups,
    Dealt,
    Drawn,
    Eliminated,
    Event,
    Gained,
    Lost,
    Resigned,
    Restored,
    Revealed,
    Won,
)
from pbmserv.games.perudo.rules import FEWEST_PLAYERS, MOST_PLAYERS, Rules
from pbmserv.games.perudo.turns import next_living


class Table(NamedTuple):
    """The complete state of a game at one moment, all dice included.

    A die 0 is unknown to this reader.  Seats count from 0; a seat with an empty cup is out.
    """

    rules: Rules
    cups: Cups
    round: int = 0
    """The running round, from 1; 0 before the first deal."""
    move: int = 1
    """The number of the next move, from 1: bids, calls and resignations count."""
    turn: int = 0
    """The seat whose move it is."""
    bids: tuple[tuple[int, Bid], ...] = ()
    """(seat, bid) made this round; the last one is the bid to beat."""
    palifico: int | None = None
    """The seat whose Palifico round this is."""
    palifico_used: frozenset[int] = frozenset()
    """The seats that had their only Palifico round, if the rules give each one."""
    pacao_called: bool = False
    """Pacao has been called this round."""
    winner: int | None = None
    """The seat that has won, NOBODY if the game was stopped; None while it runs."""
    pending: Called | Resigned | None = None
    """The call or resignation that waits for the beacon, without its salt; no move is possible."""

    @property
    def counts(self) -> tuple[int, ...]:
        """How many dice each seat has."""
        return tuple(map(len, self.cups))


class Position(Protocol):
    """The common interface of a table and a reader's view of it.

    `counts` holds None where the reader may not know how many dice a seat has.
    """

    @property
    def rules(self) -> Rules: ...  # noqa: D102 - as in `Table`
    @property
    def cups(self) -> Cups: ...  # noqa: D102 - as in `Table`
    @property
    def counts(self) -> tuple[int | None, ...]: ...  # noqa: D102 - as in `Table`
    @property
    def round(self) -> int: ...  # noqa: D102 - as in `Table`
    @property
    def move(self) -> int: ...  # noqa: D102 - as in `Table`
    @property
    def turn(self) -> int: ...  # noqa: D102 - as in `Table`
    @property
    def bids(self) -> tuple[tuple[int, Bid], ...]: ...  # noqa: D102 - as in `Table`
    @property
    def palifico(self) -> int | None: ...  # noqa: D102 - as in `Table`
    @property
    def palifico_used(self) -> frozenset[int]: ...  # noqa: D102 - as in `Table`
    @property
    def pacao_called(self) -> bool: ...  # noqa: D102 - as in `Table`
    @property
    def winner(self) -> int | None: ...  # noqa: D102 - as in `Table`
    @property
    def pending(self) -> Called | Resigned | None: ...  # noqa: D102 - as in `Table`


def new_table(rules: Rules, players: int) -> Table:
    """A table before the first deal: round 0, every die unknown.

    Refused: `player_count` (given, least, most) outside 2 to 6.  pbmserv says "Two to six
    players can play", and bga's table runs from 2 to 6.  The others are silent.
    """
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise Refused("player_count", given=players, least=FEWEST_PLAYERS, most=MOST_PLAYERS)
    return Table(rules, ((0,) * rules.dice,) * players)


def after(table: Table, event: Event) -> Table:
    """The table after an event."""
    rules, cups, number, move, turn, bids, palifico, used, pacao, winner, pending = table
    if isinstance(event, Bade):
        turn = next_living(cups, event.seat)
        bids = (*bids, (event.seat, event.bid))
        return Table(rules, cups, number, move + 1, turn, bids, palifico, used, pacao, winner)
    if isinstance(event, Dealt):
        palifico = event.palifico
        if palifico is not None and rules.palifico == "first":
            used |= {palifico}
        return Table(rules, event.cups, event.round, move, event.starter, (), palifico, used)
    if isinstance(event, Revealed):
        cups = event.cups
    elif isinstance(event, Called | Resigned):
        move += 1
        pacao = pacao or (isinstance(event, Called) and event.call == "pacao")
        pending = None if event.beacon is None else replace(event, salt="")
    elif isinstance(event, Won):
        winner = event.seat
    elif isinstance(event, Drawn):
        winner, pending = NOBODY, None
    elif isinstance(event, Restored | Beacon):
        pending = None
    else:
        cups = _cups_after(cups, event)
    return Table(rules, cups, number, move, turn, bids, palifico, used, pacao, winner, pending)


def _cups_after(cups: Cups, event: Lost | Gained | Eliminated) -> Cups:
    """The cups after one seat's number of dice has changed; a new die is not rolled yet."""
    seat = event.seat
    if isinstance(event, Lost):
        cup = cups[seat][:-1]
    elif isinstance(event, Gained):
        cup = (*cups[seat], 0)
    else:
        cup = ()
    return (*cups[:seat], cup, *cups[seat + 1 :])


def after_all(table: Table, events: Iterable[Event]) -> Table:
    """The table after all these events, in order."""
    for event in events:
        table = after(table, event)
    return table
