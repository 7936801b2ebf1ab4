"""One letter as one would compose it with jinja2 and the standard library's EmailMessage.

The words are those of our own letter to the player on turn.  This is the yardstick of figure 4,
and what the players of the benchmarks quote below their moves.
"""

from __future__ import annotations

import email.policy
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from functools import cache
from pathlib import Path

from jinja2 import Environment, Template

_TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_FACTS = {
    "board": 12,
    "mover": "ann",
    "reader": "bob",
    "bid": "three 2s (3-2s)",
    "dice": [2, 4, 4, 5, 6],
    "pips": " ⚀⚁⚂⚃⚄⚅",
    "smallest": ["4-2s", "1-3s"],
    "calls": [("dudo", "there are fewer than three 2s")],
    "seats": [{"name": name, "dice": 5} for name in ("ann", "bob", "cleo", "dan")],
    "bids": [("cleo", "1-2s"), ("dan", "2-2s"), ("ann", "3-2s")],
    "round": 1,
    "move": 4,
    "rules": "pbmserv",
    "wild": False,
    "message": "Good luck!",
    "commitment": "8983b2b4faa3c15a93de0cf29635abe49c77cac1929a50b27bb6980ed7cdb209",
    "seal": "16317305c684c75328ba1b1ee6a3509d7e21a8207e8d1d6e8b2faa9a7bfe6d0c",
}


@cache
def _template() -> Template:
    text = (Path(__file__).parent / "letter.txt").read_text("utf-8")
    environment = Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(text)


def text() -> str:
    """The words of the letter."""
    return _template().render(_FACTS)


def compose() -> bytes:
    """The letter, worded and composed."""
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"] = Address("Perudo game server", addr_spec="perudo@localhost")
    message["To"] = "bob@example.org"
    message["Subject"] = "Perudo Board 12 bob **"
    message["Date"] = datetime.fromtimestamp(1_795_210_340, UTC)
    message["Message-ID"] = f"<17.1795210340.{_TOKEN}@localhost>"
    message["Reply-To"] = f"perudo+{_TOKEN.lower()}@localhost"
    message["References"] = "<board-12@localhost>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Pbmserv"] = "letter"
    message.set_content(text())
    return message.as_bytes()
