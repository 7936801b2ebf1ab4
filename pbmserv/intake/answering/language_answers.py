"""Answers to questions about the language of letters, and the language of people without accounts.

A stranger's first email may show a language, and the next one only `signup ann secret`.  So the
language is remembered for some days.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.replies.language_questions import wanted
from pbmserv.intake.request import Request
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, languages, spoken
from pbmserv.letters.payloads.accounts import LANGUAGE, Language
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.addresses import mailbox
from pbmserv.mail.writer_facts import Writer
from pbmserv.players import accounts, confirmations, preferences
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.security.tokens import Tokens

_REMEMBERED = "language"  # what `fixed_window` counts
_SIGN_UP = "signup"
_SECONDS = fixed_window.LONG[_REMEMBERED]


def answered(question: Letter, request: Request, context: Context) -> Letter:
    """The answer to an email without a command: how to change the language, or the question.

    A reply to the letter that asks a new player for a yes changes the language at once, because no
    letter has gone to anybody else.  The answer repeats what waits for an answer: the offer of a
    draw, or an invitation.
    """
    mail = request.mail
    asked = wanted(mail.subject, mail.typed, at_table=bool(request.token))
    if not asked or question.payload.get("helps"):
        return question
    if request.unconfirmed:
        if not _is_set(context, request.unconfirmed, asked):
            return question
        payload = {**question.payload, "language": asked}
        return replace(question, payload=payload, language=asked)
    mine = accounts.named(context.connection, sorted(context.owners))
    player = request.answered.player if request.answered else 0
    known = next((each for each in mine if each.id == player), next(iter(mine), None))
    told: Language = {
        "userid": known.userid if known else "",
        "language": known.language if known else "",
        "wanted": asked,
        "languages": languages(),
        "of_board": bool(request.token),
        "draw": bool(request.token and question.payload.get("draw")),
        "invited": bool(request.token and question.payload.get("invited")),
    }
    return replace(LANGUAGE.to(None, told, token=question.token), language=asked)


def _is_set(context: Context, token: str, language: str) -> bool:
    """Whether a new account, which waits for its first yes, now has this language."""
    found = confirmations.known(context.connection, token, context.now)
    if found is None or found.purpose != confirmations.ADDRESS:
        return False
    if accounts.addresses_of(context.connection, [found.player])[found.player]:
        return False
    pairs = [f"language={language}"]
    preferences.change(context.connection, found.player, pairs, context.now)
    return True


def writer_without_account(request: Request, context: Context, tokens: Tokens) -> Writer:
    """The writer of a stranger's email; one who signs up has the language of an earlier email.

    The language of this email is remembered.
    """
    mail, writer = request.mail, context.writer
    shown = wanted(mail.subject, mail.typed) or writer.language
    if not shown and any(line.trace == _SIGN_UP for line in request.lines):
        earlier = _remembered(context, tokens.keyed(mailbox(mail.sender)))
        return replace(writer, declared=earlier) if earlier else writer
    if shown != DEFAULT_LANGUAGE and spoken(shown) == shown:
        named = f"{shown} {tokens.keyed(mailbox(mail.sender))}"
        fixed_window.note(context.connection, _REMEMBERED, named, _SECONDS, context.now)
    return writer


def _remembered(context: Context, who: str) -> str:
    others: Sequence[str] = [each for each in languages() if each != DEFAULT_LANGUAGE]
    quotas = [Quota(_REMEMBERED, f"{each} {who}", 1) for each in others]
    room = fixed_window.room(context.connection, quotas, _SECONDS, context.now)
    found = [each for each, left in zip(others, room, strict=True) if left < 1]
    return found[0] if len(found) == 1 else ""
