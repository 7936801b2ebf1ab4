"""The reader: a player who knows the code of the bots, and all but the server's key and their cups.

It keeps the chance of each cup of each bot by Bayes' rule.  A bid multiplies the chance of a cup by
the probability that a bot with this cup makes it.  It predicts the reply to each of its own raises
in the same way.  So it shows how much a bot's bids tell.

The reader looks two raises ahead at a table of two.  It does not calculate further, so its results
are lower bounds.  It follows the bots' rules of play, not their taste: a value is in dice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import best_replies, endgames, multiplayer_inputs, shrewd
from pbmserv.games.perudo.bots.habits import Recipe
from pbmserv.games.perudo.bots.hands import Counting, counting, hands
from pbmserv.games.perudo.bots.mixture import Mixture, Policy, mixed
from pbmserv.games.perudo.bots.network_inputs import RoundOfTwo, position
from pbmserv.games.perudo.bots.probabilities import Odds, at_least, both, exactly
from pbmserv.games.perudo.table import Action, Bid, Call, Raise, View, legal_bids, legal_calls
from scripts import arena_multiplayer, arena_network

_STEPS = 2  # raises of each face that are considered
_GOES_ON = 0.1  # at least the value of a turn after a bot has raised
_PASSED_ON = 0.02  # the value of a raise that the next of several bots raises again

Held: TypeAlias = tuple[tuple[Counting, float], ...]
"""Hands and their chances."""


class Supposed(NamedTuple):
    """What the default level supposes of its only opponent, and how far."""

    recipes: tuple[Recipe, ...]
    trust: float
    """The probability of a best reply."""


Level: TypeAlias = str | Supposed
"""The level of the bots; or what the default one supposes of its only opponent."""


def choose(view: View, level: Level) -> Action:
    """The best action against bots of a level, by the beliefs of the reader on turn."""
    seat = view.turn
    own = _counting(view, seat)
    around = [(seat + step) % len(view.cups) for step in range(1, len(view.cups))]
    others = [each for each in around if not view.out[each]]
    believed = {each: beliefs(_public(view), each, level) for each in others}
    values = dict(_calls(view, own, believed))
    for bid in _few(view):
        values[Raise(bid)] = _raising(view, own, believed, others[0], bid, level)
    return max(values, key=lambda action: values[action])


def _few(view: View) -> Iterator[Bid]:
    """The least raises of each face."""
    found: dict[int, int] = {}
    for bid in legal_bids(view):
        found[bid.face] = found.get(bid.face, 0) + 1
        if found[bid.face] <= _STEPS:
            yield bid


def _counting(view: View, seat: int) -> Counting:
    rules = view.rules
    wild = rules.counts_wild(2, view.palifico is not None)
    return counting(view.cups[seat], rules.faces, wild)


def _public(view: View) -> View:
    """The view without the reader's cup."""
    cups = tuple((0,) * len(cup) for cup in view.cups)
    return replace(view, cups=cups, reader=None)


def _before(public: View, number: int) -> View:
    """The view before bid `number` (from 0) of the round, for the seat that makes it."""
    seat = public.bids[number][0]
    move = public.move - len(public.bids) + number
    return replace(public, bids=public.bids[:number], turn=seat, reader=seat, move=move)


@lru_cache(maxsize=4096)
def beliefs(public: View, seat: int, level: Level) -> Held:
    """The hands that a bot of this level may hold after its bids of the round."""
    made = [number for number, (bidder, _) in enumerate(public.bids) if bidder == seat]
    if not made:
        rules = public.rules
        wild = rules.counts_wild(2, public.palifico is not None)
        known = hands(len(public.cups[seat]), rules.faces, wild)
        return tuple((counts, chance) for _, counts, chance in known.held)
    number = made[-1]
    before = _before(public, number)
    said = Raise(public.bids[number][1])
    held = beliefs(_public(before), seat, level)
    said_with = _probabilities(before, level, said)
    found = [(own, chance * said_with[own]) for own, chance in held]
    total = sum(chance for _, chance in found)
    if not total:  # a bid that no bot of this level makes tells nothing
        return held
    return tuple((own, chance / total) for own, chance in found if chance)


def _name(level: Level) -> str:
    return level if isinstance(level, str) else bots.DEFAULT


@lru_cache(maxsize=4096)
def _replies(before: View, level: Level) -> Policy | None:
    """What the default level does on its turn where it supposes recipes that explain the bids."""
    if isinstance(level, str):
        return None
    others = shrewd.others_of(before)
    return best_replies.policy(before, dict.fromkeys(others, level.recipes))


def _is_default(before: View, level: Level) -> bool:
    """Whether the default level hides its cup."""
    return _name(level) == bots.DEFAULT and _replies(before, level) is None


def _by_network(before: View, level: Level) -> RoundOfTwo | None:
    """What a network sees, if it plays the bot on turn."""
    seen = position(before) if _is_default(before, level) else None
    return seen if seen is not None and endgames.policy(before) is None else None


def _of_several(before: View, level: Level) -> multiplayer_inputs.RoundOfSeveral | None:
    """What a network of three or four players sees, if it plays the bot on turn."""
    return multiplayer_inputs.position(before) if _is_default(before, level) else None


