"""One letter as one would compose it with jinja2 and the standard library's EmailMessage.

It equals our letter to the player on turn in every word and header: a test compares them.  Figure 4
uses it for comparison, and the players of the benchmarks quote it below their moves.

It is text alone, or has the HTML page of our letter, too.  That page is given: rendering it costs
nothing here.

Run as a program it composes both until its standard input ends, some of one kind and then as many
of the other.  It answers every line there with their number, and the processor time of each kind
in seconds.
"""

from __future__ import annotations

import email.policy
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from jinja2 import Environment, Template

from scripts.benchmarks import our_letter
from scripts.benchmarks.child_programs import Asked, asked
from scripts.benchmarks.our_letter import SEAL, STAMP, TOKEN, WEEK, WRITTEN_AT

_IN_A_ROW = 16  # letters: after another kind the first are slower
FACTS: dict[str, Any] = {
    "board": 12,
    "mover": "ann",
    "reader": "bob",
    "said": "three 2s",
    "bid": "3-2s",
    "dice": [2, 4, 4, 5, 6],
    "counting": "one of them counts",
    "offered": ["4-2s", "3-3s", "3-4s", "3-5s", "3-6s", "4-1s"],
    "calls": [("dudo", "there are fewer than three 2s")],
    "seats": [
        {"name": "ann", "dice": 5, "more": "3-2s"},
        {"name": "bob", "dice": 5, "more": "you, now"},
        {"name": "cleo", "dice": 5, "more": "1-2s, next"},
        {"name": "dan", "dice": 3, "more": "2-2s"},
    ],
    "cups": [
        ("ann", [2, 2, 3, 4, 5], 2),
        ("bob", [5, 5, 5, 6, 6], 0),
        ("cleo", [1, 3, 5, 5, 6], 0),
        ("dan", [1, 3, 4, 4, 4], 0),
    ],
    "width": 4,
    "bids": [("cleo", "one 2", "1-2s"), ("dan", "two 2s", "2-2s"), ("ann", "three 2s", "3-2s")],
    "round": 3,
    "move": 14,
    "rules": "pbmserv",
    "wild": False,
    "past": [
        {"round": number, "bidder": "dan", "bid": "four 2s", "caller": "ann"}
        | {"call": "dudo", "count": "two", "total": 2, "loser": "dan"}
        for number in (1, 2)
    ],
    "message": "Good luck!",
    "seal": SEAL,
}


@cache
def _template() -> Template:
    text = (Path(__file__).parent / "letter.txt").read_text("utf-8")
    environment = Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(text)


def _day(seconds: int) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%A} {moment.day} {moment:%B, %H:%M %Z}"


def text() -> str:
    """The words of the letter."""
    deadlines = {"nag": _day(WRITTEN_AT + WEEK), "forfeit": _day(WRITTEN_AT + 3 * WEEK)}
    return _template().render(FACTS | deadlines)


def compose(page: str = "") -> bytes:
    """The letter, worded and composed, with this HTML if there is any."""
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"] = Address("Perudo game server", addr_spec="perudo@localhost")
    message["To"] = "bob@example.org"
    message["Subject"] = "Your turn: Perudo board 12"
    message["Date"] = datetime.fromtimestamp(WRITTEN_AT, UTC)
    message["Message-ID"] = f"<17.{WRITTEN_AT}.{TOKEN}@localhost>"
    message["Reply-To"] = f"perudo+{TOKEN.lower()}@localhost"
    message["References"] = "<board-12@localhost>"
    unsubscribe = f"perudo+u-{STAMP.lower()}@localhost"
    message["List-Unsubscribe"] = f"<mailto:{unsubscribe}?subject=pause>"
    message["List-Id"] = "Perudo board 12 <12.board.perudo.localhost>"
    message["X-Perudo"] = f"your-turn; board=12; move={FACTS['move']}"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Pbmserv"] = "letter"
    message["X-MS-Reactions"] = "disallow"
    message.set_content(text(), cte="7bit", params={"format": "flowed"})
    if page:
        message.add_alternative(page, subtype="html")
    return message.as_bytes()


class Composed(NamedTuple):
    """How many letters were composed of each kind, and the processor seconds of each kind."""

    letters: int
    text: float
    with_page: float

    def since(self, before: Composed) -> Composed:
        """The seconds of one letter of each kind, of those composed after `before`."""
        letters = self.letters - before.letters
        text, with_page = self.text - before.text, self.with_page - before.with_page
        return Composed(letters, text / letters, with_page / letters)


class Beside:
    """A process that composes as many letters as it can during another measurement.

    Two processors may be halves of one and slow each other down by up to 1.7.  Other virtual
    machines may share them.  So only simultaneous measurements are comparable.
    """

    def __init__(self, program: Asked) -> None:
        self._program = program

    def so_far(self) -> Composed:
        """What it has composed so far."""
        letters, text, with_page = self._program.ask().split()
        return Composed(int(letters), float(text), float(with_page))


@contextmanager
def beside() -> Iterator[Beside]:
    """Compose letters while the block runs."""
    with asked("scripts.benchmarks.yardstick") as program:
        yield Beside(program)


def _compose_on() -> None:
    letters, spent = 0, {"": 0.0, our_letter.page(): 0.0}
    while True:
        for page in spent:
            begun = process_time()
            for _ in range(_IN_A_ROW):
                compose(page)
            spent[page] += process_time() - begun
        letters += _IN_A_ROW
        if select.select([sys.stdin], [], [], 0)[0]:
            if not sys.stdin.readline():
                return
            print(letters, *spent.values(), flush=True)


if __name__ == "__main__":
    _compose_on()
