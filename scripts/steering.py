"""A server that cheats: what it gains for one seat by a choice among many seeds, or many emails.

The cheating server knows all cups, and correctly guesses every move of the running round.  Before
the round it tries many seeds for the next round.  It commits the one that would give the favoured
seat the best dice.  Everything that it writes can be verified.  A seat's lead is its greatest
number of dice of one face, less the mean of the others' greatest numbers.  It is compared with that
of an honest server.  That is done without salts (records of version 1) and with the salts that the
players' emails add.

A second server works with the player who moves last in a round.  It has committed an honest seed,
and chooses among as many emails for that player.  Without a beacon it knows the dice that each of
them gives.  With a beacon it must choose before it knows the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import click

from pbmserv.cli.terminal_output import HELP, progress
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.beacon import EVERY
from pbmserv.games.perudo.commitments import chain_of, commitment
from pbmserv.games.perudo.dice import cups_from, from_rolls
from pbmserv.games.perudo.notation import public, write_event
from pbmserv.games.perudo.player_salts import salt_of
from pbmserv.games.perudo.rules import RULE_SETS, rules_named
from pbmserv.games.perudo.table import (
    Bade,
    Beacon,
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
    """First rounds of games that bots play."""
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


def with_beacon(moves: list[str], value: str) -> list[str]:
    """The lines with a call that waits for the beacon, and this value."""
    place = next(at for at, line in enumerate(moves) if line.startswith("reveal "))
    called = f"{moves[place - 1]} beacon={EVERY}"
    opening = write_event(Beacon(EVERY, value))
    return [*moves[: place - 1], called, opening, *moves[place:]]


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


def led_by_caller(played: Round, faces: int, random: Random, tries: int, *, beacon: bool) -> float:
    """The lead in the next round if the server and the player who moves last try so many emails.

    With a `beacon` they choose by a value that they expect; the real one is another.
    """
    before, seed, coming = random.randbytes(32), random.randbytes(32).hex(), random.randbytes(32)
    deal = write_event(public(replace(played.dealt, commitment=commitment(coming))))
    earlier = salt_of(f"<{random.getrandbits(64)}@example.org>")
    calls = sum(isinstance(event, Bade | Called) for event in played.events)

    def rolled(last: str, value: str) -> Cups:
        salts = iter([earlier] * (calls - 1) + [last])
        moves = lines(played, seed, lambda: next(salts))
        moves = with_beacon(moves, value) if beacon else moves
        return cups_from(coming, chain_of([deal, *moves], before), played.counts, faces)

    expected, real = random.randbytes(32).hex(), random.randbytes(32).hex()
    emails = [salt_of(f"<{random.getrandbits(64)}@example.org>") for _ in range(tries)]
    chosen = max(emails, key=lambda each: lead(rolled(each, expected), faces))
    return lead(rolled(chosen, real if beacon else expected), faces)


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
    ways: dict[str, Callable[[Round], float]] = {
        "an honest server": lambda each: led(each, faces, random, 1, salted=True),
        f"{seeds} seeds, without salts": lambda each: led(each, faces, random, seeds, salted=False),
        f"{seeds} seeds, with salts": lambda each: led(each, faces, random, seeds, salted=True),
        f"{seeds} emails of the last mover": lambda each: led_by_caller(
            each, faces, random, seeds, beacon=False
        ),
        "the same, with a beacon": lambda each: led_by_caller(
            each, faces, random, seeds, beacon=True
        ),
    }
    found: dict[str, list[float]] = {way: [] for way in ways}
    games = rounds(rules, players, random)
    for place, played in zip(range(number), games, strict=False):
        progress(f"round {place + 1} of {number}")
        for way, led_by in ways.items():
            found[way].append(led_by(played))
    progress("")
    click.echo(f"Lead of one seat in its best face, in dice ({rules}, {players} players):")
    for way, leads in found.items():
        spread = _Z * stdev(leads) / number**0.5
        click.echo(f"  {way:<32} {fmean(leads):+5.2f} ± {spread:.2f}")


if __name__ == "__main__":
    main(prog_name="scripts/steer")
