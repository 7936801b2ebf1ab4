"""What the answer to a reply also tells, because of the words of the reply.

A player who wants to take a move back is told that this is not possible.  A player who has written
very often at a board is told until when messages need a command.  A guest who asks about the game
is told what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbmserv.boards import chat_log
from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.replies.rematch_wishes import REMATCH, wish_in
from pbmserv.intake.replies.undo_wishes import asks_undo, wants_undo
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.boards import ALREADY_PLAYED, CHAT_SENT
from pbmserv.letters.payloads.guests import GUEST_ANSWER
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import UNSURE
from pbmserv.text.normalize import plain_line

_MOST_LINES = 5  # of a guest's reply in which a question is looked for


def noted(
    letters: Sequence[Letter],
    request: Request,
    context: Context,
    possible: Callable[[], PossibleMoves],
) -> list[Letter]:
    """The letters about a reply with what they also tell; `possible` is what its sender may do."""
    return [
        replace(each, payload={**each.payload, **told})
        if (told := _told(each, request, context, possible))
        else each
        for each in letters
    ]


def _told(
    letter: Letter, request: Request, context: Context, possible: Callable[[], PossibleMoves]
) -> Mapping[str, object]:
    facts: Mapping[str, Any] = letter.payload
    typed = request.mail.typed
    if letter.kind == GUEST_ANSWER.name:
        return {"asks": True} if facts["kind"] == "unclear" and _asks(typed) else {}
    if not request.token:
        return {}
    if letter.kind == ALREADY_PLAYED.name:
        is_mine = facts["made"] and facts["made"]["mine"] and not facts.get("ends")
        return {"stays": True} if is_mine and wants_undo(typed) else {}
    if letter.kind == CHAT_SENT.name:
        return {"stays": True} if asks_undo(typed) and _has_just_bid(possible()) else {}
    if letter.kind == UNSURE.name and not (facts["unconfirmed"] or facts.get("helps")):
        if facts.get("is_over") and _may_want_rematch(request, context):
            return {"nearest": REMATCH, "word": ""}
        return _of_limit(request, context, facts) or _of_question(facts, typed, possible)
    return {}


def _of_question(
    facts: Mapping[str, Any], typed: Sequence[str], possible: Callable[[], PossibleMoves]
) -> Mapping[str, object]:
    """Whether the writer of unclear words wants to take back a move, in the turn of another."""
    if not facts.get("turn") or facts.get("resigned") or facts.get("declined"):
        return {}
    return {"stays": True} if wants_undo(typed) and _may_have_moved(possible()) else {}


def _may_have_moved(possible: PossibleMoves) -> bool:
    """Whether a move may be the player's: a bid of this round, or the call that ended the last."""
    if possible.table is None or not possible.plays:
        return False
    seats = [seat for seat, _ in possible.table.bids]
    return possible.seat in seats if seats else not possible.declines


def _of_limit(request: Request, context: Context, facts: Mapping[str, Any]) -> Mapping[str, object]:
    """The limit of words at a board, if only it has kept words from the others."""
    answered = request.answered
    if facts.get("is_move") or facts.get("illegal") or facts.get("subject_move"):
        return {}
    if answered is None or answered.is_void or answered.board is None:
        return {}
    if answered.player not in context.owners:
        return {}
    ends = chat_log.limit_ends(context.connection, answered.board, answered.player, context.now)
    return {"most": chat_log.MOST_DAILY, "ends": ends} if ends else {}


def _asks(typed: Sequence[str]) -> bool:
    """Whether the reply of a guest asks something: "What is Perudo?"."""
    from pbmserv.intake.replies.questions import is_question  # noqa: PLC0415 - a shell command reads no email

    lines = [line for line in map(plain_line, typed) if line.strip()][:_MOST_LINES]
    return any("?" in line for line in lines) or is_question(typed)


def _may_want_rematch(request: Request, context: Context) -> bool:
    answered = request.answered
    if answered is None or answered.is_void or not answered.board or answered.about:
        return False
    from pbmserv.intake.replies.chat_replies import players_of  # noqa: PLC0415 - a shell command reads no email

    names = players_of(context.connection, answered.board)
    return wish_in(request.mail.typed, names) is not None


def _has_just_bid(possible: PossibleMoves) -> bool:
    bids = possible.table.bids if possible.table and possible.turn else ()
    return bool(bids) and bids[-1][0] == possible.seat and possible.plays
