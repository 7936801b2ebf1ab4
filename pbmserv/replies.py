"""Replies: whether a mail is answered, and from when on its answers may leave.

What a player did at a board is told to everybody there, always.  All else is an answer: it comes
out of the budget of its address and of that of the whole server.  Where one of them is used up,
the answer waits for its turn, and the operator hears of it.  So a machine that answers our
answers gets ever fewer of them; and the same complaint over and over again ends altogether, for
who has not heeded it ten times does not read it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from pbmserv import incidents, limits, outbox, players
from pbmserv.answers import Outcome, is_help, is_of_a_board, is_unknown
from pbmserv.budgets import turn
from pbmserv.desk import Letter
from pbmserv.settings import Settings
from pbmserv.terms import DAY
from pbmserv.tokens import Tokens, digest

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail

STRANGERS_DAILY = 1  # COMMANDS: "Unknown senders get at most one help letter a day"
STRANGERS_REFUSALS = 5  # a day, of commands of theirs: who signs up may mistype more than once
MOST_ALIKE = 10  # refusals or help in the very same words that one address gets in a day
PATIENCE = 3 * DAY  # an answer that would have to wait for longer is not written
STRANGERS_PATIENCE = DAY  # so that forged mails by thousands do not hold up the players' answers
EVERYBODY = "the whole server"  # has a blank: no address is called like this


def answer(
    connection: Connection,
    settings: Settings,
    tokens: Tokens,
    mail: Mail,
    number: int,
    letter: Letter,
    now: int,
    outcomes: Sequence[Outcome] = (),
) -> None:
    """Answer a mail (its number in the inbox) that was not carried out, if it may be answered."""
    letters = [letter]
    at = reply_at(connection, settings, mail.sender, now, outcomes, letters)
    if at is not None:
        reader = players.number_at(connection, mail.sender)
        answered = outbox.Answered(None, mail.sender, mail.message_id, reader, at)
        outbox.put(connection, letters, tokens, now, answered, number)


def reply_at(
    connection: Connection,
    settings: Settings,
    sender: str,
    now: int,
    outcomes: Sequence[Outcome],
    letters: Sequence[Letter],
) -> int | None:
    """From when on the answers to a mail may leave, in seconds since 1970; None: there are none.

    `outcomes` are what became of its lines, `letters` all that were written about them.
    """
    if not sender:
        return None
    if outcomes and all(is_of_a_board(done) for done in outcomes):
        return now
    known = players.player_of_address(connection, sender) is not None
    if all(done.refusal or is_help(done) for done in outcomes):
        if not _may_hear(connection, sender, outcomes, letters, now, is_player=known):
            return None
        if not _is_new(connection, sender, letters, now):
            return None
    others = {each.to for each in letters if isinstance(each.to, str)}
    daily = dict.fromkeys((sender, *sorted(others)), settings.answers_daily)
    daily[EVERYBODY] = settings.all_answers_daily
    patience = PATIENCE if known else STRANGERS_PATIENCE
    answers = max(1, sum(each.to is None for each in letters))
    taken = turn(connection, daily, now, patience, answers)
    if taken is None or taken.at > now:
        incidents.note(connection, "budget", taken.slowest if taken else sender, "", now)
    return taken.at if taken else None


def _may_hear(
    connection: Connection,
    sender: str,
    outcomes: Sequence[Outcome],
    letters: Sequence[Letter],
    now: int,
    *,
    is_player: bool,
) -> bool:
    """Whether a refusal or help may go there: to strangers few; one question about each yes."""
    for each in letters:
        if each.kind == "unsure" and each.facts["unconfirmed"]:
            return _counted(connection, "unconfirmed", digest(each.token), 1, now)
    if is_player:
        return True
    if any(done.refusal and done.shown and not is_unknown(done) for done in outcomes):
        return _counted(connection, "refused", sender, STRANGERS_REFUSALS, now)
    return _counted(connection, "stranger", sender, STRANGERS_DAILY, now)


def _is_new(connection: Connection, sender: str, letters: Sequence[Letter], now: int) -> bool:
    """Whether these refusals, or this help, are not all too often the same."""
    said = [(each.kind, dict(each.facts)) for each in letters if each.to is None]
    text = json.dumps([sender, said], sort_keys=True)
    alike = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _counted(connection, "alike", alike, MOST_ALIKE, now)


def _counted(connection: Connection, what: str, who: str, most: int, now: int) -> bool:
    if not limits.allowed(connection, what, who, most, DAY, now):
        return False
    limits.note(connection, what, who, DAY, now)
    return True
