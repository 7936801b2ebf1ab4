"""The rows of counters: several are read in one statement, and written in one.

A counter has a `what` and a `who`.  It has a row for each moment at which something happened, or
one row for a token bucket.  `fixed_window` and `token_bucket` say what its numbers mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TypeAlias

from sqlalchemy import Connection, and_, bindparam, delete, or_, select

from pbmserv.database.models import Counter
from pbmserv.database.prepared_statements import Prepared

Key: TypeAlias = tuple[str, str]
"""The `what` and the `who` of a counter."""
_LONGEST_WHO = 320
_OLD = delete(Counter).where(
    Counter.what == bindparam("kind"),
    Counter.who == bindparam("name"),
    Counter.since <= bindparam("before"),
)


class Counters:
    """Some counters of a transaction: read together, changed here, then written together.

    Nothing else may change them in between, so a transaction has them only for a short time.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: dict[Key, dict[int, int]] = {}
        self._old: dict[Key, int] = {}
        self._added: dict[tuple[str, str, int], int] = {}

    def load(self, keys: Iterable[Key]) -> None:
        """Read these counters in one statement, without those that are known."""
        wanted = {_stored(key) for key in keys} - self._rows.keys()
        if not wanted:
            return
        named = {}
        for place, (what, who) in enumerate(wanted):
            named[f"what{place}"], named[f"who{place}"] = what, who
            self._rows[what, who] = {}
        for what, who, since, count in _read(len(wanted)).rows(self._connection, named):
            self._rows[what, who][since] = count

    def rows(self, what: str, who: str) -> Mapping[int, int]:
        """The numbers of a counter, by their moments."""
        key = _stored((what, who))
        if key not in self._rows:
            self.load([key])
        return self._rows[key]

    def add(self, what: str, who: str, since: int, count: int) -> None:
        """Add to the number of a counter at a moment."""
        key = _stored((what, who))
        rows = self._rows.setdefault(key, {})
        rows[since] = rows.get(since, 0) + count
        self._added[*key, since] = self._added.get((*key, since), 0) + count

    def drop(self, what: str, who: str, before: int) -> None:
        """Delete the rows of a counter up to a moment."""
        key = _stored((what, who))
        old = [since for since in self.rows(*key) if since <= before]
        for since in old:
            del self._rows[key][since]
        if old:
            self._old[key] = before

    def write(self) -> None:
        """Write all changes: one statement, and one more if there are rows to delete."""
        if self._old:
            old = [
                {"kind": what, "name": who, "before": before}
                for (what, who), before in self._old.items()
            ]
            self._connection.execute(_OLD, old)
        if self._added:
            names = "what", "who", "since", "count"
            added = [
                dict(zip(names, (*key, count), strict=True)) for key, count in self._added.items()
            ]
            _add(self._connection.dialect.name).run(self._connection, *added)
        self._old, self._added = {}, {}


def _stored(key: Key) -> Key:
    what, who = key
    return what, who[:_LONGEST_WHO]


@cache
def _read(counters: int) -> Prepared:
    """The query for so many counters; its parameters are `what0`, `who0` and so on."""
    row = Counter
    each = (
        and_(row.what == bindparam(f"what{place}"), row.who == bindparam(f"who{place}"))
        for place in range(counters)
    )
    return Prepared(select(row.what, row.who, row.since, row.count).where(or_(*each)))


@cache
def _add(dialect: str) -> Prepared:
    """The upsert of a row; SQLAlchemy has a class for SQLite and one for PostgreSQL."""
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert(Counter)
    return Prepared(
        insert.on_conflict_do_update(
            index_elements=[Counter.what, Counter.who, Counter.since],
            set_={"count": Counter.count + insert.excluded.count},
        )
    )
