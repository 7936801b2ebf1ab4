"""Execute the lines of an email or a shell command, and decide what is recorded of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import takewhile
from time import thread_time
from typing import Any

import click
from sqlalchemy import Connection, Engine

from pbmserv.boards import chat_log
from pbmserv.boards.authorship import proves_once
from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.boards.possible_moves import PossibleMoves, possible_moves
from pbmserv.commands import calls
from pbmserv.commands.framework import ASKED, MESSAGE
from pbmserv.commands.move_lines.retracted_commands import is_taken_back_by
from pbmserv.context import Context, Outcome, UnitOfWork
from pbmserv.database.engine import reading
from pbmserv.deliverability import suppression
from pbmserv.deliverability.suppression import Woken, confirmed_by
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.intake import (
    button_presses,
    outgoing_text,
    refused_move_text,
    unproven_limits,
    wanted_games,
)
from pbmserv.intake.answering import language_answers, reply_notes
from pbmserv.intake.answering.answers import (
    is_unknown,
    letters_of,
    outcome_of,
    refused,
    with_token_of_answer,
    with_tokens_for_replies,
)
from pbmserv.intake.answering.unclear_emails import unsure
from pbmserv.intake.below_mark import untold
from pbmserv.intake.command_lines import Line
from pbmserv.intake.kept_emails.request_trace import traced
from pbmserv.intake.kept_emails.watchdog import TurnTo
from pbmserv.intake.leaving_letters import leaving
from pbmserv.intake.outgoing_text import Cleared
from pbmserv.intake.password_redaction import (
    LONGEST_MESSAGE,
    MOST_LINES,
    UNREADABLE,
    refusal_shown,
)
from pbmserv.intake.replies import asked_moves
from pbmserv.intake.request import Request
from pbmserv.intake.sender_trust import Sender, confirming, of_request
from pbmserv.letters.payloads.accounts import ANSWERED_ELSEWHERE, AnsweredElsewhere
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.addresses import mailbox
from pbmserv.monitoring import operator_alerts, server_log
from pbmserv.outbox.queue import OutgoingLetters
from pbmserv.players import accounts
from pbmserv.players.confirmations import Confirmation
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import IS_ELSEWHERE, Credentials, Identity
from pbmserv.security.tokens import Tokens, blanked
from pbmserv.text.numbers import whole_of_any_script
from pbmserv.timeunits import DAY

Clear = Callable[[str, Collection[str]], Cleared]  # as `outgoing_text.clearing` returns it
_WOKEN = "woken"  # what `fixed_window` counts
_MOVE = "perudo move"  # of the commands that write, it alone changes no account
PAUSE = "pause"  # the command by which an address asks for no more letters
MOST_SECONDS = 0.25  # of CPU time, after which more lines of an email that only read are refused


def _uncleared(text: str, _: Collection[str]) -> Cleared:
    """The text of a line that only reads.  Nobody else gets it, so it stays as it is."""
    return Cleared(text)


def carried_out(line: Line, context: Context, clear: Clear = _uncleared) -> Outcome:
    """Execute one line; returns its letters, or its refusal.

    `clear` removes from a message what its readers must not know.
    """
    credentials = context.credentials
    if isinstance(line.parsed, Refused):
        return Outcome(line.shown, refusal=credentials.blanked(line.parsed))
    try:
        given = line.parsed.meta.get(MESSAGE)
        if given and given != ASKED:
            context = replace(context, message=given, kept_back=())
        if len(context.message) > LONGEST_MESSAGE or context.message.count("\n") >= MOST_LINES:
            raise Refused("message_too_long", limit=LONGEST_MESSAGE)
        if context.message:
            credentials.check(line.parsed.params)
            text, left_out, why = clear(context.message, _named(line.parsed))
            kept_back = (*context.kept_back, *why)
            context = replace(context, message=text, left_out=left_out, kept_back=kept_back)
        button_presses.require_new(context, line.parsed)
        letters = chat_log.heard(
            context, calls.run_command(line.parsed, context), _blanks(credentials)
        )
        button_presses.note(context, line.parsed)
        told = outgoing_text.told_of_gaps(context, letters)
        return Outcome(line.shown, (*letters, *told, *_told_of_address(line.parsed, context)))
    except Refused as refusal:
        outcome = outcome_of(
            line.shown, _shown_refusal(credentials.blanked(refusal), line.parsed, context)
        )
        words = refused_move_text.letters_with_text(line.parsed, context, refusal)
        if words is None:
            return refused_move_text.answerable(outcome, line.parsed, context)
        heard = chat_log.heard(context, words, _blanks(credentials))
        heard = [*heard, *outgoing_text.told_of_gaps(context, heard)]
        return refused_move_text.with_letters(outcome, heard, line.parsed, context)


def _named(parsed: click.Context) -> Sequence[str]:
    """The players whom a command such as `challenge` names."""
    words = parsed.params.get("userid")
    return words if isinstance(words, tuple) else ()


def _shown_refusal(refusal: Refused, parsed: click.Context, context: Context) -> Refused:
    """The refusal of a command as its writer may see it; a misread move gets legal examples."""
    if refusal.code != UNREADABLE:
        return refusal
    words = parsed.params
    shown = context.credentials.shown_by(words)
    board = whole_of_any_script(str(words.get("board")), LARGEST_NUMBER)
    possible = None
    if isinstance(shown, Identity) and board and parsed.command.name == "move":
        possible = possible_moves(context.connection, board, shown.player)
    passwords = context.credentials.passwords_beside(words)
    is_elsewhere = bool(parsed.meta.get(IS_ELSEWHERE))
    return refusal_shown(refusal, passwords, possible, is_elsewhere=is_elsewhere)


def _blanks(credentials: Credentials) -> Callable[[str], str]:
    """A function that removes tokens and the passwords of an email from a text of several lines."""
    return lambda text: "\n".join(blanked(credentials.blank(line)) for line in text.split("\n"))


def executed(
    request: Request, context: Context, tokens: Tokens, number: int
) -> tuple[OutgoingLetters, str]:
    """Execute an email (its id in the inbox); returns its letters, and a text for the trace."""
    mail = request.mail
    if mail.report:
        from pbmserv.deliverability import bounces  # noqa: PLC0415 - a shell command gets no report

        letters, became = bounces.came_back(context, tokens, mail.report)
        return OutgoingLetters(letters, mail=number), "; ".join((mail.automatic, *became))
    if mail.automatic or not mail.sender:
        return OutgoingLetters(()), traced(request)
    confirmed = confirming(context.connection, request, context.now)
    rows = request.known.rows if request.known else suppression.of_address(context, mail.sender)
    if why := unproven_limits.not_carried_out(request, context, confirmed, confirmed_by(rows)):
        server_log.not_carried_out(number, why)
        letters = [] if request.mail.refuted else _of_the_woken(context, rows)
        return OutgoingLetters(letters, mail=number), f"{traced(request)}; {why}"
    if not confirmed_by(rows):
        writer = language_answers.writer_without_account(request, context, tokens)
        context = replace(context, writer=writer)
    outcomes, found = answered_to(request, context, tokens, confirmed, rows)
    asker = request.credentials.player
    reader = found.reader if asker is None else asker
    is_one = asker is not None or found.is_one
    said = [each for each in (traced(request, outcomes), found.why) if each]
    found = replace(
        found,
        reader=reader,
        is_one=is_one,
        asker=asker,
        mail=number,
        writer=context.writer,
        address=mail.sender,
        message_id=mail.message_id,
    )
    return found, "; ".join(said)


def _of_the_woken(context: Context, rows: Sequence[Any]) -> list[Letter]:
    """The letters to players whose address is paused: any email from there ends the pause.

    `rows` are those of that address.  Beyond the answers of a day this happens once a day, because
    the sender may be forged.
    """
    if all(each.paused_at is None for each in rows):
        return []
    who = mailbox(context.sender)
    if not fixed_window.allowed(context.connection, _WOKEN, who, 1, DAY, context.now):
        return []
    fixed_window.note(context.connection, _WOKEN, who, DAY, context.now)
    return suppression.welcomed(context, suppression.heard_from(context, rows, None))


def reads_only(line: Line) -> bool:
    """Whether a line cannot change anything."""
    parsed = line.parsed
    return isinstance(parsed, click.Context) and getattr(parsed.command, "reads", False)


def _may_write(line: Line) -> bool:
    return isinstance(line.parsed, click.Context) and not reads_only(line)


def may_change_senders(request: Request) -> bool:
    """Whether an email may change what is known of senders: whose an address is, or its pause."""
    if request.mail.report or request.credentials.account is not None or request.known is None:
        return True
    rests = any(each.paused_at or each.failing_since for each in request.known.rows)
    return rests or any(_may_write(line) and line.trace != _MOVE for line in request.lines)


def read_before(
    engine: Engine,
    requests: Sequence[Request],
    context_for: Callable[[Connection, Request], Context],
    one_by_one: Callable[[], AbstractContextManager[TurnTo]],
) -> list[Request]:
    """Execute the first lines of emails before any transaction, as long as they only read.

    A line that reads after a line that writes must show its changes, so it runs in the email's
    transaction.  The bug of a line is raised, as there.
    """
    if not any(each.lines and reads_only(each.lines[0]) for each in requests):
        return list(requests)
    found: list[Request] = []
    with reading(engine) as connection, one_by_one() as turn_to:
        for each in requests:
            turn_to(each.incoming)
            lines = list(takewhile(reads_only, each.lines))
            done = _in_order(lines, context_for(connection, each))
            found.append(replace(each, done=tuple(done)))
    return found


def _in_order(lines: Sequence[Line], context: Context, clear: Clear = _uncleared) -> list[Outcome]:
    """Execute lines in order; after much CPU time, lines that only read are refused."""
    outcomes: list[Outcome] = []
    # The watchdog's timer makes this clock slow on Linux: 0.3 ms.
    begun = thread_time() if len(lines) > 1 else 0.0
    for line in lines:
        if outcomes and reads_only(line) and thread_time() - begun > MOST_SECONDS:
            outcomes.append(Outcome(line.shown, refusal=Refused("too_much_asked")))
        else:
            outcomes.append(carried_out(line, context, clear))
        if outgoing_text.is_told_of_gaps(outcomes[-1].letters):  # once is enough
            context = replace(context, kept_back=())
    return outcomes


def _told_of_address(parsed: click.Context, context: Context) -> list[Letter]:
    """The letter to a player whose letter was answered from an address of somebody else.

    Everybody who has a letter has its token.  So the player is told when it is used elsewhere.
    """
    shown = context.credentials.shown_by(parsed.params)
    if not isinstance(shown, Identity) or shown.board is None or shown.player in context.owners:
        return []
    told: AnsweredElsewhere = {
        "board": shown.board,
        "address": context.sender,
        "command": parsed.command.name or "",
    }
    return [ANSWERED_ELSEWHERE.to(shown.player, told, shown.board)]


def _note_of_restore(work: UnitOfWork, outcomes: Sequence[Outcome]) -> None:
    """Alert the operator to a valid token for a future move: nobody reported a restore."""
    for refusal in filter(None, (each.refusal for each in outcomes)):
        if refusal.code == "move_ahead":
            about = f"board {refusal.facts['board']}"
            operator_alerts.note(work.connection, "restored", about, "", work.now)


def answered_to(
    request: Request,
    context: Context,
    tokens: Tokens,
    confirmed: Sequence[Confirmation],
    written_from: Sequence[Any],
) -> tuple[list[Outcome], OutgoingLetters]:
    """Execute the lines of a person's email in order; returns their outcomes, and the letters.

    `confirmed` is the result of `sender_trust.confirming`, and `written_from` are the rows of the
    sender's address.
    """
    context = _with_writer(context, request, written_from)
    context = replace(context, kept_back=untold(context, request.mail.below))
    _let_it_prove_once(context)
    players = confirmed_by(written_from)
    woken: Sequence[Woken] = ()
    if not all(line.trace == PAUSE for line in request.lines):
        woken = suppression.heard_from(context, written_from, request.credentials.account)
    sender_among = partial(
        of_request,
        context.connection,
        request,
        now=context.now,
        confirmed=confirmed,
        owners=context.owners,
    )
    allowed = unproven_limits.bounded(request, context, players, partial(sender_among, players))
    lines = allowed[len(request.done) :]
    clear = outgoing_text.clearing(context, tokens)
    outcomes = [*request.done, *_in_order(lines, context, clear)]
    _note_of_restore(context, outcomes)
    answering = with_token_of_answer(request, tokens, _move_for_answer(request, context))
    letters = _letters(answering, context, outcomes, woken, is_player=bool(players))

    def sender() -> Sender:
        if any(map(_may_write, lines)):  # they may have changed whose address it is
            return sender_among(
                accounts.players_of_address(context.connection, request.mail.sender)
            )
        return sender_among(players)

    asking = asked_moves.asking(outgoing_text.in_one_letter(letters, context), tokens)
    return outcomes, leaving(request, context, outcomes, asking, sender)


def _letters(
    request: Request,
    context: Context,
    outcomes: Sequence[Outcome],
    woken: Sequence[Woken],
    *,
    is_player: bool,
) -> list[Letter]:
    """The letters about the lines, about pauses of addresses, and to players who are back."""
    letters: list[Letter] = []
    if not all(map(is_unknown, outcomes)):
        letters = with_tokens_for_replies(letters_of(outcomes, request), request, context.owners)
    elif said := refused_move_text.refusal_of_reply(context):
        # A reply to our question would be refused.
        letters = [refused(Outcome(outcomes[0].shown if outcomes else "", refusal=said))]
    elif not woken or request.wants_help:
        # A few words of a person who is back need no question what they mean.
        turn = refused_move_text.turn_of_reply(context, is_help=request.wants_help)
        possible = _possible(context)
        asked = unsure(outcomes, request, possible, is_player=is_player, on_turn=turn)
        asked = wanted_games.offered(asked, request, context)
        letters = [language_answers.answered(asked, request, context)]
    letters = reply_notes.noted(letters, request, context, partial(_possible, context))
    account = request.credentials.account
    if account is not None:
        letters = [*letters, *suppression.news(context, account)]
    return [*letters, *suppression.welcomed(context, woken)]


def _move_for_answer(request: Request, context: Context) -> int | None:
    return refused_move_text.coming_move(context) if request.wants_help else None


def _possible(context: Context) -> PossibleMoves:
    """What the player may do now who answers a game letter."""
    answered = context.answered
    if answered is None or answered.is_void or answered.board is None:
        return PossibleMoves()
    return possible_moves(context.connection, answered.board, answered.player)


def _with_writer(context: Context, request: Request, written_from: Sequence[Any]) -> Context:
    """The context of an email with the players of its address, without players if it is forged."""
    confirmed = (each.player_id for each in written_from if each.confirmed_at is not None)
    owners = frozenset() if request.mail.refuted else frozenset(confirmed)
    mail = request.mail
    return replace(
        context, owners=owners, proof=mail.proof, answered=request.answered, refuted=mail.refuted
    )


def _let_it_prove_once(context: Context) -> None:
    """Let an email prove its sender only once, under any Message-ID."""
    if context.credentials.by_address and context.proof and not proves_once(context):
        context.credentials.distrust_address()


def at_shell(
    line: Line, context: Context, tokens: Tokens
) -> tuple[Outcome, list[Letter], list[Letter]]:
    """Execute a line of a shell; returns its outcome, the user's letters, and letters to send."""
    if isinstance(line.parsed, click.Context) and is_taken_back_by(line.parsed, context.message):
        return Outcome(line.shown, refusal=Refused("taken_back")), [], []
    outcome = carried_out(line, context, partial(outgoing_text.cleared, context, tokens))
    # The command has checked the password, and only now says whose it is.
    account, player = context.credentials.account, context.credentials.player
    mine = [each for each in outcome.letters if each.to in {None, player}]
    mails = [each for each in outcome.letters if each.to is not None]
    if account is not None and not outcome.refusal:
        mails += suppression.welcomed(context, suppression.heard_from(context, (), account))
        mine += suppression.news(context, account)
    return outcome, mine, mails
