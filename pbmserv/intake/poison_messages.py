"""Suspects: mails that were in hand when a process ended; who ends several is opened no more.

A try is counted by what the dead process left (`intake/watchdog.py`), so the hot path asks the
database nothing: what was counted is read once, before the first mail.  A suspect is taken by
itself, and is none any more once it was dealt with.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select

from pbmserv.database.engine import reading, writing
from pbmserv.database.models import Attempt
from pbmserv.intake.watchdog import FOLDER, Left, Watchdog, digest_of
from pbmserv.mail.incoming import IncomingMail
from pbmserv.ratelimit import fixed_window

DEATHS = "deaths"  # what `fixed_window` counts here, by the digest of the mail
SECONDS = fixed_window.LONG[DEATHS]  # of the span in which they are counted
# Of a crash or a hang the process left a trace: two are enough, and the third start opens the mail
# no more.  A kill without a trace may have come from outside, at a bad moment: three are needed.
BY_ITSELF, BY_A_KILL = 3, 2
MOST = 6
ONE_MORE = MOST - BY_A_KILL  # what is left when the operator has a mail tried again
log = logging.getLogger(__name__)


class PoisonMessages:
    """The mails that ended processes, as this process knows them."""

    def __init__(self, engine: Engine, home: Path, clock: Callable[[], int]) -> None:
        self._engine, self._clock = engine, clock
        self._watchdog = Watchdog(home / FOLDER)
        self._deaths: dict[str, int] | None = None
        self._is_old = False  # whether some of it may have been acquitted since it was read

    @contextmanager
    def holding(self, mails: Sequence[IncomingMail]) -> Iterator[None]:
        """Have mails in hand while the block runs: call `parted` before."""
        with self._watchdog.holding(mails):
            yield

    def close(self) -> None:
        """Let go of the file in the home."""
        self._watchdog.close()

    def parted(
        self, mails: Iterable[IncomingMail]
    ) -> tuple[list[IncomingMail], list[IncomingMail], list[IncomingMail]]:
        """Mails parted into those not to be opened, those to be taken alone, and the others."""
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
        """Whether a mail is not to be opened."""
        deadly, _, _ = self.parted([mail])
        return bool(deadly)

    def look_again(self) -> None:
        """Read anew what was counted: the operator may have had a mail tried again."""
        self._deaths = None

    def acquit(self, connection: Connection, mails: Iterable[IncomingMail]) -> None:
        """These mails were dealt with, if the transaction is committed: then it is read anew."""
        for each in mails if self._deaths else ():
            if self._deaths and digest_of(each) in self._deaths:
                mine = Attempt.what == DEATHS, Attempt.who == digest_of(each)
                connection.execute(delete(Attempt).where(*mine))
                self._is_old = True

    def _known(self) -> dict[str, int]:
        """How much is held against which mail, with what dead processes left."""
        if self._deaths is None or self._is_old:
            self._is_old = False
            for each in self._watchdog.left():
                self._count(each)
            with reading(self._engine) as connection:
                query = select(Attempt.who, func.sum(Attempt.count)).group_by(Attempt.who)
                rows = connection.execute(query.where(Attempt.what == DEATHS))
                self._deaths = {row.who: int(row[1]) for row in rows}
        return self._deaths

    def _count(self, left: Left) -> None:
        """Count a try of every mail that a dead process had in hand."""
        times, now = BY_ITSELF if left.place else BY_A_KILL, self._clock()
        with writing(self._engine) as connection:
            for digest in left.digests:
                fixed_window.note(connection, DEATHS, digest, SECONDS, now, times)
        what = f"by itself at {left.place}" if left.place else "by a kill"
        log.warning("a process with %d mails in hand ended %s", len(left.digests), what)


def allow_one_more(connection: Connection, raw: bytes) -> None:
    """Let a mail be opened once more, and only once if it ends that process, too."""
    digest = digest_of(IncomingMail(raw, None, "", ""))
    mine = Attempt.what == DEATHS, Attempt.who == digest
    last = connection.execute(select(func.sum(Attempt.count), func.max(Attempt.since)).where(*mine))
    held, since = last.one()
    if (held or 0) > ONE_MORE:
        connection.execute(delete(Attempt).where(*mine))
        values = {"what": DEATHS, "who": digest, "since": since, "count": ONE_MORE}
        connection.execute(insert(Attempt).values(values))
