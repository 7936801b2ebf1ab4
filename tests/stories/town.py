"""A town: players who write emails to the processor, with a real database and real mailboxes.

Stories send their emails to a real SMTP listener (`by_smtp`), which takes a third longer.  Other
tests give the processor what the listener would give it.  Time, seeds and the order of seats are
fixed, so that a town does the same every day.
"""

from __future__ import annotations

import grp
import os
import re
import smtplib
import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.parser import BytesParser
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from argon2 import PasswordHasher
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.database.upgrade import open_database
from pbmserv.home import DATABASE_FILE, KEY_FILE, read_key
from pbmserv.intake.processor import Processor
from pbmserv.letters.foot import foot
from pbmserv.mail.incoming import SOCKET, IncomingMail
from pbmserv.outbox.queue import is_due
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import CONFIRMATION_TOKEN_LENGTH, Tokens
from pbmserv.server.app import App
from pbmserv.settings import SETTINGS_FILE, Settings
from pbmserv.transports.listener import listen
from pbmserv.transports.lmtp_in import LmtpIn
from pbmserv.transports.maildir_out import MaildirOut
from pbmserv.transports.smtp_in import SmtpIn
from tests.email_policies import READ, WRITTEN
from tests.event_loop import LoopInThread
from tests.homes import has_only_tables, home_with_tables
from tests.stories.hours import Hours
from tests.stories.snapshots import Snapshot, database_of, restored, taken

MORNING = 1_700_000_000  # 14 November 2023, 22:13 UTC
PASSWORD = "swordfish"
OUR_ADDRESS = "perudo@localhost"
_REASON = re.compile(
    r"\n(?:--\s*\n)?(?:To send a command above, [^\n]*\n)?You get this because [^\n]*\n\Z"
)
UNHURRIED = {"newcomers_daily": 10_000, "unproven_daily": 10_000}
"""Settings of a town that does not name them: stories of games are not about floods."""
_BEGUN: dict[object, _Beginning] = {}  # by what was done first, and the state before it


@dataclass(frozen=True)
class Letter:
    """A letter in a mailbox, as a mail program shows it; it is parsed when it is needed."""

    number: int
    raw: bytes

    @cached_property
    def message(self) -> EmailMessage:
        message = BytesParser(policy=READ).parsebytes(self.raw)
        assert isinstance(message, EmailMessage)
        return message

    @cached_property
    def _headers(self) -> EmailMessage:
        """Its headers alone: most letters are never read further."""
        head = re.split(rb"(?<=\n)\r?\n", self.raw, maxsplit=1)[0]
        headers = BytesParser(policy=READ).parsebytes(head, headersonly=True)
        assert isinstance(headers, EmailMessage)
        return headers

    @cached_property
    def body(self) -> str:
        """Its text, with its foot."""
        body = self.message.get_body(("plain",))
        assert isinstance(body, EmailMessage)
        text = str(body.get_content()).replace("\r\n", "\n")  # base64 keeps both
        if body.get_param("format") == "flowed":
            text = re.sub(r"^ (?=[ >]|From )| $", "", text, flags=re.MULTILINE)
        return text

    @cached_property
    def text(self) -> str:
        """Its text above the foot that all letters have, then its attachments."""
        text = _REASON.sub("", self.body.removesuffix(foot("en")))
        for part in self.message.iter_attachments():
            assert isinstance(part, EmailMessage)
            text += f"\n[{part.get_filename()}]\n{part.get_content()}"
        return text

    @cached_property
    def opening(self) -> str:
        """Its first line, by which letters with the same Subject differ."""
        return self.text.partition("\n")[0]

    @cached_property
    def to(self) -> str:
        return str(self._headers["To"])

    @cached_property
    def subject(self) -> str:
        return str(self._headers["Subject"])

    @cached_property
    def reply_to(self) -> str:
        return str(self._headers["Reply-To"] or OUR_ADDRESS)

    @cached_property
    def token(self) -> str:
        """The token of a reply to it, or the one that it asks to be sent back."""
        carried = self.reply_to.partition("+")[2].partition("@")[0].upper()
        asked = re.search(r"^  confirm ([A-Z2-7]{26})$", self.text, re.MULTILINE)
        return carried or (asked[1] if asked else "")

    @cached_property
    def unsubscribe(self) -> str:
        """The address at which a reader asks for no more letters."""
        return (
            str(self._headers["List-Unsubscribe"]).strip(" <>").partition("?")[0][len("mailto:") :]
        )

    @cached_property
    def stamp(self) -> str:
        return self.unsubscribe.partition("+u-")[2].partition("@")[0].upper()

    @cached_property
    def is_to_be_confirmed(self) -> bool:
        return len(self.token) == CONFIRMATION_TOKEN_LENGTH


