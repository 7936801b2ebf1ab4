"""The whole server as a state machine, with random acts of people, time and restarts.

Hypothesis drives players, emails, the clock and restarts against a model.  An email acts once, and
a refused one changes nothing.  Every board agrees with its own history.  Until a board is over, it
always waits for a player.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import select

from pbmserv.boards import ratings
from pbmserv.boards.board import INVITED, PLAYING, load_board
from pbmserv.boards.deadlines import forfeit_at
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.mail.incoming import SOCKET, IncomingMail
from pbmserv.maintenance import audit
from pbmserv.schedule import overdue_boards
from pbmserv.settings import SETTINGS_FILE
from scripts.simulation import MORNING, OpenedApp, Person, text_of
from tests.email_policies import READ
from tests.homes import home_with_tables

pytestmark = pytest.mark.long

NAMES = ("ann", "bob", "cleo")
PASSWORD = "swordfish"
OURS = "mx.perudo.example"  # our mail server, which proves senders
HOUR = 3600
players = st.sampled_from(NAMES)


class Machine(RuleBasedStateMachine):
    """Three players and their server."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name) / "home"
        home_with_tables(home)
        # Email that proves nothing, and a newcomer, may do little in a day: here it is enough.
        chosen = f'authserv_id = "{OURS}"\nunproven_daily = 10000\nnewcomers_daily = 10000\n'
        (home / SETTINGS_FILE).write_text(chosen)
        self.now, self.number = MORNING, 0
        self.chance = Random(1)
        self.letters: dict[str, list[EmailMessage]] = {name: [] for name in NAMES}
        self.last: IncomingMail | None = None
        self.app = self.opened()

    def opened(self) -> OpenedApp:
        """The server, which looks at the clock as it starts."""
        app = OpenedApp(Path(self.folder.name) / "home", lambda: self.now, self.chance)
        app.inside.tick("machine")
        return app

    def teardown(self) -> None:
        self.app.close()
        self.folder.cleanup()

    def send(self, name: str, subject: str, text: str = "", to: str = "") -> list[EmailMessage]:
        """A player writes an email; the letters that he gets for it."""
        self.number += 1
        to = to or "perudo@localhost"
        address = f"{name}@example.org"
        head = f"From: {address}\r\nTo: {to}\r\nSubject: {subject}\r\n"
        head += f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org\r\n"
        raw = f"{head}Message-ID: <{self.number}@machine>\r\n\r\n{text}\r\n".encode()
        self.last = IncomingMail(raw, address, to, SOCKET)
        self.app.inside.processor.accept([self.last])
        before = len(self.letters[name])
        self.fetch()
        return self.letters[name][before:]

    def fetch(self) -> int:
        """Everybody's letters are delivered; how many."""
        self.app.inside.deliver()
        box = self.app.inside.transport
        found, box.letters = box.letters, []  # type: ignore[attr-defined]  # what `OpenedApp` gave it
        for address, data in found:
            letter = message_from_bytes(data, policy=READ)
            self.letters[address.partition("@")[0]].append(letter)
        return len(found)

    def state(self) -> list[tuple[object, ...]]:
        """All that the server knows of boards."""
        with reading(self.app.inside.engine) as connection:
            rows = connection.execute(select(models.Board).order_by(models.Board.id))
            return [tuple(row) for row in rows]

    @initialize()
    def everybody_signs_up(self) -> None:
        for name in NAMES:
            (letter,) = self.send(name, f"signup {name} {PASSWORD}")
            (told, *_) = self.send(name, "Re: please confirm", "yes", str(letter["Reply-To"]))
            assert "works" in str(told["Subject"])

    @rule(
        name=players,
        other=st.sampled_from(["ann", "bob", "cleo", "house"]),
        rules=st.sampled_from(["pbmserv", "bga -calza", "pacao"]),
        times=st.sampled_from(["", "--nagtime=2 --forfeittime=4", "--nagtime=12h --standin"]),
    )
    @precondition(lambda self: len(self.state()) < 4)
    def challenge(self, name: str, other: str, rules: str, times: str) -> None:
        boards = len(self.state())
        (letter, *_) = self.send(
            name, f"perudo challenge -rules={rules} -dice=2 {times} {name} {other}"
        )
        assert len(self.state()) == boards + (name != other)
        assert ("refused" in str(letter["Subject"])) == (name == other)

    @rule(name=players, back=st.integers(1, 3), seed=st.integers(0, 99))
    def answer_a_letter(self, name: str, back: int, seed: int) -> None:
        """The latest one moves the board, an older one changes nothing."""
        asking = [each for each in self.letters[name] if "Your turn, " in text_of(each)]
        asking = [each for each in asking if each["Reply-To"]]
        if len(asking) < back:
            return
        letter = asking[-back]
        move = Person(name, Random(seed), 1, 0, 0)._move(text_of(letter))
        before = self.state()
        found = self.send(name, f"Re: {letter['Subject']}", move, str(letter["Reply-To"]))
        idle = False
        for answer in found[:1]:  # a bid brings its player no letter
            told = " ".join(text_of(answer).split())
            subject = str(answer["Subject"])
            idle = "not played" in subject or "refused" in subject
            idle |= "was not made" in told or "You have already made" in told
        assert (self.state() == before) == idle

    @rule()
    @precondition(lambda self: self.last is not None)
    def the_last_mail_comes_again(self) -> None:
        before = self.state()
        assert self.last is not None
        self.app.inside.processor.accept([self.last])
        assert self.fetch() == 0
        assert self.state() == before

    @rule(name=players, words=st.sampled_from(["hello", "4-2s", "perudo move 1 x y z", "dudo!"]))
    def nonsense(self, name: str, words: str) -> None:
        before = self.state()
        self.send(name, words)
        assert self.state() == before

    @rule(name=players, command=st.sampled_from(["resign", "queue"]), board=st.integers(1, 4))
    def leave_or_leave_moves(self, name: str, command: str, board: int) -> None:
        moves = "1-2s 2-2s dudo" if command == "queue" else ""
        assert self.send(name, f"perudo {command} {board} {name} {PASSWORD} {moves}")

    @rule(hours=st.integers(1, 200))
    def time_passes(self, hours: int) -> None:
        for _ in range(0, hours, 2):
            self.now += 2 * HOUR
            self.app.inside.tick("machine")
        self.fetch()

    @rule(name=players, begins=st.integers(0, 6), days=st.integers(0, 4))
    def travel(self, name: str, begins: int, days: int) -> None:
        first = datetime.fromtimestamp(self.now, UTC) + timedelta(days=begins)
        last = first + timedelta(days=days)
        assert self.send(name, f"vacation {name} {PASSWORD} {first:%Y-%m-%d} {last:%Y-%m-%d}")

    @rule(hours=st.integers(-100, 1000))
    def the_server_is_away_or_the_clock_jumps(self, hours: int) -> None:
        """Every board goes on; after an outage no deadline is earlier than told and the gap."""
        running = [row for row in self.state() if PLAYING in row]
        told, ticked_at = self.deadlines()
        self.app.close()
        self.now += hours * HOUR
        self.app = self.opened()
        if abs(hours) > 2:
            assert len([row for row in self.state() if PLAYING in row]) == len(running)
        if hours > 2:
            after, _ = self.deadlines()
            gap = self.now - ticked_at
            assert all(after[each] >= told[each] + gap for each in after.keys() & told.keys())
        self.app.inside.tick("machine")
        self.fetch()

    def deadlines(self) -> tuple[dict[tuple[int, int], int], int]:
        """When the seat on turn is forfeited, by board and move; when the clock was looked at."""
        found = {}
        with reading(self.app.inside.engine) as connection:
            for number in overdue_boards.due(connection, 2**40):
                board = load_board(connection, number)
                found[number, board.table.move] = forfeit_at(board.clock, board.on_turn.away)
            return found, connection.execute(select(models.Tick.ticked_at)).scalar_one()

    @invariant()
    def every_board_agrees_with_its_history(self) -> None:
        engine = self.app.inside.engine
        for number in audit.board_numbers(engine):
            assert list(audit.problems(engine, number)) == []
        with reading(engine) as connection:
            assert list(ratings.problems(connection)) == []

    @invariant()
    def nothing_is_left_lying(self) -> None:
        with reading(self.app.inside.engine) as connection:
            mails = select(models.InboxMail.reason).where(models.InboxMail.state != "done")
            assert connection.execute(mails).scalars().all() == []
            letters = select(models.OutboxLetter.reason).where(models.OutboxLetter.state != "sent")
            assert connection.execute(letters).scalars().all() == []

    @invariant()
    def somebody_is_waited_for(self) -> None:
        """An invitation, too, has a moment at which it ends."""
        with reading(self.app.inside.engine) as connection:
            query = select(models.Board.state, models.Board.due_at)
            for state, due_at in connection.execute(query):
                assert (due_at is not None) == (state in {PLAYING, INVITED})


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
