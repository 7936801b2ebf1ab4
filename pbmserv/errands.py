"""Errands: the lines of a mail or a shell carried out at a desk, and what is kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from pbmserv import commands, limits, pausing, players
from pbmserv.answers import Outcome, folded, is_unknown, letters_of, outcome_of, unsure
from pbmserv.commands import ASKED, MESSAGE
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.reception import Line, Opened
from pbmserv.replies import reply_at
from pbmserv.terms import DAY
from pbmserv.vouchers import Vouchers

PROOF, _FOREVER = "proof", 10 * 365 * DAY  # seconds
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


def answered_to(opened: Opened, desk: Desk) -> tuple[list[Outcome], list[Letter], int | None]:
    """Carry out the lines of a person's mail in order: what became of them, and the letters.

    The last value is from when on answers may leave, None where there are none.  Letters about
    boards do not wait for that: they are part of the answer only where it leaves at once.
    """
    _let_it_prove_once(opened, desk)
    account = opened.vouchers.account
    woken = pausing.heard_from(desk, opened.mail.sender, account)
    outcomes = [carried_out(line, desk, opened.vouchers) for line in opened.lines]
    if not all(map(is_unknown, outcomes)):
        letters = letters_of(outcomes, opened)
    elif woken:
        letters = []  # a few words of a person who is back; there is nothing to be unsure of
    else:
        known = players.player_of_address(desk.connection, opened.mail.sender)
        letters = [unsure(outcomes, opened, is_player=known is not None)]
    if account is not None:
        letters = [*letters, *pausing.news(desk, account)]
    letters = [*letters, *pausing.welcomed(desk, woken)]
    sender, now = opened.mail.sender, desk.now
    at = reply_at(desk.connection, desk.settings, sender, now, outcomes, letters)
    if at == now and (reader := _reader(opened, desk)) is not None:
        letters = folded(letters, outcomes, opened, reader)
    return outcomes, letters, at


def _reader(opened: Opened, desk: Desk) -> int | None:
    """The player who has proven to be one and reads the answer to many lines; None if nobody."""
    if len(opened.lines) == 1 and not opened.cut:
        return None  # a move by itself asks the database no more than it has to
    reading = players.players_of_address(desk.connection, opened.mail.sender)
    proven = opened.vouchers.player
    return proven if proven in {each.id for each in reading} else None


def _let_it_prove_once(opened: Opened, desk: Desk) -> None:
    """A mail vouches for its sender a single time, under whatever Message-ID it comes.

    Signers seldom cover the Message-ID: whoever has a copy of a mail could send it again, later.
    """
    if not (opened.vouchers.by_address and opened.mail.proof):
        return
    seen = (desk.connection, PROOF, opened.mail.proof)
    if limits.allowed(*seen, 1, _FOREVER, desk.now):
        limits.note(*seen, _FOREVER, desk.now)
    else:
        opened.vouchers.distrust_address()


def at_shell(
    line: Line, desk: Desk, vouchers: Vouchers
) -> tuple[Outcome, list[Letter], list[Letter]]:
    """Carry out a line of a shell: what became of it, the asker's own letters, and all mails."""
    outcome = carried_out(line, desk, vouchers)
    mine = [each for each in outcome.letters if each.to in {None, vouchers.player}]
    mails = [each for each in outcome.letters if each.to is not None]
    if vouchers.account is not None and not outcome.refusal:
        mails += pausing.welcomed(desk, pausing.heard_from(desk, "", vouchers.account))
        mine += pausing.news(desk, vouchers.account)
    return outcome, mine, mails


def traced(opened: Opened, outcomes: Sequence[Outcome] = ()) -> str:
    """What is kept of a mail: what it asked for, without its words, and what was refused."""
    codes = [f" (refused: {done.refusal.code})" if done.refusal else "" for done in outcomes]
    lines = zip_longest([line.trace for line in opened.lines], codes, fillvalue="")
    return opened.mail.automatic or "; ".join(f"{trace}{code}" for trace, code in lines)
