"""Mail that proves nothing: what of it is carried out, for anybody may have written it.

It brings an address that is a player's few letters a day (the setting `unproven_daily`); after
that nothing is done that it asks for.  The last of them is kept for who has forgotten the password
of an account of that address: once a day a new one may be asked for, and set with its token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from pbmserv.context import UnitOfWork
from pbmserv.errors import Refused
from pbmserv.intake.reply_limits import FORGED, UNPROVEN
from pbmserv.intake.request import Line, Request
from pbmserv.intake.sender_proof import Sender, Trust, proves_something
from pbmserv.mail.addresses import mailbox
from pbmserv.outbox.letter_budgets import RESETS, kept_for_reset
from pbmserv.players import accounts
from pbmserv.players.confirmations import Confirmation
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.timeunits import DAY

NOT_PROVEN = "not carried out: it proves nothing, and so many letters a day are enough"
SUSPENDED = "not carried out: the account is suspended, and so many letters a day are enough"
# Commands without a password that bring letters to players or to addresses.
BRING_LETTERS = {"perudo challenge", "signup", "reset"}
_RESET = "reset"


def not_carried_out(request: Request, work: UnitOfWork, confirmed: Sequence[Confirmation]) -> str:
    """Why nothing is done that a mail asks for, "" if it is: anybody may have written it.

    `confirmed` is what `senders.confirming` gave.  A letter about a forgotten password that is let
    through is counted.
    """
    if confirmed or proves_something(request):
        return ""
    if request.mail.refuted:
        return FORGED
    reset = _reset(request)
    if reset and reset["token"] is None and _may_reset(request, work, str(reset["userid"])):
        fixed_window.note(work.connection, RESETS, mailbox(request.mail.sender), DAY, work.now)
        return ""
    if (reset and reset["token"] is not None) or _room(request, work) > 0:
        return ""
    tried = request.credentials.tried.values()
    codes = {each.code for each in tried if isinstance(each, Refused)}
    return SUSPENDED if "account_suspended" in codes else NOT_PROVEN


def _room(request: Request, work: UnitOfWork) -> int:
    """How many letters a day mail that proves nothing may still bring to a player's address."""
    sender, most = request.mail.sender, work.settings.unproven_daily
    if not accounts.players_of_address(work.connection, sender):
        return most  # strangers are counted as they are answered
    kept = kept_for_reset(work.connection, work.settings, mailbox(sender), work.now)
    return _left(request, work, most - kept)


def _left(request: Request, work: UnitOfWork, most: int) -> int:
    quota = Quota(UNPROVEN, mailbox(request.mail.sender), most)
    return fixed_window.room(work.connection, [quota], DAY, work.now)[0]


def _reset(request: Request) -> Mapping[str, Any]:
    """The words of the one command of a mail that is about a forgotten password; {} if none is."""
    if [line.trace for line in request.lines] != [_RESET]:
        return {}
    parsed = request.lines[0].parsed
    return parsed.params if isinstance(parsed, click.Context) else {}


def _may_reset(request: Request, work: UnitOfWork, userid: str) -> bool:
    """Whether a mail may bring the letter about a forgotten password that is kept for a player."""
    mine = accounts.players_of_address(work.connection, request.mail.sender)
    if userid.lower() not in [each.userid.lower() for each in mine]:
        return False
    if _left(request, work, work.settings.unproven_daily) < 1:
        return False
    counted = work.connection, RESETS, mailbox(request.mail.sender)
    return fixed_window.allowed(*counted, 1, DAY, work.now)


def bounded(request: Request, work: UnitOfWork, of_opened: Callable[[], Sender]) -> list[Line]:
    """The lines; few of those that bring letters are left, where nothing proves who wrote them.

    What proves somebody else is no proof here: they are carried out in the name of the player
    whose address it is.  `of_opened()` says who wrote the mail.
    """
    room = len(request.lines)
    if all(line.trace not in BRING_LETTERS for line in request.lines):
        return list(request.lines)
    if not proves_something(request):
        room = _room(request, work) - 1 if room > 1 else room  # one line was let in already
    elif of_opened().trust is Trust.CLAIMED:
        room = _room(request, work) - (room > 1)
    lines = []
    for line in request.lines:
        room -= line.trace in BRING_LETTERS
        is_over = line.trace in BRING_LETTERS and room < 0
        parsed = Refused("unproven", last="") if is_over else line.parsed
        lines.append(replace(line, parsed=parsed))
    return lines
