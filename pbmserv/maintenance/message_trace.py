"""Trace an email: who sent it, what it did, and where its letters went.

All of this is stored as metadata only, for as long as the setting `keep_days` says.  It has no
passwords and no tokens.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Connection, Engine, func, or_, select

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.database.engine import reading
from pbmserv.database.models import (
    Address,
    DeliveryAttempt,
    InboxMail,
    OutboxLetter,
    Player,
    states,
)
from pbmserv.errors import Refused
from pbmserv.intake.kept_emails import inbox
from pbmserv.lobby import moderation
from pbmserv.monitoring import action_log
from pbmserv.players import bans
from pbmserv.security.tokens import blanked
from pbmserv.text.numbers import whole

Row: TypeAlias = Mapping[str, Any]

# The Message-IDs that `outbox.outgoing_email` writes: the row, its time, a token.
_OURS = re.compile(r"<?([0-9]{1,18})\.([0-9]{1,18})\.[^<>@]*(@[^<>]*)?>?")
_ENTRY = re.compile(r"(in|out)([0-9]{1,18})", re.IGNORECASE)
_ABOUT = re.compile(r"; about out([0-9]{1,18})$")
_LONGEST_WORD = 60  # of the quoted text in a refusal


class Trace(NamedTuple):
    """The acts, emails and letters that were found, as rows of the database, oldest first.

    `tries` has the failed attempts for a letter, by its number.  `older_mails`, `older_letters` and
    `older_acts` are how many match as well, but are older than the newest that were asked for.
    """

    acts: Sequence[Row]
    mails: Sequence[Row]
    letters: Sequence[Row]
    tries: Mapping[int, Sequence[Row]]
    older_mails: int
    older_letters: int
    older_acts: int = 0


def traced(engine: Engine, what: str, most: int) -> list[str]:
    """What `found` finds, in lines for the operator."""
    trace = found(engine, what, most)
    lines = [
        f"act  {_moment(each['at'])}  {each['who']}: {each['what']}"
        + (f" {each['about']}" if each["about"] else "")
        + (f", board {each['board']}" if each["board"] else "")
        + (f" ({each['why']})" if each["why"] else "")
        for each in trace.acts
    ]
    lines += _left_out(trace, most)
    return [*lines, *[""] * bool(lines), *_in_order(trace.mails, trace.letters, trace.tries)]


def _left_out(trace: Trace, most: int) -> Iterator[str]:
    """A line that says how many acts, emails and letters are left out, if there are any."""
    older = {
        "act": trace.older_acts,
        "email": trace.older_mails,
        "letter": trace.older_letters,
    }
    said = [f"{n} older {what}{'s' if n > 1 else ''}" for what, n in older.items() if n]
    if said:
        everything = f"--most {most + max(older.values())}"
        *first, last = said
        told = f"{', '.join(first)} and {last}" if first else last
        yield f"Not shown: {told}. To see them: {everything}"


def found(engine: Engine, what: str, most: int) -> Trace:
    """The `most` newest emails and letters that `what` names, oldest first.

    `what` is a Message-ID (of an email or a letter), the number of a board, or an address.  It may
    also be an entry of the queue such as in3, or a userid (for all confirmed addresses).  Acts of
    the operator or of other players on the board or the player come first.  They include bans of a
    whole domain or pattern.  The word "emergency" shows when that state was switched on and off.

    Raises Refused `nothing_to_trace`.
    """
    with reading(engine) as connection:
        acts, older_acts = _acts(connection, what.strip(), most)
        mails, letters, older_mails, older_letters = _found(connection, what.strip(), most)
        if not mails and not letters and not acts:
            raise Refused("nothing_to_trace", what=blanked(what)[:_LONGEST_WORD])
        tries: dict[int, list[Row]] = defaultdict(list)
        wanted = [each["id"] for each in letters]
        for row in connection.execute(
            select(DeliveryAttempt)
            .where(DeliveryAttempt.letter_id.in_(wanted))
            .order_by(DeliveryAttempt.id)
        ).mappings():
            tries[row["letter_id"]].append(dict(row))
    return Trace(acts, mails, letters, tries, older_mails, older_letters, older_acts)


def _acts(connection: Connection, what: str, most: int) -> tuple[Sequence[Row], int]:
    """The acts on a board, or on and by the player of a name; and how many more are older."""
    known = _names_of(connection, what)
    named = action_log.named(connection, moderation.BAN, moderation.UNBAN)
    covering = [ban for ban in named if any(bans.is_covered(ban, each) for each in known)]
    board = whole(what, LARGEST_NUMBER)
    words = [*known, *covering]
    acts = action_log.of(connection, words, board, most)
    return acts, action_log.count(connection, words, board) - len(acts)


def _names_of(connection: Connection, what: str) -> list[str]:
    """The given name, with the userids and addresses of the player who has it."""
    row, address = Player, Address
    query = select(row.userid, address.address).join(address, address.player_id == row.id)
    theirs = query.where(or_(address.address == what.lower(), row.userid_key == what.lower()))
    pairs = connection.execute(theirs.where(address.confirmed_at.is_not(None))).all()
    return [*dict.fromkeys([what, what.lower(), *(name for pair in pairs for name in pair)])]


def _found(
    connection: Connection, what: str, most: int
) -> tuple[Sequence[Row], Sequence[Row], int, int]:
    """The matching emails and letters, with those that they caused or follow from.

    The numbers are how many emails and letters match as well, but are older.
    """
    which_mails, which_letters = _meant(what, _addresses(connection, what))
    mails = _rows(connection, InboxMail, which_mails, most)
    meant, about = {row["id"] for row in mails}, {_about(row) for row in mails} - {None}
    led_to = or_(which_letters, OutboxLetter.mail.in_(meant), OutboxLetter.id.in_(about))
    letters = _rows(connection, OutboxLetter, led_to, most)
    older_mails = _count(connection, InboxMail, which_mails) - len(mails)
    older_letters = _count(connection, OutboxLetter, led_to) - len(letters)
    before = {row["mail"] for row in letters} - {None}
    after = _came_back(connection, {row["id"] for row in letters})
    which_mails = InboxMail.id.in_({*meant, *before, *after})
    return _rows(connection, InboxMail, which_mails, most), letters, older_mails, older_letters


def _came_back(connection: Connection, letters: Set[int | None]) -> list[int]:
    """The reports, complaints and unsubscribe requests about these letters."""
    row = InboxMail
    query = select(row.id, row.reason, row.state).where(row.reason.like("%; about out%"))
    rows = map(dict, connection.execute(query).mappings())
    return [row["id"] for row in rows if _about(row) in letters]


def _about(mail: Row) -> int | None:
    """The letter that an email was about, as `bounces` notes it for a processed one."""
    found = _ABOUT.search(mail["reason"]) if mail["state"] == inbox.DONE else None
    return int(found[1]) if found else None


def _addresses(connection: Connection, what: str) -> list[str]:
    """An address, or the addresses of the player of a userid."""
    if "@" in what:
        return [what.lower()]
    return [each for each in _names_of(connection, what) if "@" in each]


def _meant(what: str, addresses: Sequence[str]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The conditions for emails and for letters that match."""
    nothing = InboxMail.id < 0
    if (board := whole(what, LARGEST_NUMBER)) is not None:
        return InboxMail.board == board, OutboxLetter.board_id == board
    if entry := _ENTRY.fullmatch(what):
        number = int(entry[2])
        if entry[1].lower() == "in":
            return InboxMail.id == number, OutboxLetter.id < 0
        return nothing, OutboxLetter.id == number
    if ours := _OURS.fullmatch(what):
        of_ours = (OutboxLetter.id == int(ours[1])) & (OutboxLetter.written_at == int(ours[2]))
        return _is_numbered(what), of_ours
    theirs = or_(InboxMail.sender.in_(addresses), InboxMail.envelope_sender == what)
    return or_(_is_numbered(what), theirs), OutboxLetter.address.in_([what, *addresses])


