"""What the database knows of the senders of emails, asked in one statement for all of a batch.

The answer is from before the transaction in which the emails are executed.  So it counts only for
emails of the same batch.  It ends once one of them may have changed whose an address is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, literal, null, select, union_all

from pbmserv.database import value_lists
from pbmserv.database.models import Address, Ban
from pbmserv.database.prepared_statements import Prepared
from pbmserv.deliverability import suppression
from pbmserv.monitoring import action_log
from pbmserv.players import bans

SenderAddresses: TypeAlias = tuple[str | None, ...]
"""The addresses of a sender: that of the From first, then that of the envelope; () for nobody."""
_EMERGENCY = "an emergency"  # no ban has a blank
_SENDERS = "sender"  # the name of the parameters with addresses
_NOTHING = [null() for _ in suppression.ROWS.selected_columns]


@cache
def _known(senders: int, names: int) -> Prepared:
    """The query for so many addresses of senders, which bans may cover by so many names."""
    theirs = Address.address.in_(value_lists.parameters(_SENDERS, senders))
    return Prepared(
        union_all(
            suppression.ROWS.where(theirs).add_columns(null().label("ban")),
            select(*_NOTHING, Ban.pattern).where(bans.is_covering(names)),
            select(*_NOTHING, literal(_EMERGENCY)).where(action_log.IS_EMERGENCY),
        )
    )


class KnownSender(NamedTuple):
    """The ban that covers a sender ("" for none), and the rows of the address.

    `is_emergency`: the state of emergency is on.
    """

    ban: str
    rows: Sequence[Any]
    is_emergency: bool


NOBODY = KnownSender("", (), is_emergency=False)


def known_senders(
    connection: Connection, senders: Sequence[SenderAddresses], now: int
) -> list[KnownSender]:
    """What is known of each of these senders; `now` in seconds since 1970."""
    written = [each[0].lower() if each and each[0] else "" for each in senders]
    asked, names = list(set(written)), bans.names_of(senders)
    given = value_lists.named(_SENDERS, asked) | value_lists.named(bans.NAMES, names)
    query = _known(value_lists.size_for(asked), value_lists.size_for(names))
    rows = query.rows(connection, {**given, "now": now})
    found = [each.ban for each in rows if each.ban]
    is_emergency = _EMERGENCY in found
    return [
        KnownSender(
            bans.first_of(found, addresses),
            sorted((each for each in rows if each.address == one), key=lambda each: int(each.id)),
            is_emergency,
        )
        for one, addresses in zip(written, senders, strict=True)
    ]
