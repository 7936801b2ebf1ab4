"""Bounces and other reports about our letters: find the letter and act on the report.

Every letter has a stamp (`tokens.stamp`) in its envelope sender and its List-Unsubscribe.  Its
Message-ID has the stamp or a token.  A report with one of them is about this letter.  A report
without one is only a hint; `suppression.failed` says what it may do.  Reports are never answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update

from pbmserv.context import UnitOfWork
from pbmserv.database.models import OutboxLetter, states
from pbmserv.deliverability import suppression
from pbmserv.letters.payloads.guests import GUEST_INVITATION
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invited_addresses
from pbmserv.mail.bounce_reports import COMPLAINT, FAILED, PAUSE, UNREADABLE, BounceReport
from pbmserv.mail.dsn_status import is_lasting
from pbmserv.outbox.delivery import LostLetter
from pbmserv.security.tokens import Tokens, blanked

_REPLY = re.compile(r"[45]\d\d ")  # how a relay's answer to a letter begins (RFC 5321)


def came_back(
    work: UnitOfWork, tokens: Tokens, report: BounceReport
) -> tuple[list[Letter], list[str]]:
    """Act on a report; returns the letters about it, and a description for the message trace."""
    if report.kind == UNREADABLE:
        return [], []
    letter = _letter(work, tokens, report)
    what = " ".join(each for each in (report.kind, blanked(report.reason)) if each)
    if letter is None:
        return _unproven(work, report), [f"{what}; about no letter of ours"]
    return _done(work, report, letter), [f"{what}; about out{letter.id}"]


def _done(work: UnitOfWork, report: BounceReport, letter: Any) -> list[Letter]:  # a row of _letter
    if letter.kind == GUEST_INVITATION.name and (report.kind != FAILED or report.lasting):
        invited_addresses.refuse_for(work, letter.address)
    if report.kind == PAUSE:
        return suppression.asked(work, letter.player_id, letter.address)
    if report.kind == COMPLAINT:
        suppression.note_complaint(work, letter.player_id, letter.address)
    if report.kind != FAILED:
        return []
    row = OutboxLetter
    left = update(row).where(row.id == letter.id, row.state.in_([states.SENT, states.DUE]))
    work.connection.execute(left.values(state=states.RETURNED, reason=blanked(report.reason)))
    return suppression.failed(
        work,
        suppression.Failure(letter.address, letter.written_at, report.lasting, report.reason),
    )


def _letter(work: UnitOfWork, tokens: Tokens, report: BounceReport) -> Any:  # a row, or None
    """The letter that a report is about, None if unknown; a token proves it as well as a stamp."""
    row = OutboxLetter
    query = select(row.id, row.address, row.player_id, row.board_id, row.written_at, row.kind)
    for stamp in report.stamps:
        if (number := tokens.stamped(stamp)) is not None:
            found = work.connection.execute(query.where(row.id == number)).first()
            if found and tokens.is_stamp(stamp, found.id, found.address):
                return found
    for number, token in report.numbers:
        if meant := tokens.read(token):
            found = work.connection.execute(query.where(row.id == number)).first()
            if found and (found.player_id, found.board_id) == (meant.player, meant.board):
                return found
    return None


def _unproven(work: UnitOfWork, report: BounceReport) -> list[Letter]:
    """A failure that anybody may have written, about the addresses that it names."""
    if report.kind != FAILED:
        return []
    letters = []
    for address in report.addresses:
        failure = suppression.Failure(address, work.now, False, "", proven=False)
        letters += suppression.failed(work, failure)
    return letters


def lost(work: UnitOfWork, letters: Sequence[LostLetter]) -> list[Letter]:
    """Treat letters that our own relay refused, or did not accept for days, like bounced ones.

    A relay that cannot be reached, or accepts no letters at all, says nothing about an address.
    """
    told = []
    for letter in letters:
        if _REPLY.match(letter.reason):
            lasting = letter.at_once and is_lasting("", letter.reason)
            if lasting:
                invited_addresses.refuse_for(work, letter.address)
            failure = suppression.Failure(letter.address, letter.written_at, lasting, letter.reason)
            told += suppression.failed(work, failure)
    return told
