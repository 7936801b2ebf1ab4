"""Figures 2 and 10: a move's rows, in processor time and in bytes on the disk."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from pbmserv.database.engine import writing
from pbmserv.intake.kept_emails.retention import expire
from pbmserv.timeunits import DAY
from scripts.benchmarks.database_time import database_time
from scripts.benchmarks.figures import (
    Figure,
    at_most,
    in_time,
    median_ratio,
    processor_seconds,
    progress,
    told,
)
from scripts.benchmarks.population import MOST_MOVES, SEATS, Town, context_on, in_turns
from scripts.benchmarks.processor import Office

SECONDS = 20.0  # after which figure 2 has no further rounds
LATER = 10 * 365 * DAY  # seconds, after which only what is kept for ever is left
BOARDS, MOVES = 40, MOST_MOVES  # of figure 10, and of each of its boards
_CHANGED = (
    "position",
    "move",
    "turn",
    "lines",
    "chain",
    "moved_at",
    "clock_at",
    "due_at",
    "counts",
)
_WRITTEN = {
    "inbox": "SELECT * FROM inbox ORDER BY id DESC LIMIT 1",
    "happenings": "SELECT * FROM happenings WHERE board_id = 1 AND number > 0 LIMIT 1",
    "talk": "SELECT * FROM talk ORDER BY id DESC LIMIT 1",
    "outbox": f"SELECT * FROM outbox ORDER BY id DESC LIMIT {SEATS}",
}
"""The rows that a move adds: its email, its line of the record, its words, its letters."""


def transaction(folder: Path, quick: bool) -> list[Figure]:
    """Figure 2: the CPU of a move's transactions, to bare sqlite3 writing the same rows.

    Everything that SQLAlchemy and SQLite do for an email counts, what is read of its sender before
    included.  The whole work of taking the email in is told beside it.
    """
    rounds, moves = (1, 2) if quick else (11, 100)
    found = []
    with Town(folder / "home") as town, closing(Office(town)) as processor:
        boards = town.open_boards(8 + rounds * moves // MOST_MOVES)
        mails = in_turns(boards)
        processor.accept(*(next(mails) for _ in boards))
        with closing(_Raw(town.home, folder)) as raw, database_time() as spent:
            for number in in_time(rounds, SECONDS):
                progress(f"figure 2: {number + 1} of {rounds}")
                begun = spent.seconds
                whole = sum(
                    processor_seconds(partial(processor.accept, next(mails))) for _ in range(moves)
                )
                ours = spent.seconds - begun
                found.append((ours, processor_seconds(partial(raw.write, moves)), whole))
    one = sorted(found)[len(found) // 2]
    mine, raws, all_of_it = (f"{each / moves * 1e3:.2f} ms" for each in one)
    ratio = median_ratio([(ours, theirs) for ours, theirs, _ in found])
    what = f"CPU of a move's transactions, {SEATS} letters, to raw sqlite3 writing the same rows"
    return [
        at_most(2, what, ratio, 5),
        told(2, "  of them in one round", f"{mine}, {raws}"),
        told(2, "  CPU of all that takes the move in", all_of_it),
    ]


class _Raw:
    """A copy of a home's database, into which a move's rows are written without the program."""

    def __init__(self, home: Path, folder: Path) -> None:
        with closing(sqlite3.connect(home / "pbmserv.sqlite")) as database:
            database.execute("VACUUM INTO ?", (str(folder / "raw.sqlite"),))
            found = {name: database.execute(text).fetchall() for name, text in _WRITTEN.items()}
            columns = f"SELECT {', '.join(_CHANGED)} FROM boards WHERE id = 1"
            self._board = database.execute(columns).fetchone()
        (self._mail,), (self._line,), (self._words,), self._letters = found.values()
        self._database = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            self._database.execute(f"PRAGMA {setting}")
        self._numbers = count(1_000_000)

    def write(self, moves: int) -> None:
        """Write the rows of so many moves, each in a transaction of its own."""
        rows = (self._mail, self._line, self._words, self._letters[0])
        into = {
            name: f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})"
            for name, row in zip(_WRITTEN, rows, strict=True)
        }
        update = f"UPDATE boards SET {', '.join(f'{each} = ?' for each in _CHANGED)} WHERE id = 1"
        for _ in range(moves):
            number = next(self._numbers)
            mail = (None, self._mail[1], secrets.token_hex(12), *self._mail[3:])
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(into["inbox"], mail)
            self._database.execute(into["happenings"], (1, number, *self._line[2:]))
            self._database.execute(update, self._board)
            self._database.execute(into["talk"], (None, *self._words[1:]))
            letters = [(None, *each[1:]) for each in self._letters]
            self._database.executemany(into["outbox"], letters)
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def bytes_a_move(folder: Path, quick: bool) -> list[Figure]:
    """Figure 10: bytes on the disk for a move, when its email and letters have been deleted."""
    boards, moves = (2, 6) if quick else (BOARDS, MOVES)
    with Town(folder / "home") as town:
        mails = in_turns(town.open_boards(boards))
        before = _sizes(town.home)
        with closing(Office(town)) as processor:
            for number in range(moves):
                progress(f"figure 10: move {number + 1} of {moves}")
                processor.accept(*(next(mails) for _ in range(boards)))
                while processor.deliver():
                    pass
        _expire(town)
        after = _sizes(town.home)
    if not after:
        return [told(10, "bytes of a move", "skipped: this SQLite has no table dbstat")]
    made = boards * moves
    grown = {name: after.get(name, 0) - before.get(name, 0) for name in after}
    return [
        at_most(10, "bytes of a move in the record", grown["happenings"] / made, 64),
        at_most(10, "bytes of a move, all that is kept for ever", sum(grown.values()) / made, 128),
    ]


def _expire(town: Town) -> None:
    is_more = True
    while is_more:
        with writing(town.engine) as connection:
            work = context_on(connection)
            is_more = expire(replace(work, now=work.now + LATER))


def _sizes(home: Path) -> dict[str, int]:
    """The bytes of each table and index of a home, in whole pages; empty if SQLite cannot tell."""
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as database:
        database.execute("VACUUM")
        try:
            return dict(database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        except sqlite3.OperationalError:
            return {}
