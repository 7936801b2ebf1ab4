"""Answers: the letters that answer an email, from the outcomes of its commands.

One email gets one answer for all its lines.  `intake/execution.py` executes the lines, and the
commands write the letters to other players.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.context import Outcome
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.intake import refused_move_text
from pbmserv.intake.request import Request, reply_by_subject
from pbmserv.letters.payloads.boards import CHAT_LATE, NO_ERRORS, ChatLate
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import (
    LINES,
    REFUSED,
    AnsweredLine,
    Part,
    RefusedLine,
)
from pbmserv.outbox.recipients import OF_ACCOUNTS
from pbmserv.security.credentials import ANSWER, NEWS, TALK
from pbmserv.security.tokens import Tokens
from pbmserv.text.numbers import whole_of_any_script

IN_ONE_LINE = {
    *refused_move_text.REASONS,
    *("letter_overtaken", "rematch_too_early", "no_offer", "offer_ended", "draw_on_offer"),
}
"""Refusals that a reply brings because it crossed another email; nobody has made a mistake."""

_UNKNOWN = "unknown_command"


def outcome_of(shown: str, refusal: Refused) -> Outcome:
    """The outcome of a line that was refused."""
    if refusal.code == CHAT_LATE.name:
        return Outcome(shown, (_chat_late(refusal.facts),))
    if refusal.code in NO_ERRORS:
        # `stale_moves` makes these facts, and a test checks them.
        return Outcome(shown, (Letter(None, refusal.code, refusal.facts),))
    return Outcome(shown, refusal=refusal)


def _chat_late(facts: Mapping[str, Any]) -> Letter:
    """The letter about a chat that came too late; a reply to it is possible if it says so."""
    told: ChatLate = {"board": facts["board"], "userid": facts["userid"], "reply": facts["reply"]}
    if not told["reply"]:
        return CHAT_LATE.to(None, told)
    return CHAT_LATE.to(None, told, told["board"], facts["move"], player=facts["player"])


def letters_of(outcomes: Sequence[Outcome], request: Request) -> list[Letter]:
    """The letters of an email: one answer to its sender for all lines, and letters to others."""
    if len(outcomes) == 1 and not request.cut:
        (only,) = outcomes
        if only.refusal:
            answer = refused(only, brief=bool(request.token))
            return [*only.letters, replace(answer, token=request.token)]
        return list(only.letters)
    others = [each for done in outcomes for each in done.letters if each.to is not None]
    return [*others, _to_lines(outcomes, request, None)]


def with_token_of_answer(request: Request, tokens: Tokens, move: int | None = None) -> Request:
    """The request with the token for our answer, which replaces the token of the answered letter.

    The new token works for moves and words.  A bare yes or no to our answer does not accept or
    reject a draw.  A token from before a restore is replaced by none.  `move` is the coming move,
    if the answer tells what the board waits for now.
    """
    answered = request.answered
    if answered is None or not answered.board or answered.move is None:
        return request
    if answered.is_void:
        return replace(request, token="")
    refusals = (each.parsed for each in request.lines)
    is_asked = all(isinstance(each, Refused) and each.code == _UNKNOWN for each in refusals)
    if answered.about == TALK and not is_asked:  # words in reply to it are for the table, too
        return request
    if answered.about == NEWS:  # nobody knows which board is meant
        return replace(request, token="")
    token = tokens.letter(answered.board, answered.player, move or answered.move, ANSWER)
    return replace(request, token=token)


def with_tokens_for_replies(
    letters: Sequence[Letter], request: Request, owners: Set[int]
) -> list[Letter]:
    """Give answers about a board that letter's token, so that replying to them works too.

    Such an answer has the token of the letter that the email answers.  The token must be of that
    board, and of one of the `owners` of the address that gets the answer.  The answer to several
    lines has it if each of them is about that board: then no other one can be meant.
    """
    answered = request.answered
    if answered is None or answered.board is None or answered.is_void:
        return list(letters)
    if answered.player not in owners:
        return list(letters)

    def is_meant(each: Letter) -> bool:
        has_token = bool(each.token) or each.move is not None
        if each.to is not None or has_token:
            return False
        if each.kind == LINES.name:
            return _boards_told(each.payload) == {answered.board}
        return each.payload.get("board") == answered.board

    return [replace(each, token=request.token) if is_meant(each) else each for each in letters]


def _boards_told(payload: Mapping[str, Any]) -> set[object]:
    """The boards of which an answer to several lines tells; None is among them for other lines."""
    told: set[object] = set()
    for line in payload["lines"]:
        facts = [line["facts"]] if line["code"] else [each["facts"] for each in line["letters"]]
        told |= {each.get("board") for each in facts} or {None}
    return told


def folded(
    letters: Sequence[Letter], outcomes: Sequence[Outcome], request: Request, reader: int
) -> list[Letter]:
    """The letters, with those to the `reader` of the answer to several lines moved into it."""
    mine = [each for done in outcomes for each in done.letters if each.to == reader]
    return [
        replace(_to_lines(outcomes, request, reader), token=each.token)
        if each.kind == LINES.name
        else each
        for each in letters
        if not any(each is one for one in mine)
    ]


def _to_lines(outcomes: Sequence[Outcome], request: Request, reader: int | None) -> Letter:
    """The answer to several lines; letters to its `reader`, a player, are part of it."""
    answered = [_line_of(done, reader) for done in outcomes]
    if request.cut:
        answered.append({"line": "", "code": request.cut, "facts": {}})
    return LINES.to(None, {"lines": answered})


def _line_of(done: Outcome, reader: int | None) -> AnsweredLine:
    """One line's part of the answer to several lines: its refusal, or its letters as payloads."""
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
    """A letter's payload within another letter or in print, where a reply cannot name its board."""
    told = {key: value for key, value in letter.payload.items() if key != "on_turn"}
    return {**told, "reply": False} if "reply" in told else told


