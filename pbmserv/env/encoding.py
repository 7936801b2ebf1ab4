"""Encode the actions of a game, and what its players see, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import Action, Bid, Call, Raise, View

PASS = 0  # what a player does who is asked for a calza out of turn, and makes none
CALLS = ("dudo", "calza", "pacao")  # the actions 1, 2 and 3
_FIRST_BID = 1 + len(CALLS)
_UNKNOWN = -1  # a number of dice that the rules hide

Vector = NDArray[np.int16]
Mask = NDArray[np.int8]


class Encoding:
    """How a game with these rules and so many players is encoded.

    The actions are PASS, the calls, and the bids by quantity, then face.  `actions` and `length`
    (of an observation) are how many numbers there are.
    """

    def __init__(self, rules: Rules, players: int) -> None:
        self._players, self._faces = players, rules.faces
        self._bids = players * rules.dice * rules.faces
        self.actions = _FIRST_BID + self._bids
        self.length = rules.faces + 4 * players + 3 + self._bids

    def number_of(self, action: Action) -> int:
        """The number of a bid or a call."""
        if isinstance(action, Raise):
            return _FIRST_BID + self._place(action.bid)
        assert isinstance(action, Call)
        return 1 + CALLS.index(action.word)

    def action_of(self, number: int) -> Action:
        """The bid or call that has a number; not for PASS."""
        if number < _FIRST_BID:
            return Call(CALLS[number - 1])
        quantity, face = divmod(number - _FIRST_BID, self._faces)
        return Raise(Bid(quantity + 1, face + 1))

    def _place(self, bid: Bid) -> int:
        return (bid.quantity - 1) * self._faces + bid.face - 1

    def mask(self, legal: Sequence[Action], *, may_pass: bool) -> Mask:
        """1 for each legal action, 0 for all others."""
        found = np.zeros(self.actions, np.int8)
        found[[self.number_of(each) for each in legal]] = 1
        found[PASS] = may_pass
        return found

    def observation(self, seen: View) -> Vector:
        """What one player sees, as numbers; docs/training.md says which.

        Places of players count from the reader, who has place 0, in the order of play.
        """
        assert seen.reader is not None
        found = np.zeros(self.length, np.int16)
        facts = [*self._facts(seen, seen.reader)]
        found[: len(facts)] = facts
        before = self.length - self._bids
        for age, (_, bid) in enumerate(reversed(seen.bids), 1):
            found[before + self._place(bid)] = age
        return found

    def _facts(self, seen: View, reader: int) -> Iterator[int]:
        places = [(reader + place) % self._players for place in range(self._players)]
        own = seen.cups[reader]
        yield from (own.count(face) for face in range(1, self._faces + 1))
        for seat in places:
            count = seen.counts[seat]
            yield _UNKNOWN if count is None else count
        yield from (seen.out[seat] for seat in places)
        yield from (seat in seen.palifico_used for seat in places)
        yield from (seat == seen.turn for seat in places)
        yield 0 if seen.palifico is None else 1 + places.index(seen.palifico)
        yield seen.pacao_called
        yield len(seen.bids)