def _probabilities(before: View, level: Level, action: Action) -> dict[Counting, float]:
    """How probable it is with each hand that the bot on turn does this."""
    of_several = _of_several(before, level)
    if of_several is not None:
        return arena_multiplayer.probabilities(before, of_several, action)
    return {own: each.get(action, 0.0) for own, each in _mixtures(before, level).items()}


@lru_cache(maxsize=4096)
def _mixtures(before: View, level: Level) -> dict[Counting, Mixture]:
    """What the bot on turn does with each hand."""
    replies = _replies(before, level)
    if replies is not None and isinstance(level, Supposed):
        hidden = _mixtures(before, bots.DEFAULT)
        found = mixed(replies, hidden.__getitem__, level.trust)
        return {own: found(own) for own in hidden}
    seen = _by_network(before, level)
    if seen is not None:
        return arena_network.mixtures(before, seen)
    of_several = _of_several(before, level)
    if of_several is not None:
        return arena_multiplayer.mixtures(before, of_several)
    rules = before.rules
    policy = bots.policy(before, _name(level))
    wild = rules.counts_wild(2, before.palifico is not None)
    known = hands(len(before.cups[before.turn]), rules.faces, wild)
    return {counts: policy(counts) for _, counts, _ in known.held}


def _odds(held: Held, face: int) -> Odds:
    """How many dice of a hand count for a face, as a distribution."""
    found = [0.0] * (1 + max(own[face - 1] for own, _ in held))
    for own, chance in held:
        found[own[face - 1]] += chance
    return tuple(found)


def _together(believed: dict[int, Held], face: int) -> Odds:
    found: Odds = (1.0,)
    for held in believed.values():
        found = both(found, _odds(held, face))
    return found


def _calls(view: View, own: Counting, believed: dict[int, Held]) -> Iterator[tuple[Action, float]]:
    """The calls of the last bid, and their values."""
    if not view.bids:
        return
    last, gain = view.bids[-1][1], 1 / len(believed)
    odds, wanted = _together(believed, last.face), last.quantity - own[last.face - 1]
    holds, right = at_least(odds, wanted), exactly(odds, wanted)
    full = view.counts[view.turn] == view.rules.dice
    values = {
        "dudo": (1 - holds) * gain - holds,
        "pacao": holds * gain - (1 - holds),
        "calza": (0.0 if full else right) - (1 - right),
    }
    for word in legal_calls(view, view.turn):
        yield Call(word), values[word]


def _raising(
    view: View, own: Counting, believed: dict[int, Held], follower: int, bid: Bid, level: Level
) -> float:
    """The value of a raise, from the replies of the next bot with each of its hands."""
    after = replace(view, bids=(*view.bids, (view.turn, bid)), turn=follower, move=view.move + 1)
    before = replace(_public(after), reader=follower)
    seen = _by_network(before, level)
    if seen is not None:
        return arena_network.raising(before, seen, own, believed[follower], _GOES_ON)
    of_several = _of_several(before, level)
    if of_several is not None:
        return _raising_among(before, of_several, own, believed, bid)
    mixtures = _mixtures(before, level)
    rest = {seat: held for seat, held in believed.items() if seat != follower}
    odds, gain = _together(rest, bid.face), 1 / len(believed)
    wanted, value = bid.quantity - own[bid.face - 1], 0.0
    words, full = legal_calls(after, follower), view.counts[follower] == view.rules.dice
    raised: dict[Action, list[tuple[Counting, float]]] = {}
    for hand, chance in believed[follower]:
        holds = at_least(odds, wanted - hand[bid.face - 1])
        right = exactly(odds, wanted - hand[bid.face - 1])
        values = {
            "dudo": holds * gain - (1 - holds),
            "pacao": (1 - holds) * gain - holds,
            "calza": (1 - right - (0 if full else right)) * gain,
        }
        mixture, goes_on = mixtures[hand], 1.0
        for word, worth in values.items():
            if word in words:
                probability = mixture.get(Call(word), 0.0)
                value += chance * probability * worth
                goes_on -= probability
        if rest:
            value += chance * goes_on * _PASSED_ON
            continue
        for action, probability in mixture.items():
            if isinstance(action, Raise):
                raised.setdefault(action, []).append((hand, chance * probability))
    return value + sum(
        _answered(own, action.bid, tuple(held))
        for action, held in raised.items()
        if isinstance(action, Raise)
    )


def _raising_among(
    before: View,
    seen: multiplayer_inputs.RoundOfSeveral,
    own: Counting,
    believed: dict[int, Held],
    bid: Bid,
) -> float:
    """The same where a network of three or four players replies: it doubts or raises."""
    held, gain = believed[before.turn], 1 / len(believed)
    rest = {seat: each for seat, each in believed.items() if seat != before.turn}
    odds, wanted = _together(rest, bid.face), bid.quantity - own[bid.face - 1]
    doubts = arena_multiplayer.doubts(before, seen, bid.face, held)
    value = sum(chance for _, chance in held) * _PASSED_ON
    for count, chance in enumerate(doubts):
        holds = at_least(odds, wanted - count)
        value += chance * (holds * gain - (1 - holds) - _PASSED_ON)
    return value


def _answered(own: Counting, bid: Bid, held: Held) -> float:
    """The value of the only bot's raise with these hands, times their chances."""
    total = sum(chance for _, chance in held)
    odds = _odds(held, bid.face)
    holds = at_least(odds, bid.quantity - own[bid.face - 1])
    return max(total * _GOES_ON, total - 2 * holds)
