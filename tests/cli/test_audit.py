"""`pbmserv audit` replays every board and finds what was changed in the database."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.processes import invoked
from tests.homes import changed


def test_an_audit_of_an_honest_home_finds_nothing(copied: Path) -> None:
    done = invoked(copied, "pbmserv", "audit")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Boards: 1, problems: 0\n", "")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "update boards set position = replace(position, ' 3 ', ' 4 ')",
            "the position does not follow from its events",
        ),
        *(
            (f"update boards set {column}", "its move, turn, lines or state do not match")
            for column in ("move = move + 1", "turn = 1 - turn", "lines = 99", "state = 'won'")
        ),
        (
            "update boards set chain = zeroblob(32)",
            "its record is not valid: The proof fails in round 2",
        ),
        ("update boards set seed = zeroblob(32)", "the secrets do not match the commitments"),
        (
            "update boards set next_seed = zeroblob(32)",
            "the secrets do not match the commitments",
        ),
        ("update boards set next_seed = null", "the secrets of the running game are missing"),
        (
            "update happenings set line = replace(line, '2-2s', '2-3s') where line like 'A %'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = zeroblob(length(digits)) where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = x'00' where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = null where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set line = replace(line, 'lose', 'gain') where line like '%lose%'",
            "its record is not valid",
        ),
        ("delete from happenings where line like '%lose%'", "its record is not valid"),
    ],
)
def test_an_audit_finds_tampering(copied: Path, statement: str, said: str) -> None:
    changed(copied, statement)
    done = invoked(copied, "pbmserv", "audit")
    assert done.returncode == 78
    assert f"board 1: {said}" in done.stdout


def test_an_audit_finds_dice_that_were_changed(copied: Path) -> None:
    """The cups of the running round are those that its seed gives."""
    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (position,) = connection.execute("select position from boards").fetchone()
    connection.close()
    words = position.split(" ")
    words[1] = words[1].translate(str.maketrans("123456", "234561"))
    changed(copied, "update boards set position = ?", " ".join(words))
    done = invoked(copied, "pbmserv", "audit")
    assert done.returncode == 78
    assert "board 1: the running round's cups do not follow from its seed" in done.stdout
