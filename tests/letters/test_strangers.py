"""Letters to strangers are short, so a forged address is not flooded."""

from __future__ import annotations

import json
from email import message_from_bytes
from pathlib import Path
from typing import Any

from pbmserv.intake.answering.stranger_answers import LONGEST_LINE
from pbmserv.outbox.letter_budgets import SHORT
from pbmserv.outbox.outgoing_email import worded
from pbmserv.settings import Settings
from scripts.benchmarks.our_letter import ROW
from tests.letters.samples import SAMPLES
from tests.letters.test_refusals import EVERY as REFUSALS
from tests.rows import each_row

ADDRESS = f"{'z' * 64}@{'x' * 185}.example"
OURS = Settings(home=Path(), address="perudo@" + "games." * 5 + "example.org", name="P" * 60)
LONGEST_PAGE = 8192  # bytes of a letter's HTML
SHORT_KINDS = ("signed_up", "reset_asked", "bug", "came_before", "confirm", "confirm_address")


def sent(kind: str, facts: dict[str, Any]) -> bytes:
    """The letter without its HTML, to the longest address; with it, it is not much longer."""
    text = as_sent(kind, {**facts, "text_alone": True})
    assert len(as_sent(kind, facts)) < len(text) + LONGEST_PAGE
    return text


def as_sent(kind: str, facts: dict[str, Any]) -> bytes:
    """The letter as it goes out, to the longest address."""
    row = {**ROW, "kind": kind, "address": ADDRESS, "payload": json.dumps(facts), "token": "A" * 26}
    of_no_board = {**row, "board_id": None}
    return worded(OURS, of_no_board, "A" * 24).data


@each_row(("code", "facts"), REFUSALS, ids=[code for code, _ in REFUSALS])
def test_the_one_answer_is_short_and_says_how_to_sign_up(code: str, facts: dict[str, Any]) -> None:
    letter = sent("stranger", {"code": code, "facts": facts, "line": "\u00fc" * LONGEST_LINE})
    assert len(letter) < SHORT
    text = message_from_bytes(letter).get_payload(decode=True)
    assert isinstance(text, bytes) and b"signup USERID PASSWORD" in text


@each_row(("kind", "facts"), [(kind, SAMPLES[kind][0]) for kind in ("stranger", "refused", "help")])
def test_an_answer_to_a_stranger_has_no_page(kind: str, facts: dict[str, Any]) -> None:
    """It is no larger for a forged Content-Language than the language makes it."""
    facts = {key: value for key, value in facts.items() if key != "zone"}
    row = {**ROW, "kind": kind, "payload": json.dumps(facts), "token": "", "board_id": None}
    assert b"text/html" not in worded(OURS, row, "A" * 24).data
    known = {**row, "payload": json.dumps({**facts, "zone": "UTC"})}
    assert b"text/html" in worded(OURS, known, "A" * 24).data


def test_letters_that_may_go_to_strangers_are_short() -> None:
    for kind in SHORT_KINDS:
        for facts in SAMPLES[kind]:
            assert len(sent(kind, facts)) < SHORT, kind
    asked_again = [each for each in SAMPLES["unsure"] if each["unconfirmed"]]
    assert [len(sent("unsure", facts)) < SHORT for facts in asked_again] == [True, True]
