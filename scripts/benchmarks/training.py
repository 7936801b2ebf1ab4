"""Figure "training": how many actions of `pbmserv.env` a program can make in a second of a core."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from scripts.benchmarks.figures import Figure, at_least, told

RULES = (("pbmserv", 2), ("bga,calza=yes", 4), ("classic,calza=yes", 6))
FEWEST = 5_000  # actions a second


def figures(folder: Path, quick: bool) -> list[Figure]:
    """Actions a second, random ones, for some rules and numbers of players."""
    del folder
    try:
        return [_figure(rules, players, 0.1 if quick else 3) for rules, players in RULES]
    except ImportError as problem:
        return [told("training", "the environment", f"skipped: {problem} (extra: env)")]


def _figure(rules: str, players: int, seconds: float) -> Figure:
    import numpy as np  # noqa: PLC0415 - of an extra that may be missing

    from pbmserv.env import env  # noqa: PLC0415 - the same

    game, chance, made = env(rules, players), np.random.default_rng(1), 0
    game.reset(seed=1)
    begun = process_time()
    while (spent := process_time() - begun) < seconds:
        game.reset()
        for _ in game.agent_iter():
            _, _, ended, stopped, info = game.last()
            if ended or stopped:
                game.step(None)
            else:
                game.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
                made += 1
    what = f"actions a second of processor time, {rules}, {players} players"
    return at_least("training", what, made / spent, FEWEST)
