"""The view: everything that one reader may know, and the questions that it answers.

`view` is the only way from a table to a letter or a page.  The questions (which bids and calls are
legal, what counts) work on a table and on a view alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Called, Cups, Raise, Resigned
from pbmserv.games.perudo.palifico import face_frozen
from pbmserv.games.perudo.position import Position, Table
from pbmserv.games.perudo.rules import Rules

_DUDO, _CALZA, _PACAO = Call("dudo"), Call("calza"), Call("pacao")


@dataclass(frozen=True, slots=True)
class View:
    """The table as `reader` (a seat, or None: a spectator) may see it.

    Dice of others are 0 while the game runs.  Where the rules hide them, the others' counts are
    None and their cups empty; `out` still says who is out.
    """

    rules: Rules
    cups: Cups
    round: int
    move: int
    turn: int
    bids: tuple[tuple[int, Bid], ...]
    palifico: int | None
    palifico_used: frozenset[int]
    pacao_called: bool
    winner: int | None
    pending: Called | Resigned | None
    reader: int | None
    counts: tuple[int | None, ...]
    out: tuple[bool, ...]


def view(table: Table, seat: int | None) -> View:
    """All that the player at `seat` may know; None is a spectator.

    When the game is over nothing is secret: its last round has been opened.
    """
    everything = table.winner is not None
    cups, counts = [], []
    for place, cup in enumerate(table.cups):
        known = everything or place == seat
        told = known or not cup or not table.rules.hidden
        counts.append(len(cup) if told else None)
        cups.append(cup if known else (0,) * len(cup) if told else ())
    return View(
        rules=table.rules,
        cups=tuple(cups),
        round=table.round,
        move=table.move,
        turn=table.turn,
        bids=table.bids,
        palifico=table.palifico,
        palifico_used=table.palifico_used,
        pacao_called=table.pacao_called,
        winner=table.winner,
        pending=table.pending,
        reader=seat,
        counts=tuple(counts),
        out=tuple(not cup for cup in table.cups),
    )


def dice_in_play(position: Position) -> int | None:
    """All dice on the table; None for a reader who may not know."""
    counts = [count for count in position.counts if count is not None]
    return sum(counts) if len(counts) == len(position.counts) else None


def most_dice(position: Position) -> int:
    """The most dice a bid may name: those in play.

    Where counts are hidden it is the number at the start, which reveals nothing.
    """
    if position.rules.hidden:
        return position.rules.dice * len(position.cups)
    return sum(map(len, position.cups))


def _is_still(position: Position) -> bool:
    """Whether nobody can move: the game has not begun or is over, or the cups wait to be opened."""
    return position.winner is not None or not position.round or position.pending is not None


def legal_bids(position: Position) -> tuple[Bid, ...]:
    """Every bid that the player on turn may make, by quantity, then face."""
    if _is_still(position):
        return ()
    rules, bids = position.rules, position.bids
    last = bids[-1][1] if bids else None
    found = bidding.raises(rules, most_dice(position), face_frozen(position), last)
    if rules.never_repeats and len(bids) > 1:
        made = {bid for _, bid in bids}
        return tuple(bid for bid in found if bid not in made)
    return found


def legal_raises(position: Position) -> Iterator[Bid]:
    """Every bid that the player on turn may make, one after the other."""
    return iter(legal_bids(position))


def smallest_raises(position: Position) -> tuple[Bid, ...]:
    """A few bids to show to a player; none if the player must call.

    These are the smallest of the last bid's face and the smallest of the other faces.  Where ones
    are special, the smallest on ones is added.
    """
    last = position.bids[-1][1] if position.bids else None
    return bidding.smallest(position.rules, last, legal_bids(position))


def legal_calls(position: Position, seat: int) -> tuple[str, ...]:
    """The calls that `seat` may make now, on turn or not: dudo, calza, pacao."""
    return tuple(call.word for call in _calls(position, seat))


def _calls(position: Position, seat: int) -> tuple[Call, ...]:
    bids, rules = position.bids, position.rules
    if not bids or bids[-1][0] == seat or _is_still(position):
        return ()
    if position.turn != seat:
        anyone = rules.calza and rules.calza_by_anyone and position.counts[seat] != 0
        return (_CALZA,) if anyone else ()
    if rules.calza:
        return (_DUDO, _CALZA)
    if rules.pacao and position.counts[seat] == 1 and not position.pacao_called:
        return (_DUDO, _PACAO)
    return (_DUDO,)


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Every bid and call that the player on turn may make, bids first, ready to play."""
    rules, bids = position.rules, position.bids
    if _is_still(position):
        return ()
    if not bids:
        return _raising(rules, most_dice(position), face_frozen(position), None)
    most, frozen, last = most_dice(position), face_frozen(position), bids[-1][1]
    calls = _calls(position, position.turn)
    if len(bids) == 1 or not rules.never_repeats:
        return _raising(rules, most, frozen, last) + calls
    left = _raising_by_bid(rules, most, frozen, last).copy()
    for _, bid in bids:
        left.pop(bid, None)  # no bid twice in a round
    return (*left.values(), *calls)


_one_raise = cache(Raise)  # the cached lists share their actions


@lru_cache(maxsize=1024)
def _raising(rules: Rules, most: int, frozen: bool, last: Bid | None) -> tuple[Raise, ...]:
    """The actions for `bidding.raises`, cached like those."""
    return tuple(map(_one_raise, bidding.raises(rules, most, frozen, last)))


@lru_cache(maxsize=512)
def _raising_by_bid(rules: Rules, most: int, frozen: bool, last: Bid) -> dict[Bid, Raise]:
    """`_raising` by bid; callers may copy it and must not change it."""
    return {action.bid: action for action in _raising(rules, most, frozen, last)}


def count(position: Position, face: int) -> int:
    """How many of the visible dice count for a bid on `face`, wild ones included."""
    cups = position.cups
    found = sum([cup.count(face) for cup in cups])
    if position.rules.counts_wild(face, position.palifico is not None):
        found += sum([cup.count(1) for cup in cups])
    return found