def _is_numbered(what: str) -> ColumnElement[bool]:
    return InboxMail.message_id.in_([what, f"<{what.strip('<>')}>"])


def _rows(
    connection: Connection, model: type[InboxMail | OutboxLetter], which: Any, most: int
) -> Sequence[Row]:
    query = select(model.__table__).where(which).order_by(model.id.desc()).limit(most)
    return [dict(row) for row in connection.execute(query).mappings()][::-1]


def _count(connection: Connection, model: type[InboxMail | OutboxLetter], which: Any) -> int:
    return int(connection.execute(select(func.count(model.id)).where(which)).scalar_one())


def _in_order(
    mails: Sequence[Row], letters: Sequence[Row], tries: Mapping[int, Sequence[Row]]
) -> Iterator[str]:
    """Everything in order of time, with an email's letters below it."""
    by_mail = defaultdict(list)
    for letter in letters:
        by_mail[letter["mail"]].append(letter)
    known = {mail["id"] for mail in mails}
    others = [letter for letter in letters if letter["mail"] not in known]
    entries = [(mail["received_at"], mail["id"], mail) for mail in mails]
    entries += [(letter["written_at"], letter["id"], letter) for letter in others]
    for _, number, row in sorted(entries, key=lambda each: each[:2]):
        if "raw" in row:
            yield from _mail(row)
            for letter in by_mail[number]:
                yield from (f"  {line}" for line in _letter(letter, tries[letter["id"]]))
        else:
            yield from _letter(row, tries[number])
            yield f"  {_cause(row)}"
        yield ""


