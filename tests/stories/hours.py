"""The hours of a story in which the server changes something, found by telling it on SQLite.

Hundreds of hours pass in a story, and in nearly all of them nothing is due.  A look at the clock
takes ten round trips to PostgreSQL.  So there the server looks in the hours in which the same story
changed a row on SQLite.  It looks in the hour before each, too.  It also looks in the last hour
before a player writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from sqlalchemy import Engine, event, update

from pbmserv.database import models
from pbmserv.database.engine import writing

HOUR = 3600


class Hours:
    """The hours in which rows changed, or are known to; `counts`: they are counted for `changed`.

    The pool's events count them: a connection has the number of rows that it has changed.
    """

    def __init__(self, engine: Engine, known: Collection[int] | None, *, counts: bool) -> None:
        self.changed: list[int] = []
        self._engine, self._counts = engine, counts and known is None
        self._known = None if known is None else frozenset(known)
        self._rows = self._before = 0
        self._listens = False

    def _taken(self, driver: sqlite3.Connection, *_: object) -> None:
        self._rows -= driver.total_changes
        driver.set_trace_callback(self._hear)

    def _hear(self, sql: str) -> None:
        if sql.startswith("UPDATE ticks "):  # of one row
            self._rows -= 1

    def _given_back(self, driver: sqlite3.Connection, *_: object) -> None:
        self._rows += driver.total_changes

    def is_idle(self, now: int) -> bool:
        """Whether nothing changes in this hour and in the next one."""
        return self._known is not None and not {now, now + HOUR} & self._known

    def begin(self, now: int, is_after_idle: bool) -> None:
        """Begin an hour; the server then believes that it looked at its clock an hour ago."""
        if self._counts and not self._listens:
            event.listen(self._engine, "checkout", self._taken)
            event.listen(self._engine, "checkin", self._given_back)
            self._listens = True
        self._before = self._rows
        if is_after_idle:
            with writing(self._engine, durable=False) as connection:
                connection.execute(update(models.Tick).values(ticked_at=now - HOUR))

    def end(self, now: int) -> None:
        """End the hour, and note whether rows have changed."""
        if self._rows > self._before:
            self.changed.append(now)
