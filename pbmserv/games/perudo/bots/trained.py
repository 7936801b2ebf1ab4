"""Trained rounds: how the usual bot plays against one player with up to five dice each.

`scripts/train` makes the bot play such rounds against itself, and writes a file for each situation
into `rounds/`.  A file has a byte for each action, for the last four bids and each hand.  The
square of the byte is the weight of the action.  The actions are mixed, so a bid tells little of the
cup.

A file begins with the number of its bids' sequences (two bytes).  Nine bytes for each follow: the
quantities and faces of the last four bids, and the number of actions.  Zeros mean no bid.  255 in
place of the second or third bid means all sequences with this end together.  Then come the bytes of
each sequence, hand by hand.  If all bytes of a hand are 0, the bot hardly ever reaches this
situation with this hand.

In `pbmserv`, `pacao`, `pyrudo`, and `bga` with calza, `network` plays these rounds.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb
from pkgutil import get_data
from typing import NamedTuple, TypeAlias

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.endgames import TWO_PLAYERS, alike
from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.games.perudo.view import View

MOST_DICE = 5  # of each player
OPENS_UP_TO = 6  # dice of the first bid
CERTAIN = 11  # the byte of probability 1; small ones need the finer steps
ANY = 255  # in place of the bid before the last one
_KINDS = {
    "classic": RULE_SETS["classic"],
    "bga": RULE_SETS["bga"],
}
CALLS = (Call("dudo"),)  # of a bid: no rules that have files have calza
_SIZES = range(1, MOST_DICE + 1)
_RECENT = 4  # the bids that count
_COUNT, _HEAD = 2, 9  # bytes

Last: TypeAlias = Bid | None
"""The last bid; None before the first one."""

Recent: TypeAlias = tuple[int, ...]
"""The quantities and faces of the last four bids, the last one first; zeros mean no bid."""


class Situation(NamedTuple):
    """The rules (only `alike`), the dice of the player on turn and of the other, Palifico."""

    rules: Rules
    own: int
    other: int
    palifico: bool

    @property
    def frozen(self) -> bool:
        """Whether the player on turn may not change the face."""
        return self.palifico

    @property
    def turned(self) -> Situation:
        """The situation of the other player."""
        return self._replace(own=self.other, other=self.own)


@lru_cache(maxsize=4096)
def actions(situation: Situation, last: Last) -> tuple[Action, ...]:
    """The actions that are trained: calls, then some raises.

    The first bid has at most six dice.  A raise is the least one of each face; of the last bid's
    face, and of ones, also the next one.
    """
    rules, most = situation.rules, situation.own + situation.other
    raises = bidding.raises(rules, most, situation.frozen, last)
    if last is None:
        return tuple(Raise(bid) for bid in raises if bid.quantity <= OPENS_UP_TO)
    found: dict[int, list[Bid]] = {}
    for bid in raises:
        found.setdefault(bid.face, []).append(bid)
    few = [
        bid for face in sorted(found) for bid in found[face][: 2 if face in {1, last.face} else 1]
    ]
    return (*CALLS, *map(Raise, few))


@lru_cache(maxsize=64)
def places(dice: int, faces: int, wild: bool) -> dict[Counting, int]:
    """The hands of so many dice, with their places in a file."""
    rolled = combinations_with_replacement(range(1, faces + 1), dice)
    return {counting(hand, faces, wild): place for place, hand in enumerate(rolled)}


def recent(bids: tuple[Bid, ...]) -> Recent:
    """The last four of these bids."""
    found = [number for bid in reversed(bids[-_RECENT:]) for number in bid]
    return tuple(found) + (0,) * (2 * _RECENT - len(found))


def all_with(*last: Bid) -> Recent:
    """All sequences with these last bids: one or two; the last one first."""
    found = [number for bid in last for number in bid]
    return (*found, ANY) + (0,) * (2 * _RECENT - len(found) - 1)


def stored() -> dict[Situation, str]:
    """The situations that have files, and the names of these."""
    found: dict[Situation, str] = {}
    for kind, rules in _KINDS.items():
        for own, other, palifico in product(_SIZES, _SIZES, (False, True)):
            if not palifico or (rules.palifico in {"every", "first"} and 1 in {own, other}):
                special = "-palifico" if palifico else ""
                situation = Situation(alike(rules, palifico), own, other, palifico)
                found.setdefault(situation, f"{kind}-{own}-{other}{special}")
    return found


_FILES = stored()


class File(NamedTuple):
    """The bytes of a file, and where each sequence begins."""

    starts: dict[Recent, int]
    data: bytes


def read(data: bytes, hands: int) -> File:
    """Read the bytes of a file for so many hands."""
    number = int.from_bytes(data[:_COUNT], "big")
    starts, place = {}, _COUNT + _HEAD * number
    for first in range(_COUNT, place, _HEAD):
        *bids, width = data[first : first + _HEAD]
        starts[tuple(bids)] = place
        place += width * hands
    return File(starts, data)


@lru_cache(maxsize=4)  # a large one takes 3 MB
def _file(name: str, hands: int) -> File:
    found = get_data(__package__, f"rounds/{name}.z")
    assert found is not None  # it is a part of the package
    return read(zlib.decompress(found), hands)


def policy(view: View) -> Policy | None:
    """The trained policy of the player on turn; None if the round is not trained."""
    situation = _situation(view)
    if situation is None or situation not in _FILES:
        return None
    rules, bids = view.rules, tuple(bid for _, bid in view.bids)
    hands = comb(rules.faces + situation.own - 1, situation.own)
    file = _file(_FILES[situation], hands)
    last = bids[-1] if bids else None
    place = places(situation.own, rules.faces, rules.counts_wild(2, situation.palifico))
    latest = bids[:-3:-1]  # two, the last one first
    keys = [recent(bids), *(all_with(*latest[:count]) for count in (2, 1) if last)]
    starts = [file.starts[key] for key in keys if key in file.starts]
    choices = actions(situation, last)

    def weights(start: int, own: Counting) -> Mixture:
        first = start + place[own] * len(choices)
        found = file.data[first : first + len(choices)]
        return {each: part * part for each, part in zip(choices, found, strict=True) if part}

    def mixture(own: Counting) -> Mixture:
        # All sequences with one last bid together have an action for each hand.
        found = next(filter(None, (weights(start, own) for start in starts)))
        total = sum(found.values())
        return {action: part / total for action, part in found.items()}

    return mixture


def _situation(view: View) -> Situation | None:
    """The situation of the player on turn, if only two are left."""
    rules, living = view.rules, [seat for seat, out in enumerate(view.out) if not out]
    if len(living) != TWO_PLAYERS or rules.hidden or rules.calza:
        return None
    own = len(view.cups[view.turn])
    other = sum(len(view.cups[seat]) for seat in living) - own
    palifico = view.palifico is not None
    return Situation(alike(rules, palifico), own, other, palifico)