def _cause(letter: Row) -> str:
    if letter["mail"] is None:
        return "caused by time or by a command at a shell, not by an email"
    return f"caused by the email in{letter['mail']}, which is now deleted"


def _mail(row: Row) -> Iterator[str]:
    number = without_token(row["message_id"])
    yield f"email in{row['id']}  {_moment(row['received_at'])}  {number}"
    envelope = {None: "no envelope", "": "the null sender"}.get(
        row["envelope_sender"], f"envelope {row['envelope_sender']}"
    )
    yield f"  came by {row['transport']} from {row['sender'] or 'nobody'} ({envelope})"
    yield f"  for {blanked(row['recipient']) or 'an unknown recipient'}"
    if row["state"] == inbox.DONE:
        yield f"  read as: {row['reason'] or 'no command'}"
    else:
        said = {inbox.WAITING: "waits", inbox.ASIDE: "set aside", inbox.DROPPED: "dropped"}
        yield f"  {said[row['state']]}, tried {row['tries']} times: {row['reason']}"


def without_token(message_id: str) -> str:
    """A Message-ID as it may be shown: one of our letters without its token."""
    return blanked(message_id) if _OURS.fullmatch(message_id) else message_id


def _letter(row: Row, tries: Sequence[Row]) -> Iterator[str]:
    board = f", board {row['board_id']}" if row["board_id"] else ""
    written = _moment(row["written_at"])
    yield f"letter out{row['id']}  {written}  {row['kind']} to {row['address']}{board}"
    for each in tries:
        when = _moment(each["first_at"])
        if each["count"] > 1:
            when += f" to {_moment(each['last_at'])}, {each['count']} times"
        yield f"  not accepted {when}: {each['answer']}"
    if row["state"] == states.SENT:
        yield f"  sent {_moment(row['due_at'])}{': ' if row['reason'] else ''}{row['reason']}"
    elif row["state"] == states.RETURNED:
        yield f"  sent {_moment(row['due_at'])}, and bounced: {row['reason']}"
    elif row["state"] == states.DUE:
        yield f"  due {_moment(row['due_at'])}"
    else:
        is_told = row["reason"] in {"", *(each["answer"] for each in tries)}
        yield f"  {row['state']}" if is_told else f"  {row['state']}: {row['reason']}"


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
