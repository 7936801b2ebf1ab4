"""The outcome: who came in which place, as the events of a game tell it."""

from __future__ import annotations

from collections.abc import Iterable

from pbmserv.games.perudo.events import Eliminated, Event, Won


def places(events: Iterable[Event], players: int) -> tuple[int, ...] | None:
    """The place of every seat: 1 for the winner, 2 for who went out last, and so on.

    Nobody shares a place: no move takes the last dice of two.  None where nobody has won, or the
    events are not those of a whole game.
    """
    out: list[int] = []
    winner = None
    for event in events:
        if isinstance(event, Eliminated):
            out.append(event.seat)
        elif isinstance(event, Won):
            winner = event.seat
    if winner is None or len(out) != players - 1:
        return None
    order = [winner, *reversed(out)]
    return tuple(order.index(seat) + 1 for seat in range(players))
