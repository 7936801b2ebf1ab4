"""Incidents: what the operator should know of, noted where it happens and told once a day at most.

Anything may note one, in the transaction in which it happens.  The clock's tick makes one letter
of all that nobody was told of yet.  The words for every kind stand in `letters/`; what is noted
here are names, addresses and the words of other programs, and never a secret.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sqlalchemy import Connection, delete, func, insert, select, update

from pbmserv.context import Context
from pbmserv.database.models import OperatorAlert
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import INCIDENTS, Noted, Section
from pbmserv.ratelimit import fixed_window
from pbmserv.security.tokens import blanked
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
"""A mail set aside; one given up after that; a letter that failed; replies that wait because a
budget is used up; an address paused; a mailbox that mail is fetched from in trouble, or a mail in
it that is too large or cannot be read; a clock that jumped or stood still; letters that were not
sent because nothing could be written; a reply to a letter that this database never wrote; anything
else."""

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_KEPT = 200  # different ones of a kind; what comes after that is counted under the name ""
MOST_TOLD = 10  # of a kind in one letter
_LONGEST = 200


def note(connection: Connection, kind: Kind, about: str, why: str, now: int) -> None:
    """Note that something happened; the same again, before the operator was told, is counted.

    `about` names it: an address, an entry of the queue.  `why` is what a program said, or "".
    Letters' tokens in either are blanked; a password must not stand there.
    """
    about, why = _plain(about), _plain(why)
    if not _counted(connection, kind, about, why, now):
        kept = select(func.count()).select_from(OperatorAlert).where(OperatorAlert.kind == kind)
        if connection.execute(kept).scalar_one() >= MOST_KEPT:
            about = why = ""
            if _counted(connection, kind, about, why, now):
                return
        row = {"kind": kind, "about": about, "why": why, "first_at": now, "last_at": now}
        connection.execute(insert(OperatorAlert).values(**row, count=1))


def _counted(connection: Connection, kind: Kind, about: str, why: str, now: int) -> bool:
    """Count one more of what was noted before; False if it was not."""
    known = update(OperatorAlert).where(OperatorAlert.kind == kind, OperatorAlert.about == about)
    change = known.values(why=why, last_at=now, count=OperatorAlert.count + 1)
    return connection.execute(change).rowcount > 0


def _plain(text: str) -> str:
    """On one line, without tokens, and not long."""
    return blanked(" ".join("".join(c if c.isprintable() else " " for c in text).split()))[
        :_LONGEST
    ]


def letter(context: Context) -> list[Letter]:
    """The letter to the operator about all that was noted; none where one went out within a day.

    Without an operator's address everything stays noted: `pbmserv doctor` shows it.
    """
    address = context.settings.operator
    if not address or not (noted := untold(context.connection)):
        return []
    if not fixed_window.allowed(context.connection, "operator", "", 1, DAY, context.now):
        return []
    fixed_window.note(context.connection, "operator", "", DAY, context.now)
    context.connection.execute(delete(OperatorAlert))
    return [INCIDENTS.to(address, {"sections": noted})]


def untold(connection: Connection) -> list[Section]:
    """What was noted and not told yet, by kind: how often, and the latest of each."""
    rows = (
        connection.execute(select(OperatorAlert).order_by(OperatorAlert.last_at.desc()))
        .mappings()
        .all()
    )
    sections: list[Section] = []
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