@dataclass(frozen=True)
class _Beginning:
    """What many towns begin with; they share its letters, so that each is parsed once."""

    snapshot: Snapshot
    mails: int
    letters: Sequence[Letter]


def read_letter(file: Path) -> Letter:
    """The letter in a file of a Maildir; one that was read before is not read again."""
    status = file.stat()
    return _read_letter(file, status.st_ino, status.st_mtime_ns)


@lru_cache(maxsize=1000)
def _read_letter(file: Path, *_: int) -> Letter:
    return Letter(int(file.name.partition(".")[0]), file.read_bytes())


def letters_in(home: Path, known: Collection[int] = ()) -> list[Letter]:
    """Every letter in the mailboxes of a home, but those of known numbers, in their order."""
    files: list[os.DirEntry[str]] = []
    with suppress(FileNotFoundError):  # there are no mailboxes yet
        for mailbox in os.scandir(home / "mail"):
            with suppress(FileNotFoundError, NotADirectoryError):
                files += os.scandir(f"{mailbox.path}/new")
    found = [file for file in files if int(file.name.partition(".")[0]) not in known]
    return [read_letter(Path(file.path)) for file in sorted(found, key=lambda file: file.name)]


def mail(
    sender: str,
    subject: str,
    text: str = "",
    *,
    message_id: str,
    to: str = OUR_ADDRESS,
    headers: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> bytes:
    """An email as a mail program writes it."""
    message = EmailMessage(policy=WRITTEN)
    message["From"] = sender
    message["To"] = to
    if subject:
        message["Subject"] = subject
    message["Message-ID"] = message_id
    message.set_content(text + "\n", cte=encoding)  # it drops a Content-Language from before
    for name, value in (headers or {}).items():
        message[name] = value
    return message.as_bytes()


def unhurried(settings: Settings) -> Settings:
    """The settings, with UNHURRIED for those that the home's file does not set."""
    file = settings.home / SETTINGS_FILE
    named = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    chosen: dict[str, Any] = {key: each for key, each in UNHURRIED.items() if key not in named}
    return replace(settings, **chosen)


def answering(letter: Letter) -> dict[str, str]:
    """The headers by which a mail program says what it answers."""
    number = str(letter.message["Message-ID"])
    before = str(letter.message["References"] or "")
    return {"In-Reply-To": number, "References": f"{before} {number}".strip()}


def fast_passwords() -> Passwords:
    """Real argon2id, as cheap as it can be."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def believing(settings: Settings) -> Settings:
    """The settings, with a socket of our group as the place where `authserv_id` counts."""
    if not settings.authserv_id:
        return settings
    group = grp.getgrgid(os.getgid()).gr_name
    return replace(settings, authserv_transport="socket", lmtp_group=group)


class OpenListener:
    """A listener in an own event loop: SMTP on loopback, or a socket where `authserv_id` counts."""

    def __init__(self, processor: Processor) -> None:
        settings = processor.settings
        self._running = LoopInThread()

        async def accept(incoming: IncomingMail) -> None:
            await self._running.loop.run_in_executor(None, processor.accept, [incoming])

        self._folder = tempfile.TemporaryDirectory()  # the path of a socket must be short
        believed = settings.authserv_transport == "socket"
        listening = listen(
            LmtpIn if believed else SmtpIn,
            f"unix:{self._folder.name}/lmtp" if believed else "127.0.0.1:0",
            address=settings.address,
            largest_mail=settings.largest_mail,
            accept=accept,
            group=settings.lmtp_group,
        )
        self._listener = self._running.run(listening)
        host, _, port = self._listener.address.rpartition(":")
        self._client: smtplib.SMTP = (
            smtplib.LMTP(port, local_hostname="client.example")
            if believed
            else smtplib.SMTP(host, int(port), "client.example", timeout=60)
        )

    def send(self, raw: bytes, envelope_sender: str, recipient: str) -> None:
        """Hand over one email; returns when the server has answered 250."""
        self._client.sendmail(envelope_sender, [recipient], raw)

    def close(self) -> None:
        self._client.quit()
        self._running.run(self._listener.close())
        self._running.close()
        self._folder.cleanup()


class Town:
    """People who write emails, and the server that answers them.

    `by_smtp`: they write to a real listener.  `changes`: the hours in which something changes,
    where they are known (hours.py).
    """

    def __init__(
        self,
        home: Path,
        seed: int = 1,
        *,
        is_unhurried: bool = True,
        by_smtp: bool = False,
        changes: Collection[int] | None = None,
    ) -> None:
        self.home, self._by_smtp = home, by_smtp
        self.now = MORNING
        home.mkdir(mode=0o700, exist_ok=True)
        if not (home / "key").exists():
            (home / "key").write_bytes(sha256(b"the town's key").digest())
        is_new = not (home / DATABASE_FILE).exists()
        settings = home_with_tables(home)
        self.settings = believing(unhurried(settings) if is_unhurried else settings)
        self._is_new = is_new and not settings.database  # it has the newest tables, and no rows
        self.engine = (engine_for if self._is_new else open_database)(self.settings)
        self.hours = Hours(self.engine, changes, counts=by_smtp)
        self._seed, self._drawn = seed, 0
        self.letters: list[Letter] = letters_in(home)
        self._tokens_drawn = 1000 * len(self.letters)  # a town that opens again draws others
        self.processor = Processor(
            self.engine,
            Tokens(read_key(home), random=self._next_token),
            fast_passwords(),
            self.settings,
            lambda: self.now,
            self._next_seed,
            Random(seed),
        )
        self.app = App(self.settings, self.engine, self.processor, MaildirOut(home / "mail"))
        self.mails = 0 if self._is_new else self._received()
        self._listener: OpenListener | None = None

    def _next_seed(self) -> bytes:
        self._drawn += 1
        return sha256(f"seed {self._seed} {self._drawn - 1}".encode()).digest()

    def _next_token(self, count: int) -> bytes:
        self._tokens_drawn += 1
        return sha256(f"token {self._seed} {self._tokens_drawn}".encode()).digest()[:count]

    def _received(self) -> int:
        """How many emails the server has received."""
        with reading(self.engine) as connection:
            return len(connection.execute(select(models.InboxMail.id)).all())

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        self.processor.crashing.close()
        close(self.engine)

    @property
    def listener(self) -> OpenListener:
        """The listener, opened when the first email is sent to it."""
        if self._listener is None:
            self._listener = OpenListener(self.processor)
        return self._listener

    def next_message_id(self) -> str:
        self.mails += 1
        return f"<mail-{self.mails}@client.example>"

    def bring(self, raw: bytes, envelope_sender: str, recipient: str) -> None:
        """Have the server take an email in, which may be refused; no letter leaves yet."""
        if self._by_smtp:
            self.listener.send(raw, envelope_sender, recipient)
            return
        believed = self.settings.authserv_transport == SOCKET
        ended = raw if raw.endswith(b"\r\n") else raw + b"\r\n"
        transport = SOCKET if believed else SmtpIn.transport_name
        taken_in = self.processor.accept(
            [IncomingMail(ended, envelope_sender, recipient, transport)]
        )
        assert taken_in == []  # the passwords of all are checked

    def carry(self, raw: bytes, envelope_sender: str, recipient: str) -> list[Letter]:
        """Bring an email to the server; return the letters that it causes."""
        self.bring(raw, envelope_sender, recipient)
        with reading(self.engine) as connection:
            waiting = select(models.InboxMail.reason).where(models.InboxMail.state != "done")
            assert connection.execute(waiting).all() == []  # a bug keeps an email waiting
        return self.delivered()

    def delivered(self) -> list[Letter]:
        """Have letters delivered; returns the new ones."""
        self.app.deliver()
        new = letters_in(self.home, {letter.number for letter in self.letters})
        self.letters += new
        return new

    def write(
        self,
        sender: str,
        subject: str,
        text: str = "",
        *,
        to: str = OUR_ADDRESS,
        headers: Mapping[str, str] | None = None,
    ) -> list[Letter]:
        """Send an email; returns the letters that it causes."""
        number = self.next_message_id()
        raw = mail(sender, subject, text, message_id=number, to=to, headers=headers)
        return self.carry(raw, sender, to)

    def reply(self, letter: Letter, text: str) -> list[Letter]:
        """Answer a letter as its reader; returns the letters that this causes."""
        subject = f"Re: {letter.subject}"
        to = letter.reply_to
        return self.write(letter.to, subject, text, to=to, headers=answering(letter))

    def waited(self, hours: int) -> list[Letter]:
        """Let hours pass; the server looks at its clock after each.  Returns the letters."""
        found: list[Letter] = []
        is_after_idle = False
        for left in reversed(range(hours)):
            self.now += 3600
            if left and self.hours.is_idle(self.now):
                is_after_idle = True
                continue
            self.hours.begin(self.now, is_after_idle)
            is_after_idle = False
            self.app.tick("town")
            if is_due(self.engine, self.now):
                found += self.delivered()
            self.hours.end(self.now)
        if not hours:
            self.app.tick("town")
            found = self.delivered()
        return found

    def last_letter_to(self, address: str, back: int = 1) -> Letter:
        """The latest letter to an address; the one before it is `back` 2, and so on."""
        return [letter for letter in self.letters if letter.to == address][-back]

    def asked_of(self, address: str) -> str:
        """The token of the latest question for a confirmation to an address."""
        asked = [each for each in self.letters if each.to == address and each.is_to_be_confirmed]
        return asked[-1].token

    def sign_up(self, *userids: str, letters: str = "all") -> None:
        """Make confirmed accounts of these players, with PASSWORD and NAME@example.org.

        Most tests look at a letter for each move, which is not the default of `letters`.
        """
        self.done_once((userids, letters), lambda: self._signed_up(*userids, letters=letters))

    def _signed_up(self, *userids: str, letters: str) -> None:
        for userid in userids:
            (letter,) = self.write(f"{userid}@example.org", f"signup {userid} {PASSWORD}")
            self.reply(letter, "yes")
        with writing(self.engine) as connection:
            mine = models.Player.userid.in_(userids)
            connection.execute(update(models.Player).where(mine).values(letters=letters))

    def sign_up_and_challenge(self, *userids: str) -> None:
        """Make accounts as `sign_up`, and begin board 1, where these players sit in this order."""

        def do() -> None:
            self.sign_up(*userids)
            self.challenge(*userids)

        self.done_once((userids, "at board 1"), do)

    def done_once(self, what: object, do: Callable[[], None]) -> None:
        """Do in a new home what many tests begin with, or copy the home where it was done.

        `what` names all that `do` does.  It writes emails, and no time passes.
        """
        before = (what, *self._state()) if self._is_untouched() else None
        if before in _BEGUN:
            begun = _BEGUN[before]
            self._put(begun.snapshot)
            self.mails, self.letters = begun.mails, [*begun.letters]
            return
        do()
        if before is not None:
            _BEGUN[before] = _Beginning(self.snapshot(), self.mails, (*self.letters,))

    def snapshot(self) -> Snapshot:
        """All that was done here, on SQLite."""
        drawn, chance = (self._drawn, self._tokens_drawn), self.processor.chance.getstate()
        return taken(self.home, self.engine, drawn, chance)

    def _is_untouched(self) -> bool:
        """Whether nobody has written here yet, and the home has its own database."""
        has_mail = self._listener is not None or (self.home / "mail").exists()
        return not has_mail and self.engine.dialect.name == "sqlite" and not self.settings.database

    def _state(self) -> tuple[object, ...]:
        """All that sign-ups depend on."""
        return (
            replace(self.settings, home=Path()),
            (self.home / KEY_FILE).read_bytes(),
            None if self._has_only_tables() else database_of(self.engine),
            (self.now, self._seed, self._drawn, self.processor.chance.getstate()),
        )

    def _has_only_tables(self) -> bool:
        """Whether the database is as it was made; then it need not be opened to know that."""
        is_logged = (self.home / f"{DATABASE_FILE}-wal").exists()
        return self._is_new and not is_logged and has_only_tables(self.home)

    def restore(self, snapshot: Snapshot) -> None:
        """Have here, where nobody has written yet, what was done in another town."""
        self._put(snapshot)
        self.mails, self.letters = self._received(), letters_in(self.home)

    def _put(self, snapshot: Snapshot) -> None:
        restored(self.home, self.engine, snapshot)
        self._drawn, self._tokens_drawn = snapshot.drawn
        self.processor.chance.setstate(snapshot.chance)

    def challenge(self, *userids: str, options: Sequence[str] = ("-inorder",)) -> list[Letter]:
        """Begin a board for these players, by a challenge of the first one."""
        words = " ".join([*options, *userids])
        return self.write(f"{userids[0]}@example.org", f"perudo challenge {words}")

    def move(self, userid: str, move: str, board: int = 1, text: str = "") -> list[Letter]:
        """Make a player's move by the command and the password."""
        subject = f"perudo move {board} {userid} {PASSWORD} {move}"
        return self.write(f"{userid}@example.org", subject, text)


@contextmanager
def town_at(
    home: Path,
    seed: int = 1,
    *,
    settings: str = "",
    is_unhurried: bool = True,
    by_smtp: bool = False,
    changes: Collection[int] | None = None,
) -> Iterator[Town]:
    """A town in a home, closed at the end; one that `is_unhurried` has the settings UNHURRIED.

    `settings` is the text of the settings file of a home that is made here.
    """
    if settings:
        home.mkdir(mode=0o700)
        (home / SETTINGS_FILE).write_text(settings)
    town = Town(home, seed, is_unhurried=is_unhurried, by_smtp=by_smtp, changes=changes)
    try:
        yield town
    finally:
        town.close()
