"""The one answer to a stranger: what was wrong, and how to begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbmserv.commands.spelling import SIGNUP
from pbmserv.context import Outcome
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.answering.answers import is_unknown
from pbmserv.letters.payloads.accounts import LANGUAGE
from pbmserv.letters.payloads.guests import GUEST_ANSWER
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import HELP, STRANGER, UNSURE, Stranger

LONGEST_LINE = 200  # characters of a command that strangers are shown again
_WAITS = "not_confirmed"  # the refusal of a sender whose account waits for a yes
# Short answers, which are sent to strangers unchanged.
_SHORT = {"signed_up", "reset_asked", "bug", "came_before", "guest_answer"}


def short(outcomes: Sequence[Outcome], answers: Sequence[Letter]) -> list[Letter]:
    """The one answer to a stranger: what was wrong, if anything was, and how to go on."""
    if not answers or (len(answers) == 1 and (_is_short(answers[0]) or _is_page(answers[0]))):
        return list(answers)
    told: Stranger = {"code": "", "facts": {}, "line": ""}
    for done in outcomes:
        if done.refusal and not is_unknown(done):
            facts = done.refusal.facts
            told = {"code": done.refusal.code, "facts": facts, "line": done.shown[:LONGEST_LINE]}
            break
    language = next((each.language for each in answers if each.kind == LANGUAGE.name), "")
    if language:
        told["language"] = language
    asked: Mapping[str, Any] = answers[0].payload
    if "opponents" in asked:
        told["opponents"], told["dice"] = asked["opponents"], asked.get("dice", 0)
    waiting = told["facts"]["userid"] if told["code"] == _WAITS else asked.get("waiting")
    if waiting:
        told["waiting"] = str(waiting)
    return [replace(STRANGER.to(None, told), language=language)]


def _is_page(letter: Letter) -> bool:
    """Whether the letter is a page of the manual that was asked for by its name.

    The manual is public.  The list of all commands is not such a page.  Bare `help` brings it to
    players, and a stranger gets the letter that says how to begin.
    """
    return letter.kind == HELP.name and "commands" not in letter.payload


def _is_short(letter: Letter) -> bool:
    return letter.kind in _SHORT or asks_again(letter)


def is_refused_signup(done: Outcome) -> bool:
    """Whether a line was a sign-up with a mistake, such as a blank in the name."""
    if done.refusal is None or is_unknown(done):
        return False
    return done.shown.partition(" ")[0] == SIGNUP


def asks_again(letter: Letter) -> bool:
    """Whether the answer asks the sender again, because a reply to a question was unclear."""
    if letter.kind == GUEST_ANSWER.name:
        return letter.payload["kind"] == "unclear"
    return letter.kind == UNSURE.name and bool(letter.payload["unconfirmed"])
