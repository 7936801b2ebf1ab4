"""Check passwords in a thread pool, with a limit for strangers.

One argon2 hash costs as much as a hundred moves.  So an email that needs one waits for it in a
pool, and emails without passwords pass by.  All strangers, unknown userids included, share one
token bucket.

Email with proof from the player does not use that bucket.  Email that only claims a player's
address uses it, but does not wait for it.  Its password is checked, yet its client is told to try
again at the same moments as a stranger's.  The copy that comes then does nothing.  So the answer
does not reveal whose address is a player's.

A proven player who gives the old password may set a few new ones a day, independent of strangers.
`players/login_throttle.py` limits wrong passwords.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Engine

from pbmserv.database.engine import writing
from pbmserv.errors import TryLater
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.request import Request
from pbmserv.players.login_throttle import Asker, Gate
from pbmserv.ratelimit.token_bucket import Share, turn

THREADS = 2
MOST_WAITING, MOST_STRANGERS_WAITING = 32, 8  # emails in the pool; of these, emails of strangers
# A quarter of them at once, as in every bucket: some minutes of one processor, then 2 a minute.
STRANGERS_DAILY = 4000
BUCKET = "passwords of strangers"  # has a blank, so no address has this name
LATER = "too many passwords of strangers; tried again later"

Late = Callable[[], None]
"""Called when a stranger would be told to try again."""


class PasswordCheckPostponed(TryLater):
    """This email must wait, because its password is not checked now; others can be accepted."""


class HashNeeded(Exception):
    """A password needs a hash, which must not be computed in this thread."""

    def __init__(self, asker: Asker) -> None:
        super().__init__()
        self.asker = asker


@dataclass(frozen=True, slots=True)
class Unchecked:
    """An email that was read, and whose passwords are still to be checked elsewhere."""

    request: Request
    asker: Asker


def not_here(asker: Asker) -> None:
    """A gate that allows no hash; raises HashNeeded."""
    raise HashNeeded(asker)


def unheard() -> None:
    """Do nothing when the bucket is empty, because nobody waits for the answer."""


def spending(engine: Engine, clock: Callable[[], int], overdrawn: Late = unheard) -> Gate:
    """A gate at which email without proof uses the strangers' bucket.

    If the bucket is empty, it raises PasswordCheckPostponed for a stranger, and calls `overdrawn`
    for a player.
    """

    def gate(asker: Asker) -> None:
        if asker is Asker.PROVEN:
            return
        with writing(engine, durable=False) as connection:
            shares = [Share(BUCKET, STRANGERS_DAILY)]
            is_taken = turn(connection, shares, clock(), patience=0)[1]
        if not is_taken and asker is Asker.STRANGER:
            raise PasswordCheckPostponed(LATER)
        if not is_taken:
            overdrawn()

    return gate


class PasswordPool:
    """A few threads that check passwords, with a bounded queue.

    `prove` checks those of one email.  It returns the request to execute, or None if the email was
    stored after a bug.  Its second argument is called when a stranger's email would be told to try
    again.
    """

    def __init__(self, prove: Callable[[Unchecked, Late], Request | None]) -> None:
        self._prove = prove
        self._threads = ThreadPoolExecutor(THREADS, "hashing")
        self._waiting = self._strangers = 0

    async def proven(self, unproven: Unchecked, late: Late) -> Request | None:
        """The request with its passwords checked.

        Raises PasswordCheckPostponed if the queue is full.

        `late` is called in the event loop for an email that is checked only because it is not
        a stranger's.
        """
        is_strangers = unproven.asker is Asker.STRANGER
        is_full = self._strangers >= MOST_STRANGERS_WAITING
        if (is_strangers and is_full) or self._waiting >= MOST_WAITING:
            raise PasswordCheckPostponed("too many passwords at once; tried again later")
        if is_full and unproven.asker is Asker.CLAIMED:
            late()
        self._waiting += 1
        self._strangers += is_strangers
        try:
            loop = asyncio.get_running_loop()

            def told() -> None:
                loop.call_soon_threadsafe(late)

            return await loop.run_in_executor(self._threads, self._prove, unproven, told)
        finally:
            self._waiting -= 1
            self._strangers -= is_strangers

    def close(self) -> None:
        """Wait for the hashes in progress; cancel the others."""
        self._threads.shutdown(cancel_futures=True)
