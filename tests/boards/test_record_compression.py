"""A row stores less than the lines of a record, and gives them back byte for byte."""

from __future__ import annotations

from sqlalchemy import Engine, select, update

from pbmserv.boards import play
from pbmserv.boards.record import opened_on, record_text
from pbmserv.boards.record_compression import restored, stored
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.verify import verify
from tests.boards.contexts import context_on, opened
from tests.rows import each_row

SEED, SALT = "0f" * 32, "60303ae2"


def test_digests_seeds_and_salts_are_bytes() -> None:
    lines = f"A 4-2s salt={SALT}\nreveal 13556/22346 7 seed={SEED}\ndeal 2 B ?/? - next={SEED}"
    text, digits = stored(lines)
    assert text == "A 4-2s~\nreveal 13556/22346 7!\ndeal 2 B ?/? -*"
    assert digits == bytes.fromhex(SALT + SEED + SEED)


@each_row(
    "lines",
    (
        "",
        "lose B",
        f"pbmserv record 2\nboard 12345678\nplayers {SALT} bob\ncommit {SEED}\nsalt A {SALT}",
        f"B dudo salt={SALT}+{SALT}",
        f"B dudo salt={SALT}+{SALT}ff",
        f"restored {SEED}",
        f"restored {SEED.upper()}",
        f"restored {SEED}a",
        "~ ^ ! * #",
        f"~ seed={SEED}",
        "é ☃",
    ),
)
def test_lines_are_given_back(lines: str) -> None:
    """Also what no record holds: a mark of ours, digits of another form or length."""
    assert restored(*stored(lines)) == lines


def test_a_record_is_the_same_whether_its_rows_have_digits_or_not(engine: Engine) -> None:
    """Rows of older versions have all digits in their lines."""
    row = models.BoardEvent
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        for word in ("1-2s", "dudo"):
            board = play.move(context, board, board.table.turn, read_action(word)).board
        text = record_text(connection, board.id)
        verify(read_record(text))
        found = connection.execute(select(row.number, row.line, row.digits)).all()
        assert any(each.digits for each in found) and SEED[:2] not in found[0].line
        for each in found:
            values = {"line": restored(each.line, each.digits), "digits": None}
            connection.execute(update(row).where(row.number == each.number).values(values))
        assert record_text(connection, board.id) == text
        (opened_round,) = opened_on(connection, board.id)
        assert (opened_round.number, len(opened_round.made)) == (1, 2)
