"""Golden letters: one round of every rule set, as its players read it.

`python -m tests.letters.golden --write` writes them anew after a change of words; read them
then, as a player on a phone would.  A test compares.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pbmserv import letters
from pbmserv.games.perudo.notation import read_action, read_position
from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.games.perudo.table import Cups, PlainDice
from tests.letters import test_kinds, test_refusals
from tests.letters.plays import Game

FOLDER = Path(__file__).with_name("golden")
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "pbmserv": {},
    "classic": {"palifico": "yes", "calza": "yes"},
    "bga": {"calza": "yes"},
    "pyrudo": {},
    "pacao": {},
}
FIRST: Cups = ((1, 2, 2, 3, 5), (2, 4, 4, 5, 6), (1, 3, 3, 6, 6))
SECOND: Cups = ((1, 2, 4, 6, 6), (3, 3, 4, 5, 6), (1, 2, 3, 5, 5))
# What ann, bob and cleo play in the first round, and what ends it.
ROUND: Mapping[str, str] = {
    "pbmserv": "3-2s 4-2s dudo",
    "classic": "3-2s 4-2s 2-1s dudo",
    "bga": "3-2s 4-2s 2-1s dudo",
    "pyrudo": "3-2s 4-2s 2-1s calza",
    "pacao": "3-2s 5-3s dudo",
}
# A later position whose last bid cleo doubts, so that bob comes down to one die, and what the
# next players bid.
LATER: Mapping[str, tuple[str, str]] = {
    "pbmserv": ("pbmserv", "1-1s"),
    "classic": ("classic,palifico=yes,calza=yes", "1-2s"),
    "bga": ("bga,calza=yes", "1-1s"),
    "pyrudo": ("pyrudo", "1-2s"),
    "pacao": ("pacao", "2-2s 3-2s"),
}
EVERYBODY = (0, 1, 2)
Letter = tuple[Game, str, tuple[int | None, ...], tuple[str, str] | None]


def golden(rules: str) -> Iterator[tuple[str, str]]:
    """Every letter of a rule set's round: the file's name, and what stands in it."""
    for number, (game, kind, readers, message) in enumerate(plays(rules), 1):
        for reader in readers:
            facts = game.facts(reader, message=message, told=kind not in {"chat", "show"})
            words = letters.word(f"perudo/{kind}", facts, "en")
            who = "bystander" if reader is None else game.names[reader]
            name = f"{number:02}-{who}-{kind}.txt"
            yield name, f"Subject: {words.subject}\n\n{words.text}"


def thrown(*throws: Cups) -> PlainDice:
    """Dice that fall as told; a player with fewer dice gets the first of them."""
    waiting = iter(throws)
    return PlainDice(
        lambda counts, faces: tuple(
            cup[:count] for cup, count in zip(next(waiting), counts, strict=True)
        )
    )


def plays(rules: str) -> Iterator[Letter]:
    """The games of a rule set, each time that letters are sent, and what they are."""
    chosen = with_options(rules_named(rules), OPTIONS[rules])
    game = Game.opened(chosen, thrown(FIRST, SECOND))
    yield game, "started", EVERYBODY, ("ann", "Good luck to you both!")
    for place, move in enumerate(ROUND[rules].split()):
        game.play(read_action(move))
        said = (
            ("bob", "Hm. I do not believe a word of it, but\ntwos it is.") if place == 1 else None
        )
        yield game, "moved", EVERYBODY, said
    yield game, "show", (None,), None
    yield game, "chat", (0,), ("cleo", "Well guessed.")
    name, bids = LATER[rules]
    game = Game(read_position(f"{name} 346/25/1126 C 7 40 A:2-2s,B:5-2s"), thrown(SECOND))
    for move in ["dudo", *bids.split()]:
        game.play(read_action(move))
        yield game, "moved", EVERYBODY, None
    yield from end_of(rules)


def end_of(rules: str) -> Iterator[Letter]:
    """A resignation, and a call that ends the game."""
    game = Game(read_position(f"{rules} 346/25/2 B 12 60 A:4-4s"), thrown(((3, 4, 6), (), (2,))))
    game.play(read_action("resign"))
    yield game, "moved", EVERYBODY, None
    game.play(read_action("2-5s"))
    game.play(read_action("dudo"))
    yield game, "ended", (0, 2), ("cleo", "Well played!")


def golden_refusals() -> str:
    """The words of every refusal."""
    return "\n".join(
        f"[{code}]\n{letters.refusal(code, facts, 'en')}\n" for code, facts in test_refusals.EVERY
    )


def golden_answers() -> str:
    """Every other letter of the server."""
    words = [(kind, letters.word(kind, facts, "en")) for kind, facts in test_kinds.EVERY]
    return "\n".join(f"[{kind}]\nSubject: {each.subject}\n\n{each.text}" for kind, each in words)


def everything() -> dict[str, str]:
    """Every golden file: its name below the folder, and what stands in it."""
    found = {"refusals.txt": golden_refusals(), "answers.txt": golden_answers()}
    for rules in OPTIONS:
        found |= {f"{rules}/{name}": text for name, text in golden(rules)}
    return found


def write() -> None:
    """Write every golden letter anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, text in everything().items():
        file = FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.letters.golden --write")
    write()
