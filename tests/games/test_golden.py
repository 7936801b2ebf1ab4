"""Bid tables and playthroughs kept as text, so that a change of the rules is seen as one.

`python -m tests.games.test_golden` writes the files anew; read the difference before keeping it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from pbmserv.games.perudo.bidding import raises
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import (
    read_position,
    read_rules,
    write_event,
    write_position,
    write_view,
)
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.games.perudo.table import (
    Event,
    PlainDice,
    Raise,
    Table,
    after_all,
    legal_bids,
    legal_calls,
    new_table,
    play,
    smallest_raises,
    start,
    view,
)
from tests.rows import each_row

from .games import moves, plain

DATA = Path(__file__).parent / "data"
VARIANTS = (
    "pbmserv",
    "pbmserv,raise=quantity",
    "pbmserv,raise=strict",
    "classic,palifico=yes,calza=yes",
    "classic,raise=one_or_both",
    "bga,calza=yes,hidden=yes",
    "bga,to1=exact",
    "pyrudo,pal_wild=no",
    "pacao",
)


def sequences(table: Table, depth: int) -> int:
    """How many ways there are to bid `depth` times in a row (chess calls this perft)."""
    bids = legal_bids(table)
    if depth == 1:
        return len(bids)
    following = (after_all(table, play(table, table.turn, Raise(bid), PlainDice())) for bid in bids)
    return sum(sequences(table, depth - 1) for table in following)


def studied() -> list[str]:
    """Positions for every variant: an opening, a bid, ones, Palifico, a player with one die."""
    found = []
    for rules in VARIANTS:
        found += [f"{rules} 135/246 A 1 1 -", f"{rules} 135/246/5 B 4 9 A:3-4s"]
        found += [f"{rules} 135/246/5 B 4 9 A:2-1s", f"{rules} 135/2 B 4 9 A:2-3s"]
        if read_rules(rules).palifico in {"first", "every"}:
            found += [f"{rules} 1/246 A 4 9 - palifico=A", f"{rules} 1/246 B 4 9 A:2-1s palifico=A"]
    return found


def bid_tables() -> str:
    lines = ["# position; the smallest raises; how many ways to bid once, twice, three times", ""]
    for line in studied():
        table = read_position(line)
        least = " ".join(map(str, smallest_raises(table))) or "none"
        counts = " ".join(str(sequences(table, depth)) for depth in (1, 2, 3))
        lines.append(f"{line}; {least}; {counts}")
    return "\n".join([*lines, ""])


def playthrough(name: str) -> str:
    """A game of three players: each position, its legal actions, the one taken, and its events."""
    rules, random = read_rules(name), Random(name)
    dice = plain(random)
    fresh = new_table(rules, 3)
    dealt = start(fresh, dice)
    lines = [f"# a game of {name}", "", f"position {write_position(fresh)}", *story(dealt)]
    for table, _, _, events in moves(after_all(fresh, dealt), random, dice):
        lines += ["", f"position {write_position(table)}"]
        lines.append(f"# seen by all: {write_view(view(table, None))}")
        least = " ".join(map(str, smallest_raises(table))) or "none"
        lines.append(f"# {len(legal_bids(table))} bids, the smallest: {least}")
        for place in range(3):
            if words := legal_calls(table, place):
                lines.append(f"# {'ABC'[place]} may call: {' '.join(words)}")
        lines += story(events)
    return "\n".join([*lines, ""])


def story(events: tuple[Event, ...]) -> list[str]:
    return [write_event(event) for event in events]


def files() -> Iterator[tuple[Path, str]]:
    yield DATA / "bids.txt", bid_tables()
    for name in VARIANTS:
        yield DATA / "games" / f"{name.replace(',', ' ')}.txt", playthrough(name)


def test_every_table_of_bids_is_the_golden_one() -> None:
    assert bid_tables() == (DATA / "bids.txt").read_text()


@each_row("name", VARIANTS)
def test_every_playthrough_is_the_golden_one(name: str) -> None:
    """Hidden counts, Palifico, exact calls and resignations included."""
    text = (DATA / "games" / f"{name.replace(',', ' ')}.txt").read_text()
    assert playthrough(name) == text
    assert referee(text, name).fault == {}


@pytest.mark.parametrize(
    ("rules", "longest"),
    [
        (RULE_SETS["pbmserv"]._replace(raising="quantity"), 180),
        (RULE_SETS["pbmserv"]._replace(raising="strict"), 35),
        (RULE_SETS["classic"], 120),
        (RULE_SETS["bga"], 120),
        (RULE_SETS["pyrudo"], 120),
        (RULE_SETS["pacao"], 180),
    ],
)
def test_a_round_of_thirty_dice_has_the_expected_longest_length(rules: Rules, longest: int) -> None:
    """The maximum number of bids was found by hand and by other programs."""

    @cache
    def length(last: Bid | None) -> int:
        return max((1 + length(bid) for bid in raises(rules, 30, False, last)), default=0)

    for bid in sorted(raises(rules, 30, False, None), reverse=True):
        length(bid)
    assert length(None) == longest


if __name__ == "__main__":
    for path, text in files():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
