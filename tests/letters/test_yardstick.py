"""The letter that the benchmarks compare ours with says what ours says: neither more nor less."""

from __future__ import annotations

import email
import email.policy
import json
import re
from email.message import EmailMessage
from pathlib import Path

from pbmserv.outbox.outgoing_email import worded
from pbmserv.settings import Settings
from scripts.benchmarks import yardstick

POSITION = "pbmserv {cups} B 3 14 C:1-2s,D:2-2s,A:3-2s reader={reader}"
ROUND = ["D 4-2s", "A dudo", "reveal 23524/65565/55316/44431 2", "lose D"]
FACTS = {
    "board": 12,
    "names": ["ann", "bob", "cleo", "dan"],
    "events": ["A 3-2s"],
    "rounds": [ROUND, ROUND],
    "message": {"from": "ann", "text": "Good luck!"},
    "seal": yardstick.FACTS["seal"],
    "table": POSITION.format(cups="?????/?????/?????/???", reader="-"),
    "times": {
        "nag": yardstick.WRITTEN_AT + yardstick.WEEK,
        "forfeit": yardstick.WRITTEN_AT + 3 * yardstick.WEEK,
        "closes": 0,
        "standin": False,
    },
    "reader": 1,
    "position": POSITION.format(cups="?????/24456/?????/???", reader="B"),
    "reply": True,
    "zone": "UTC",
}
ROW = {
    "id": 17,
    "kind": "perudo/moved",
    "language": "en",
    "address": "bob@example.org",
    "board_id": 12,
    "payload": json.dumps(FACTS),
    "token": yardstick.TOKEN,
    "answers": "",
    "written_at": yardstick.WRITTEN_AT,
}


def test_the_benchmark_letter_equals_ours_in_words_and_headers() -> None:
    """The two letters have the same text and the same encoding; ours has no page here."""
    text_alone = {**ROW, "payload": json.dumps({**FACTS, "text_alone": True})}
    ours, theirs = (
        _read(worded(Settings(home=Path()), text_alone, yardstick.STAMP).data),
        _read(yardstick.compose()),
    )
    assert theirs.get_content() == as_shown(ours.get_content())
    assert _headers(theirs) == _headers(ours)


def as_shown(flowed: str) -> str:
    """The text without the blanks of `format=flowed`."""
    return re.sub(r"^ (?=[ >])| (?=\r?\n)", "", flowed, flags=re.MULTILINE)


def _headers(message: EmailMessage) -> dict[str, str]:
    return {name: str(value).strip() for name, value in message.items()}


def _read(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message
