"""The attacked server: its home, its listener, and the mailboxes of its players."""

from __future__ import annotations

import shutil
import smtplib
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from tests.cli.processes import Served, served, typed

SERVER = "perudo@localhost"
PLAYERS = ("ann", "bob", "cleo", "dan", "mallory")
PASSWORD = "swordfish"
PATIENCE = 20.0  # seconds to wait for a letter that must come
OTHER_HOST = "127.0.0.2"  # honest people write from here while 127.0.0.1 attacks


class Fell(Exception):
    """An attack succeeded: the text says what it achieved."""


@dataclass
class Target:
    """A running server with five players, `ann@example.org` to `mallory@example.org`."""

    home: Path
    server: Served
    seen: dict[str, set[str]] = field(default_factory=dict)
    sent: int = 0

    def mail(
        self,
        sender: str,
        subject: str,
        text: str = "",
        *,
        to: str = SERVER,
        answers: EmailMessage | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The bytes of an email; a reply that `answers` a letter goes to its Reply-To."""
        self.sent += 1
        mail = EmailMessage()
        mail["From"] = sender
        mail["To"] = str(answers["Reply-To"]) if answers else to
        mail["Subject"] = f"Re: {answers['Subject']}" if answers else subject
        mail["Message-ID"] = f"<{self.sent}.{time.monotonic_ns()}@client.example>"
        if answers:
            mail["In-Reply-To"] = answers["Message-ID"]
        for name, value in (headers or {}).items():
            mail[name] = value
        mail.set_content(text)
        return mail.as_bytes()

    def send(self, sender: str, subject: str, text: str = "", **more: object) -> None:
        """Send one email from a host that does not attack; raises smtplib's errors."""
        raw = self.mail(sender, subject, text, **more)  # type: ignore[arg-type]  # as they came
        self.hand_over(raw, sender, source=OTHER_HOST)

    def hand_over(self, raw: bytes, sender: str, *, source: str = "127.0.0.1") -> None:
        """Send the bytes of one email; raises smtplib's errors."""
        to = str(message_from_bytes(raw)["To"] or SERVER)
        with closing(self.connection(source)) as smtp:
            smtp.sendmail(sender, [to], raw)

    def connection(self, source: str = "127.0.0.1") -> smtplib.SMTP:
        """A connection to the SMTP listener that comes from this loopback address."""
        host, _, port = self.server.addresses()[-1].rpartition(":")
        return smtplib.SMTP(
            host, int(port), "client.example", timeout=PATIENCE, source_address=(source, 0)
        )

    def letters(self, name: str) -> list[EmailMessage]:
        """The letters to a player, or to an address, since the last call; oldest first."""
        folder = self.home / "mail" / (name if "@" in name else f"{name}@example.org") / "new"
        known = self.seen.setdefault(name, set())
        files = [each for each in folder.glob("*") if each.name not in known]
        fresh = sorted(files, key=lambda file: file.stat().st_mtime_ns)
        known |= {each.name for each in fresh}
        return [message_from_bytes(each.read_bytes(), policy=policy.default) for each in fresh]

    def letter(self, name: str, patience: float = PATIENCE) -> EmailMessage:
        """The next letter there; raises Fell if none comes."""
        last = time.monotonic() + patience
        while time.monotonic() < last:
            if found := self.letters(name):
                return found[-1]
            time.sleep(0.02)
        raise Fell(f"no letter came to {name} within {patience:.0f} s")

    def settled(self, seconds: float = 1.5) -> None:
        """Give the server time for a wrong reaction."""
        time.sleep(seconds)

    def answered(self, within: float = 5.0, *, is_tried_again: bool = False) -> str:
        """Check that an honest email of ann's is answered; returns the time as text.

        With `is_tried_again` the server may answer 451: it still executes the email.
        """
        self.letters("ann")
        began = time.monotonic()
        with suppress(smtplib.SMTPDataError) if is_tried_again else nullcontext():
            self.send("ann@example.org", f"perudo showas ann {PASSWORD} all")
        self.letter("ann", within)
        return f"ann was answered after {time.monotonic() - began:.1f} s"

    def typed(self, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """The result of a command at a shell of the server."""
        return typed(self.home, *words, text=text)


def everything(letters: list[EmailMessage]) -> str:
    """All contents of letters, their texts decoded: the knowledge of their reader."""
    found = []
    for letter in letters:
        found += [f"{name}: {value}" for name, value in letter.items() if name != "Reply-To"]
        found += [
            str(part.get_content())
            for part in letter.walk()
            if part.get_content_type() != "multipart"
            if part.get_content_maintype() == "text"
        ]
    return "\n".join(found)


def text_of(letter: EmailMessage) -> str:
    """The text of a letter."""
    body = letter.get_body(("plain",))
    return str(body.get_content()) if body else ""


def dice_of(letter: EmailMessage) -> str:
    """The dice in a letter to its reader, such as "1 3 3 6 6"."""
    for line in text_of(letter).splitlines():
        if line.startswith(("Your dice: ", "Your die: ")):
            return line.partition(": ")[2].partition("(")[0].strip()
    raise Fell("a letter of a board tells no dice")


@contextmanager
def target(template: Path, place: Path, settings: str = "") -> Iterator[Target]:
    """A server in a copy of the template's home, with these settings; stopped at the end."""
    shutil.copytree(template, place)
    with served(place, settings) as server:
        yield Target(place, server)


def with_players(home: Path, progress: Callable[[str], None]) -> None:
    """Make a home with the five players in it."""
    for name in PLAYERS:
        progress(f"signing up {name}")
        done = typed(home, "pbmserv", "signup", name, PASSWORD, f"{name}@example.org")
        if done.returncode:
            raise Fell(done.stderr or done.stdout)
