"""Estimate the last bid and each raise from a player's own dice, without using other bids.

The plain levels decide this way.  The shrewd level uses it to predict what another player would do
with each possible hand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.hands import Counting, Hands, Some, counting, hands
from pbmserv.games.perudo.bots.mixture import Policy
from pbmserv.games.perudo.bots.probabilities import (
    Odds,
    binomial,
    binomial_tails,
    dice_of,
    exactly,
    tail,
)
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.rules import MOST_PLAYERS, Rules
from pbmserv.games.perudo.view import View, most_dice

DUDO, CALZA = Call("dudo"), Call("calza")

LAST_CALZA = 200
"""The last round in which a bot calls calza.

In every later round a player loses a die.  So a game between bots ends, even with dice
that all show the same.
"""

Plain = Callable[[float, float, Rules], float | Call]
"""A plain level: a function that returns a call, or the chance that its best raise must have.

Its arguments are two chances and the rules.  The first is the chance that the last bid holds (1
where there is none).  The second is the chance that a calza would win a die.  It is 0 where calza
is not allowed or wins none.  If the best raise is less probable than the returned chance, the level
doubts.
"""

Raises = tuple[int, tuple[float, ...], tuple[Bid, ...]]
"""The best raises of one face.

The first field is the face, by its index from 0.  The second has the chances of its most probable
raise with none of the face in hand, with one, and so on.  The third has these raises.  Among
equals, each is the one with the most dice.
"""


class Stand(NamedTuple):
    """The public situation of a player on turn."""

    rules: Rules
    palifico: bool
    frozen: bool
    most: int
    """The most dice a bid may name."""
    dice: int
    """The dice of the player on turn."""
    others: int
    """The dice of all others."""
    regains: bool
    """Whether a right calza would win the player a die."""
    bids: tuple[Bid, ...]
    """The last bid, if there is one; before it the others that may not be repeated."""


class Outlook(NamedTuple):
    """The estimates of a player on turn for the last bid and for the raises."""

    place: int
    """The index of the face of the last bid, from 0; also 0 without a bid."""
    last: tuple[tuple[float, float], ...]
    """The two chances for a plain level, with none of that face in hand, with one, ..."""
    raises: tuple[Raises, ...]
    """The best raises of each face that the player may bid."""


def stand_of(view: View, seat: int, bids: int) -> Stand:
    """The situation of a seat after so many bids of this round."""
    dice = dice_of(view, seat)
    everybody = [each for each, out in enumerate(view.out) if not out]
    palifico = view.palifico is not None
    first = 0 if view.rules.never_repeats else max(0, bids - 1)
    return Stand(
        rules=view.rules,
        palifico=palifico,
        frozen=palifico or (view.rules.palifico == "own" and dice == 1),
        most=most_dice(view),
        dice=dice,
        others=sum(dice_of(view, each) for each in everybody) - dice,
        regains=may_call_calza(view) and dice < view.rules.dice,
        bids=tuple(bid for _, bid in view.bids[first:bids]),
    )


def may_call_calza(view: View) -> bool:
    """Whether the rules have calza, and the game is not past its last round with calza."""
    return view.rules.calza and view.round <= LAST_CALZA


def hands_of(stand: Stand) -> Hands:
    """The hands that the player in this situation may hold."""
    rules = stand.rules
    return hands(stand.dice, rules.faces, rules.counts_wild(2, stand.palifico))


def chance_of(rules: Rules, palifico: bool, face: int) -> float:
    """The chance that an unseen die counts for a face."""
    return (2 if rules.counts_wild(face, palifico) else 1) / rules.faces


@lru_cache(maxsize=512)
def outlook(stand: Stand) -> Outlook:
    """The estimates of the player in this situation."""
    rules, bids = stand.rules, stand.bids
    if not bids:
        return Outlook(0, ((1.0, 0.0),) * (stand.dice + 1), tuple(_raises(stand)))
    quantity, face = bids[-1]
    chance = chance_of(rules, stand.palifico, face)
    holding, odds = binomial_tails(stand.others, chance), binomial(stand.others, chance)
    last = tuple(
        (tail(holding, quantity - own), exactly(odds, quantity - own) if stand.regains else 0.0)
        for own in range(stand.dice + 1)
    )
    return Outlook(face - 1, last, tuple(_raises(stand)))


def _raises(stand: Stand) -> Iterable[Raises]:
    """The most probable raises of each face that has one."""
    rules, made = stand.rules, frozenset(stand.bids[:-1])
    last = stand.bids[-1] if stand.bids else None
    for face, raises in _raises_by_face(rules, stand.frozen, last).items():
        legal = (bid for bid in raises if bid not in made)
        # The most probable raise of a face never names more dice than the player's own and one.
        few = [bid for bid in islice(legal, stand.dice + 1) if bid.quantity <= stand.most]
        if few:
            tails = binomial_tails(stand.others, chance_of(rules, stand.palifico, face))
            yield _most_probable(few, tails, stand.dice)


@lru_cache(maxsize=1024)
def _raises_by_face(rules: Rules, frozen: bool, last: Bid | None) -> dict[int, list[Bid]]:
    """The raises of each face, up to all dice of a table; callers must not change them."""
    found: dict[int, list[Bid]] = {}
    for bid in bidding.raises(rules, rules.dice * MOST_PLAYERS, frozen, last):
        found.setdefault(bid.face, []).append(bid)
    return found


def _most_probable(legal: Sequence[Bid], tails: Odds, dice: int) -> Raises:
    """The most probable of these raises of one face, with none of it in hand, with one, ..."""
    least = legal[0]
    unsure = min(least.quantity, dice + 1)
    chances = [tail(tails, least.quantity - own) for own in range(unsure)]
    raises = [least] * unsure
    for own in range(unsure, dice + 1):
        chances.append(1.0)
        raises.append([bid for bid in legal[:own] if bid.quantity <= own][-1])
    return least.face - 1, tuple(chances), tuple(raises)


def answer(view: View, plain: Plain) -> Bid | Call:
    """The move of a plain level that is on turn and reads this view."""
    assert view.reader is not None  # a spectator does not move
    stand, rules = stand_of(view, view.reader, len(view.bids)), view.rules
    own = counting(view.cups[view.reader], rules.faces, rules.counts_wild(2, stand.palifico))
    return _answer_with(stand, plain, own)


def _answer_with(stand: Stand, plain: Plain, own: Counting) -> Bid | Call:
    """The move of a plain level in this situation, with a hand."""
    place, last, raises = outlook(stand)
    asked = plain(*last[own[place]], stand.rules)
    if isinstance(asked, Call):
        return asked
    likely = [(chances[own[face]], best[own[face]]) for face, chances, best in raises]
    chance, best = max(likely, default=(0.0, None))
    return DUDO if best is None or chance < asked else best


@lru_cache(maxsize=256)
def answers(stand: Stand, plain: Plain) -> tuple[Action, ...]:
    """What a plain level does in this situation with each hand, in the order of `hands_of`."""
    place, last, raises = outlook(stand)
    asked = [plain(*chances, stand.rules) for chances in last]
    likely = [(face, [*zip(chances, best, strict=True)]) for face, chances, best in raises]
    made = {bid: Raise(bid) for _, _, best in raises for bid in best}
    found: list[Action] = []
    for own, best in zip(counts_of(stand, place), best_of(stand, likely), strict=True):
        least = asked[own]
        if isinstance(least, Call):
            found.append(least)
        else:
            found.append(DUDO if best is None or best[0] < least else made[best[1]])
    return tuple(found)


Rated = TypeVar("Rated", bound=tuple[float, Bid] | tuple[float, int, Bid])
"""A raise with its chance first, and what decides between equal ones."""


def best_of(stand: Stand, by_face: Iterable[tuple[int, Sequence[Rated]]]) -> Iterable[Rated | None]:
    """The greatest of the raises of all faces for each hand, in the order of `hands_of`.

    A face (from 0) has a raise for each number of its dice in hand.  None: there is no raise.
    """
    rated = [*by_face]
    order = sorted({each for _, some in rated for each in some})
    ranks = {each: rank for rank, each in enumerate(order)}
    columns = [[-1] * len(hands_of(stand).held)]
    for face, some in rated:
        by_count = [ranks[each] for each in some]
        columns.append([by_count[own] for own in counts_of(stand, face)])
    found: list[Rated | None] = [*order, None]  # -1 is the last one
    return [found[rank] for rank in map(max, zip(*columns, strict=True))]


def counts_of(stand: Stand, place: int) -> Sequence[int]:
    """How many dice of each hand count for a face (from 0), in the order of `hands_of`."""
    rules = stand.rules
    return _columns(stand.dice, rules.faces, rules.counts_wild(2, stand.palifico))[place]


@lru_cache(maxsize=64)
def _columns(dice: int, faces: int, wild: bool) -> Sequence[Sequence[int]]:
    """How many dice of each of these hands count for each face."""
    return [*zip(*(own for _, own, _ in hands(dice, faces, wild).held), strict=True)]


def plain_policy(view: View, plain: Plain) -> Policy:
    """What a plain level does on this view's turn, for each hand; it never mixes."""
    stand = stand_of(view, view.turn, len(view.bids))

    def mixture(own: Counting) -> dict[Action, float]:
        found = _answer_with(stand, plain, own)
        return {found if isinstance(found, Call) else Raise(found): 1.0}

    return mixture


