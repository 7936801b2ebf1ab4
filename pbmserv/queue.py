"""Queue: both queues as the operator sees them, mails coming in and letters going out.

A mail is named `in3`, a letter `out17`.  What is shown holds no secret: a mail's text is shown
by its header's harmless lines only, a letter by its metadata.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Engine, Table, select, update

from pbmserv import inbox, models, outbox
from pbmserv.database import reading, writing
from pbmserv.errors import Refused

_TABLES: dict[str, Table] = {
    "in": models.Base.metadata.tables["inbox"],
    "out": models.Base.metadata.tables["outbox"],
}
_FINISHED = {inbox.DONE, outbox.SENT, outbox.RETURNED, inbox.DROPPED}
_SHOWN = {
    "in": ("state", "sender", "recipient", "door", "message_id", "received_at", "tries", "reason"),
    "out": ("state", "address", "kind", "board_id", "written_at", "due_at", "tries", "reason"),
}


def listed(engine: Engine, *, everything: bool) -> list[str]:
    """A line for every mail and letter that waits or failed; for all of them on demand."""
    lines = []
    with reading(engine) as connection:
        for side, table in _TABLES.items():
            query = select(table).order_by(table.c.id)
            if not everything:
                query = query.where(table.c.state.not_in(_FINISHED))
            for row in connection.execute(query).mappings():
                who = row["sender"] if side == "in" else row["address"]
                what = row["door"] if side == "in" else row["kind"]
                line = f"{side}{row['id']:<6} {row['state']:<8} {what:<16} {who}"
                lines.append(f"{line}  {row['reason']}".rstrip())
    return lines


def shown(engine: Engine, name: str) -> str:
    """One mail or letter: its metadata, a name and a value on each line."""
    side, number = _parted(name)
    with reading(engine) as connection:
        query = select(_TABLES[side]).where(_TABLES[side].c.id == number)
        row = connection.execute(query).mappings().first()
    if row is None:
        raise Refused("no_such_entry", name=name)
    lines = [f"name: {name}"]
    for key in _SHOWN[side]:
        value = row[key]
        if key.endswith("_at") and value is not None:
            value = datetime.fromtimestamp(value, UTC).isoformat()
        lines.append(f"{key}: {'' if value is None else value}")
    size = len(row["raw"] if side == "in" else row["facts"])
    lines.append(f"text kept: {size} bytes, not shown: it may hold secrets")
    return "\n".join(lines)


def retry(engine: Engine, name: str, now: int) -> None:
    """Have a mail or letter tried again now; raises Refused where its text is gone."""
    side, number = _parted(name)
    table = _TABLES[side]
    change: dict[str, object] = {"tries": 0}
    change |= {"state": inbox.WAITING} if side == "in" else {"state": outbox.DUE, "due_at": now}
    _change(engine, table, number, name, change)


def drop(engine: Engine, name: str) -> None:
    """Give a mail or letter up and blank its text; raises Refused where that is done."""
    side, number = _parted(name)
    blank: dict[str, object] = {"raw": b"", "vouched": ""} if side == "in" else {"facts": ""}
    _change(engine, _TABLES[side], number, name, {"state": inbox.DROPPED, **blank})


def _change(
    engine: Engine, table: Table, number: int, name: str, change: dict[str, object]
) -> None:
    unfinished = table.c.state.not_in(_FINISHED)
    statement = update(table).where(table.c.id == number, unfinished).values(change)
    with writing(engine) as connection:
        if connection.execute(statement).rowcount == 0:
            raise Refused("no_such_entry", name=name)


def _parted(name: str) -> tuple[str, int]:
    for side in _TABLES:
        number = name.lower().removeprefix(side)
        if number != name.lower() and number.isascii() and number.isdigit():
            return side, int(number[:18])
    raise Refused("no_such_entry", name=name[:20])
