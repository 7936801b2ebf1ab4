"""How long a move of `house` takes, in processor time, with few and many dice.

In every second game all players are `house`, and in the others its opponents are `threshold`.

On a busy machine a move takes more processor time than it needs.  So the slowest moves are made
again with empty caches, as a new process makes them.  The least time of each counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.dice import from_rolls
from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Revealed,
    Table,
    View,
    after_all,
    new_table,
    play,
    start,
    view,
)

DICE = (3, 7, 9)  # of each player
SLOW = 0.025  # seconds from which a move is made again
_AGAIN = 3  # times


class Times(NamedTuple):
    """The processor time of the moves of `house` in some games, in seconds."""

    moves: int
    total: float
    slowest: float
    """A slow move counts with the least of several times."""


def times(rules: str, players: int, games: int, seed: int, slow: float = SLOW) -> Times:
    """Measure the moves of `house` in so many games; from `slow` seconds on, several times."""
    random = Random(f"{rules} {players} {seed}")
    found = []
    for number in range(games):
        for seen, opened, chance, seconds in _moves(rules, players, random, number % 2 == 0):
            again = range(_AGAIN if seconds >= slow else 0)
            found.append(min([seconds, *(_afresh(seen, opened, chance) for _ in again)]))
    return Times(len(found), sum(found), max(found))


Move = tuple[View, tuple[Opened, ...], float, float]
"""What `house` saw and remembered, its chance, and the seconds that its move took."""


def _moves(rules: str, players: int, random: Random, is_house: bool) -> Iterator[Move]:
    """Play a game; `is_house`: all players are `house`, otherwise the first one is."""
    dice = from_rolls(lambda faces: random.randint(1, faces))
    table = new_table(read_rules(rules), players)
    table = after_all(table, start(table, dice))
    made: list[tuple[Table, Bade | Called]] = []
    opened: tuple[Opened, ...] = ()
    while table.winner is None:
        level = "house" if is_house or table.turn == 0 else "threshold"
        seen, chance, begun = view(table, table.turn), random.random(), time.process_time()
        action = bots.choose(seen, level, chance, opened)
        if level == "house":
            yield seen, opened, chance, time.process_time() - begun
        events = play(table, table.turn, action, dice)
        made += [(table, event) for event in events if isinstance(event, Bade | Called)]
        for event in events:
            if isinstance(event, Revealed):
                opened = (*opened, Opened(table.round, event.cups, tuple(made)))
                made = []
        table = after_all(table, events)


def _afresh(seen: View, opened: tuple[Opened, ...], chance: float) -> float:
    """The seconds that a move takes without what earlier ones computed or read."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("pbmserv.games.perudo"):
            for each in [*vars(module).values()]:
                if hasattr(each, "cache_clear"):
                    each.cache_clear()
    begun = time.process_time()
    bots.choose(seen, "house", chance, opened)
    return time.process_time() - begun
