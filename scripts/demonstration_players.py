"""The players of `scripts/demo`: people who know only the emails in their mailboxes."""

from __future__ import annotations

import random
import re
import smtplib
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

SERVER = "perudo@localhost"
PATIENCE = 20  # seconds to wait for one email; then the demo ends with an error
DOUBTS = ("I don't believe you.", "Really? Show me.", "Never!")
BOASTS = ("Beat that!", "I have a good cup today.", "No doubt about it.")
TALKS = 0.15  # the part of the moves that come with a message to the others
BID = re.compile(r"(\d+)-(\d+)s")
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ("twenty", "thirty")
WORDS = [
    *_ONES,
    *_TEENS,
    *(f"{ten}-{one}" if one != "zero" else ten for ten in _TENS for one in _ONES),
]
"""The numbers in words, from zero."""


class Stuck(Exception):
    """The demo cannot go on."""


@dataclass(frozen=True)
class Reply:
    """A move as a player writes it, and a message to the others."""

    move: str
    words: str = ""

    @property
    def text(self) -> str:
        """The text of the email."""
        return f"{self.move}\n{self.words}".strip()


@dataclass
class Player:
    """A person who knows only the emails in their mailbox."""

    name: str
    mailbox: Path
    port: int
    chance: random.Random
    read: int = 0
    sent: int = 0
    clock: Callable[[], float] = field(default=time.monotonic)

    @property
    def address(self) -> str:
        """The address of the mailbox."""
        return f"{self.name}@localhost"

    @property
    def password(self) -> str:
        """The password of the account."""
        return f"secret-{self.name}"

    def letters(self) -> list[EmailMessage]:
        """The emails that the player has not read yet, oldest first."""
        files = sorted((self.mailbox / "new").glob("*")) if self.mailbox.exists() else []
        fresh = files[self.read :]
        self.read = len(files)
        parser = policy.default
        return [message_from_bytes(file.read_bytes(), policy=parser) for file in fresh]

    def next_letter(self) -> EmailMessage:
        """The latest new email; waits for it, and raises Stuck if none comes in time."""
        until = self.clock() + PATIENCE
        while self.clock() < until:
            if found := self.letters():
                return found[-1]
            time.sleep(0.01)
        raise Stuck(f"{self.name} waited {PATIENCE} seconds for an email and got none")

    def send(self, subject: str, text: str = "", answered: EmailMessage | None = None) -> None:
        """Email the server by SMTP; a reply goes to the Reply-To of what is answered."""
        self.sent += 1
        mail = EmailMessage()
        mail["From"] = self.address
        mail["To"] = str(answered["Reply-To"]) if answered else SERVER
        mail["Subject"] = subject
        mail["Message-ID"] = f"<{self.name}.{self.sent}@localhost>"
        if answered:
            mail["In-Reply-To"] = answered["Message-ID"]
        mail.set_content(text)
        # Not as a context of its own: at Ctrl-C that would send QUIT in the middle of a command.
        with closing(smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE)) as smtp:
            smtp.send_message(mail)
            smtp.quit()

    def reply(self, text: str, *, talks: bool = False) -> Reply:
        """The answer to an email, if it is the player's turn; else raises Stuck.

        With `talks`, it has a message to the others, as it sometimes has without.
        """
        dice = own_dice(text)
        offers = _offers(text)
        beaten = _beaten(text)
        if beaten is None and not offers:
            raise Stuck(f"{self.name} finds no move in the email:\n{text}")

        def expected(face: int) -> float:
            wild = "ones are wild" in text and face != 1
            mine = dice.count(face) + (dice.count(1) if wild else 0)
            return mine + (dice_in_play(text) - len(dice)) * (2 if wild else 1) / 6

        if beaten:
            quantity, face = beaten
            if not offers or quantity > expected(face) + self.chance.uniform(0, 1):
                return Reply("dudo", self._says(DOUBTS, talks))
        quantity, face = max(offers, key=lambda bid: expected(bid[1]) - bid[0])
        if beaten is None or face == beaten[1]:
            wished = int(expected(face) - self.chance.uniform(1, 2.5))
            made = _bids_made(text)  # some rule sets allow each bid only once in a round
            higher = [n for n in range(quantity + 1, wished + 1) if (n, face) not in made]
            quantity = max([quantity, *higher])
        return Reply(f"{quantity}-{face}s", self._says(BOASTS, talks))

    def _says(self, words: tuple[str, ...], talks: bool) -> str:
        said = self.chance.choice(words)
        return said if self.chance.random() < TALKS or talks else ""


def own_dice(text: str) -> list[int]:
    """The reader's own dice, which an email shows on a line; none if it does not."""
    found = re.search(r"^Your di(?:ce|e): ([\d ]+)", text, re.MULTILINE)
    return [int(die) for die in found[1].split()] if found else []


def dice_in_play(text: str) -> int:
    """The number of dice on the table; 0 if the email does not say."""
    found = re.search(r"^(\d+) dice in play", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _beaten(text: str) -> tuple[int, int] | None:
    """The bid to beat, which the table shows beside its player; None to open a round."""
    bidder = re.search(
        r"^Your turn, \w+\. (?:Beat|No bid is higher than) (\w+)'s ", text, re.MULTILINE
    )
    if bidder is None:
        return None
    row = re.search(rf"^ *{bidder[1]} +\S+ +(\d+)-(\d+)s", text, re.MULTILINE)
    assert row is not None
    return int(row[1]), int(row[2])


def _offers(text: str) -> list[tuple[int, int]]:
    """The smallest bids that the email offers; to open a round, one for each face."""
    offered = "\n".join(re.findall(r"^ +\d+-\d+s.*", text.partition("THE TABLE")[0], re.MULTILINE))
    bids = [(int(quantity), int(face)) for quantity, face in BID.findall(offered)]
    if "You open the round" in text:
        return [(min(bids)[0], face) for face in range(2, 7)]
    return bids


def _bids_made(text: str) -> set[tuple[int, int]]:
    """The bids of this round, which are in words."""
    made = re.findall(r"\b([a-z-]+) (\d+)s?\b", text.rpartition("Bids of round")[2])
    return {(WORDS.index(quantity), int(face)) for quantity, face in made if quantity in WORDS}
