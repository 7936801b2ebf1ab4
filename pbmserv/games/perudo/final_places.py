"""The final places of a game, and the rounds that cost each player a die, from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pbmserv.games.perudo.events import Dealt, Eliminated, Event, Gained, Lost, Resigned, Won


@dataclass(slots=True)
class DiceChanges:
    """The rounds (from 1) in which a seat lost a die, got one back, or resigned (0: never)."""

    lost: list[int] = field(default_factory=list)
    gained: list[int] = field(default_factory=list)
    resigned: int = 0


def dice_changes_of(events: Iterable[Event], players: int) -> tuple[DiceChanges, ...]:
    """What each seat lost and got back, by the rounds of the game so far."""
    found = tuple(DiceChanges() for _ in range(players))
    number = 0
    for event in events:
        match event:
            case Dealt():
                number = event.round
            case Lost(seat):
                found[seat].lost.append(number)
            case Gained(seat):
                found[seat].gained.append(number)
            case Resigned(seat):
                found[seat].resigned = number
    return found


def places(
    events: Iterable[Event],
    players: int,
    handed_over: Mapping[int, int] = MappingProxyType({}),
) -> tuple[int, ...] | None:
    """The place of every seat: 1 for the winner, 2 for the last seat to go out, and so on.

    `handed_over` maps a seat to the number of events after which a substitute took it over.  The
    first player of the seat went out at that moment, independent of the seat's result.  If such a
    seat has won, first place is empty.  Places are never shared: no move takes the last dice of
    two.  None where the game has no winner, or the events are not a whole game.
    """
    gone = sorted(handed_over, key=lambda seat: (handed_over[seat], seat))
    out: list[int] = []
    winner = None
    for number, event in enumerate(events):
        while gone and handed_over[gone[0]] <= number:
            out.append(gone.pop(0))
        if isinstance(event, Eliminated):
            out.append(event.seat)
        elif isinstance(event, Won):
            winner = event.seat
    order = list(dict.fromkeys(out))
    if winner is None or len({*order, winner}) != players:
        return None
    if winner not in order:
        order.append(winner)
    best = 2 if winner in handed_over else 1
    order.reverse()
    return tuple(order.index(seat) + best for seat in range(players))


def left_early(events: Iterable[Event]) -> frozenset[int]:
    """The seats that resigned while the others played on."""
    left: set[int] = set()
    early: set[int] = set()
    for event in events:
        if isinstance(event, Resigned):
            left.add(event.seat)
        elif isinstance(event, Dealt):
            early |= left
    return frozenset(early)


def left_before_a_loss(events: Iterable[Event]) -> frozenset[int]:
    """The seats that resigned before any player had lost a die."""
    left: set[int] = set()
    for event in events:
        if isinstance(event, Lost):
            break
        if isinstance(event, Resigned):
            left.add(event.seat)
    return frozenset(left)
