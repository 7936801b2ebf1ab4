"""What `pbmserv trace` tells of an email's commands: their names without words, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from pbmserv.context import Outcome
from pbmserv.errors import Refused
from pbmserv.games.perudo.move_parser import ANSWERS
from pbmserv.games.perudo.notation import bare_move
from pbmserv.intake.command_lines import Line
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.boards import NO_ERRORS


def _named(line: Line) -> str:
    """A line's command; for a reply of only accept or decline, this word is added."""
    given = () if isinstance(line.parsed, Refused) else line.parsed.params.get("move") or ()
    said = [word for each in given if (word := bare_move(each)) in ANSWERS]
    return " ".join([line.trace, *said[:1]])


def _refused(outcome: Outcome) -> str:
    """Why a line did nothing: the code of its refusal, or its letter about a late move or text."""
    if outcome.refusal:
        return outcome.refusal.code
    return next((each.kind for each in outcome.letters if each.kind in NO_ERRORS), "")


def traced(request: Request, outcomes: Sequence[Outcome] = ()) -> str:
    """The description of an email for the trace: its commands without their words, and refusals."""
    codes = [f" (refused: {code})" if (code := _refused(done)) else "" for done in outcomes]
    lines = zip_longest([_named(line) for line in request.lines], codes, fillvalue="")
    return request.mail.automatic or "; ".join(f"{trace}{code}" for trace, code in lines)
