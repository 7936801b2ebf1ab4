"""Simulate a year of play by forgetful people, with the clock as an argument.

They read only their letters, and answer some of them late and some never.  They travel, leave
forever, take over seats, and change their minds.  The server restarts and is down for days.  Every
letter is checked.  At the end every board is over, and every forfeit was announced to its player.
No player was stuck or got too many letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from random import Random

from argon2 import PasswordHasher
from sqlalchemy import select

from pbmserv.boards import ratings
from pbmserv.boards.board import PLAYING
from pbmserv.database import models, restore_detection
from pbmserv.database.engine import reading
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Coming
from pbmserv.maintenance import audit
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.server.app import App, opened
from tests.email_policies import READ

HOUR, DAY = 3600, 86400
MORNING = 1_700_000_000
PASSWORD = "swordfish"

# How people play, and the chance of events: shares of the moves, days, boards and people.
DOUBTS, RESTARTS, HOUSE_PLAYS, LEAVES, OUTAGES = 0.35, 0.1, 0.2, 0.2, 0.01
TRAVELS, SEEKS, CHANGES, TAKES_OVER = 0.004, 0.01, 0.005, 0.02  # of every person, each day
TERMS = (
    "",
    "--nagtime=3 --forfeittime=8",
    "--nagtime=12h --standin",
    "--nagtime=1 --forfeittime=4 --standin",
)
FEWEST = 3  # active people that are needed to begin a board
MOST_REMINDERS = 2  # letters in a calendar day; they come daily, at different hours
_KEY = bytes(32)
_BIDS = re.compile(r"^ +(\d+-\d+s\b.*)", re.MULTILINE)
_ON_TURN = re.compile(r"^(?:Your|Still your) turn, ")
_ANSWER_LINE = re.compile(r"^  (perudo move \d+ \S+ \S+) (\S+)$", re.MULTILINE)
_WAITING = re.compile(r"\d boards? waits? for you")
_REMINDER = re.compile(r"^Still your turn, ")
_SUBJECT = re.compile(r"Perudo board (\d+)")
_SECTION = re.compile(r"\nBOARD (\d+) · (.*?)(?=\nBOARD \d+ · |\Z)", re.DOTALL)
_DEADLINE = re.compile(
    r"(?:you are out of the game|a house player takes your place) on"
    r" (\w+ \d+ \w+, \d\d:\d\d) (UTC|JST)"
)
_ZONES = {"UTC": UTC, "JST": timezone(timedelta(hours=9))}
_AWAY = re.compile(
    r"Your clocks are stopped from (\w+ \d+ \w+ \d+, \d\d:\d\d) (UTC|JST)"
    r" to (\w+ \d+ \w+ \d+, \d\d:\d\d) (UTC|JST)"
)
_MOVED = re.compile(r"are moved by (?:(\d+) days?)?(?: and )?(?:(\d+) hours?)?:")


def _moment(date: str, zone: str) -> int:
    """The moment of a full date, in seconds since 1970."""
    naive = datetime.strptime(date, "%A %d %B %Y, %H:%M")
    return int(naive.replace(tzinfo=_ZONES[zone]).timestamp())


def _coming(date: str, zone: str, now: int) -> int:
    """The moment of a date without its year, which is the next such date or a recent one."""
    year = datetime.fromtimestamp(now - 30 * DAY, UTC).year
    for each in (year, year + 1):
        with suppress(ValueError):  # 29 February
            if (found := _moment(date.replace(",", f" {each},"), zone)) > now - 30 * DAY:
                return found
    raise Broken(f"{date} is not a date")


def text_of(letter: EmailMessage) -> str:
    """The text form of a letter."""
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


class Broken(Exception):
    """A required property was violated."""


@dataclass
class Person:
    """A player by email: delay of answers, absences, and the announced deadlines."""

    name: str
    chance: Random
    pace: float
    forgets: float
    leaves_at: int
    todo: list[tuple[int, str, str, str]] = field(default_factory=list)
    deadlines: dict[int, int] = field(default_factory=dict)
    reminded: Counter[int] = field(default_factory=Counter)
    forfeits: int = 0

    @property
    def address(self) -> str:
        """The address for letters."""
        return f"{self.name}@example.org"

    def reads(self, letter: EmailMessage, now: int) -> None:
        """Read a letter, and plan an answer if it asks for one."""
        text, subject = text_of(letter), str(letter["Subject"])
        self._check(subject, text, now)
        if now > self.leaves_at or _WAITING.search(text):
            lines = [f"{line} {move}" for line, move in _ANSWER_LINE.findall(text)]
            if lines and now <= self.leaves_at:
                self.todo.append((now + self._delay(), "", "Re: boards", "\n".join(lines)))
            return
        if "The game begins when all have accepted" in text and letter["Reply-To"]:
            self.todo.append(
                (now + self._delay(), str(letter["Reply-To"]), f"Re: {subject}", "accept")
            )
        if _ON_TURN.match(text) and letter["Reply-To"]:
            reply_to = str(letter["Reply-To"])
            self.todo.append((now + self._delay(), reply_to, f"Re: {subject}", self._move(text)))

    def _check(self, subject: str, text: str, now: int) -> None:
        """Record the announced deadlines; a forfeited seat must have had its own."""
        sections = _SECTION.findall(text) or [
            (found[1], text) for found in [_SUBJECT.search(subject)] if found
        ]
        for number, part in sections:
            board, words = int(number), " ".join(part.split())
            if "You have not moved in time" in words:
                self.forfeits += 1
                told = self.deadlines.get(board, 0)
                if not told <= now < told + 2 * HOUR:
                    raise Broken(f"{self.name} lost board {board} at {now}, told was {told}")
            if found := _DEADLINE.search(words):
                self.deadlines[board] = _coming(found[1], found[2], now)
        if found := _MOVED.search(" ".join(text.split())):
            gap = int(found[1] or 0) * DAY + int(found[2] or 0) * HOUR
            self.deadlines = {board: told + gap for board, told in self.deadlines.items()}
        if found := _AWAY.search(" ".join(text.split())):
            begins, ends = (_moment(*found.group(*each)) for each in ((1, 2), (3, 4)))
            self.deadlines = {
                board: told + ends - begins if told >= begins else told
                for board, told in self.deadlines.items()
            }
        if _REMINDER.search(text) or _WAITING.search(text.partition("\n")[0]):
            self.reminded[(now - MORNING) // DAY] += 1

    def _delay(self) -> int:
        if self.chance.random() < self.forgets:
            return 9 * DAY  # only a reminder helps; the answer to that one comes sooner
        return int(self.chance.expovariate(1 / (self.pace * DAY)))

    def _move(self, text: str) -> str:
        bids = re.findall(r"\d+-\d+s", found[1]) if (found := _BIDS.search(text)) else []
        opens = "You open the round" in " ".join(text.split())
        if not bids or (not opens and self.chance.random() < DOUBTS):
            return "dudo"
        return str(self.chance.choice(bids))


class _Mailboxes:
    """A transport that keeps every letter until a person reads it."""

    def __init__(self) -> None:
        self.letters: list[tuple[str, bytes]] = []

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Keep a letter."""
        self.letters.append((address, data))
        return ""

    def close(self) -> None:
        """Do nothing: no resource is open."""


