"""The arena: many games of one bot of a level against a table of another level.

Seats and starters rotate; a seed determines the dice.  A cell of the table is a rule set, a number
of players and the level of the others.  Its figure is the share of games that the single player has
won, with a 95 % interval (Wilson's).  Beside it are the points of the interval's lower end above
the fair share.

`--against reader` turns this round.  The single player is the reader (`arena_reader`), who knows
the code of the others.  Its share should be small.  `--exploit` computes what such a player wins in
a round of two players with few dice (`arena_exploit`).

With `--json FILE` results are written every few games, and existing ones are not played again.  So
a measurement can be stopped, continued and extended.  After a change to the bots begin a
new file.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import click

from pbmserv.cli.terminal_output import HELP, progress
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.dice import from_rolls
from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.rules import FEWEST_PLAYERS, RULE_SETS
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Revealed,
    Table,
    after_all,
    new_table,
    play,
    start,
    view,
)
from scripts import arena_exploit, arena_thresholds, arena_times, arena_yardsticks

KINDS = (*RULE_SETS, "bga,calza=yes", "classic,palifico=yes", "classic,palifico=yes,calza=yes")
SIZES = range(2, 7)
AGAINST = ("threshold", "honest")
READERS = ("reader", "feigner")

# The goals: points above the fair share at the interval's lower end, for 2 to 6 players.
GOALS = {
    ("pbmserv", "threshold"): (35, 40, 45, 45, 45),
    ("pbmserv", "honest"): (40, 50, 55, 55, 55),
    ("bga", "threshold"): (14, 10, 10, 6, 3),
    ("bga", "honest"): (20, 25, 25, 25, 22),
    ("bga,calza=yes", "threshold"): (22, 22, 18, 15, 10),
}
# The most points of a reader above the fair share, at the interval's upper end.
READ_AT_TWO, READ = 12, 15
CHUNK = 50  # games of one unit of work


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement: one player of `level` among others of level `against`."""

    rules: str
    players: int
    level: str
    against: str

    @property
    def is_read(self) -> bool:
        """Whether the single player is the reader, whose share is to be small."""
        return self.level in READERS

    @property
    def goal(self) -> float:
        """The points to reach, or not to exceed; 0 where no other goal is set."""
        if self.is_read:
            return READ_AT_TWO if self.players == FEWEST_PLAYERS else READ
        return GOALS.get((self.rules, self.against), (0,) * len(SIZES))[self.players - 2]


@dataclass(frozen=True, slots=True)
class Tally:
    """Games won by the single player, of `games`; its moves, and their processor seconds."""

    won: int = 0
    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        """The sum of both."""
        return Tally(
            self.won + other.won,
            self.games + other.games,
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
        )


Found = dict[Cell, Tally]


