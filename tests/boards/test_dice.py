"""No letter of one player holds a die of another before the reveal."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from pbmserv.boards.board import load_board
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.games.perudo.notation import read_event, read_position, read_view, write_position
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import Dealt, Table, legal_calls, smallest_raises
from pbmserv.mail.incoming import IncomingMail
from pbmserv.outbox.outgoing_email import worded
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, mail, town_at

pytestmark = pytest.mark.long

NAMES = ("ann", "bob", "cleo")
WATCHER = "dora"  # has no seat, so all dice are others'
STAMP = "A" * 24
Row = Any  # a row of the outbox, by column


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("furnished") / "home"
    with town_at(home) as town:
        town.sign_up(*NAMES, WATCHER)
    return home


@dataclass
class Game:
    """A game by email whose letters stay in the outbox, where they can be looked at."""

    town: Town
    read: int = 0

    def table(self) -> Table:
        with reading(self.town.engine) as connection:
            return load_board(connection, 1).table

    def mailed(self, who: str, subject: str, text: str = "") -> list[Row]:
        """The letters of an email, as rows of the outbox."""
        number = self.town.next_message_id()
        address = f"{who}@example.org"
        raw = mail(address, subject, text, message_id=number)
        self.town.processor.accept([IncomingMail(raw, address, OUR_ADDRESS, "smtp")])
        with reading(self.town.engine) as connection:
            letter = models.OutboxLetter
            query = select(letter).where(letter.id > self.read, letter.state == states.DUE)
            rows = connection.execute(query.order_by(letter.id)).mappings().all()
        return list(rows)

    def settle(self, rows: list[Row]) -> None:
        """Mark these letters as seen."""
        self.read = max([self.read, *(row["id"] for row in rows)])

    @contextmanager
    def elsewhere(self, reader: int) -> Iterator[None]:
        """Another world: all dice but the reader's are different ones; undone at the end."""
        table = self.table()
        other = tuple(
            cup if seat == reader else tuple(die % table.rules.faces + 1 for die in cup)
            for seat, cup in enumerate(table.cups)
        )
        position = write_position(table._replace(cups=other))
        database = self.town.home / "pbmserv.sqlite"
        kept, mails = sqlite3.connect(":memory:"), self.town.mails
        with closing(sqlite3.connect(database)) as source:
            source.backup(kept)
        with writing(self.town.engine) as connection:
            connection.exec_driver_sql("update boards set position = ?", (position,))
        yield
        with closing(sqlite3.connect(database)) as target:
            kept.backup(target)
        kept.close()
        self.town.mails = mails


def read_by(game: Game, rows: list[Row], reader: int) -> list[tuple[str, bytes]]:
    """What a player gets: the payloads of the letters, and their every byte."""
    address = f"{[*game_names(game), WATCHER][reader]}@example.org"
    mine = [row for row in rows if row["address"] == address]
    return [(row["payload"], worded(game.town.settings, row, STAMP).data) for row in mine]


def game_names(game: Game) -> list[str]:
    with reading(game.town.engine) as connection:
        return load_board(connection, 1).names


def holds_no_other_cup(row: Row) -> bool:
    """True if the payload of a letter holds the reader's dice at most."""
    facts = json.loads(row["payload"])
    if "position" not in facts:
        return True
    seen, public = read_view(facts["position"]), read_view(facts["table"])
    dealt = [event for event in map(read_event, facts["events"]) if isinstance(event, Dealt)]
    others = [cup for seat, cup in enumerate(seen.cups) if seat != facts["reader"]]
    return not any(map(any, [*others, *public.cups, *(cup for each in dealt for cup in each.cups)]))