def callers(stand: Stand, plain: Plain) -> Iterable[tuple[int, Call, Some]]:
    """The hands with which the player would call, by the number of dice of the last bid's face."""
    known = hands_of(stand)
    place, last, raises = outlook(stand)
    for own, chances in enumerate(last):
        some, asked = known.having(place, own), plain(*chances, stand.rules)
        if isinstance(asked, Call):
            yield own, asked, some
            continue
        for face, likely, _ in raises:
            some &= ~known.at_least[face][bisect_left(likely, asked)]
        yield own, DUDO, some


def bidders(stand: Stand, plain: Plain, bid: Bid) -> Some:
    """The hands with which the player would make this bid."""
    known = hands_of(stand)
    place, last, raises = outlook(stand)
    asked = [plain(*chances, stand.rules) for chances in last]
    found = 0
    for face, chances, best in raises:
        for own in range(stand.dice + 1):
            if best[own] == bid:
                some = known.having(face, own)
                for other in raises:
                    if other[0] != face:
                        some &= ~known.at_least[other[0]][_better(other, chances[own], bid)]
                for number, least in enumerate(asked):
                    if isinstance(least, Call) or chances[own] < least:
                        some &= ~known.having(place, number)
                found |= some
    return found


def _better(raises: Raises, chance: float, bid: Bid) -> int:
    """How many dice of a face in hand make the best raise of it better than this bid."""
    _, chances, best = raises
    own = bisect_left(chances, chance)
    while own < len(best) and chances[own] == chance and best[own] < bid:
        own += 1
    return own