def played(cell: Cell, seed: int, first: int, games: int) -> Tally:
    """Play games of a cell; the single player's seat rotates, and every seat begins."""
    random = Random(f"{cell} {seed} {first}")
    dice = from_rolls(lambda faces: random.randint(1, faces))
    chance = Random(f"chance {cell} {seed} {first}")
    won, spent = 0, []
    for number in range(first, first + games):
        mine = number % cell.players
        table = new_table(read_rules(cell.rules), cell.players)
        table = after_all(table, start(table, dice))
        made: list[tuple[Table, Bade | Called]] = []
        opened: list[Opened] = []
        while table.winner is None:
            level = cell.level if table.turn == mine else cell.against
            seen, begun = view(table, table.turn), time.process_time()
            action = arena_yardsticks.choose(seen, level, cell.against, chance.random(), opened)
            if table.turn == mine:
                spent.append(time.process_time() - begun)
            events = play(table, table.turn, action, dice)
            made += [(table, event) for event in events if isinstance(event, Bade | Called)]
            for event in events:
                if isinstance(event, Revealed):
                    opened.append(Opened(table.round, event.cups, tuple(made)))
                    made = []
            table = after_all(table, events)
        won += table.winner == mine
    return Tally(won, games, len(spent), sum(spent), max(spent))


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, which is accurate near 0 and 1, too."""
    deviations = 1.96
    share, squared = won / games, deviations**2 / games
    middle = share + squared / 2
    half = deviations * (share * (1 - share) / games + squared / (4 * games)) ** 0.5
    return (middle - half) / (1 + squared), (middle + half) / (1 + squared)


def figures(cell: Cell, tally: Tally) -> dict[str, Any]:
    """The result of a cell, in percent, points and milliseconds of processor time."""
    low, high = interval(tally.won, tally.games)
    points = 100 * ((high if cell.is_read else low) - 1 / cell.players)
    return {
        **asdict(cell),
        **asdict(tally),
        "share": round(100 * tally.won / tally.games, 1),
        "low": round(100 * low, 1),
        "high": round(100 * high, 1),
        "points": round(points, 1),
        "goal": cell.goal,
        "met": points <= cell.goal if cell.is_read else points > cell.goal,
        "move_ms": round(1000 * tally.seconds / tally.moves, 2),
        "slowest_ms": round(1000 * tally.slowest, 1),
    }


def measured(
    cells: list[Cell], games: int, seed: int, found: Found, processes: int | None = None
) -> Iterator[Cell]:
    """Play the missing games of every cell, in parallel; `found` grows step by step."""
    pieces = [
        (cell, first)
        for cell in cells
        for first in range(found.get(cell, Tally()).games, games, CHUNK)
    ]
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        work = [
            pool.submit(played, cell, seed, first, min(CHUNK, games - first))
            for cell, first in pieces
        ]
        for number, ((cell, _), piece) in enumerate(zip(pieces, work, strict=True)):
            progress(f"{number * CHUNK} of {len(pieces) * CHUNK} games; now {cell.rules}")
            found[cell] = found.get(cell, Tally()) + piece.result()
            progress("")
            yield cell


def read(file: Path, seed: int) -> Found:
    """The results so far with this seed; raises UsageError if another seed was used."""
    rows = json.loads(file.read_text("utf-8")) if file.exists() else []
    if any(row["seed"] != seed for row in rows):
        raise click.UsageError(f"{file} was begun with another seed.")
    cell, tally = Cell.__dataclass_fields__, Tally.__dataclass_fields__
    return {
        Cell(**{name: row[name] for name in cell}): Tally(**{name: row[name] for name in tally})
        for row in rows
    }


def write(file: Path, found: Found, seed: int) -> None:
    """Write all figures atomically, so that the file stays complete after an interruption."""
    rows = [{**figures(cell, tally), "seed": seed} for cell, tally in found.items()]
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", "utf-8")
    fresh.replace(file)


HEAD = f"{'rules':30}  player     against    players  games  share   95 %          points  goal"


def line(cell: Cell, tally: Tally) -> str:
    """A cell as a line of the table."""
    each = figures(cell, tally)
    return (
        f"{cell.rules:30}  {cell.level:9}  {cell.against:9}  {cell.players:7}  {tally.games:5}"
        f"  {each['share']:5.1f}  {each['low']:5.1f}-{each['high']:5.1f}  {each['points']:6.1f}"
        f"  {cell.goal:4}  {'met' if each['met'] else 'MISSED'}"
    )


def _print(cells: Sequence[Cell], found: Found) -> None:
    """Print the table, and the processor time of a move."""
    click.echo(HEAD)
    for cell in cells:
        click.echo(line(cell, found[cell]))
    all_in_all = sum((found[cell] for cell in cells), Tally())
    click.echo(
        f"a move: {1000 * all_in_all.seconds / all_in_all.moves:.1f} ms of processor time,"
        f" the slowest of {all_in_all.moves}: {1000 * all_in_all.slowest:.0f} ms"
    )


def manual(found: Found) -> Iterator[str]:
    """The table of the manual, as its page has it: the shares in percent."""
    rows: dict[tuple[str, str], dict[int, Tally]] = {}
    for cell, tally in found.items():
        rows.setdefault((cell.rules, cell.against), {})[cell.players] = tally
    yield _row("rules, against", *map(str, SIZES))
    for kind, against in itertools.product(KINDS, AGAINST):
        row = rows.get((kind, against), {})
        if row:
            words = kind.replace("=yes", "").replace(",", " -")
            yield _row(f"{words}, {against}", *_columns(row, _share))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _columns(row: Mapping[int, Tally], word: Callable[[Tally], str]) -> Iterator[str]:
    yield from (word(row[size]) if size in row else "-" for size in SIZES)


def _share(tally: Tally) -> str:
    return f"{100 * tally.won / tally.games:.0f}"


def _sweep(kinds: Sequence[str], sizes: Sequence[int], games: int, seed: int) -> None:
    """Print the points of every threshold, for each rule set and number of players."""
    columns = "".join(f"{each:7.2f}" for each in arena_thresholds.GRID)
    click.echo(f"{'rules':30}  players{columns}")
    for kind in kinds:
        for size in sizes:
            points = arena_thresholds.thresholds(kind, size, games, seed)
            columns = "".join(f"{each:+7.1f}" for each in points.values())
            click.echo(f"{kind:30}  {size:7}{columns}")


def _times(kinds: Sequence[str], sizes: Sequence[int], games: int, seed: int) -> None:
    """Print how long the moves of `house` take, with each number of dice."""
    click.echo(f"{'rules':30}  players  moves  ms (mean)  ms (slowest)")
    for kind, dice, size in itertools.product(kinds, arena_times.DICE, sizes):
        rules = f"{kind},dice={dice}"
        found = arena_times.times(rules, size, games, seed)
        click.echo(
            f"{rules:30}  {size:7}  {found.moves:5}  {1000 * found.total / found.moves:9.1f}"
            f"  {1000 * found.slowest:12.0f}"
        )


def _exploit(kinds: Sequence[str], level: str, most: int) -> None:
    """Print what a best responder wins in each situation of two players with few dice."""
    click.echo(f"{'rules':30}  dice  palifico  exploitability (dice a round)")
    for kind in kinds:
        for each in arena_exploit.situations(kind):
            found = arena_exploit.exploitability(each, level, most)
            click.echo(
                f"{kind:30}  {each.starts}+{each.other}   {'yes' if each.palifico else 'no':8}"
                f"  {'' if found.exact else 'at least '}{round(found.value, 4) + 0.0:.4f}"
            )


@click.command(context_settings=HELP)
@click.option("--json", "file", type=click.Path(path_type=Path), help="Go on with these figures.")
@click.option("--games", type=click.IntRange(20), default=2000, show_default=True, help="A cell.")
@click.option("--rules", type=click.Choice(KINDS), multiple=True, help="Only these.")
@click.option("--players", type=click.IntRange(2, 6), multiple=True, help="Only so many.")
@click.option("--against", type=click.Choice(sorted(arena_yardsticks.NAMES)), multiple=True)
@click.option("--level", type=click.Choice(sorted(bots.LEVELS)), default="house")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--manual", "manual_too", is_flag=True, help="Print the manual's table, too.")
@click.option("--thresholds", is_flag=True, help="Which threshold wins most at mixed tables.")
@click.option("--times", is_flag=True, help="How long a move takes with few and many dice.")
@click.option("--exploit", is_flag=True, help="What a best responder wins with few dice.")
@click.option(
    "--turns",
    type=click.IntRange(100),
    default=5000,
    show_default=True,
    help="Of the bot, in a tree of --exploit; a larger tree gives a lower bound.",
)
@click.option("--processes", type=click.IntRange(1), help="As many as processors without it.")
def arena(
    file: Path | None,
    games: int,
    rules: tuple[str, ...],
    players: tuple[int, ...],
    against: tuple[str, ...],
    level: str,
    seed: int,
    thresholds: bool,
    manual_too: bool,
    times: bool,
    exploit: bool,
    turns: int,
    processes: int | None,
) -> None:
    """Measure how often one bot wins at a table of others."""
    if thresholds or times:
        (_sweep if thresholds else _times)(rules or KINDS, players or SIZES, games, seed)
        return
    if exploit:
        if set(players) - {2} or against:
            raise click.UsageError("--exploit is about two players, and about a best responder.")
        _exploit(rules or KINDS, level, turns)
        return
    cells = [
        Cell(kind, count, other, level) if other in READERS else Cell(kind, count, level, other)
        for kind in rules or KINDS
        for other in against or AGAINST
        for count in players or SIZES
    ]
    found = read(file, seed) if file else {}
    for _ in measured(cells, games, seed, found, processes):
        if file:
            write(file, found, seed)
    _print(cells, found)
    if manual_too:
        click.echo("\n".join(manual(found)))


if __name__ == "__main__":
    arena(prog_name="scripts/arena")
