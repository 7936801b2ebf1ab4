"""The finished rounds of a game: their opened cups, and their bids and calls."""

from __future__ import annotations

from collections.abc import Iterable

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.events import Bade, Called, Cups, Event, Restored, Revealed
from pbmserv.games.perudo.position import Table, after, new_table
from pbmserv.games.perudo.rules import Rules


@dataclass(frozen=True, slots=True)
class Opened:
    """A round whose cups were opened; `made` are its bids and calls, each with the table before."""

    number: int
    cups: Cups
    made: tuple[tuple[Table, Bade | Called], ...]


def opened_rounds(rules: Rules, events: Iterable[Event], players: int) -> dict[int, Opened]:
    """The rounds of a record whose cups were opened, by number; not those that became void."""
    table = new_table(rules, players)
    made: list[tuple[Table, Bade | Called]] = []
    found: dict[int, Opened] = {}
    is_void = False
    for event in events:
        if isinstance(event, Bade) or (isinstance(event, Called) and table.bids):
            made.append((table, event))
        elif isinstance(event, Restored):
            is_void = True
        elif isinstance(event, Revealed):
            if not is_void:
                found[table.round] = Opened(table.round, event.cups, tuple(made))
            made, is_void = [], False
        table = after(table, event)
    return found
