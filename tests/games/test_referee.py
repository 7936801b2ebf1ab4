"""The referee names the first line that breaks a rule."""

from __future__ import annotations

from random import Random

import pytest

from pbmserv.games.perudo.record import write_lines
from pbmserv.games.perudo.referee import Ruling, referee
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.letters import render
from tests.games.games import write_record
from tests.rows import each_row

from .games import proven_game

PLAIN = """pbmserv record 1
game perudo
board 3
rules bga,dice=1
players ann bob cleo
deal 1 A ?/?/? -
A 1-2s
B 2-2s
C dudo
reveal 2/3/4 1
lose B
out B
deal 2 C ?/-/? -
C 1-3s
A resign
reveal 5/-/3 -
out A
win C
"""


def said(report: Ruling) -> str:
    """The fault of a report in English, in one line; "" if there is none."""
    if not report.fault:
        return ""
    facts = {"where": report.where, "round": 0, "line": report.line, "fault": report.fault}
    return " ".join(render.refusal("broken_record", facts, "en").split())


def plain(old: str = "", new: str = "") -> str:
    text = PLAIN.replace(old, new, 1) if old else PLAIN
    return write_lines(text.rstrip("\n").split("\n"))


def test_a_record_that_keeps_the_rules() -> None:
    report = referee(plain(), "game.txt")
    assert (report.fault, report.line, report.code) == ({}, 0, "")
    assert [proof.why for proof in report.proven] == ["plain", "plain"]


@each_row(
    ("old", "new", "line", "fault"),
    [
        ("deal 1 A", "deal 1 B", 6, "not what happens here: deal 1 B"),
        ("deal 1 A ?/?/? -\n", "", 6, "the rules say: deal 1 A ?/?/? -"),
        ("A 1-2s", "A 1-1s", 7, "A 1-1s: opening_ones"),
        ("A 1-2s", "B 1-2s", 7, "B 1-2s: not_your_turn (A is on turn)"),
        ("B 2-2s", "B 1-2s", 8, "B 1-2s: not_a_raise (single)"),
        ("B 2-2s", "B 4-2s", 8, "B 4-2s: over_cap"),
        ("C dudo", "C calza", 9, "C calza: call_unknown_here"),
        ("reveal 2/3/4 1", "reveal 2/3/4 2", 10, "the rules say: reveal 2/3/4 1"),
        ("reveal 2/3/4 1", "reveal 2/3/44 1", 10, "these cannot be the dice"),
        ("reveal 2/3/4 1", "reveal 2/3/? 1", 10, "these cannot be the dice"),
        ("reveal 2/3/4 1", "reveal 2/3/7 1", 10, "these cannot be the dice"),
        ("reveal 2/3/4 1\n", "", 9, "the dice are not known"),
        ("lose B", "lose C", 11, "the rules say: lose B"),
        ("lose B\n", "", 11, "the rules say: lose B"),
        ("out B\n", "", 12, "the rules say: out B"),
        ("deal 2 C ?/-/?", "deal 2 A ?/-/?", 13, "the rules say: deal 2 C"),
        ("deal 2 C ?/-/?", "deal 2 C ?/-/??", 13, "the rules say: deal 2 C ?/-/? -"),
        ("deal 2 C ?/-/? -", "deal 2 C ?/-/? C", 13, "the rules say: deal 2 C ?/-/? -"),
        ("deal 2 C ?/-/? -\n", "", 13, "missing here: deal 2 C ?/-/? -"),
        ("win C\n", "", 18, "missing here: win C"),
        ("win C\n", "win C\nC 1-2s\n", 19, "C 1-2s: game_over"),
        ("win C\n", "win C\nlose C\n", 19, "not what happens here: lose C"),
        ("board 3", "board three", 3, "no board number"),
    ],
)
def test_the_first_broken_line_is_named(old: str, new: str, line: int, fault: str) -> None:
    report = referee(plain(old, new), "game.txt")
    assert fault in said(report)
    assert report.where == f"game.txt:{line}"


def test_a_refused_action_carries_its_refusal() -> None:
    report = referee(plain("B 2-2s", "B 1-2s"), "game.txt")
    assert report.code == "not_a_raise"
    assert report.facts["smallest"] == ["2-2s", "1-3s", "1-1s"]


