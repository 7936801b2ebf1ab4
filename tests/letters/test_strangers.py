"""Letters to strangers are short, so a forged address is not flooded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pbmserv.intake.reply_limits import LONGEST_LINE
from pbmserv.outbox.letter_budgets import SHORT
from pbmserv.outbox.message import worded
from pbmserv.settings import Settings
from tests.letters.test_kinds import SAMPLES
from tests.letters.test_refusals import EVERY as REFUSALS
from tests.letters.test_yardstick import ROW
from tests.rows import each_row

ADDRESS = f"{'z' * 64}@{'x' * 185}.example"
OURS = Settings(home=Path(), address="perudo@" + "games." * 5 + "example.org", name="P" * 60)
SHORT_KINDS = ("signed_up", "reset_asked", "bug", "came_before", "confirm", "confirm_address")


def sent(kind: str, facts: dict[str, Any]) -> bytes:
    """The letter as it goes out, to the longest address."""
    row = {**ROW, "kind": kind, "address": ADDRESS, "payload": json.dumps(facts), "token": "A" * 26}
    of_no_board = {**row, "board_id": None}
    return worded(OURS, of_no_board, "A" * 24).data


@each_row(("code", "facts"), REFUSALS, ids=[code for code, _ in REFUSALS])
def test_the_one_answer_is_short_and_says_how_to_sign_up(code: str, facts: dict[str, Any]) -> None:
    letter = sent("stranger", {"code": code, "facts": facts, "line": "\u00fc" * LONGEST_LINE})
    assert len(letter) < SHORT
    assert b"signup USERID PASSWORD" in letter


def test_letters_that_may_go_to_strangers_are_short() -> None:
    for kind in SHORT_KINDS:
        for facts in SAMPLES[kind]:
            assert len(sent(kind, facts)) < SHORT, kind
    asked_again = [each for each in SAMPLES["unsure"] if each["unconfirmed"]]
    assert [len(sent("unsure", facts)) < SHORT for facts in asked_again] == [True]
