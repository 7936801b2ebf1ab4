"""Answers: the letters that answer an email, from the outcomes of its commands.

One email gets one answer for all its lines.  `intake/execution.py` executes the lines, and the
commands write the letters to other players.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.commands.bare_moves import may_leave, reads_as_move
from pbmserv.commands.replaced_moves import is_taken_back
from pbmserv.context import Outcome
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.move_parser import ANSWERS, RESIGN
from pbmserv.games.perudo.notation import (
    bare_move,
    has_call,
    may_raise,
    named_bid,
    named_move,
    nearest_word,
)
from pbmserv.intake import refused_move_text
from pbmserv.intake.asked_moves import move_below
from pbmserv.intake.password_redaction import is_request
from pbmserv.intake.questions import asks_about_board, page_asked
from pbmserv.intake.request import Request, reply_by_subject
from pbmserv.intake.subject_moves import first_move, is_contradicted, move_below_help, subject_move
from pbmserv.letters.payloads.boards import CHAT_LATE, NO_ERRORS, ChatLate, OnTurn
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import (
    LINES,
    REFUSED,
    UNSURE,
    AnsweredLine,
    Part,
    RefusedLine,
    Unsure,
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
_ONES = "-1s"  # how a bid of ones ends
_MOST_BELOW = 8  # lines below a move that may name the one that was meant


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


def unsure(
    outcomes: Sequence[Outcome],
    request: Request,
    possible: PossibleMoves,
    *,
    is_player: bool,
    on_turn: OnTurn | None = None,
) -> Letter:
    """The one letter about an email without a command.

    `possible` is what its sender may do, who answers a game letter.  `is_player`: the sender has an
    account.  `on_turn`: what a move needs, for a sender who is on turn.
    """
    word, nearest = _mistyped(outcomes)
    meant = _move_meant(request, possible, is_command=bool(word and nearest))
    line = _first_line(request)
    if request.token and not meant and (has_call(line) or may_raise(line)):
        word = nearest = ""  # a call that is not legal now, or a bid: no mistyped command
    told: Unsure = {
        "lines": request.found,
        "word": word,
        "nearest": meant or nearest,
        "is_move": bool(meant),
        "reply": bool(request.token),
        "unconfirmed": bool(request.unconfirmed),
        "is_player": is_player,
        "moves": possible.examples,
        "turn": possible.turn,
        "draw": possible.draw,
        "invited": possible.invited,
        "declines": possible.declines,
        "leaves": _can_resign(possible) and _may_leave(request.mail.typed),
    }
    _tell_of_end(told, possible)
    told["resigns"] = bare_move(meant) == RESIGN
    if request.token and request.answered and request.answered.board:
        told["board"] = request.answered.board
    if on_turn:
        told["on_turn"] = on_turn
    if possible.legal and not told["nearest"] and not request.wants_help:
        _explain_illegal(told, named_bid(line), possible)
    _ask_about_subject(told, request, possible)
    _tell_of_page(told, request, possible)
    told["seated"] = not request.wants_help and _joins_again(request, possible)
    return UNSURE.to(None, told, token=request.token or request.unconfirmed)


def _asks_turn(request: Request) -> bool:
    return request.wants_help and asks_about_board(request.mail.typed)


def _tell_of_page(told: Unsure, request: Request, possible: PossibleMoves) -> None:
    """Say whether the email asks for help, and which page of the manual explains its word."""
    told["helps"] = request.wants_help
    told["yours"] = bool(possible.legal) and not possible.turn and _asks_turn(request)
    if request.wants_help and (page := page_asked(request.mail.typed)):
        told["page"] = f"{page} {possible.rules}" if page == "rules" and possible.rules else page


def _explain_illegal(told: Unsure, bid: str, possible: PossibleMoves) -> None:
    """Say which bid may be meant and is not legal now, and why."""
    told["illegal"] = "" if bid in possible.legal else bid
    if told["illegal"] and (why := possible.refusal(bid)):
        told["why"] = {"code": why.code, "facts": why.facts}


def _ask_about_subject(told: Unsure, request: Request, possible: PossibleMoves) -> None:
    """Ask about a move in a reply's Subject, and say so if the text contradicts it.

    It is offered if it is legal, and if the text has no other move.  A bid of ones is explained.
    """
    subject, typed = request.mail.subject, request.mail.typed
    move = subject_move(subject) if request.token else ""
    if move and is_contradicted(subject, typed):
        told["subject_move"], told["nearest"], told["is_move"] = move, "", False
    if move and not first_move(typed) and (not possible.legal or move in possible.legal):
        told["nearest"], told["is_move"] = move, True
    if request.token and (move := move_below_help(subject, typed)):
        told["move_below_help"] = move
    if any(each.endswith(_ONES) for each in (*possible.examples, told["nearest"])):
        told["ones"] = "wild" if possible.wild else "plain"


def _tell_of_end(told: Unsure, possible: PossibleMoves) -> None:
    """Add whether the player leaves or has left, and whether the board is over or has not begun."""
    told["resigned"], told["declined"] = possible.resigned, possible.declined
    told["is_out"], told["is_over"] = possible.is_out, possible.is_over
    told["winner"] = possible.winner
    if possible.beacon is not None:
        told["beacon"], told["opens"] = possible.beacon, emitted_at(possible.beacon)
    told["not_begun"], told["withdrawn"] = possible.not_begun, possible.withdrawn


def _mistyped(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """The first unknown word and the command that it is like; "" for both if that is uncertain."""
    refusals = [each.refusal for each in outcomes if each.refusal]
    words = [(str(each.facts["word"]), str(each.facts["nearest"])) for each in refusals]
    is_sure = len(words) == 1 or " " in words[0][1] if words else False
    return words[0] if is_sure else ("", "")


def _move_meant(request: Request, possible: PossibleMoves, *, is_command: bool) -> str:
    """The move that the first line may mean, or "".  So a line that is hidden is answered, too.

    `is_command`: it may be a mistyped command.  In a reply to a game letter it is a bid or a call
    all the same if it names one.  Below a move that is taken back it is the next one that a line
    names.  Below a question it is a line of its own.  After the end of a board it is none, and who
    has resigned is not asked to do so.
    """
    if request.unconfirmed or possible.is_over:
        return ""
    line = _first_line(request)
    if request.wants_help:
        return move_below(request.mail.typed, possible.legal)
    if not request.token:
        return "" if is_command else nearest_word(line)
    below = [each.strip() for each in request.mail.typed if each.strip()][1:]
    is_move = reads_as_move(line) and bare_move(line) not in ANSWERS
    if is_move and is_taken_back(line, below, reads_as_move):
        later = (named_move(each, possible.legal) for each in below[:_MOST_BELOW])
        return next(filter(None, later), "")
    named = named_move(line, possible.legal)
    meant = named or ("" if is_command else nearest_word(line, possible.legal))
    meant = meant or move_below(request.mail.typed, possible.legal)
    meant = meant or (RESIGN if may_leave(line) else "")
    return "" if possible.resigned and bare_move(meant) == RESIGN else meant


def _joins_again(request: Request, possible: PossibleMoves) -> bool:
    """Whether a reply is a plain yes of a player who has taken the seat, where no draw waits.

    A yes above a move, or above words that take it back, is asked about.
    """
    if not possible.plays or possible.declines or possible.draw or not request.answered:
        return False
    if request.answered.about not in {"", NEWS} or request.answered.asked:
        return False
    from pbmserv.intake.draw_replies import ACCEPT, answer_to_invitation  # noqa: PLC0415 - as below
    from pbmserv.intake.invitation_replies import is_undone_below  # noqa: PLC0415 - as below

    typed = request.mail.typed
    return answer_to_invitation(typed) == ACCEPT and not is_undone_below(typed, ACCEPT)


def _can_resign(possible: PossibleMoves) -> bool:
    return possible.plays and not (possible.declines or possible.resigned or possible.declined)


def _may_leave(typed: Sequence[str]) -> bool:
    """Whether words such as "no thanks" or "cancel" may mean that their writer wants to leave."""
    from pbmserv.intake.prose import denies  # noqa: PLC0415 - a shell command reads no email

    return denies(typed) or any(is_request(word) for line in typed for word in line.split())


def _first_line(request: Request) -> str:
    return next(filter(None, map(str.strip, request.mail.typed)), "")


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
