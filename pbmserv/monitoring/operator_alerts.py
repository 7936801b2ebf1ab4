"""Alerts to the operator: code records incidents, and a letter reports them once a day at most.

Any module may record one, in the transaction in which it happens.  The scheduler puts all
unreported incidents into one letter.  The words for every kind are in `letters/`.  An incident has
names, addresses and the words of other programs, and never a secret.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sqlalchemy import Connection, delete, func, insert, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database.models import OperatorAlert
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import INCIDENTS, IncidentSection, Noted
from pbmserv.ratelimit import fixed_window
from pbmserv.security.tokens import blanked
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY

Kind: TypeAlias = Literal[
    "aside",
    "given_up",
    "undelivered",
    "budget",
    "paused",
    "mailbox",
    "clock",
    "sending",
    "restored",
    "broken",
]
"""The kinds of incidents, in this order:

- an email set aside; an email deleted after that; a letter that failed;
- replies that wait because a budget is used up; a paused address;
- a mailbox that cannot be fetched from, or an email in it that is too large or cannot be read;
- a clock that jumped or stood still; letters not sent because the disk could not be written;
- a reply to a letter that this database never wrote; anything else.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_KEPT = 200  # different ones of a kind; further ones are counted under the name ""
MOST_TOLD = 10  # of a kind in one letter
_LONGEST = 200


def note(connection: Connection, kind: Kind, about: str, why: str, now: int) -> None:
    """Record an incident; a repetition before the operator is told increases its count.

    `about` names it: an address, an entry of the queue.  `why` is what a program said, or "".
    Tokens of letters in either are blanked; a password must not be in them.
    """
    about, why = _plain(about), _plain(why)
    if not _count_again(connection, kind, about, why, now):
        kept = select(func.count()).select_from(OperatorAlert).where(OperatorAlert.kind == kind)
        if connection.execute(kept).scalar_one() >= MOST_KEPT:
            about = why = ""
            if _count_again(connection, kind, about, why, now):
                return
        row = {"kind": kind, "about": about, "why": why, "first_at": now, "last_at": now}
        connection.execute(insert(OperatorAlert).values(**row, count=1))


def _count_again(connection: Connection, kind: Kind, about: str, why: str, now: int) -> bool:
    """Increase the count of an incident that is on record; False if there is none."""
    known = update(OperatorAlert).where(OperatorAlert.kind == kind, OperatorAlert.about == about)
    change = known.values(why=why, last_at=now, count=OperatorAlert.count + 1)
    return connection.execute(change).rowcount > 0


def _plain(text: str) -> str:
    """The text on one line, without tokens, cut to a maximum length."""
    return blanked(" ".join("".join(c if c.isprintable() else " " for c in text).split()))[
        :_LONGEST
    ]


# The incidents that are not reported yet: built once, because each tick asks for them.
UNTOLD = select(OperatorAlert.kind)


def letter(work: UnitOfWork) -> list[Letter]:
    """The letter to the operator about all incidents; none if one went out within a day.

    Without an operator's address everything stays on record: `pbmserv doctor` shows it.
    """
    if not (noted := untold(work.connection)):
        return []
    if not may_be_sent(work.connection, work.settings, work.now):
        return []
    fixed_window.note(work.connection, "operator", "", DAY, work.now)
    work.connection.execute(delete(OperatorAlert))
    return [INCIDENTS.to(work.settings.operator, {"sections": noted})]


def may_be_sent(connection: Connection, settings: Settings, now: int) -> bool:
    """Whether the operator has an address, and got no letter about incidents within a day."""
    return bool(settings.operator) and fixed_window.allowed(connection, "operator", "", 1, DAY, now)


def untold(connection: Connection) -> list[IncidentSection]:
    """The unreported incidents by kind: how often, and the latest of each."""
    rows = (
        connection.execute(select(OperatorAlert).order_by(OperatorAlert.last_at.desc()))
        .mappings()
        .all()
    )
    sections: list[IncidentSection] = []
    for kind in KINDS:
        mine: list[Noted] = [
            {
                "about": row["about"],
                "why": row["why"],
                "count": row["count"],
                "last_at": row["last_at"],
            }
            for row in rows
            if row["kind"] == kind
        ]
        if mine:
            named = [row for row in mine if row["about"]][:MOST_TOLD]
            sections.append(
                {
                    "kind": kind,
                    "count": sum(row["count"] for row in mine),
                    "rows": named,
                    "more": sum(row["count"] for row in mine) - sum(row["count"] for row in named),
                }
            )
    return sections