@dataclass
class Year:
    """The people, their server, and the current time."""

    home: Path
    chance: Random
    people: dict[str, Person]
    now: int = MORNING
    number: int = 0
    letters: int = 0
    boards: int = 0
    restarts: int = 0
    outages: int = 0

    @property
    def days(self) -> int:
        """The days that have passed."""
        return (self.now - MORNING) // DAY

    @property
    def forfeits(self) -> int:
        """The seats that were forfeited."""
        return sum(person.forfeits for person in self.people.values())

    def run(self, days: int, progress: Callable[[str], None]) -> None:
        """Simulate so many days, then until the last board is over; raises Broken."""
        app = self._open()
        self._sign_up(app.inside)
        end = self.now + days * DAY
        away = set(range(days // 3, days // 3 + 5))  # the server's own outages
        away |= {each for each in range(1, days) if self.chance.random() < OUTAGES}
        day = 0
        while self.now < end or self._running(app.inside):
            if day > days + 400:
                raise Broken("boards do not end")
            progress(f"day {day} of {days}: {self.boards} boards, {self.letters} letters")
            if day in away:
                self.now += DAY
                self.outages += 1
            else:
                app = self._live_a_day(app, playing=self.now < end)
            day += 1
        app = self._live_a_day(app, playing=False)  # the last digests come in the morning
        self._check_the_end(app.inside)
        app.close()

    def _live_a_day(self, app: OpenedApp, *, playing: bool) -> OpenedApp:
        """Simulate twenty-four hours, sometimes with a restart of the server."""
        if self.chance.random() < RESTARTS:
            app.close()
            app = self._open()
            self.restarts += 1
        inside = app.inside
        if playing and self.now < MORNING + 200 * DAY:
            self._challenge(inside)
        if playing:
            self._live(inside)
        for _ in range(24):
            self.now += HOUR
            inside.tick("year")
            self._deliver(inside)
            for person in self.people.values():
                due = [each for each in person.todo if each[0] <= self.now]
                person.todo = [each for each in person.todo if each[0] > self.now]
                for _, to, subject, text in due:
                    self._write(inside, person, subject, text, to)
        return app

    def _open(self) -> OpenedApp:
        return OpenedApp(self.home, lambda: self.now, self.chance)

    def _sign_up(self, app: App) -> None:
        for person in self.people.values():
            self._write(app, person, f"signup {person.name} {PASSWORD}", "", "", deliver=False)
            app.deliver()
            ((_, data),) = app.transport.letters  # type: ignore[attr-defined]  # _Mailboxes
            app.transport.letters.clear()  # type: ignore[attr-defined]  # _Mailboxes
            to = str(message_from_bytes(data, policy=READ)["Reply-To"])
            self._write(app, person, "Re: please confirm", "yes", to)
        for person in list(self.people.values())[::5]:
            words = "digest=daily autovacation=on timezone=Asia/Tokyo"
            self._write(app, person, f"set {person.name} {PASSWORD} {words}", "", "")

    def _challenge(self, app: App) -> None:
        here = [each for each in self.people.values() if self.now < each.leaves_at]
        if len(here) < FEWEST or self.chance.random() > len(self.people) / 60:
            return
        chosen = self.chance.sample(here, self.chance.randint(2, min(4, len(here))))
        names = [each.name for each in chosen]
        if self.chance.random() < HOUSE_PLAYS:
            names[-1] = "house"
        words = [
            f"-rules={self.chance.choice(['pbmserv', 'classic', 'bga', 'pyrudo', 'pacao'])}",
            f"-dice={self.chance.randint(1, 3)}",
            self.chance.choice(TERMS),
        ]
        subject = f"perudo challenge {' '.join(words)} {' '.join(names)}"
        self.boards += 1
        self._write(app, chosen[0], subject, "", "")

    def _live(self, app: App) -> None:
        """Some people travel, seek a game, take over a seat, or change their preferences."""
        with reading(app.engine) as connection:
            query = select(models.Board.id).where(models.Board.state == PLAYING)
            query = query.join(models.Seat, models.Seat.board_id == models.Board.id)
            query = query.where(models.Seat.standin_id.is_not(None)).order_by(models.Board.id)
            kept = connection.execute(query).scalars().all()
        for person in [each for each in self.people.values() if self.now < each.leaves_at]:
            day = self.now + self.chance.randint(1, 20) * DAY
            first, last = (datetime.fromtimestamp(each, UTC) for each in (day, day + 4 * DAY))
            rules, size = self.chance.choice(["pbmserv", "bga"]), self.chance.choice([2, 3])
            board = self.chance.choice(kept or [1])
            digest = self.chance.choice(["daily", "off"])
            who = f"{person.name} {PASSWORD}"
            for share, words in (
                (TRAVELS, f"vacation {who} {first:%Y-%m-%d} {last:%Y-%m-%d}"),
                (SEEKS, f"perudo seek {who} -rules={rules} -players={size} -dice=2"),
                (TAKES_OVER, f"perudo takeover {board} {who}"),
                (CHANGES, f"set {who} digest={digest}"),
            ):
                if self.chance.random() < share:
                    self._write(app, person, words, "", "")

    def _write(
        self, app: App, person: Person, subject: str, text: str, to: str, deliver: bool = True
    ) -> None:
        self.number += 1
        to = to or "perudo@localhost"
        head = f"From: {person.address}\r\nTo: {to}\r\nSubject: {subject}\r\n"
        raw = f"{head}Message-ID: <{self.number}@year>\r\n\r\n{text}\r\n".encode()
        app.processor.accept([IncomingMail(raw, person.address, to, "smtp")])
        if deliver:
            self._deliver(app)

    def _deliver(self, app: App) -> None:
        app.deliver()
        box: _Mailboxes = app.transport  # type: ignore[assignment]  # what `OpenedApp` gave it
        letters, box.letters = box.letters, []
        for address, data in letters:
            self.letters += 1
            letter = message_from_bytes(data, policy=READ)
            self.people[address.partition("@")[0]].reads(letter, self.now)

    def _running(self, app: App) -> bool:
        with reading(app.engine) as connection:
            query = select(models.Board.id).where(models.Board.state == PLAYING).limit(1)
            return connection.execute(query).first() is not None

    def _check_the_end(self, app: App) -> None:
        """Check that nobody was stuck or got too many letters, and all forfeits were announced."""
        for number in audit.board_numbers(app.engine):
            if problems := list(audit.problems(app.engine, number)):
                raise Broken(f"board {number}: {problems}")
        with reading(app.engine) as connection:
            if different := list(ratings.problems(connection)):
                raise Broken(f"ratings: {different[:3]}")
            waiting = select(models.InboxMail.reason).where(models.InboxMail.state != "done")
            if reasons := connection.execute(waiting).scalars().all():
                raise Broken(f"emails that were not processed: {reasons[:3]}")
            unsent = select(models.OutboxLetter.reason).where(
                models.OutboxLetter.state.not_in(["sent"])
            )
            if reasons := connection.execute(unsent).scalars().all():
                raise Broken(f"letters that did not leave: {len(reasons)} {reasons[:3]}")
        for person in self.people.values():
            most = max(person.reminded.values(), default=0)
            if most > MOST_REMINDERS:
                raise Broken(f"{person.name} was reminded {most} times in a day")


class OpenedApp:
    """An App that is open until `close`."""

    def __init__(self, home: Path, clock: Callable[[], int], chance: Random) -> None:
        self._context = opened(home, clock)
        app = self._context.__enter__()
        cheap = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        processor = replace(
            app.processor,
            # Bots move by the server's key: with this one a year repeats itself.
            tokens=Tokens(_KEY, restore_detection.restores(app.engine), chance.randbytes),
            passwords=cheap,
            seed=lambda: chance.randbytes(32),
            chance=chance,
        )
        self.inside = replace(app, processor=processor, transport=_Mailboxes())

    def close(self) -> None:
        """Close it, as the end of its process does."""
        self._context.__exit__(None, None, None)


def people(count: int, days: int, chance: Random) -> dict[str, Person]:
    """So many people, some slow, some forgetful; a fifth leaves forever at some time."""
    found = {}
    for number in range(count):
        name = f"player{number}"
        leaves = chance.randint(1, days) if chance.random() < LEAVES else 10**6
        found[name] = Person(
            name,
            Random(chance.getrandbits(32)),
            pace=chance.choice([0.1, 0.5, 1.0, 2.0]),
            forgets=chance.choice([0.0, 0.02, 0.1]),
            leaves_at=MORNING + leaves * DAY,
        )
    return found
