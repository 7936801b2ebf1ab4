"""Both queues for the operator: incoming emails and outgoing letters.

An email is named `in3`, a letter `out17`.  The output has no secrets: only harmless headers of an
email, and only the metadata of a letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sqlalchemy import Engine, RowMapping, Table, bindparam, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.errors import Refused
from pbmserv.intake.kept_emails import crashing_emails, inbox
from pbmserv.maintenance.message_trace import without_token
from pbmserv.security.tokens import blanked

Entry: TypeAlias = Mapping[str, Any]  # its name, and its metadata as `_SHOWN` names them

_TABLES: dict[str, Table] = {
    "in": models.Base.metadata.tables["inbox"],
    "out": models.Base.metadata.tables["outbox"],
}
_RAW = select(models.InboxMail.raw).where(models.InboxMail.id == bindparam("mail"))
_FINISHED = {inbox.DONE, states.SENT, states.RETURNED, inbox.DROPPED}
_SHOWN = {
    "in": (
        "state",
        "sender",
        "recipient",
        "transport",
        "message_id",
        "received_at",
        "tries",
        "reason",
    ),
    "out": ("state", "address", "kind", "board_id", "written_at", "due_at", "tries", "reason"),
}


def listed(engine: Engine, *, everything: bool) -> list[Entry]:
    """Every email and letter that waits or failed; all of them on demand."""
    found = []
    with reading(engine) as connection:
        for side, table in _TABLES.items():
            query = select(table).order_by(table.c.id)
            if not everything:
                query = query.where(table.c.state.not_in(_FINISHED))
            found += [_entry(side, row) for row in connection.execute(query).mappings()]
    return found


def _entry(side: str, row: RowMapping) -> Entry:
    """The metadata of an email or a letter, without tokens."""
    entry = {"name": f"{side}{row['id']}", **{key: row[key] for key in _SHOWN[side]}}
    if side == "in":
        entry["recipient"] = blanked(row["recipient"])
        entry["message_id"] = without_token(row["message_id"])
    return entry


def shown(engine: Engine, name: str) -> list[str]:
    """One email or letter: its metadata, a name and a value on each line."""
    side, number = _parted(name)
    with reading(engine) as connection:
        query = select(_TABLES[side]).where(_TABLES[side].c.id == number)
        row = connection.execute(query).mappings().first()
    if row is None:
        raise Refused("no_such_entry", name=name)
    lines = []
    for key, value in _entry(side, row).items():
        if key.endswith("_at") and value is not None:
            lines.append(f"{key}: {datetime.fromtimestamp(value, UTC).isoformat()}")
        else:
            lines.append(f"{key}: {'' if value is None else value}")
    size = len(row["raw"] if side == "in" else row["payload"])
    lines.append(f"text kept: {size} bytes, not shown: it may have secrets")
    return lines


def retry(engine: Engine, names: Sequence[str], now: int) -> None:
    """Try emails or letters again now; raises Refused if a text was deleted.

    The count of an email's tries continues: one that was set aside gets one more.  Its writer, who
    was told of the failure, gets a further letter only on success.  An email that ended processes
    is opened once more: if it ends that one, too, it is set aside again.
    """
    mail = {"state": inbox.WAITING}
    letter = {"tries": 0, "state": states.DUE, "due_at": now}
    _change(engine, names, {"in": mail, "out": letter})


def drop(engine: Engine, names: Sequence[str]) -> None:
    """Drop emails or letters and delete their texts; raises Refused for one dropped before."""
    mail = {"state": inbox.DROPPED, "raw": b"", "credentials": ""}
    letter = {"state": states.DROPPED, "payload": ""}
    _change(engine, names, {"in": mail, "out": letter})


def _change(engine: Engine, names: Sequence[str], values: Mapping[str, Mapping[str, Any]]) -> None:
    """Change all of them, or none."""
    with writing(engine) as connection:
        for name in names:
            side, number = _parted(name)
            table = _TABLES[side]
            unfinished = table.c.state.not_in(_FINISHED)
            statement = update(table).where(table.c.id == number, unfinished).values(values[side])
            if connection.execute(statement).rowcount == 0:
                raise Refused("no_such_entry", name=name)
            if side == "in" and (raw := connection.execute(_RAW, {"mail": number}).scalar()):
                crashing_emails.allow_one_more(connection, raw)


def _parted(name: str) -> tuple[str, int]:
    for side in _TABLES:
        number = name.lower().removeprefix(side)
        if number != name.lower() and number.isascii() and number.isdigit():
            return side, int(number[:18])
    raise Refused("no_such_entry", name=name[:20])
