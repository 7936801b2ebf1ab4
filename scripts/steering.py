"""A server that cheats: what it gains for one seat by a choice among many seeds.

The cheating server knows all cups, and guesses every move of the running round rightly.  Before the
round it tries many seeds for the next round, and commits the one that would give the favoured seat
the best dice.  Everything that it writes can be verified.  A seat's lead is its greatest number of
dice of one face, less the mean of the others' greatest numbers.  It is compared with that of an
honest server, without salts (records of version 1) and with the salts that the players' emails add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import click

from pbmserv.cli.terminal import HELP, progress
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.dice import chain_of, commitment, cups_from, from_rolls
from pbmserv.games.perudo.notation import public, write_event
from pbmserv.games.perudo.rules import RULE_SETS, rules_named
from pbmserv.games.perudo.salts import salt_of
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Cups,
    Dealt,
    Event,
    Revealed,
    after_all,
    new_table,
    play,
    start,
    view,
)

FAVOURED = 0  # the seat for which the server cheats
_Z = 1.96  # of a 95 % interval


class Round(NamedTuple):
    """A round from its deal to the deal of the next one: what the server knows beforehand.

    `events` are those between the two deals, without salts.
    """

    dealt: Dealt
    events: tuple[Event, ...]
    counts: tuple[int, ...]


def rounds(rules: str, players: int, random: Random) -> Iterator[Round]:
    """First rounds of games that house players play."""
    while True:
        dice = from_rolls(lambda faces: random.randint(1, faces))
        table = new_table(rules_named(rules), players)
        (dealt,) = start(table, dice)
        assert isinstance(dealt, Dealt)
        table = after_all(table, (dealt,))
        happened: tuple[Event, ...] = ()
        while table.round == 1:
            action = bots.choose(view(table, table.turn), "house", random.random())
            events = play(table, table.turn, action, dice)
            table = after_all(table, events)
            happened += tuple(event for event in events if not isinstance(event, Dealt))
        yield Round(dealt, happened, table.counts)


def lines(played: Round, seed: str, salt: Callable[[], str]) -> list[str]:
    """The public lines of a round after its deal; `seed` is its own, opened at the end."""
    found: list[Event] = []
    for event in played.events:
        if isinstance(event, Bade | Called):
            found.append(replace(event, salt=salt()))
        else:
            found.append(replace(event, seed=seed) if isinstance(event, Revealed) else event)
    return [write_event(event) for event in found]


def lead(cups: Cups, faces: int) -> float:
    """By how many dice the favoured seat's best face is better than those of the others."""
    best = [max(map(cup.count, range(1, faces + 1))) for cup in cups]
    others = [count for seat, count in enumerate(best) if seat != FAVOURED and cups[seat]]
    return best[FAVOURED] - fmean(others)


def led(played: Round, faces: int, random: Random, tries: int, *, salted: bool) -> float:
    """The lead in the next round if the server tries so many seeds for it."""

    def salt() -> str:
        return salt_of(f"<{random.getrandbits(64)}@example.org>") if salted else ""

    before, seed = random.randbytes(32), random.randbytes(32).hex()

    def rolled(coming: bytes, moves: list[str]) -> Cups:
        deal = write_event(public(replace(played.dealt, commitment=commitment(coming))))
        return cups_from(coming, chain_of([deal, *moves], before), played.counts, faces)

    guessed = lines(played, seed, lambda: "")
    candidates = [random.randbytes(32) for _ in range(tries)]
    chosen = max(candidates, key=lambda each: lead(rolled(each, guessed), faces))
    return lead(rolled(chosen, lines(played, seed, salt)), faces)


@click.command(context_settings=HELP)
@click.option("--rounds", "number", default=400, show_default=True, type=click.IntRange(min=2))
@click.option("--seeds", default=1500, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--players", default=3, show_default=True, type=click.IntRange(2, 6))
@click.option("--rules", default="bga", show_default=True, type=click.Choice([*RULE_SETS]))
@click.option("--seed", default=1, show_default=True, help="Determines all chance.")
def main(number: int, seeds: int, players: int, rules: str, seed: int) -> None:
    """Print the lead of the favoured seat: an honest server's, and a cheating one's."""
    random = Random(seed)
    faces = rules_named(rules).faces
    ways = {
        "an honest server": (1, True),
        f"{seeds} seeds, without salts": (seeds, False),
        f"{seeds} seeds, with salts": (seeds, True),
    }
    found: dict[str, list[float]] = {way: [] for way in ways}
    games = rounds(rules, players, random)
    for place, played in zip(range(number), games, strict=False):
        progress(f"round {place + 1} of {number}")
        for way, (tries, salted) in ways.items():
            found[way].append(led(played, faces, random, tries, salted=salted))
    progress("")
    click.echo(f"Lead of one seat in its best face, in dice ({rules}, {players} players):")
    for way, leads in found.items():
        spread = _Z * stdev(leads) / number**0.5
        click.echo(f"  {way:<28} {fmean(leads):+5.2f} ± {spread:.2f}")


if __name__ == "__main__":
    main(prog_name="scripts/steer")
