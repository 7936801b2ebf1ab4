"""Games that simulated people play by email with a real server, for `scripts/letters`.

They move as bots would.  Time and seeds are fixed, so a game is the same every day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select

from pbmserv.boards.board import load_board
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.database.models.states import DUE
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.events import Call, Raise
from pbmserv.games.perudo.table import Table, view
from tests.stories.town import PASSWORD, Letter, Town

PLAYERS = ("ann", "bob", "cleo")
ZONE = "Europe/Zurich"
HOUR = 3600
BOARD = 1
# Games that are neither short nor long: the seed of each, and its options.
GAMES = {
    "pbmserv": (2, "-dice=3"),
    "classic": (3, "-dice=2 -palifico -calza"),
    "bga": (2, "-dice=3"),
    "pyrudo": (3, "-dice=3"),
    "pacao": (3, "-dice=3"),
}
# What is said, by the number of the move.
WORDS = {
    2: "Good luck, all of you!",
    7: "I was at my sister's wedding, sorry.\nThe cake was good, my dice are better.",
    12: "Ha! You cannot be serious.",
}
LATE = 5  # the number of the move before which a player thinks for nine days


class RecordedTown(Town):
    """A town that keeps the rows of the outbox, as they were before the letters were sent."""

    def __init__(self, home: Path, seed: int) -> None:
        super().__init__(home, seed)
        self.rows: list[Mapping[str, Any]] = []

    def delivered(self) -> list[Letter]:
        """Have letters delivered, and keep their rows."""
        due = select(models.OutboxLetter.__table__).where(models.OutboxLetter.state == DUE)
        with reading(self.engine) as connection:
            rows = connection.execute(due.order_by(models.OutboxLetter.id)).mappings().all()
        self.rows += [dict(row) for row in rows if row["due_at"] <= self.now]
        return super().delivered()


def letters_of_game(rules: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The letters of a game, from the sign-ups to the record: names of files, and the rows."""
    with TemporaryDirectory() as folder:
        town = RecordedTown(Path(folder), GAMES[rules][0])
        try:
            _begun(town, rules)
            _played(town)
            _asked(town)
        finally:
            town.close()
    for number, row in enumerate(town.rows, 1):
        reader = row["address"].partition("@")[0]
        yield f"{number:03}-{reader}-{row['kind'].rpartition('/')[2]}", row


def _begun(town: Town, rules: str) -> None:
    """The players sign up; one challenges, the others accept."""
    for name in PLAYERS:
        (letter,) = town.write(f"{name}@example.org", f"signup {name} {PASSWORD}")
        town.reply(letter, "yes")
        town.write(f"{name}@example.org", f"set {name} {PASSWORD} timezone={ZONE}")
    words = f"-rules={rules} {GAMES[rules][1]} {' '.join(PLAYERS)}"
    town.write("ann@example.org", f"perudo challenge {words}", "Shall we?\nThe loser bakes a cake.")
    for name in PLAYERS[1:]:
        town.reply(town.last_letter_to(f"{name}@example.org"), "accept")


def _played(town: Town) -> None:
    """Every player answers the latest letter when it is the turn, until one has won."""
    number = 0
    while (table := _table(town)).winner is None:
        number += 1
        name = _names(town)[table.turn]
        if number == LATE:
            town.waited(9 * 24)
        town.now += 5 * HOUR
        chosen = bots.choose(view(table, table.turn), "house")
        assert isinstance(chosen, Call | Raise)  # no bot resigns
        move = chosen.bid if isinstance(chosen, Raise) else chosen.word
        letter = town.last_letter_to(f"{name}@example.org")
        town.reply(letter, f"{move}\n\n{WORDS.get(number, '')}")


def _asked(town: Town) -> None:
    """What a player asks for when the game is over."""
    sender = "ann@example.org"
    for command in (
        *(f"perudo show {BOARD}", f"perudo record {BOARD}", f"perudo verify {BOARD}"),
        *("perudo standings", "perudo history ann", "perudo stats ann bob", "perudo list"),
        *("help", "help rules", f"set ann {PASSWORD}", "perudo mvoe 1 4-2s"),
    ):
        town.write(sender, command)


def _table(town: Town) -> Table:
    with reading(town.engine) as connection:
        return load_board(connection, BOARD).table


def _names(town: Town) -> list[str]:
    with reading(town.engine) as connection:
        return [seat.userid for seat in load_board(connection, BOARD).seats]
