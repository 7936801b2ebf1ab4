"""Decide which letters about an executed email may leave, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbmserv.context import Context, Outcome
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.answering.answer_limits import FORGED, decided
from pbmserv.intake.answering.answers import folded, is_of_a_board
from pbmserv.intake.request import Request
from pbmserv.intake.sender_trust import Sender, proves_something
from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox.queue import OutgoingLetters


def leaving(
    request: Request,
    context: Context,
    outcomes: Sequence[Outcome],
    letters: Sequence[Letter],
    sender: Callable[[], Sender],
) -> OutgoingLetters:
    """Decide which letters about an email may leave, and when; `sender()` is asked if it matters.

    Letters about boards do not wait until answers may be sent.  They are part of the answer only if
    it is sent at once.
    """
    if request.mail.refuted:
        told = [each for each in letters if isinstance(each.to, int)]
        return OutgoingLetters(told, context.now, context.now, why=FORGED)
    if outcomes and all(map(is_of_a_board, outcomes)) and proves_something(request):
        reader = request.credentials.player
        return OutgoingLetters(letters, context.now, context.now, reader)
    writer = sender()
    found = decided(
        context.connection,
        context.settings,
        writer,
        context.now,
        outcomes,
        letters,
        is_emergency=request.known.is_emergency if request.known else None,
    )
    if found.at == context.now and (reader := _reader(request, writer)) is not None:
        found = replace(found, letters=folded(found.letters, outcomes, request, reader))
    return found


def _reader(request: Request, sender: Sender) -> int | None:
    """The player with proof who reads the answer to several lines; None if there is none."""
    if len(request.lines) == 1 and not request.cut:
        return None
    proven = request.credentials.player
    return proven if proven in sender.players else None
