"""Traffic: who caused how many emails, letters and bytes, for the operator."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from pbmserv.database.models import InboxMail, OutboxLetter
from pbmserv.fast_dataclasses import dataclass
from pbmserv.text.printable import printable

NOBODY = "time, or a shell"  # causes of letters that follow no email
_LONGEST = 60  # characters of an address that are shown


@dataclass(frozen=True, slots=True)
class Caused:
    """The emails from an address, and the letters they caused: `size` is in bytes."""

    address: str
    mails: int = 0
    letters: int = 0
    size: int = 0


def since(connection: Connection, moment: int, most: int) -> list[Caused]:
    """Who caused most letters since a moment (seconds since 1970): `most` rows, the busiest first.

    A letter counts for the writer of the email that it follows from.  Its bytes count once it has
    been sent.
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
        sender: Caused("", letters=letters, size=int(size or 0))  # PostgreSQL returns a decimal
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