def test_a_broken_proof_is_named_after_the_rules() -> None:
    """The line of the opened dice, of the deal, of the header, or of the seal."""
    text = write_record(proven_game(RULE_SETS["bga"], 3, Random(4)))
    lines = text.split("\n")
    reveal = next(n for n, line in enumerate(lines, 1) if line.startswith("reveal"))
    bid = next(n for n, line in enumerate(lines, 1) if line.startswith("A "))
    deal = next(n for n, line in enumerate(lines, 1) if line.startswith("deal"))

    def fault(number: int, old: str, new: str) -> tuple[int, str, object]:
        changed = [*lines[: number - 1], lines[number - 1].replace(old, new, 1), *lines[number:]]
        report = referee("\n".join(changed), "game.txt")
        assert report.code == "proof_broken"
        where, _, words = said(report).partition(": ")
        assert where == report.where
        return report.line, words, report.facts["reason"]

    assert fault(3, "board 12", "board 13") == (1, "round 1 is not proven", "header")
    seed = lines[reveal - 1].partition("seed=")[2]
    other = seed[::-1]
    assert fault(reveal, seed, other)[0] == reveal
    assert fault(len(lines) - 1, lines[-2][-3:], "000" if lines[-2][-3:] != "000" else "111") == (
        len(lines) - 1,
        "round 10 is not proven",
        "seal",
    )
    first_bid = lines[bid - 1].split(" ")[1]
    assert fault(bid, first_bid, "1-3s" if first_bid != "1-3s" else "1-2s")[0] in {deal, bid + 1}


POSITION = """
# what may follow an exact call?
position pyrudo 22/5/6 B 7 30 A:2-2s

B calza
gain B
deal 8 B 22/55/6 -
b bid 1 5
C 4 fives

position bga,calza=yes ??/5/6 B 7 30 A:1-2s
C exact
reveal 23/5/6 1
gain C
position bga 2/5 A 0 1 -
deal 1 A 2/5 -
A resign
"""


def test_positions_with_moves_are_checked() -> None:
    """Comments are free, moves are read as players write them, consequences may be left out."""
    report = referee(POSITION, "study.txt")
    assert report.fault == {}
    assert report.proven == ()


@each_row(
    ("old", "new", "line", "fault"),
    [
        ("gain B", "lose B", 6, "not what happens here: lose B; the rules say: B calza"),
        ("gain B", "gain D", 6, "no such seat at this table"),
        ("gain B", "hello", 6, "neither a move nor an event"),
        ("gain B", "B hello", 6, "neither a move nor an event"),
        ("deal 8 B 22/55/6 -", "deal 8 B 22/57/6 -", 7, "not what happens here: deal 8 B 22/57/6"),
        ("C 4 fives", "C 1 fives", 9, "C 1-5s: not_a_raise"),
        ("C 4 fives", "C 6 fives", 9, "C 6-5s: over_cap"),
        ("C 4 fives", "C dudo\nreveal 22/56/6 1", 10, "these cannot be the dice of this round"),
        ("deal 8 B 22/55/6 -\nb bid 1 5\nC 4 fives", "b 1 5\nC dudo", 8, "the dice are not known"),
        ("pyrudo 22/5/6", "pyrudo 22/5/9", 3, "more dice or faces"),
        ("B calza\n", "", 5, "no move led to this"),
        ("reveal 23/5/6 1", "reveal 23/5/6 2", 13, "the rules say: "),
    ],
)
def test_the_referee_reports_the_first_broken_line_of_positions(
    old: str, new: str, line: int, fault: str
) -> None:
    report = referee(POSITION.replace(old, new, 1), "study.txt")
    assert fault.split("; the rules", maxsplit=1)[0] in said(report)
    assert report.line == line


def test_an_empty_file_is_refused() -> None:
    assert referee("", "nothing.txt").where == "nothing.txt:1"
    assert referee("# only words\n", "nothing.txt").fault


def test_a_broken_rule_above_an_unreadable_line_comes_first() -> None:
    """The first broken line is named, and later ones do not matter."""
    assert referee(plain("B 2-2s", "B 1-2s").replace("lose B", "loose B"), "g").line == 8
    assert referee(plain("lose B", "loose B"), "g").line == 11
    assert referee(plain("reveal 2/3/4", "reveal 2/3/x"), "g").line == 10
    assert referee(plain("A 1-2s", "A 1-twos"), "g").line == 7
    study = POSITION.replace("C 4 fives", "hello")
    assert referee(study, "g").line == 9
    assert referee(study.replace("gain B", "lose B"), "g").line == 6
    assert referee(study.replace("b bid 1 5", "F dudo"), "g").line == 8


@pytest.mark.parametrize(
    ("move", "fault"),
    [("A dudo", "no_bid_yet"), ("A resign", ""), ("B resign", "not_your_turn"), ("A 1-2s", "")],
)
def test_every_kind_of_move_as_a_player_writes_it(move: str, fault: str) -> None:
    text = f"position pyrudo 22/5/6 A 7 30 -\n{move.lower()}"
    assert fault in said(referee(text, "g"))
    assert bool(referee(text, "g").fault) == bool(fault)
