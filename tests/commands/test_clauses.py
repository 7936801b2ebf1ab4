"""The clauses of a line, and their words."""

from __future__ import annotations

from pbmserv.commands.move_lines.clauses import (
    LONGEST_LINE,
    Clause,
    clauses_of,
    without_clauses,
    words_in,
)
from tests.rows import each_row


@each_row(
    ("line", "clauses"),
    [
        ("", []),
        ("?! ... – ,", []),
        ("Don't play this yet", [Clause("Don't play this yet", ["don't", "play", "this", "yet"])]),
        ("4-3s? No!", [Clause("4-3s?", ["4-3s"]), Clause("No", ["no"])]),
        ("¿Dudo? — ÉTÉ…", [Clause("Dudo?", ["dudo"]), Clause("ÉTÉ", ["ete"])]),
        ("ab,\u0301b\nc", [Clause("ab", ["ab"]), Clause("\u0301b c", ["b", "c"])]),
        ("ＨＩ，all", [Clause("ＨＩ，all", ["hi", "all"])]),
    ],
)
def test_a_line_has_its_clauses(line: str, clauses: list[Clause]) -> None:
    assert clauses_of(line) == clauses


@each_row("line", ["a?b," * 99, "é, " * 99, "İx – " * 50, "x" * 150, "½ ﷺ." * 70])
def test_the_words_of_a_clause_are_those_of_its_text(line: str) -> None:
    """Although all clauses are spelled plainly at once."""
    found = clauses_of(line)
    assert found
    assert [each.words for each in found] == [words_in(each.text) for each in found]


def test_only_the_beginning_of_a_line_is_read() -> None:
    assert len(clauses_of("ab," * LONGEST_LINE)) == LONGEST_LINE // 3 + 1
    assert len(without_clauses("ab," * LONGEST_LINE, str.isspace)) == LONGEST_LINE


def test_clauses_are_left_out_of_a_line() -> None:
    assert without_clauses("if so? No, if not", lambda each: "if" in each) == " No,"
