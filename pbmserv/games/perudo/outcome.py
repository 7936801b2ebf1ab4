"""The outcome: who came in which place, as the events of a game tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pbmserv.games.perudo.events import Eliminated, Event, Lost, Resigned, Won


def places(
    events: Iterable[Event],
    players: int,
    handed_over: Mapping[int, int] = MappingProxyType({}),
) -> tuple[int, ...] | None:
    """The place of every seat: 1 for the winner, 2 for who went out last, and so on.

    `handed_over` says after how many events somebody else went on in a seat: who began there went
    out at that moment, whatever the seat came to.  If it has won, nobody has the first place.
    Nobody shares a place: no move takes the last dice of two.  None where nobody has won, or the
    events are not those of a whole game.
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
    """The seats that resigned before anybody had lost a die: nothing had been decided yet."""
    left: set[int] = set()
    for event in events:
        if isinstance(event, Lost):
            break
        if isinstance(event, Resigned):
            left.add(event.seat)
    return frozenset(left)
