"""The server's letter that the yardstick composes in the usual way: its facts, and its page."""

from __future__ import annotations

import email
import email.policy
import json
from email.message import EmailMessage
from functools import cache
from pathlib import Path

from pbmserv.outbox.outgoing_email import worded
from pbmserv.settings import Settings

TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
STAMP = "A" * 24
WRITTEN_AT = 1_795_210_340
WEEK = 7 * 24 * 60 * 60
SEAL = "16317305c684c75328ba1b1ee6a3509d7e21a8207e8d1d6e8b2faa9a7bfe6d0c"
_POSITION = "pbmserv {cups} B 3 14 C:1-2s,D:2-2s,A:3-2s reader={reader}"
_ROUND = ["D 4-2s", "A dudo", "reveal 23524/65565/55316/44431 2", "lose D"]
FACTS = {
    "board": 12,
    "names": ["ann", "bob", "cleo", "dan"],
    "events": ["A 3-2s"],
    "rounds": [_ROUND, _ROUND],
    "message": {"from": "ann", "text": "Good luck!"},
    "seal": SEAL,
    "table": _POSITION.format(cups="?????/?????/?????/???", reader="-"),
    "times": {
        "nag": WRITTEN_AT + WEEK,
        "forfeit": WRITTEN_AT + 3 * WEEK,
        "closes": 0,
        "standin": False,
    },
    "reader": 1,
    "position": _POSITION.format(cups="?????/24456/?????/???", reader="B"),
    "reply": True,
    "zone": "UTC",
}
"""What the letter is made of: its payload."""
ROW = {
    "id": 17,
    "kind": "perudo/moved",
    "language": "en",
    "address": "bob@example.org",
    "board_id": 12,
    "payload": json.dumps(FACTS),
    "token": TOKEN,
    "answers": "",
    "written_at": WRITTEN_AT,
}
"""The letter as it waits in the outbox."""


def sent(*, text_alone: bool = False) -> EmailMessage:
    """The letter as the server sends it, read again."""
    row = {**ROW, "payload": json.dumps({**FACTS, "text_alone": text_alone})}
    return read(worded(Settings(home=Path()), row, STAMP).data)


@cache
def page() -> str:
    """The HTML of the letter."""
    part = sent().get_body(("html",))
    assert part is not None
    return str(part.get_content())


def read(raw: bytes) -> EmailMessage:
    """An email, read by the standard library."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message
