"""Emails during which a process crashed or hung: after several times they are not opened.

`watchdog.py` beside it records the emails of a dead process.  The counts are read once, before the
first email, so that an email costs no query.  A suspected email is handled alone, and its count is
deleted when it is done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select

from pbmserv.database.engine import reading, writing
from pbmserv.database.models import Counter
from pbmserv.intake.kept_emails.watchdog import FOLDER, Left, TurnTo, Watchdog, digest_of
from pbmserv.mail.incoming import IncomingMail
from pbmserv.ratelimit import fixed_window

DEATHS = "deaths"  # what `fixed_window` counts here, by the digest of the email
SECONDS = fixed_window.LONG[DEATHS]  # in which they are counted
# A crash or a hang leaves a trace: after two of them the third start does not open the email. A
# kill without a trace may come from outside at a bad moment, so it takes three.
BY_ITSELF, BY_A_KILL = 3, 2
MOST = 6
ONE_MORE = MOST - BY_A_KILL  # the count after the operator retries an email
logger = logging.getLogger(__name__)


class CrashingEmails:
    """The emails that ended processes, as far as this process knows."""

    def __init__(self, engine: Engine, home: Path, clock: Callable[[], int]) -> None:
        self._engine, self._clock = engine, clock
        self._watchdog = Watchdog(home / FOLDER)
        self._deaths: dict[str, int] | None = None
        self._is_old = False  # whether a count may have been deleted since it was read

    def holding(self, mails: Sequence[IncomingMail]) -> AbstractContextManager[None]:
        """Record these emails as in progress while the block runs; call `parted` before."""
        return self._watchdog.holding(mails)

    def one_by_one(self) -> AbstractContextManager[TurnTo]:
        """A block that handles emails in turn, as `Watchdog.one_by_one`; call `parted` before."""
        return self._watchdog.one_by_one()

    def excuse(self) -> None:
        """Suspect no current email: this process is about to be killed for another cause."""
        self._watchdog.excuse()

    def close(self) -> None:
        """Close the file in the home."""
        self._watchdog.close()

    def parted(
        self, mails: Iterable[IncomingMail]
    ) -> tuple[list[IncomingMail], list[IncomingMail], list[IncomingMail]]:
        """Split emails into those not to be opened, those to be handled alone, and the others."""
        if not (deaths := self._known()):
            return [], [], list(mails)
        deadly: list[IncomingMail] = []
        alone: list[IncomingMail] = []
        others: list[IncomingMail] = []
        for each in mails:
            count = deaths.get(digest_of(each), 0)
            (deadly if count >= MOST else alone if count else others).append(each)
        return deadly, alone, others

    def is_deadly(self, mail: IncomingMail) -> bool:
        """Whether an email must not be opened."""
        deadly, _, _ = self.parted([mail])
        return bool(deadly)

    def look_again(self) -> None:
        """Read the counts again, because the operator may have retried an email."""
        self._deaths = None

    def forget(self, connection: Connection, mails: Iterable[IncomingMail]) -> None:
        """Delete the counts of emails that are done; they are read again after the commit."""
        for each in mails if self._deaths else ():
            if self._deaths and digest_of(each) in self._deaths:
                mine = Counter.what == DEATHS, Counter.who == digest_of(each)
                connection.execute(delete(Counter).where(*mine))
                self._is_old = True

    def _known(self) -> dict[str, int]:
        """The counts by email, including those that dead processes have left."""
        if self._deaths is None or self._is_old:
            self._is_old = False
            for each in self._watchdog.left():
                self._count(each)
            with reading(self._engine) as connection:
                query = select(Counter.who, func.sum(Counter.count)).group_by(Counter.who)
                rows = connection.execute(query.where(Counter.what == DEATHS))
                self._deaths = {row.who: int(row[1]) for row in rows}
        return self._deaths

    def _count(self, left: Left) -> None:
        """Count an attempt for every email that a dead process was handling."""
        times, now = BY_ITSELF if left.place else BY_A_KILL, self._clock()
        with writing(self._engine) as connection:
            for digest in left.digests:
                fixed_window.note(connection, DEATHS, digest, SECONDS, now, times)
        what = f"by itself at {left.place}" if left.place else "by a kill"
        logger.warning("a process that handled %d emails ended %s", len(left.digests), what)


def allow_one_more(connection: Connection, raw: bytes) -> None:
    """Let an email be opened once more; if the process ends again, that is the last time."""
    digest = digest_of(IncomingMail(raw, None, "", ""))
    mine = Counter.what == DEATHS, Counter.who == digest
    last = connection.execute(select(func.sum(Counter.count), func.max(Counter.since)).where(*mine))
    held, since = last.one()
    if (held or 0) > ONE_MORE:
        connection.execute(delete(Counter).where(*mine))
        values = {"what": DEATHS, "who": digest, "since": since, "count": ONE_MORE}
        connection.execute(insert(Counter).values(values))
