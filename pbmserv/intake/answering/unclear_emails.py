"""The answer to an email without a command: it asks what its writer means, or brings help."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.commands.move_lines.bare_moves import may_leave, reads_as_move
from pbmserv.commands.move_lines.replaced_moves import is_taken_back
from pbmserv.commands.move_lines.teasing_questions import without_teasing
from pbmserv.context import Outcome
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.move_parser import ANSWERS, RESIGN
from pbmserv.games.perudo.notation import (
    bare_move,
    has_call,
    leaving_clause,
    may_raise,
    named_bid,
    named_move,
    nearest_word,
)
from pbmserv.intake.password_redaction import is_request
from pbmserv.intake.replies.asked_moves import can_resign, move_below
from pbmserv.intake.replies.questions import asks_about_board, page_asked
from pbmserv.intake.replies.subject_moves import (
    first_move,
    is_contradicted,
    move_below_help,
    move_below_stop,
    subject_move,
    written_move,
)
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.boards import OnTurn
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import (
    UNSURE,
    Unsure,
)
from pbmserv.security.credentials import NEWS
from pbmserv.text.phrases import one_of, single_words, words_of

_REJECT, _DECLINE = "reject", "decline"  # the answers to an invitation and to a challenge
_ONES = "-1s"  # how a bid of ones ends
_LONGEST = 160  # characters of a line
_VACATION = re.compile(rf"(?<!\w)(?:{one_of('vacation_words')})(?!\w)")
_MOST_BELOW = 8  # lines below a move that may name the one that was meant


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
    # A call that is not legal now, a bid or talk is not a mistyped command.
    if request.token and not meant and (has_call(line) or may_raise(line) or _is_talk(line)):
        word = nearest = ""
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
        "leaves": can_resign(possible) and _may_leave(request.mail.typed),
    }
    _tell_of_end(told, possible)
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


def _is_talk(line: str) -> bool:
    """Whether a frequent word follows the first one: "hell yeah" is not a mistyped `help`."""
    frequent = single_words("function_words", "frequent_words", "yes") - words_of("manners").known
    return not frequent.isdisjoint(each.lower().strip(",.!?") for each in line.split()[1:])


def _tells_vacation(request: Request) -> bool:
    """Whether the Subject of a new email, or the first line of any, tells of a vacation."""
    lines = [_first_line(request), "" if request.token else request.mail.subject]
    return any(_VACATION.search(line[:_LONGEST].lower()) for line in lines)


def _asks_turn(request: Request) -> bool:
    return request.wants_help and asks_about_board(request.mail.typed)


def _tell_of_page(told: Unsure, request: Request, possible: PossibleMoves) -> None:
    """Say whether the email asks for help, and which page of the manual explains its word.

    It may also tell of a vacation.
    """
    told["away"] = told["is_player"] and _tells_vacation(request)
    told["helps"] = request.wants_help
    told["unmade"] = request.wants_help and any(map(written_move, request.mail.typed))
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
    if request.token and (move := move_below_stop(subject, typed)):
        told["move_below_stop"] = move
    if any(each.endswith(_ONES) for each in (*possible.examples, told["nearest"])):
        told["ones"] = "wild" if possible.wild else "plain"


def _tell_of_end(told: Unsure, possible: PossibleMoves) -> None:
    """Add whether the player may mean to leave or has left, and whether the board is over.

    It may not have begun either.
    """
    told["resigns"] = bool(told.get("is_move")) and bare_move(told["nearest"]) == RESIGN
    told["rated"] = possible.rated
    told["resigned"], told["declined"] = possible.resigned, possible.declined
    told["is_out"], told["is_over"] = possible.is_out, possible.is_over
    told["winner"] = possible.winner
    if possible.beacon is not None:
        told["beacon"], told["opens"] = possible.beacon, emitted_at(possible.beacon)
    told["not_begun"], told["withdrawn"] = possible.not_begun, possible.withdrawn


def _mistyped(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """The first unknown word and the command that it is like; "" for both if that is uncertain.

    A word that is like none may be a password, which no letter holds.
    """
    refusals = [each.refusal for each in outcomes if each.refusal]
    words = [(str(each.facts["word"]), str(each.facts["nearest"])) for each in refusals]
    word, nearest = words[0] if words else ("", "")
    is_sure = bool(nearest) and (len(words) == 1 or " " in nearest)
    return (word, nearest) if is_sure else ("", "")


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
        return move_below(request.mail.typed, possible)
    if not request.token:
        return "" if is_command else nearest_word(line)
    below = [each.strip() for each in request.mail.typed if each.strip()][1:]
    is_move = reads_as_move(line) and bare_move(line) not in ANSWERS
    if is_move and is_taken_back(line, below, reads_as_move):
        later = (named_move(without_teasing(each), possible.legal) for each in below[:_MOST_BELOW])
        return next(filter(None, later), "")
    named = named_move(line, possible.legal)
    meant = named or ("" if is_command else nearest_word(line, possible.legal))
    meant = meant or move_below(request.mail.typed, possible)
    meant = meant or (RESIGN if may_leave(line) else leaving_clause(line))
    return _possible(meant, possible)


def _possible(meant: str, possible: PossibleMoves) -> str:
    """The move that may be meant, or the answer that does the same here; "" if it does nothing.

    Who leaves before the beginning rejects the invitation.
    """
    said = bare_move(meant)
    leaves = said == RESIGN
    if leaves and possible.not_begun and not possible.withdrawn:
        return _REJECT
    if possible.invited:
        return meant if meant in ANSWERS else ""
    if leaves and (possible.resigned or not possible.plays):
        return ""
    # Where a draw is on offer, `decline` may mean the draw; elsewhere `reject` is for nothing.
    return "" if said == (_DECLINE if possible.draw else _REJECT) else meant


def _joins_again(request: Request, possible: PossibleMoves) -> bool:
    """Whether a reply is a plain yes of a player who has taken the seat, where no draw waits.

    A yes above a move, or above words that take it back, is asked about.
    """
    if not possible.plays or possible.declines or possible.draw or not request.answered:
        return False
    if request.answered.about not in {"", NEWS} or request.answered.asked:
        return False
    from pbmserv.intake.replies.draw_replies import ACCEPT, answer_to_invitation  # noqa: PLC0415 - as below
    from pbmserv.intake.replies.invitation_replies import is_undone_below  # noqa: PLC0415 - as below

    typed = request.mail.typed
    return answer_to_invitation(typed) == ACCEPT and not is_undone_below(typed, ACCEPT)


def _may_leave(typed: Sequence[str]) -> bool:
    """Whether words such as "no thanks" or "cancel" may mean that their writer wants to leave."""
    from pbmserv.intake.replies.prose import denies  # noqa: PLC0415 - a shell command reads no email

    return denies(typed) or any(is_request(word) for line in typed for word in line.split())


def _first_line(request: Request) -> str:
    return next(filter(None, map(str.strip, request.mail.typed)), "")