def refused(done: Outcome, *, brief: bool = False) -> Letter:
    """The letter that explains why a line was refused; `brief` for a reply to a game letter."""
    assert done.refusal is not None  # only called for refused lines
    refusal = done.refusal
    # A board that does not exist has no thread, and a future board may get its number.
    board = None if refusal.code == "no_such_board" else refusal.facts.get("board")
    told: RefusedLine = {
        "line": done.shown,
        "code": refusal.code,
        "facts": refusal.facts,
        "board": board if isinstance(board, int) else None,
        "brief": brief and refusal.code in IN_ONE_LINE,
        "words_below": str(refusal.facts.get("words_below", "")),
    }
    if done.on_turn is None or done.next is None:
        return REFUSED.to(None, told)
    number, move, player = done.next
    shown: RefusedLine = {**told, "board": number, "brief": True, "on_turn": done.on_turn}
    return REFUSED.to(None, shown, number, move, player=player)


def is_unknown(done: Outcome) -> bool:
    """Whether the line was not a command."""
    return done.refusal is not None and done.refusal.code == _UNKNOWN


def is_of_a_board(done: Outcome) -> bool:
    """Whether the line was executed, and its letters go only to players of boards."""
    return not done.refusal and all(
        isinstance(each.to, int) and each.kind not in OF_ACCOUNTS for each in done.letters
    )


def board_of(request: Request) -> int | None:
    """The board of an email: the first that a command names, else that of the answered letter.

    The letter is known by its token, or by its Subject.  None for an email about no board.
    """
    for line in request.lines:
        named = () if isinstance(line.parsed, Refused) else line.parsed.params.get("board", ())
        for word in [named] if isinstance(named, str) else named or ():
            if (number := whole_of_any_script(word, LARGEST_NUMBER)) is not None:
                return number
    if request.answered and request.answered.board:
        return request.answered.board
    reply = reply_by_subject(request.mail.subject)
    return reply.board if reply else None
