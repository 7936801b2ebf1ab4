"""The final places of a game, from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pbmserv.games.perudo.events import Eliminated, Event, Lost, Resigned, Won


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


def left_before_a_loss(events: Iterable[Event]) -> frozenset[int]:
    """The seats that resigned before any player had lost a die."""
    left: set[int] = set()
    for event in events:
        if isinstance(event, Lost):
            break
        if isinstance(event, Resigned):
            left.add(event.seat)
    return frozenset(left)
