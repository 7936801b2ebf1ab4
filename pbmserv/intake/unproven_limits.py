"""Limits on executing unproven email, because anybody may have written it.

Such email brings few letters a day to a player's address (the setting `unproven_daily`).  After
that it is not executed.  The last letter is kept for a forgotten password of an account with that
address.  Once a day a new one may be asked for, and set with its token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from pbmserv.context import UnitOfWork
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.answering.answer_limits import FORGED, UNPROVEN
from pbmserv.intake.command_lines import Line
from pbmserv.intake.request import Request
from pbmserv.intake.sender_trust import Sender, Trust, proves_something
from pbmserv.mail.addresses import mailbox
from pbmserv.outbox.letter_budgets import RESETS, kept_for_reset
from pbmserv.players.accounts import Player
from pbmserv.players.confirmations import Confirmation
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject
from pbmserv.timeunits import DAY

_LIMIT = "the daily limit of answers to such senders is reached (unproven_daily)"
NOT_PROVEN = f"not carried out: nothing proves who wrote it, and {_LIMIT}"
TO_OTHERS = "not carried out: a stranger's reply to no letter of ours"
SUSPENDED = f"not carried out: the account is suspended, and {_LIMIT}"
# Commands without a password that send letters to players or to addresses.
BRING_LETTERS = {"perudo challenge", "signup", "reset"}
_RESET = "reset"


def not_carried_out(
    request: Request,
    work: UnitOfWork,
    confirmed: Sequence[Confirmation],
    players: Sequence[Player],
) -> str:
    """Why an email is not executed, "" if it is.

    `confirmed` is the result of `sender_trust.confirming`, and `players` are those who confirmed
    the sender's address.  An accepted request for a password reset is counted.
    """
    if confirmed or proves_something(request):
        return ""
    if request.mail.refuted:
        return FORGED
    if not players and _answers_others(request):
        return TO_OTHERS
    reset = _reset(request)
    if reset and reset["token"] is None and _may_reset(request, work, players, reset):
        fixed_window.note(work.connection, RESETS, mailbox(request.mail.sender), DAY, work.now)
        return ""
    if (reset and reset["token"] is not None) or _room(request, work, players) > 0:
        return ""
    tried = request.credentials.tried.values()
    codes = {each.code for each in tried if isinstance(each, Refused)}
    return SUSPENDED if "account_suspended" in codes else NOT_PROVEN


def _answers_others(request: Request) -> bool:
    """Whether a stranger's email is a reply, or came over a list, and so is hardly meant for us."""
    subject, is_ours = request.mail.subject, bool(request.mail.tokens)
    return not is_ours and bare_subject(subject) != plain_line(subject).strip()


def _room(request: Request, work: UnitOfWork, players: Sequence[Player]) -> int:
    """How many letters unproven email may still bring to the address of these players today."""
    sender, most = request.mail.sender, work.settings.unproven_daily
    if not players:
        return most  # strangers are counted when they are answered
    counters = Counters(work.connection)
    counters.load([(UNPROVEN, mailbox(sender)), (RESETS, mailbox(sender))])
    kept = kept_for_reset(counters, work.settings, mailbox(sender), work.now)
    quota = Quota(UNPROVEN, mailbox(sender), most - kept)
    return fixed_window.room_in(counters, [quota], DAY, work.now)[0]


def _reset(request: Request) -> Mapping[str, Any]:
    """The words of a reset, if it is the only command of an email; else {}."""
    if [line.trace for line in request.lines] != [_RESET]:
        return {}
    parsed = request.lines[0].parsed
    return parsed.params if isinstance(parsed, click.Context) else {}


def _may_reset(
    request: Request, work: UnitOfWork, players: Sequence[Player], words: Mapping[str, Any]
) -> bool:
    """Whether an email may bring the reset letter that is kept for a player."""
    if str(words["userid"]).lower() not in [each.userid.lower() for each in players]:
        return False
    who = mailbox(request.mail.sender)
    quotas = [Quota(UNPROVEN, who, work.settings.unproven_daily), Quota(RESETS, who, 1)]
    return min(fixed_window.room(work.connection, quotas, DAY, work.now)) > 0


def bounded(
    request: Request,
    work: UnitOfWork,
    players: Sequence[Player],
    of_request: Callable[[], Sender],
) -> list[Line]:
    """The lines; of unproven ones that send letters, those beyond the limit are refused.

    A proof of another player does not count here, because the lines act for the player whose
    address it is.  `players` confirmed that address, and `of_request()` returns the sender.
    """
    room = len(request.lines)
    if all(line.trace not in BRING_LETTERS for line in request.lines):
        return list(request.lines)
    if not proves_something(request):
        # One line was accepted already.
        room = _room(request, work, players) - 1 if room > 1 else room
    elif of_request().trust is Trust.CLAIMED:
        room = _room(request, work, players) - (room > 1)
    lines = []
    for line in request.lines:
        room -= line.trace in BRING_LETTERS
        is_over = line.trace in BRING_LETTERS and room < 0
        parsed = Refused("unproven", last="") if is_over else line.parsed
        lines.append(replace(line, parsed=parsed))
    return lines
