"""The arena: one house player of a level against a table of another, over many games.

Seats and starters are rotated, dice are drawn from a seed.  A cell of the table is a rule set, a
number of players and the level of the others; its figure is the share of games that the one has
won, with a 95 % interval (normal approximation), and its points above the fair share.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import click

from pbmserv.games.perudo import house
from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import (
    Cups,
    PlainDice,
    after_all,
    new_table,
    play,
    start,
    view,
)

KINDS = (*RULE_SETS, "bga,calza=yes", "classic,palifico=yes", "classic,palifico=yes,calza=yes")
SIZES = range(2, 7)
AGAINST = ("threshold", "honest")

# What is to be reached: points above the fair share at the interval's lower end, 2 to 6 players.
GOALS = {
    ("pbmserv", "threshold"): (35, 40, 45, 45, 45),
    ("pbmserv", "honest"): (40, 50, 55, 55, 55),
    ("bga", "threshold"): (14, 10, 10, 6, 3),
    ("bga", "honest"): (20, 25, 25, 25, 22),
    ("bga,calza=yes", "threshold"): (22, 22, 18, 15, 10),
}
CHUNK = 50  # games of one piece of work


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured: one of `level` among others of level `against`."""

    rules: str
    players: int
    level: str
    against: str

    @property
    def goal(self) -> float:
        """The points to reach; above the fair share where nothing else is asked."""
        return GOALS.get((self.rules, self.against), (0,) * len(SIZES))[self.players - 2]


@dataclass(frozen=True, slots=True)
class Won:
    """Games won by the one, of so many, and the slowest move in seconds of processor time."""

    won: int
    games: int
    slowest: float


def played(cell: Cell, seed: int, first: int, games: int) -> Won:
    """Play games of a cell; the one sits in the next seat each time, and every seat begins."""
    random = Random(f"{cell} {seed} {first}")

    def cups(counts: tuple[int, ...], faces: int) -> Cups:
        return tuple(tuple(random.randint(1, faces) for _ in range(each)) for each in counts)

    won, slowest, dice = 0, 0.0, PlainDice(cups)
    for number in range(first, first + games):
        mine = number % cell.players
        table = new_table(read_rules(cell.rules), cell.players)
        table = after_all(table, start(table, dice))
        while table.winner is None:
            level = cell.level if table.turn == mine else cell.against
            begun = time.process_time()
            action = house.choose(view(table, table.turn), level)
            slowest = max(slowest, time.process_time() - begun)
            table = after_all(table, play(table, table.turn, action, dice))
        won += table.winner == mine
    return Won(won, games, slowest)


def figures(cell: Cell, found: Won) -> dict[str, Any]:
    """What a cell has come to, in percent and points."""
    share = found.won / found.games
    half = 1.96 * (share * (1 - share) / found.games) ** 0.5
    points = 100 * (share - half - 1 / cell.players)
    return {
        "rules": cell.rules,
        "players": cell.players,
        "level": cell.level,
        "against": cell.against,
        "games": found.games,
        "share": round(100 * share, 1),
        "interval": round(100 * half, 1),
        "points": round(points, 1),
        "goal": cell.goal,
        "met": points >= cell.goal,
        "slowest_ms": round(1000 * found.slowest, 1),
    }


def measured(cells: list[Cell], games: int, seed: int) -> Iterator[dict[str, Any]]:
    """The figures of every cell, in order; the games share all processors."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for cell in cells:
            starts = range(0, games, CHUNK)
            pieces = [
                pool.submit(played, cell, seed, first, min(CHUNK, games - first))
                for first in starts
            ]
            found = []
            for number, piece in enumerate(pieces):
                found.append(piece.result())
                _progress(f"{cell.rules}, {cell.players} players: {number * CHUNK} of {games}")
            _progress("")
            yield figures(
                cell,
                Won(
                    sum(each.won for each in found),
                    sum(each.games for each in found),
                    max(each.slowest for each in found),
                ),
            )


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", nl=False, err=True)


@click.command()
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write the figures there.")
@click.option("--games", type=click.IntRange(20), default=2000, show_default=True, help="A cell.")
@click.option("--rules", type=click.Choice(KINDS), multiple=True, help="Only these.")
@click.option("--players", type=click.IntRange(2, 6), multiple=True, help="Only so many.")
@click.option("--against", type=click.Choice(sorted(house.LEVELS)), multiple=True)
@click.option("--level", type=click.Choice(sorted(house.LEVELS)), default="house")
@click.option("--seed", type=int, default=1, show_default=True)
def arena(
    file: Path | None,
    games: int,
    rules: tuple[str, ...],
    players: tuple[int, ...],
    against: tuple[str, ...],
    level: str,
    seed: int,
) -> None:
    """Measure how often one house player wins at a table of others."""
    cells = [
        Cell(kind, count, level, other)
        for kind in rules or KINDS
        for other in against or AGAINST
        for count in players or SIZES
    ]
    found = []
    click.echo("rules                             against    players  share    points  goal")
    for each in measured(cells, games, seed):
        found.append(each)
        click.echo(
            f"{each['rules']:32}  {each['against']:9}  {each['players']:7}"
            f"  {each['share']:5.1f} ±{each['interval']:.1f}  {each['points']:6.1f}"
            f"  {each['goal']:4}  {'met' if each['met'] else 'MISSED'}"
        )
    click.echo(f"slowest move: {max(each['slowest_ms'] for each in found)} ms of processor time")
    if file:
        file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    arena()
