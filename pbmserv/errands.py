"""Errands: one line of a mail, or of a shell, carried out at a desk, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from pbmserv import commands
from pbmserv.answers import Outcome, outcome_of
from pbmserv.commands import ASKED, MESSAGE
from pbmserv.desk import Desk
from pbmserv.errors import Refused
from pbmserv.reception import Line, Opened
from pbmserv.vouchers import Vouchers

LONGEST_MESSAGE = 10_000  # characters that one player may send to the others at once


def carried_out(line: Line, desk: Desk, vouchers: Vouchers) -> Outcome:
    """What became of one line: its letters, or why it was refused."""
    if isinstance(line.context, Refused):
        return Outcome(line.shown, refusal=vouchers.blanked(line.context))
    try:
        given = line.context.meta.get(MESSAGE)
        if given and given != ASKED:
            desk = replace(desk, message=given)
        if len(desk.message) > LONGEST_MESSAGE:
            raise Refused("message_too_long", limit=LONGEST_MESSAGE)
        return Outcome(line.shown, tuple(commands.carried_out(line.context, desk)))
    except Refused as refusal:
        return outcome_of(line.shown, vouchers.blanked(refusal))


def traced(opened: Opened, outcomes: Sequence[Outcome] = ()) -> str:
    """What is kept of a mail: what it asked for, without its words, and what was refused."""
    codes = [f" (refused: {done.refusal.code})" if done.refusal else "" for done in outcomes]
    lines = zip_longest([line.trace for line in opened.lines], codes, fillvalue="")
    return opened.mail.automatic or "; ".join(f"{trace}{code}" for trace, code in lines)
