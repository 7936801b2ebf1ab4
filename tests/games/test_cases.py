"""Worked cases beyond the vectors, written by hand from the documents: data/cases.txt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action, read_position, write_event
from pbmserv.games.perudo.rules import OPTIONS, RULE_SETS, options_of
from pbmserv.games.perudo.table import PlainDice, legal_bids, play
from tests.rows import each_row

FILE = Path(__file__).parent / "data" / "cases.txt"


def cases() -> Iterator[tuple[str, str, str]]:
    """Position, move and what is expected, from the file."""
    position = ""
    for line in FILE.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("  "):
            move, expected = line.strip().split(" ->")
            yield position, move, expected.strip()
        else:
            position = line


def outcome(position: str, move: str) -> str:
    """All legal bids; or the lines that a call leads to, `bids` for a bid; or the refusal."""
    table = read_position(position)
    if move == "bids":
        return " ".join(map(str, legal_bids(table)))
    seat, _, words = move.partition(" ")
    try:
        events = play(table, "ABCDEF".index(seat), read_action(words), PlainDice())
    except Refused as refusal:
        return refusal.code
    lines = [write_event(event) for event in events]
    assert lines[0] == move
    return ", ".join(lines[1:]) or "bids"


@each_row(("position", "move", "expected"), list(cases()))
def test_a_case_of_the_documents_has_the_result_that_they_say(
    position: str, move: str, expected: str
) -> None:
    assert outcome(position, move) == expected


def test_every_rule_set_and_option_has_cases() -> None:
    """All but the number of dice and faces, which mean the same everywhere."""
    rules = {read_position(position).rules for position, _, _ in cases()}
    assert {each.name for each in rules} == set(RULE_SETS)
    chosen = {(each.name, name) for each in rules for name in options_of(each)}
    options = {(name, option) for name, found in OPTIONS.items() for option in found}
    assert chosen >= {each for each in options if each[1] not in {"dice", "faces"}}
