"""Traffic: who caused how many mails, letters and bytes, for the operator to see."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from pbmserv.database.models import InboxMail, OutboxLetter
from pbmserv.text.printable import printable

NOBODY = "time, or a shell"  # who causes letters that no mail led to
_LONGEST = 60  # characters of an address that are shown


@dataclass(frozen=True, slots=True)
class Caused:
    """What came from an address, and what was sent because of it: `size` is in bytes."""

    address: str
    mails: int = 0
    letters: int = 0
    size: int = 0


def since(connection: Connection, moment: int, most: int) -> list[Caused]:
    """Who caused most letters since a moment (seconds since 1970): `most` rows, the busiest first.

    A letter counts for whoever wrote the mail that it follows from.  Its bytes count once it has
    left.
    """
    mail, letter = InboxMail, OutboxLetter
    came = select(mail.sender, func.count()).where(mail.received_at > moment).group_by(mail.sender)
    mails: dict[str | None, int] = {}
    for sender, count in connection.execute(came):
        mails[sender] = count
    caused = (
        select(mail.sender, func.count(), func.sum(letter.size))
        .select_from(letter)
        .outerjoin(mail, mail.id == letter.mail)
        .where(letter.written_at > moment)
        .group_by(mail.sender)
    )
    found: dict[str | None, Caused] = {
        sender: Caused("", letters=letters, size=int(size or 0))  # a decimal, by PostgreSQL
        for sender, letters, size in connection.execute(caused)
    }
    rows = [
        Caused(_named(sender), mails.get(sender, 0), each.letters, each.size)
        for sender in {*mails, *found}
        for each in [found.get(sender, Caused(""))]
    ]
    return sorted(rows, key=lambda row: (-row.letters, -row.mails, row.address))[:most]


def _named(sender: str | None) -> str:
    if sender is None:
        return NOBODY
    return printable(sender, _LONGEST) or "the null sender"
