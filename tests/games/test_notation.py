"""Lines of programs are read strictly: events, positions, rules and records."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.event_notation import read_number, read_seat, write_seat
from pbmserv.games.perudo.notation import (
    move_of,
    read_cups,
    read_event,
    read_position,
    read_rules,
    read_view,
    write_cups,
    write_event,
    write_position,
)
from pbmserv.games.perudo.player_salts import salt_of
from pbmserv.games.perudo.record import Record, UnreadableRecord, read_record
from pbmserv.games.perudo.rules import RULE_SETS, with_options
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Dealt,
    Eliminated,
    Event,
    Gained,
    Lost,
    Resigned,
    Revealed,
    Table,
    Won,
)
from pbmserv.letters import render
from tests.games.games import write_record
from tests.rows import each_row

cups = st.lists(st.lists(st.integers(0, 20), max_size=10).map(tuple), min_size=2, max_size=6).map(
    tuple
)
seats = st.integers(0, 5)
bids = st.builds(Bid, st.integers(1, 60), st.integers(1, 20))
hexes = st.none() | st.binary(min_size=32, max_size=32).map(bytes.hex)
salts = st.builds(salt_of, st.sampled_from(["", "<1@example.org>"]), st.text(max_size=3))
numbers = st.integers(1, 999)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Dealt, numbers, seats, st.none() | seats, cups, hexes),
    st.builds(Bade, seats, bids, salts),
    st.builds(Called, seats, st.sampled_from(["dudo", "calza", "pacao"]), salts),
    st.builds(Resigned, seats, salts),
    st.builds(Revealed, cups, st.none() | st.integers(0, 60), hexes),
    st.builds(Lost, seats),
    st.builds(Gained, seats),
    st.builds(Eliminated, seats),
    st.builds(Won, seats),
)


@given(events)
def test_an_event_reads_back(event: Event) -> None:
    assert read_event(write_event(event)) == event
    assert "\n" not in write_event(event)


@given(cups)
def test_cups_read_back(dice: tuple[tuple[int, ...], ...]) -> None:
    assert read_cups(write_cups(dice)) == dice


def test_events_look_as_documented() -> None:
    secret = "ab" * 32
    lines: dict[str, Event] = {
        f"deal 2 A ?????/??/- B next={secret}": Dealt(2, 0, 1, ((0,) * 5, (0, 0), ()), secret),
        "deal 1 C 1/2/ak -": Dealt(1, 2, None, ((1,), (2,), (10, 20))),
        "A 4-2s": Bade(0, Bid(4, 2)),
        "B dudo": Called(1, "dudo"),
        "B dudo salt=b0baee9d": Called(1, "dudo", "b0baee9d"),
        "C resign": Resigned(2),
        "C resign salt=b0baee9d+2c26b46b": Resigned(2, "b0baee9d+2c26b46b"),
        f"reveal 13556/2234 4 seed={secret}": Revealed(((1, 3, 5, 5, 6), (2, 2, 3, 4)), 4, secret),
        "reveal 1/2 -": Revealed(((1,), (2,)), None),
        "lose B": Lost(1),
        "gain C": Gained(2),
        "out B": Eliminated(1),
        "win A": Won(0),
    }
    for line, event in lines.items():
        assert write_event(event) == line
        assert read_event(line) == event


@each_row(
    "line",
    [
        "",
        "A",
        "G 4-2s",
        "a 4-2s",
        "A 4-2",
        "A 04-2s",
        "A 4-2s ",
        "A  4-2s",
        "AB dudo",
        "A call",
        "lose",
        "lose G",
        "lose B B",
        "deal 1 A",
        "deal 01 A ?/? -",
        "deal 1 A ?/? - seed=00",
        "deal 1 A // -",
        "deal 1 A ?/? - next=AB",
        "reveal 12/3x 4",
        "reveal 1/2 x",
        "reveal 1/2 ٤",
        "deal 1 A ?/? - next=" + "ab" * 32 + " more",
        "win A\n",
        "win -",
    ],
)
def test_a_line_outside_the_notation_is_refused(line: str) -> None:
    with pytest.raises(Refused, match="unreadable_event"):
        read_event(line)


def test_a_position_reads_back_from_one_line() -> None:
    line = "bga,calza=yes 13556/??/1 B 3 9 A:3-2s,B:4-2s palifico=C used=AC pacao"
    table = Table(
        with_options(RULE_SETS["bga"], {"calza": "yes"}),
        ((1, 3, 5, 5, 6), (0, 0), (1,)),
        3,
        9,
        1,
        ((0, Bid(3, 2)), (1, Bid(4, 2))),
        2,
        frozenset({0, 2}),
        True,
    )
    assert read_position(line) == table
    assert move_of(line) == table.move
    assert write_position(table) == line
    assert read_position("pacao 1/- A 3 9 - winner=A").winner == 0


@each_row(
    "line",
    [
        "",
        "bga",
        "chess 1/1 A 1 1 -",
        "bga,calza=maybe 1/1 A 1 1 -",
        "bga,dice=05 1/1 A 1 1 -",
        "bga,calza=no 1/1 A 1 1 -",
        "bga,calza 1/1 A 1 1 -",
        "bga 1 A 1 1 -",
        "bga 1/1/1/1/1/1/1 A 1 1 -",
        "bga 1/1 C 1 1 -",
        "bga 1/7 A 1 1 -",
        "bga 123456/1 A 1 1 -",
        "bga -/1 A 1 1 -",
        "bga 1/1 A 1 0 -",
        "bga 1/1 A x 1 -",
        "bga 1/1 A 1 1 A:0-2s",
        "bga 1/1 A 1 1 A:1-7s",
        "bga 1/1 A 1 1 C:1-2s",
        "bga 1/1 A 1 1 1-2s",
        "bga 1/1 A 1 1 - palifico=C",
        "bga 1/1 A 1 1 - winner=C",
        "bga 1/1 A 1 1 - mood=bad",
        "bga 1/1 A 1 1 - pacao pacao",
        "bga */1 A 1 1 -",
    ],
)
def test_a_position_of_no_table_is_refused(line: str) -> None:
    with pytest.raises(Refused, match="unreadable_position") as refused:
        read_position(line)
    assert set(refused.value.facts) == {"text", "fault"}
    with pytest.raises(Refused, match="unreadable_position"):
        read_view(line + " reader=-")


@each_row(
    ("line", "why"),
    [
        ("bga", "it needs six words: rules, cups, turn, round, move and bids"),
        ("BGA 1/1 A 1 1 -", '"BGA" are not rules'),
        ("bga,dice=11 1/1 A 1 1 -", '"bga,dice=11" are not rules'),
        (
            "classic,calza,palifico=on 1/1 A 1 1 -",
            '"classic,calza,palifico=on" is written classic,palifico=yes,calza=yes',
        ),
        ("bga 1/x A 1 1 -", '"1/x" is not a list of cups'),
        ("bga,hidden=yes 1/*/x A 1 1 -", '"1/*/x" is not a list of cups'),
        ("bga 1/1 a 1 1 -", '"a" is not a seat'),
        ("bga 1/1 A 01 1 -", '"01" is not the number of a round'),
        ("bga 1/1 A 1 -1 -", '"-1" is not the number of a move'),
        ("bga 1/1 A 1 1 A:1-2s,B", '"A:1-2s,B" is not a list of bids'),
        ("bga 1/1 A 1 1 A:2s", '"A:2s" is not a list of bids'),
        (f"bga 1/1 A 1 1 A:{'9' * 5000}-2s", f'"A:{"9" * 38}..." is not a list of bids'),
        ("bga 1/1 A 1 1 - palifico=Z", '"palifico=Z" is not a known word'),
        ("bga 1/1 A 1 1 - used=AZ", '"used=AZ" is not a known word'),
        ("bga 1/1 A 1 1 - pacao=A", '"pacao=A" is not a known word'),
        ("bga 1/1 A 1 1 - pacao pacao", '"pacao" is not a known word'),
        ("bga 1/1 A 1 1 - mood=bad", '"mood=bad" is not a known word'),
        ("bga 1 A 1 1 -", "it needs 2 to 6 cups"),
    ],
)
def test_an_invalid_position_is_explained_in_words(line: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_position(line)
    said = render.refusal(refused.value.code, refused.value.facts, "en")
    assert " ".join(said.split()).endswith(f" is not a position: {why}.")


def test_a_view_with_another_cup_is_refused() -> None:
    for line in ("bga 1/1 A 1 1 - reader=A", "bga 1/? A 1 1 -", "bga 1/? A 1 1 - reader=x"):
        with pytest.raises(Refused, match="unreadable_position"):
            read_view(line)
    assert read_view("bga 1/? A 1 1 - reader=A").reader == 0


def test_hidden_counts_are_stars() -> None:
    seen = read_view("bga,hidden=yes 13/*/- A 1 1 - reader=A")
    assert seen.counts == (2, None, 0)
    assert seen.cups == ((1, 3), (), ())
    assert read_position("bga,hidden=yes 13/*/- A 1 1 - reader=A").cups == ((1, 3), (0,), ())


def test_rules_read_back_from_text() -> None:
    assert read_rules("pbmserv") is RULE_SETS["pbmserv"]
    assert read_rules("classic,palifico=yes,dice=3").dice == 3
    with pytest.raises(ValueError, match="dice=3,palifico"):
        read_rules("classic,dice=3,palifico=yes")


def test_seats_and_numbers_are_read_and_written() -> None:
    assert [write_seat(seat) for seat in (None, 0, 5)] == ["-", "A", "F"]
    assert read_number("120") == 120
    for text in ("", "AB", "a"):
        with pytest.raises(ValueError):
            read_seat(text)


GOOD = write_record(Record(7, RULE_SETS["bga"], ("ann", "bob"), (Won(0),), "2026-11-20", "ab" * 32))
SALTED = GOOD.replace("win", "salt A b0baee9d\nsalt B b0baee9d+2c26b46b\nwin", 1)


@each_row(
    ("old", "new", "line"),
    [
        ("pbmserv record 2", "pbmserv record 4", 1),
        ("pbmserv record 2", "pbmserv record", 1),
        ("game perudo", "game chess", 2),
        ("board 7", "board seven", 3),
        ("board 7\n", "", 3),
        ("rules bga", "rules chess", 4),
        ("rules bga", "rules bga,hidden=perhaps", 4),
        ("ann bob", "ann", 5),
        ("ann bob", "ann  bob", 5),
        ("2026-11-20", "20.11.2026", 6),
        ("commit abab", "commit ab", 7),
        ("started 2026-11-20\ncommit abab", "commit ab", 6),
        ("win A", "win", 8),
        ("win A", "win C", 8),
        ("win A", "", 8),
        ("win A", "reveal 1/2/3 4", 8),
        ("win A", "deal 1 C ?/? -", 8),
        ("win A", "deal 1 A ?/? C", 8),
        ("win A", "deal 1 A 1/? -", 8),
        ("seal ", "sealed ", 9),
        ("seal ", "seal x", 9),
    ],
)
def test_a_broken_record_names_the_unreadable_line(old: str, new: str, line: int) -> None:
    assert read_record(GOOD).events == (Won(0),)
    with pytest.raises(UnreadableRecord) as refused:
        read_record(GOOD.replace(old, new, 1))
    assert refused.value.line == line == refused.value.facts["line"]
    assert refused.value.code == "unreadable_record"
    assert refused.value.fault["why"]


@each_row(
    ("old", "new", "line"),
    [
        ("salt A b0baee9d", "salt A b0baee9", 8),
        ("salt A b0baee9d", "salt A B0BAEE9D", 8),
        ("salt A", "salt  A", 8),
        ("salt A", "salt C", 8),
        ("salt A", "salt AB", 8),
        ("salt A", "salt B", 9),  # each seat once
        ("salt A b0baee9d\nsalt B", "salt B b0baee9d\nsalt A", 9),
        ("win A", "A 4-2s salt=b0baee9", 10),
        ("win A", "A 4-2s b0baee9d", 10),
        ("win A", "win A salt=b0baee9d", 10),
    ],
)
def test_a_broken_salt_is_unreadable(old: str, new: str, line: int) -> None:
    assert read_record(SALTED).salts == ((0, "b0baee9d"), (1, "b0baee9d+2c26b46b"))
    with pytest.raises(UnreadableRecord) as refused:
        read_record(SALTED.replace(old, new, 1))
    assert refused.value.line == line


def test_a_record_of_version_1_reads_back_as_one() -> None:
    """Games that began before salts keep their first line; their later moves have salts."""
    old = GOOD.replace("record 2", "record 1").replace("win A", "A 4-2s\nB dudo salt=b0baee9d")
    assert write_record(read_record(old)) == old


@each_row("lines", range(8))
def test_a_record_that_stops_too_early_is_refused(lines: int) -> None:
    text = "\n".join(GOOD.split("\n")[:lines])
    with pytest.raises(UnreadableRecord) as refused:
        read_record(text)
    assert 1 <= refused.value.line <= max(lines, 1) + 1


@given(st.text(alphabet="ABCDEF0123456789 -/?=:,.sabcdeklmnoprtuvwx\n", max_size=300))
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (read_event, read_position, read_view, read_record):
        for start in ("", GOOD[:180], "bga 1/? A 1 1 ", "deal 1 "):
            with contextlib.suppress(Refused):
                read(start + text)
