"""Advice about finished rounds: how probable each move was for its player, and what a bot does.

A chance is what the player could know: their own cup, and the number of dice on the table.  Every
other die is fair.  Nothing here uses dice of a round whose cups were not opened.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.plain_levels import chance_of, stand_of
from pbmserv.games.perudo.bots.probabilities import at_least, binomial, exactly
from pbmserv.games.perudo.events import Bade, Call, Called, Cups, Raise
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.position import Table
from pbmserv.games.perudo.view import View, count, view


@dataclass(frozen=True, slots=True)
class Judged:
    """A move of a finished round.

    `move` is the bid or the call.  `chance` is the probability, from 0 to 1, that the bid is true
    or the call right.  It is what the player could know.  `right` says whether it was.  `bot` is
    the most probable move of the usual bot with this cup, and `share` its probability.  They are ""
    and 0 for a call out of turn, which no bot makes, and where nobody asked for them.
    """

    seat: int
    move: str
    chance: float
    right: bool
    bot: str = ""
    share: float = 0.0

    @property
    def is_call(self) -> bool:
        """Whether the move is a call, not a bid."""
        return self.move.isalpha()

    @property
    def surprise(self) -> float:
        """How improbable the result was, from 0 (certain) to 1."""
        return 1 - self.chance if self.right else self.chance


@dataclass(frozen=True, slots=True)
class Round:
    """A finished round: its number, its opened cups, and its bids and calls in order."""

    number: int
    cups: Cups
    moves: tuple[Judged, ...]


def judged(opened: Opened, *, with_bot: bool, before: Sequence[Opened] = ()) -> Round:
    """The round with its moves judged; `with_bot`: also what a bot does, which takes longer.

    `before` are the finished rounds before it, which a bot remembers.
    """
    cups = opened.cups
    memory = before if with_bot else None
    moves = [_judged(table._replace(cups=cups), event, memory) for table, event in opened.made]
    return Round(opened.number, cups, tuple(moves))


def _judged(table: Table, event: Bade | Called, memory: Sequence[Opened] | None) -> Judged:
    """A move at this table, whose cups are all known; the player knows one of them.

    Without the `memory` of a bot nobody asks for its move.
    """
    seen = view(table, event.seat)
    bid = event.bid if isinstance(event, Bade) else table.bids[-1][1]
    stand = stand_of(seen, event.seat, len(seen.bids))
    wild = seen.rules.counts_wild(2, stand.palifico)
    own = counting(table.cups[event.seat], seen.rules.faces, wild)
    odds = binomial(stand.others, chance_of(seen.rules, stand.palifico, bid.face))
    wanted, found = bid.quantity - own[bid.face - 1], count(table, bid.face)
    holds, right = at_least(odds, wanted), exactly(odds, wanted)
    move = str(bid) if isinstance(event, Bade) else event.call
    chance, is_right = {
        "dudo": (1 - holds, found < bid.quantity),
        "calza": (right, found == bid.quantity),
    }.get(move, (holds, found >= bid.quantity))
    bot, share = "", 0.0
    if memory is not None and seen.turn == event.seat:
        bot, share = _of_bot(seen, own, memory)
    return Judged(event.seat, move, chance, is_right, bot, share)


def _of_bot(seen: View, own: tuple[int, ...], memory: Sequence[Opened]) -> tuple[str, float]:
    """The most probable move of the usual bot that reads this view, and its probability."""
    mixture = bots.policy(seen, opened=memory)(own)
    action = max(mixture, key=lambda each: mixture[each])
    assert isinstance(action, Raise | Call)  # no bot resigns
    return str(action.bid) if isinstance(action, Raise) else action.word, mixture[action]


def luckiest(rounds: Collection[Round]) -> tuple[int, Judged] | None:
    """The call with the least probable result, and the number of its round; None without a call.

    Among equals it is the first.
    """
    calls = [(each.number, move) for each in rounds for move in each.moves if move.is_call]
    return max(calls, key=lambda call: call[1].surprise, default=None)
