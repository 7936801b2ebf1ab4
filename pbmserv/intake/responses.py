"""Answers: what became of a mail's commands, as letters to whoever wrote it.

One mail gets one answer, however many lines it has.  What the lines did is decided at the post
office, which letters others get by the commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.context import Outcome
from pbmserv.errors import Refused
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.boards import ALREADY_PLAYED, CHAT_LATE, ChatLate
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import LINES, REFUSED, UNSURE, Line, Part, RefusedLine, Unsure
from pbmserv.outbox.recipients import OF_ACCOUNTS
from pbmserv.text.numbers import whole

NO_ERRORS = {ALREADY_PLAYED.name, CHAT_LATE.name}
"""Refusals that have a letter of their own kind: whoever earned one has done nothing wrong."""


def outcome_of(shown: str, refusal: Refused) -> Outcome:
    """What became of a line that was refused."""
    if refusal.code == CHAT_LATE.name:
        return Outcome(shown, (_chat_late(refusal.facts),))
    if refusal.code in NO_ERRORS:
        # `stale_moves` has put them together, as a test sees to.
        return Outcome(shown, (Letter(None, refusal.code, refusal.facts),))
    return Outcome(shown, refusal=refusal)


def _chat_late(facts: Mapping[str, Any]) -> Letter:
    """The letter about words that came too late; a reply to it is good, where it says so."""
    told: ChatLate = {"board": facts["board"], "userid": facts["userid"], "reply": facts["reply"]}
    if not told["reply"]:
        return CHAT_LATE.to(None, told)
    return CHAT_LATE.to(None, told, told["board"], facts["move"], player=facts["player"])


def unsure(outcomes: Sequence[Outcome], request: Request, *, is_player: bool) -> Letter:
    """The one letter about a mail that holds no command, whoever wrote it and in answer to what.

    `is_player`: its writer has an account.
    """
    refusals = [each.refusal for each in outcomes if each.refusal]
    words = [(str(each.facts["word"]), str(each.facts["nearest"])) for each in refusals]
    word, nearest = words[0] if len(words) == 1 else ("", "")
    told: Unsure = {
        "lines": request.found,
        "word": word,
        "nearest": nearest if word else "",
        "reply": bool(request.token),
        "unconfirmed": bool(request.unconfirmed),
        "is_player": is_player,
    }
    return UNSURE.to(None, told, token=request.token or request.unconfirmed)


def letters_of(outcomes: Sequence[Outcome], request: Request) -> list[Letter]:
    """The letters of a mail: one answer to its writer, however many lines it has."""
    if len(outcomes) == 1 and not request.cut:
        (only,) = outcomes
        if only.refusal:
            return [replace(refused(only), token=request.token)]
        return list(only.letters)
    others = [each for done in outcomes for each in done.letters if each.to is not None]
    return [*others, _to_lines(outcomes, request, None)]


def folded(
    letters: Sequence[Letter], outcomes: Sequence[Outcome], request: Request, reader: int
) -> list[Letter]:
    """These letters, with those to the `reader` of the answer to many lines made a part of it."""
    mine = [each for done in outcomes for each in done.letters if each.to == reader]
    return [
        _to_lines(outcomes, request, reader) if each.kind == LINES.name else each
        for each in letters
        if not any(each is one for one in mine)
    ]


def _to_lines(outcomes: Sequence[Outcome], request: Request, reader: int | None) -> Letter:
    """The answer to many lines; letters to its `reader`, a player, are part of it."""
    answered = [_told(done, reader) for done in outcomes]
    if request.cut:
        answered.append({"line": "", "code": request.cut, "facts": {}})
    return LINES.to(None, {"lines": answered})


def _told(done: Outcome, reader: int | None) -> Line:
    """One line's part of the answer to many: why it was refused, or its letters, not yet worded."""
    if done.refusal:
        return {
            "line": done.shown,
            "code": done.refusal.code,
            "facts": dict(done.refusal.facts),
        }
    mine = [each for each in done.letters if each.to in {None, reader}]
    parts: list[Part] = [
        {"to": each.to, "kind": each.kind, "facts": unanswerable(each)} for each in mine
    ]
    return {"line": done.shown, "code": "", "letters": parts}


def unanswerable(letter: Letter) -> dict[str, object]:
    """A letter's facts where it is part of another or printed: no reply to it finds its board."""
    return {**letter.facts, "reply": False} if "reply" in letter.facts else dict(letter.facts)


def refused(done: Outcome) -> Letter:
    """The letter that says why a line was refused."""
    assert done.refusal is not None  # only asked for a refused line
    refusal = done.refusal
    # A board that does not exist has no thread: the next one to be opened may get its number.
    board = None if refusal.code == "no_such_board" else refusal.facts.get("board")
    told: RefusedLine = {
        "line": done.shown,
        "code": refusal.code,
        "facts": refusal.facts,
        "board": board if isinstance(board, int) else None,
    }
    return REFUSED.to(None, told)


def is_unknown(done: Outcome) -> bool:
    """True if the line was no command."""
    return done.refusal is not None and done.refusal.code == "unknown_command"


def is_of_a_board(done: Outcome) -> bool:
    """True if the line was carried out and speaks to the players of boards alone."""
    return not done.refusal and all(
        isinstance(each.to, int) and each.kind not in OF_ACCOUNTS for each in done.letters
    )


def board_of(request: Request) -> int | None:
    """The board that a mail is about: the first that one of its commands names, if any does."""
    for line in request.lines:
        named = () if isinstance(line.parsed, Refused) else line.parsed.params.get("board", ())
        for word in [named] if isinstance(named, str) else named or ():
            if (number := whole(word, LARGEST_NUMBER)) is not None:
                return number
    return None