def quiet_mail(choice: int, table: Table, names: list[str]) -> tuple[str, str, str]:
    """An email that opens no cup: who writes it, its Subject and its text."""
    turn, other = names[table.turn], names[(table.turn + 1) % len(names)]
    bids = smallest_raises(table)
    move = str(bids[choice % len(bids)]) if bids else "99-1s"
    ways = [
        (turn, f"perudo move 1 {turn} {PASSWORD} {move}", "Hello, everybody!"),
        (turn, f"perudo move 1 {turn} {PASSWORD} {move}", ""),
        (turn, f"perudo preview 1 {move}", ""),
        (turn, f"perudo preview 1 99-{move[-2]}s", ""),
        (turn, f"perudo move 1 {turn} {PASSWORD} 99-1s", ""),
        (other, f"perudo move 1 {other} {PASSWORD} {move}", ""),
        (other, f"perudo chat 1 {other} {PASSWORD}", "Well..."),
        (other, "perudo show 1", ""),
        (other, f"perudo showas {other} {PASSWORD} 1", ""),
        (other, "perudo games all", ""),
        (other, "perudo record 1", ""),
        (other, "perudo verify 1", ""),
        (other, "multiple", f"perudo show 1\nperudo showas {other} {PASSWORD}\nperudo record 1"),
    ]
    return ways[choice % len(ways)]


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(rules="bga", choices=[0] * 11, seed=0)  # to the end of the game
@given(
    rules=st.sampled_from(sorted(RULE_SETS)),
    choices=st.lists(st.integers(0, 2**16), min_size=4, max_size=16),
    seed=st.integers(0, 2**16),
)
def test_a_players_letters_do_not_depend_on_the_others_dice(
    furnished: Path, rules: str, choices: list[int], seed: int
) -> None:
    """With other dice of the others, every byte of a reader's letters would be the same.

    The reader is a player, or watches the board.  The order of letters is the same, too.

    This holds for every email that opens no cup: bids, refusals, chat, boards shown, previews,
    records.  After a call the cups are open, and the next round's are hidden again.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        town_at(shutil.copytree(furnished, Path(folder) / "home"), seed) as town,
    ):
        game = Game(town)
        rows = game.mailed("ann", f"perudo challenge -dice=2 -rules={rules} {' '.join(NAMES)}")
        game.mailed(WATCHER, f"perudo subscribe 1 {WATCHER} {PASSWORD}")
        for choice in choices:
            table, names = game.table(), game_names(game)
            if table.winner is not None:
                break  # the last call opened the winner's cup, which is shown for good
            assert all(map(holds_no_other_cup, rows))
            game.settle(rows)
            turn = names[table.turn]
            if choice % 5 == 0 and "dudo" in legal_calls(table, table.turn):
                rows = game.mailed(turn, f"perudo move 1 {turn} {PASSWORD} dudo")
                continue
            reader = choice % len((*NAMES, WATCHER))
            written = quiet_mail(choice, table, names)
            with game.elsewhere(reader):
                there = read_by(game, game.mailed(*written), reader)
            rows = game.mailed(*written)
            assert read_by(game, rows, reader) == there


def test_the_comparison_of_letters_notices_different_dice(furnished: Path, tmp_path: Path) -> None:
    """The test above can fail: a player's own dice change that player's letters."""
    with town_at(shutil.copytree(furnished, tmp_path / "home")) as town:
        game = Game(town)
        game.settle(game.mailed("ann", f"perudo challenge -inorder {' '.join(NAMES)}"))
        with game.elsewhere(1):
            there = read_by(game, game.mailed("ann", f"perudo showas ann {PASSWORD} 1"), 0)
        rows = game.mailed("ann", f"perudo showas ann {PASSWORD} 1")
        assert read_by(game, rows, 0) != there


def test_the_headers_of_a_letter_do_not_depend_on_dice(furnished: Path, tmp_path: Path) -> None:
    """They are the same for everybody but for name, number and token, and whose turn it is.

    X-Perudo-Commitment is of the reader's next board, and hides a seed that no dice come from yet.
    """
    with town_at(shutil.copytree(furnished, tmp_path / "home")) as town:
        game = Game(town)
        rows = game.mailed("ann", f"perudo challenge -inorder {' '.join(NAMES)}")
        heads = []
        for row in rows:
            head = message_from_bytes(worded(town.settings, row, STAMP).data)
            for name in ("To", "Message-ID", "Reply-To", "In-Reply-To", "References"):
                del head[name]
            del head["X-Perudo-Commitment"]
            content_type = head.get_content_type()  # its boundary is made from the Message-ID
            heads.append({**head, "Auto-Submitted": "", "Content-Type": content_type})
        assert heads[1] == heads[2]
        turn = {"Subject": "Your turn: Perudo board 1", "X-Perudo": "your-turn; board=1; move=1"}
        assert heads[0] == heads[1] | turn
        position = read_position(town_position(town))
        assert len(set(position.cups)) > 1


def town_position(town: Town) -> str:
    with reading(town.engine) as connection:
        return str(connection.exec_driver_sql("select position from boards").scalar())
