"""Detect connections in the pool that PostgreSQL has closed.

SQLAlchemy's own check (`pool_pre_ping`) asks the server at each checkout, a round trip for every
transaction.  A closed connection is noticed without one: then there is something to read.
"""

from __future__ import annotations

import select
import time
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError

_TRUSTED = 60.0  # seconds after a checkout; then a firewall may have forgotten the connection
_CHECKED_AT = "pbmserv_checked_at"


def replace_closed_connections(engine: Engine) -> None:
    """Have the pool of an engine open new connections in place of closed ones."""

    def check(driver: Any, record: Any, _proxy: object) -> None:
        now = time.monotonic()
        checked_at = record.info.get(_CHECKED_AT, now)
        record.info[_CHECKED_AT] = now
        try:
            if now - checked_at > _TRUSTED or _may_be_read(driver):
                engine.dialect.do_ping(driver)
        except driver.Error as error:
            raise InvalidatePoolError from error

    event.listen(engine, "checkout", check)


def _may_be_read(driver: Any) -> bool:
    """Whether there is something to read: a remark of PostgreSQL, or the end of the connection."""
    socket = select.poll()
    socket.register(driver.fileno(), select.POLLIN)
    return bool(socket.poll(0))
