"""The end of a round: the next deal, or the end of the game."""

from __future__ import annotations

from pbmserv.games.perudo.events import Dealt, Dice, Event, Won
from pbmserv.games.perudo.position import Table


def dealt(
    table: Table,
    happened: tuple[Event, ...],
    starter: int,
    changed: int | None,
    by: int,
    palifico: int | None,
    dice: Dice,
) -> tuple[Event, ...]:
    """These events and the next deal; or the end, when only one player has dice.

    The seat `changed` has `by` dice more than before.
    """
    counts = list(map(len, table.cups))
    if changed is not None:
        counts[changed] += by
    if counts.count(0) == len(counts) - 1:
        return (*happened, Won(counts.index(max(counts))))
    cups, commitment = dice.roll(happened, tuple(counts), table.rules.faces)
    return (*happened, Dealt(table.round + 1, starter, palifico, cups, commitment))
