"""Read with whom somebody wants to play: "Can I play with Luc and Ivan please?".

The answer offers the line that begins such a game.  It names players alone, so nobody can have the
server send words of their own to an address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import accounts
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.subject_prefixes import bare_subject

_LONGEST = 160  # characters of a line
_MOST_NAMES = 5  # beside the writer
_MOST_LINES = 3  # of the text
_WANTS = re.compile(rf"(?<!\w)(?:{one_of('wants_game')})\s+(.+)", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[?!;:()]|\.(?:\s|$)")
_NAME = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


def opponents_in(text: str) -> list[str]:
    """The words of a text that may name players of a game that it asks for, at most five."""
    found = _WANTS.search(text[:_LONGEST])
    clause = _CLAUSE_ENDS.split(found[1])[0] if found else ""
    known = {*words_of("joins_names"), *words_of("myself")}
    names = [each for each in _NAME.findall(clause) if each.lower() not in known]
    return list(dict.fromkeys(names))[:_MOST_NAMES]


def offered(question: Letter, request: Request, context: Context) -> Letter:
    """The question what an email means, with the players with whom its sender wants to play."""
    mail = request.mail
    lines = [*filter(str.strip, map(plain_line, mail.typed))][:_MOST_LINES]
    names = _first_named([bare_subject(mail.subject), *lines])
    if not names or request.unconfirmed:
        return question
    mine = [each.userid for each in accounts.players_of_address(context.connection, mail.sender)]
    players = filter(None, (accounts.find(context.connection, each) for each in names))
    opponents = [each.userid for each in players if each.userid not in mine]
    if not opponents:
        return question
    told = {"opponents": opponents, "challenger": next(iter(mine), "")}
    return replace(question, payload={**question.payload, **told})


def _first_named(lines: Sequence[str]) -> list[str]:
    return next(filter(None, map(opponents_in, lines)), [])
