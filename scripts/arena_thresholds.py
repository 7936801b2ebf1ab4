"""Find the threshold that wins most among threshold players; it calibrated `threshold`.

Every seat of every game draws one of the thresholds.  A threshold's figure is the share of its
seats that have won, in points above the fair share.  So each threshold meets all the others equally
often.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pbmserv.games.perudo.bots import threshold
from pbmserv.games.perudo.bots.plain_levels import answer
from pbmserv.games.perudo.dice import from_rolls
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.table import View, after_all, new_table, play, start, view

GRID = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50)


def _choice(seen: View, below: float) -> Action:
    found = answer(seen, lambda holds, exact, _: threshold.plain_below(below, holds, exact))
    return found if isinstance(found, Call) else Raise(found)


def thresholds(
    rules: str, players: int, games: int, seed: int, grid: Sequence[float] = GRID
) -> dict[float, float]:
    """The points above the fair share of each threshold, in percent of the games of its seats."""
    random = Random(f"{rules} {players} {seed}")
    dice = from_rolls(lambda faces: random.randint(1, faces))
    won, sat = dict.fromkeys(grid, 0), dict.fromkeys(grid, 0)
    for _ in range(games):
        drawn = [random.choice(grid) for _ in range(players)]
        table = new_table(read_rules(rules), players)
        table = after_all(table, start(table, dice))
        while table.winner is None:
            seat = table.turn
            action = _choice(view(table, seat), drawn[seat])
            table = after_all(table, play(table, seat, action, dice))
        for seat, below in enumerate(drawn):
            sat[below] += 1
            won[below] += seat == table.winner
    return {each: 100 * (won[each] / max(1, sat[each]) - 1 / players) for each in grid}
