"""The default bot: it interprets the others' bids and predicts the next player's reply.

Every choice has a value in dice.  Losing a die is -1; another player's loss is worth a share of
that.  The value of a raise is the value of the next player's call, weighted by how likely that call
is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import endgames, multiplayer_network, network, trained, veil
from pbmserv.games.perudo.bots.endgames import TWO_PLAYERS
from pbmserv.games.perudo.bots.hands import Counting, Held
from pbmserv.games.perudo.bots.inference import ByOwn, by_own, odds, read
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.plain_levels import (
    DUDO,
    Plain,
    callers,
    hands_of,
    may_call_calza,
    stand_of,
)
from pbmserv.games.perudo.bots.probabilities import (
    Odds,
    at_least,
    both,
    dice_of,
    exactly,
    tail,
    tails,
)
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.view import View, legal_bids, legal_calls

STEPS = 2  # raises of each face that are considered
MOST_RAISES = 12  # of all faces: those of an ordinary die, so that no choice takes long
_OTHERS_LOSS = 0.9  # the value of the only opponent's loss; with several opponents it is shared
_PASSED_ON = 0.05  # the value of a raise that is not called

# Veiled bids: a raise that is worth so many dice less is e times less likely.  A reader won least
# with these, also where a raise can go down (`scripts/arena --against reader`).
_TEMPERATURE, _TEMPERATURE_DOWN = 0.2, 0.3
_MOST_VEILED = 4  # players; with more, the bot wins less from plain players, and knows them later
_MOST_FACES = 6  # with more, the bids of all hands would take too long


def policy(view: View) -> Policy:
    """A stored policy of two to four; veiled bids of a few; else the choice of the best value."""
    stored = of_two(view) or multiplayer_network.policy(view)
    if stored is None:
        return veiled(view) if is_veiled(view) else estimated(view)
    otherwise = estimated(view)

    def mixture(own: Counting) -> Mixture:
        return stored(own) or otherwise(own)

    return mixture


def of_two(view: View) -> Policy | None:
    """The policy of a round of two: solved, of the network, or trained; None if there is none."""
    return endgames.policy(view) or network.policy(view) or trained.policy(view)


def is_veiled(view: View) -> bool:
    """Whether bids are to tell little: of three or four players, with dice of at most six faces.

    They are veiled where no network plays.
    """
    living = len(view.out) - sum(view.out)
    return TWO_PLAYERS < living <= _MOST_VEILED and view.rules.faces <= _MOST_FACES


def veiled(view: View) -> Policy:
    """The best call where its value is the best; else a raise by chance that tells little."""
    table, few = _Interpreted(view), few_of(legal_bids(view), ())
    if not few:
        return estimated(view)
    temperature = _TEMPERATURE_DOWN if view.rules.never_repeats else _TEMPERATURE
    raises = [Raise(bid) for bid in few]

    def hand(own: Counting, chance: float) -> veil.Hand:
        values = [table.raising(bid, own[bid.face - 1]) for bid in few]
        best = max(table.calls(own).values(), default=None)
        called = None if best is None else veil.factors([best], temperature)[0]
        return veil.Hand(chance, veil.factors(values, temperature), called)

    known = hands_of(stand_of(view, view.turn, 0)).held
    habit = veil.habit([hand(own, chance) for _, own, chance in known])

    def mixture(own: Counting) -> Mixture:
        found = veil.shares(habit, hand(own, 1.0))
        if found is None:
            values = table.calls(own)
            return {max(values, key=lambda action: values[action]): 1.0}
        kept = {each: part for each, part in zip(raises, found, strict=True) if part > veil.LEAST}
        total = sum(kept.values())
        return {each: part / total for each, part in kept.items()}

    return mixture


def estimated(view: View) -> Policy:
    """For each hand the choice of the best value; among equals the call, then the lower bid."""
    legal = legal_bids(view)
    tables: list[_Interpreted] = []  # made when it is first needed: it takes time

    def mixture(own: Counting) -> Mixture:
        if not tables:
            tables.append(_Interpreted(view))
        table = tables[0]
        values = dict(table.calls(own))
        for bid in few_of(legal, own):
            values[Raise(bid)] = table.raising(bid, own[bid.face - 1])
        return {max(values, key=lambda action: values[action]): 1.0}

    return mixture


def few_of(bids: Iterable[Bid], own: Counting) -> Sequence[Bid]:
    """The smallest raises of each face; with many faces, of those the player has most of."""
    found: dict[int, list[Bid]] = {}
    for bid in bids:
        found.setdefault(bid.face, []).append(bid)
    few = [bid for raises in found.values() for bid in raises[:STEPS]]
    if len(few) > MOST_RAISES:
        few = sorted(few, key=lambda bid: -own[bid.face - 1])[:MOST_RAISES]
    return sorted(few)


class TableEstimate:
    """The estimates of the player on turn for the whole table, from public facts alone.

    `read` says what each other player with dice may hold, in the order of turns.
    """

    def __init__(self, view: View, read: Mapping[int, Sequence[tuple[object, Sequence[Held]]]]):
        self.view, self.seat, self.read = view, view.turn, read
        self.gain = 1 / len(read)
        self.dice = {seat: dice_of(view, seat) for seat in read}
        self.follower, *self.rest = read
        self.found: dict[int, Odds] = {}
        self.called: dict[int, dict[Action, float]] = {}

    def rest_odds(self, face: int) -> Odds:
        """How many dice of all players but the next count for a face, as a distribution."""
        if face not in self.found:
            self.found[face] = self.odds(self.rest, face)
        return self.found[face]

    @cached_property
    def last_odds(self) -> Odds:
        """How many dice of all others count for the last bid, as a distribution."""
        return self.odds(self.read, self.view.bids[-1][1].face)

    def odds(self, seats: Iterable[int], face: int) -> Odds:
        """How many dice of these seats count for a face, as a distribution."""
        found: Odds = (1.0,)
        for seat in seats:
            found = both(found, odds(self.read[seat], self.dice[seat], face))
        return found

    def calls(self, own: Counting) -> Mapping[Action, float]:
        """The calls of the last bid, and their values with this hand."""
        if not self.view.bids:
            return {}
        last = self.view.bids[-1][1]
        having = own[last.face - 1]
        if having not in self.called:
            self.called[having] = dict(self._calls(last.quantity - having))
        return self.called[having]

    def _calls(self, wanted: int) -> Iterable[tuple[Action, float]]:
        """The calls and their values, if the others must have so many dice of the last bid."""
        found = self.last_odds
        holds, right = at_least(found, wanted), exactly(found, wanted)
        full = self.view.counts[self.seat] == self.view.rules.dice
        values = {
            "dudo": (1 - holds) * self.gain - holds,
            "pacao": holds * self.gain - (1 - holds),
            "calza": (0.0 if full else right) - (1 - right),
        }
        for word in legal_calls(self.view, self.seat):
            if word != "calza" or may_call_calza(self.view):
                yield Call(word), values[word]


def others_of(view: View) -> Sequence[int]:
    """The other players with dice, in the order of turns."""
    seats = len(view.cups)
    around = [(view.turn + step) % seats for step in range(1, seats)]
    return [seat for seat in around if not view.out[seat]]


class _Interpreted(TableEstimate):
    """The estimates from bids that are interpreted: anybody may have made them."""

    def __init__(self, view: View) -> None:
        readings = {seat: read(view, seat) for seat in others_of(view)}
        super().__init__(view, readings)
        self.gain *= _OTHERS_LOSS
        self.following = readings[self.follower]
        self.sorted: dict[int, list[tuple[Plain, ByOwn]]] = {}
        self.raised: dict[tuple[Bid, int], float] = {}

    def follower_by_own(self, face: int) -> list[tuple[Plain, ByOwn]]:
        """The hands of the next player by the number of dice of a face."""
        if face not in self.sorted:
            dice = self.dice[self.follower]
            self.sorted[face] = [
                (plain, by_own(held, dice, face)) for plain, held in self.following
            ]
        return self.sorted[face]

    def raising(self, bid: Bid, own: int) -> float:
        """The value of a raise, if the player's hand has so many dice of its face."""
        if (bid, own) not in self.raised:
            self.raised[bid, own] = self._raising(bid, bid.quantity - own)
        return self.raised[bid, own]

    def _raising(self, bid: Bid, wanted: int) -> float:
        """The value of a raise, from the next player's possible hands and their replies."""
        stand = stand_of(self.view, self.follower, len(self.view.bids))
        stand = stand._replace(bids=(*stand.bids, bid))
        rest = self.rest_odds(bid.face)
        holds = tails(rest)
        value, passed = 0.0, 1.0
        for plain, sorted_hands in self.follower_by_own(bid.face):
            for own, call, hands in callers(stand, plain):
                called = sum([chance for bit, chance in sorted_hands[own] if bit & hands])
                if call is DUDO:
                    true = tail(holds, wanted - own)
                    value += called * (true * self.gain - (1 - true))
                else:
                    value += called * (1 - 2 * exactly(rest, wanted - own)) * self.gain
                passed -= called
        return value + passed * _PASSED_ON
