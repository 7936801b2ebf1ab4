"""Answer limits: whether an email is answered, and when its answers may be sent.

Players are always told of moves at their boards.  All other letters are answers, with rate limits
(`outbox/letter_budgets.py`).  When a limit is reached, an answer waits, and the operator is
alerted.  The last answer within a daily quota says until when no more are sent.

A player who proves an email has separate limits, which nobody else can use up.  A From address can
be forged.  So an address of no player gets one short answer a day, which says how to go on.  A
sign-up with a mistake gets one more, because its writer needs it to sign up.  A player's address
gets few letters a day for unproven email, and the last one says so.  If the operator's mail server
says that a From is forged, there is no answer.  After ten equal answers there are no more, because
the reader ignores them or is a machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from pbmserv.context import Outcome
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.answering import last_answers
from pbmserv.intake.answering.answers import is_unknown
from pbmserv.intake.answering.stranger_answers import asks_again, is_refused_signup, short
from pbmserv.intake.sender_trust import Sender, Trust, of_mail
from pbmserv.letters import render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import STRANGER, UNSURE
from pbmserv.mail.addresses import mailbox
from pbmserv.monitoring import action_log, operator_alerts
from pbmserv.outbox import letter_budgets, queue
from pbmserv.outbox.held_letters import ASKING
from pbmserv.outbox.queue import OutgoingLetters
from pbmserv.players import accounts
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.ratelimit.token_bucket import BUCKET, Share, turn, turn_in
from pbmserv.security.tokens import Tokens, digest
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

STRANGERS_DAILY = 1  # short answers a day to an unknown sender
SIGNUPS_DAILY = 1  # the same, about sign-ups with a mistake
ELSEWHERE_DAILY = 10  # answers a day to one player at addresses of no player
MOST_ALIKE = 10  # answers a day with equal words to one address
MOST_SIMILAR = 40  # answers a day to the same command, in any words
PATIENCE, UNPROVEN_PATIENCE = 3 * DAY, DAY  # an answer that would wait for longer is not written
UNPROVEN, UNCONFIRMED = "unproven", "unconfirmed"  # what `fixed_window` counts
_BYTES = "unproven bytes"  # the same
_QUESTIONS = "questions of guests"  # the same
_SIGNUPS = "refused sign-ups"  # the same
_ALIKE, _SIMILAR = "alike", "similar"  # the same
_ELSEWHERE = "elsewhere"  # the same, for one writer at addresses of no player
# Why the address of an unproven sender gets few answers.
_STILL = {Trust.STRANGER: "stranger", Trust.ELSEWHERE: "elsewhere"}
LARGEST_UNPROVEN = 16 * 1024  # bytes of one answer to unproven email, on average
SMALL_PAYLOAD = 1000  # bytes of JSON
TEXT_OF_SMALL_PAYLOAD = 2048  # bytes of the longest text made of one
FORGED = "not answered: the mail server says that the sender is forged"
EMERGENCY = "not answered: the state of emergency is on, and the sender is a stranger"
NOT_ANSWERED = "not answered: this address has had its answers of the day"
# Answers to the owner of an account or an address, not to the sender.
_TO_OWNER = {"signoff", "confirmed"}


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
    """Answer an email (its id in the inbox) that was not executed, if it may be answered."""
    if mail.refuted or not mail.sender:
        return
    sender = of_mail(mail, accounts.players_of_address(connection, mail.sender))
    found = decided(connection, settings, sender, now, outcomes, [letter])
    answer = replace(
        found,
        address=mail.sender,
        message_id=mail.message_id,
        mail=number,
        writer=mail.writer,
    )
    queue.put_all(connection, [answer], tokens, now)


def decided(
    connection: Connection,
    settings: Settings,
    sender: Sender,
    now: int,
    outcomes: Sequence[Outcome],
    written: Sequence[Letter],
    *,
    is_emergency: bool | None = None,
) -> OutgoingLetters:
    """Decide which answers an email gets and when, and count them against quotas and budgets.

    All counters are read in one statement, and written in one.  `is_emergency`: whether the state
    of emergency is on; None if this is not known.
    """
    counters = Counters(connection)
    asking, asking_at = _asking(connection, settings, written, now)
    others = [each for each in written if each.kind not in ASKING and not _is_answer(each, sender)]
    wanted = [each for each in written if each.kind not in ASKING and _is_answer(each, sender)]
    brought = sum(_goes_to(each, sender) for each in (*asking, *others))
    answers = _answers_to(connection, sender, outcomes, wanted, is_emergency)
    why = NOT_ANSWERED if answers else EMERGENCY
    quotas = _quotas(sender, outcomes, answers, brought, settings.unproven_daily)
    kept, room = 0, list[int]()
    if answers or brought:
        kept = _load(counters, settings, sender, quotas, now)
        quotas = [_keeping(each, kept) for each in quotas]
        room = fixed_window.room_in(counters, quotas, DAY, now)
    answers = _within(answers, room, quotas, brought) if room else []
    answers, at = _in_turn(connection, counters, settings, sender, answers, now)
    if answers or brought:
        fixed_window.count_in(counters, _spent(quotas, answers, brought), DAY, now)
    counters.write()
    told = _going(written, [*asking, *others, *answers], answers)
    why = "" if answers or not wanted else why
    found = OutgoingLetters(told, at, asking_at, sender.reader, why, sender.is_one)
    if all(each.kind == STRANGER.name for each in told):  # it says itself that it is the only one
        return found
    alike = {_ALIKE: 1, _SIMILAR: 1, letter_budgets.OLD_LETTERS: len(answers)} if answers else {}
    unproven = {UNPROVEN: len(answers) + brought, _ELSEWHERE: len(answers)}
    still = _STILL.get(sender.trust, "reset" if kept else "nothing")
    for spent, said in ((unproven, still), (alike, "alike")):  # the second one counts for more
        until = last_answers.until(counters, quotas, room, spent, now)
        told = _ending(told, sender, said, until) if until else told
    return replace(found, letters=told)


def _ending(told: Sequence[Letter], sender: Sender, still: str, until: int) -> list[Letter]:
    theirs = [each for each in told if _is_answer(each, sender) or _goes_to(each, sender)]
    return last_answers.ending(told, theirs, still, until)


def _going(
    written: Sequence[Letter], going: Sequence[Letter], answers: Sequence[Letter]
) -> list[Letter]:
    """The letters that are `going`, in the order in which they were written; new answers last."""
    ids = set(map(id, going))
    told = [each for each in written if id(each) in ids]
    return told + [each for each in answers if not any(each is one for one in told)]


def _answers_to(
    connection: Connection,
    sender: Sender,
    outcomes: Sequence[Outcome],
    wanted: Sequence[Letter],
    is_emergency: bool | None,
) -> list[Letter]:
    """The answers; to a stranger one, in the state of emergency those that an owner waits for."""
    if sender.trust is not Trust.STRANGER:
        return list(wanted)
    answers = short(outcomes, wanted)
    if answers and is_emergency is None:
        is_emergency = action_log.is_emergency(connection)
    return [each for each in answers if each.kind in _TO_OWNER] if is_emergency else answers


def _load(
    counters: Counters, settings: Settings, sender: Sender, quotas: Sequence[Quota], now: int
) -> int:
    """Read the counters of an answer; returns how many letters are kept for a password reset."""
    keys = [(each.what, each.who) for each in quotas]
    keys += [(BUCKET, each.name) for each in _shares(settings, sender, [])[0]]
    if sender.trust is not Trust.CLAIMED:
        counters.load(keys)
        return 0
    counters.load([*keys, (letter_budgets.RESETS, sender.mailbox)])
    return letter_budgets.kept_for_reset(counters, settings, sender.mailbox, now)


def _keeping(quota: Quota, kept: int) -> Quota:
    """The quota, reduced by the `kept` letters that are reserved for a password reset."""
    size = {UNPROVEN: 1, _BYTES: LARGEST_UNPROVEN}.get(quota.what, 0)
    return replace(quota, most=quota.most - kept * size) if kept else quota


def _in_turn(
    connection: Connection,
    counters: Counters,
    settings: Settings,
    sender: Sender,
    answers: list[Letter],
    now: int,
) -> tuple[list[Letter], int]:
    """The answers, and when they may be sent; none if that is too late."""
    if not answers:
        return answers, now
    shares, patience = _shares(settings, sender, answers)
    found, is_taken = turn_in(counters, shares, now, patience)
    if found.at > now:
        mine = found.slowest.endswith(sender.account)
        about = sender.address if mine else found.slowest
        operator_alerts.note(connection, "budget", about, "", now)
    return (answers, found.at) if is_taken else ([], now)


def _is_answer(letter: Letter, sender: Sender) -> bool:
    to = letter.to
    return to is None or letter.kind in _TO_OWNER or (to == sender.address)


def _goes_to(letter: Letter, sender: Sender) -> bool:
    """Whether a letter that is not an answer goes to the player whose address an email claims.

    It counts as well.
    """
    if sender.trust is not Trust.CLAIMED:
        return False
    to = letter.to
    return mailbox(to) == sender.mailbox if isinstance(to, str) else to in sender.players


def _asking(
    connection: Connection, settings: Settings, written: Sequence[Letter], now: int
) -> tuple[list[Letter], int]:
    """The letters that ask addresses for a confirmation, and when they may be sent."""
    asking = [each for each in written if each.kind in ASKING]
    if not asking:
        return [], now
    shares = letter_budgets.of_confirmations(settings, [str(each.to) for each in asking])
    found, is_taken = turn(connection, shares, now, UNPROVEN_PATIENCE)
    if found.at > now:
        operator_alerts.note(connection, "budget", found.slowest, "", now)
    return (asking, found.at) if is_taken else ([], now)


def _quotas(
    sender: Sender,
    outcomes: Sequence[Outcome],
    answers: Sequence[Letter],
    brought: int,
    most: int,
) -> list[Quota]:
    """The daily quotas of these answers; the first counts letters to an address.

    `most` is how many letters unproven email may bring.
    """
    if answers and asks_again(answers[0]):
        asks = bool(answers[0].payload.get("asks"))  # a guest's question about the game
        return [Quota(_QUESTIONS if asks else UNCONFIRMED, digest(answers[0].token), 1)]
    if sender.trust is Trust.STRANGER:
        if not any(map(is_refused_signup, outcomes)):
            return [Quota(UNPROVEN, sender.mailbox, STRANGERS_DAILY, len(answers))]
        every = STRANGERS_DAILY + SIGNUPS_DAILY
        return [
            Quota(_SIGNUPS, sender.mailbox, SIGNUPS_DAILY, len(answers)),
            Quota(UNPROVEN, sender.mailbox, every, len(answers)),
        ]
    quotas = _alike(sender, outcomes, answers)
    if sender.trust is Trust.PROVEN:
        return quotas
    size = sum(map(letter_budgets.sent, map(_size_of, answers)))
    if sender.trust is Trust.ELSEWHERE:
        quotas.append(Quota(_ELSEWHERE, str(sender.writer), ELSEWHERE_DAILY, len(answers)))
    return [
        Quota(UNPROVEN, sender.mailbox, most, len(answers) + brought),
        Quota(_BYTES, sender.mailbox, most * LARGEST_UNPROVEN, size),
        *quotas,
    ]


def _alike(sender: Sender, outcomes: Sequence[Outcome], answers: Sequence[Letter]) -> list[Quota]:
    """The quotas for identical answers, and for answers to the same command.

    Machines vary their text, so both are counted.
    Each level of trust is counted separately, so a forger cannot use up a player's quota.
    """
    said = [(each.kind, _words(each)) for each in answers]
    asked = ["" if is_unknown(done) else done.shown for done in outcomes]
    kinds = [each.kind for each in answers]
    who = [sender.mailbox, sender.trust.name, sender.by_old_letter]
    return [
        Quota(_ALIKE, _digest([*who, said]), MOST_ALIKE),
        Quota(_SIMILAR, _digest([*who, asked, kinds]), MOST_SIMILAR),
        *letter_budgets.of_old_letters(sender.mailbox, len(answers) * sender.by_old_letter),
    ]


def _words(letter: Letter) -> dict[str, object]:
    """The payload of a letter without its token; almost nothing for a text that machines vary.

    The answer to a question is counted apart from questions what an email means.  A question about
    a move is counted for each move: other questions must not keep a player from moving.
    """
    if letter.kind == UNSURE.name:
        if letter.payload.get("is_move"):
            return {"move": letter.payload["nearest"]}
        return {"helps": True} if letter.payload.get("helps") else {}
    return {name: fact for name, fact in letter.payload.items() if name != "token"}


def _digest(said: list[object]) -> str:
    text = json.dumps(said, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _within(
    answers: Sequence[Letter], room: Sequence[int], quotas: Sequence[Quota], brought: int
) -> list[Letter]:
    """The answers that the quotas allow: all, the first ones, or none."""
    for each, left in zip(quotas, room, strict=True):
        if each.what == UNPROVEN:
            answers = answers[: max(0, left - brought)]
        elif left < each.times:
            return []
    return list(answers)


def _spent(quotas: Sequence[Quota], answers: Sequence[Letter], brought: int) -> list[Quota]:
    """The quotas to count.  If no answer is sent, only letters that are not answers count."""
    return [
        replace(each, times=len(answers) + brought) if each.what == UNPROVEN else each
        for each in quotas
        if answers or each.what == UNPROVEN
    ]


def _shares(
    settings: Settings, sender: Sender, answers: Sequence[Letter]
) -> tuple[list[Share], int]:
    """The shares of the answers in rate limits, and how long the answers may wait."""
    sizes = [_size_of(each) for each in answers]
    if sender.trust is Trust.PROVEN:
        return letter_budgets.of_player(settings, sender.account, sizes), PATIENCE
    claimed = sender.trust is Trust.CLAIMED
    shares = letter_budgets.of_claimed if claimed else letter_budgets.of_strangers
    return shares(settings, sizes), UNPROVEN_PATIENCE


def _size_of(letter: Letter) -> int:
    """The size in bytes of a letter's text, with its attachment.

    All small letters count as 2 KB: rendering one just to measure it would cost more than
    everything else here.
    """
    payload = json.dumps(letter.payload)
    if letter.kind in render.PAGES:
        return _size_of_page(letter.kind, payload)
    if len(payload) <= SMALL_PAYLOAD:
        return TEXT_OF_SMALL_PAYLOAD
    return _size(letter.kind, letter.payload)


@lru_cache(maxsize=128)
def _size_of_page(kind: str, payload: str) -> int:
    """The size of a letter that says the same to many readers, from its payload as JSON."""
    return _size(kind, json.loads(payload))


def _size(kind: str, payload: Mapping[str, Any]) -> int:
    words = render.word(kind, payload, DEFAULT_LANGUAGE)
    attached = words.attachment[1] if words.attachment else ""
    return len((words.text + attached).encode("utf-8", "replace"))
