"""Errands: the lines of a mail or a shell carried out at a desk, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cache, partial
from itertools import takewhile, zip_longest
from time import thread_time
from typing import Any

import click
from sqlalchemy import Connection, Engine

from pbmserv.boards import chat_log
from pbmserv.commands import framework
from pbmserv.commands.framework import ASKED, MESSAGE
from pbmserv.context import Desk, Outcome, Voucher
from pbmserv.database.engine import reading
from pbmserv.deliverability import bounces, suppression
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import bare_move
from pbmserv.intake import outgoing_text, sender_proof, unproven
from pbmserv.intake.credentials import Vouchers
from pbmserv.intake.redaction import LONGEST_MESSAGE, MOST_LINES, refusal_shown
from pbmserv.intake.reply_limits import FORGED, Decided, decided
from pbmserv.intake.request import ANSWERS, Line, Opened
from pbmserv.intake.responses import (
    folded,
    is_of_a_board,
    is_unknown,
    letters_of,
    outcome_of,
    unsure,
)
from pbmserv.intake.sender_proof import Sender, confirming, of_opened, proves_something
from pbmserv.letters.payloads.accounts import ANSWERED_ELSEWHERE, AnsweredElsewhere
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.incoming import Arrival
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox.queue import Answered, Written
from pbmserv.players import accounts
from pbmserv.players.confirmations import Confirmation
from pbmserv.ratelimit import fixed_window
from pbmserv.security.tokens import Tokens, blanked

PROOF = "proof"  # what `limits` counts, for so long that nobody has the mail any more
MOST_SECONDS = 0.25  # of CPU time after which a mail's lines that only read are left out


def carried_out(line: Line, desk: Desk, vouchers: Vouchers) -> Outcome:
    """What became of one line: its letters, or why it was refused."""
    if isinstance(line.context, Refused):
        return Outcome(line.shown, refusal=vouchers.blanked(line.context))
    try:
        given = line.context.meta.get(MESSAGE)
        if given and given != ASKED:
            desk = replace(desk, message=given)
        if len(desk.message) > LONGEST_MESSAGE or desk.message.count("\n") >= MOST_LINES:
            raise Refused("message_too_long", limit=LONGEST_MESSAGE)
        if desk.message:
            vouchers.check(line.context.params)
            text, left_out = desk.clear(desk.message)
            desk = replace(desk, message=text, left_out=left_out)
        letters = chat_log.heard(desk, framework.carried_out(line.context, desk), _blanks(vouchers))
        if desk.left_out and not desk.message:
            letters = [*letters, *outgoing_text.told_of_silence(desk, letters)]
        return Outcome(line.shown, (*letters, *_told_of_address(line.context, desk, vouchers)))
    except Refused as refusal:
        return outcome_of(line.shown, refusal_shown(vouchers.blanked(refusal)))


def _blanks(vouchers: Vouchers) -> Callable[[str], str]:
    """What blanks the passwords of a mail, and tokens, in a text of several lines."""
    return lambda text: "\n".join(blanked(vouchers.blank(line)) for line in text.split("\n"))


def written(opened: Opened, desk: Desk, tokens: Tokens, number: int) -> tuple[Written, str]:
    """Carry out the lines of a mail (its number in the inbox): its letters, what became of it."""
    mail = opened.mail
    if mail.report:
        letters, became = bounces.came_back(desk, tokens, mail.report)
        return Written(letters, None, number), "; ".join((mail.automatic, *became))
    if mail.automatic or not mail.sender:
        return Written(()), traced(opened)
    confirmed = confirming(desk.connection, opened, desk.now)
    if why := unproven.not_carried_out(opened, desk, confirmed):
        return Written(()), f"{traced(opened)}; {why}"
    outcomes, found = answered_to(opened, desk, tokens, confirmed)
    asker = opened.vouchers.player
    reader = found.reader if asker is None else asker
    is_one = asker is not None or found.is_one
    times = found.at, found.asking_at
    answered = Answered(asker, mail.sender, mail.message_id, reader, *times, is_one)
    said = [each for each in (traced(opened, outcomes), found.why) if each]
    return Written(found.letters, answered, number), "; ".join(said)


def reads_only(line: Line) -> bool:
    """Whether a line changes nothing, whatever becomes of it."""
    context = line.context
    return isinstance(context, click.Context) and getattr(context.command, "reads", False)


def read_before(
    engine: Engine,
    opened: Sequence[Opened],
    desk_for: Callable[[Connection, Opened], Desk],
    holding: Callable[[Sequence[Arrival]], AbstractContextManager[None]],
) -> list[Opened]:
    """Carry out the first lines of mails, as long as they only read, before any transaction.

    A line that reads behind one that writes shows what that one did, in the mail's transaction;
    there a bug shows itself, too.
    """
    if not any(each.lines and reads_only(each.lines[0]) for each in opened):
        return list(opened)
    with reading(engine) as connection:
        return [_with_first_lines(each, desk_for(connection, each), holding) for each in opened]


def _with_first_lines(
    opened: Opened,
    desk: Desk,
    holding: Callable[[Sequence[Arrival]], AbstractContextManager[None]],
) -> Opened:
    lines = list(takewhile(reads_only, opened.lines))
    with holding([opened.arrival]), suppress(Exception):
        return replace(opened, done=tuple(_in_order(lines, desk, opened.vouchers)))
    return opened


def _in_order(lines: Sequence[Line], desk: Desk, vouchers: Vouchers) -> list[Outcome]:
    """What became of lines; once much was computed, those that only read are refused."""
    outcomes: list[Outcome] = []
    begun = thread_time()
    for line in lines:
        if outcomes and reads_only(line) and thread_time() - begun > MOST_SECONDS:
            outcomes.append(Outcome(line.shown, refusal=Refused("too_much_asked")))
        else:
            outcomes.append(carried_out(line, desk, vouchers))
    return outcomes


def _told_of_address(context: click.Context, desk: Desk, vouchers: Vouchers) -> list[Letter]:
    """What a player hears whose letter was answered from an address that is not the player's.

    Whoever has a letter has its token: nobody is to use one behind its reader's back.
    """
    shown = vouchers.shown_by(context.params)
    if not isinstance(shown, Voucher) or shown.board is None or shown.player in desk.owners:
        return []
    told: AnsweredElsewhere = {
        "board": shown.board,
        "address": desk.sender,
        "command": context.command.name or "",
    }
    return [ANSWERED_ELSEWHERE.to(shown.player, told, shown.board)]


def _note_of_restore(desk: Desk, outcomes: Sequence[Outcome]) -> None:
    """A good token for a move that has not come: the database went back, and nobody noticed it."""
    for refusal in filter(None, (each.refusal for each in outcomes)):
        if refusal.code == "move_ahead":
            about = f"board {refusal.facts['board']}"
            operator_alerts.note(desk.connection, "restored", about, "", desk.now)


def answered_to(
    opened: Opened, desk: Desk, tokens: Tokens, confirmed: Sequence[Confirmation]
) -> tuple[list[Outcome], Decided]:
    """Carry out the lines of a person's mail in order: what became of them, and the letters.

    `confirmed` is what `senders.confirming` gave.

    Letters about boards do not wait until answers may leave: they are part of the answer only
    where it leaves at once.
    """
    desk = replace(desk, proves_once=cache(partial(_proves_once, opened, desk)))
    _let_it_prove_once(opened, desk)
    account = opened.vouchers.account
    written_from = suppression.of_address(desk, opened.mail.sender)
    woken = suppression.heard_from(desk, written_from, account)
    desk = _with_writer(desk, opened, written_from)
    shown = opened, desk, tokens
    desk = replace(desk, proves=partial(sender_proof.proves, *shown))
    desk = replace(desk, is_from=partial(sender_proof.is_from, *shown))
    desk = replace(desk, clear=outgoing_text.clearing(desk, opened.vouchers, tokens))
    of_mail = partial(of_opened, desk.connection, opened, tokens, confirmed, desk.owners)
    lines = unproven.bounded(opened, desk, of_mail)[len(opened.done) :]
    outcomes = [*opened.done, *_in_order(lines, desk, opened.vouchers)]
    _note_of_restore(desk, outcomes)
    if not all(map(is_unknown, outcomes)):
        letters = letters_of(outcomes, opened)
    elif woken:
        letters = []  # a few words of a person who is back; there is nothing to be unsure of
    else:
        known = accounts.player_of_address(desk.connection, opened.mail.sender)
        letters = [unsure(outcomes, opened, is_player=known is not None)]
    if account is not None:
        letters = [*letters, *suppression.news(desk, account)]
    letters = [*letters, *suppression.welcomed(desk, woken)]
    if opened.mail.refuted:
        told = [each for each in letters if isinstance(each.to, int)]
        return outcomes, Decided(told, desk.now, desk.now, why=FORGED)
    if outcomes and all(map(is_of_a_board, outcomes)) and proves_something(opened):
        reader = opened.vouchers.player
        return outcomes, Decided(letters, desk.now, desk.now, reader)
    sender = of_mail()
    found = decided(desk.connection, desk.settings, sender, desk.now, outcomes, letters)
    if found.at == desk.now and (reader := _reader(opened, sender)) is not None:
        found = replace(found, letters=folded(found.letters, outcomes, opened, reader))
    return outcomes, found


def _with_writer(desk: Desk, opened: Opened, written_from: Sequence[Any]) -> Desk:
    """The desk with what the mail's address says about who wrote it: nothing, where it is forged.

    `written_from` are the rows of that address.
    """
    confirmed = (each.player_id for each in written_from if each.confirmed_at is not None)
    owners = frozenset() if opened.mail.refuted else frozenset(confirmed)
    return replace(desk, owners=owners, refuted=opened.mail.refuted)


def _reader(opened: Opened, sender: Sender) -> int | None:
    """The player who has proven to be one and reads the answer to many lines; None if nobody."""
    if len(opened.lines) == 1 and not opened.cut:
        return None
    proven = opened.vouchers.player
    return proven if proven in sender.players else None


def _let_it_prove_once(opened: Opened, desk: Desk) -> None:
    """A mail vouches for its sender a single time, under whatever Message-ID it comes.

    Signers seldom cover the Message-ID: whoever has a copy of a mail could send it again, later.
    """
    if opened.vouchers.by_address and opened.mail.proof and not desk.proves_once():
        opened.vouchers.distrust_address()


def _proves_once(opened: Opened, desk: Desk) -> bool:
    """Whether the mail proves who sent it, and for the first time; that is noted."""
    if not opened.mail.proof:
        return False
    seen = (desk.connection, PROOF, opened.mail.proof)
    if not fixed_window.allowed(*seen, 1, fixed_window.LONG[PROOF], desk.now):
        return False
    fixed_window.note(*seen, fixed_window.LONG[PROOF], desk.now)
    return True


def at_shell(
    line: Line, desk: Desk, vouchers: Vouchers, tokens: Tokens
) -> tuple[Outcome, list[Letter], list[Letter]]:
    """Carry out a line of a shell: what became of it, the asker's own letters, and all mails."""
    desk = replace(desk, clear=partial(outgoing_text.cleared, desk, vouchers, tokens))
    outcome = carried_out(line, desk, vouchers)
    mine = [each for each in outcome.letters if each.to in {None, vouchers.player}]
    mails = [each for each in outcome.letters if each.to is not None]
    if vouchers.account is not None and not outcome.refusal:
        mails += suppression.welcomed(desk, suppression.heard_from(desk, "", vouchers.account))
        mine += suppression.news(desk, vouchers.account)
    return outcome, mine, mails


def _named(line: Line) -> str:
    """A line's command; where a reply says no more than accept or decline, this word, too."""
    given = () if isinstance(line.context, Refused) else line.context.params.get("move") or ()
    said = [word for each in given if (word := bare_move(each)) in ANSWERS]
    return " ".join([line.trace, *said[:1]])


def traced(opened: Opened, outcomes: Sequence[Outcome] = ()) -> str:
    """What is kept of a mail: what it asked for, without its words, and what was refused."""
    codes = [f" (refused: {done.refusal.code})" if done.refusal else "" for done in outcomes]
    lines = zip_longest([_named(line) for line in opened.lines], codes, fillvalue="")
    return opened.mail.automatic or "; ".join(f"{trace}{code}" for trace, code in lines)
