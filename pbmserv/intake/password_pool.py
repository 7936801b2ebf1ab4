"""Hashing: passwords are tried beside the mails, a few at a time, and strangers' ones by a budget.

One argon2 hash costs as much as a hundred moves.  So a mail that needs one waits for it in a pool
of its own, and mails without passwords pass by.  Strangers may write as many as they like: all of
them together, unknown userids included, have one token bucket.  Mail that proves to come from the
player does not draw from it.  Nor does mail wait for it that only says so: its password is tried,
but it draws, and its caller hears at the same moments as a stranger that it is to come again.  The
copy that then comes does nothing.  So nobody learns from the door whose address is a player's.
A proven player who knows the old password has some new ones a day, whatever strangers do.
How often a player may be wrong, `players/login_throttle.py` says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sqlalchemy import Engine

from pbmserv.database.engine import writing
from pbmserv.errors import TryLater
from pbmserv.intake.request import Request
from pbmserv.players.login_throttle import Asker, Gate
from pbmserv.ratelimit.token_bucket import Share, turn

THREADS = 2
MOST_WAITING, MOST_STRANGERS_WAITING = 32, 8  # mails in the pool, strangers' ones among them
# A quarter of it at once, as every bucket: some minutes of one processor, then 2 in a minute.
STRANGERS_DAILY = 4000
BUCKET = "passwords of strangers"  # has a blank: no address is called like this
LATER = "too many passwords of strangers; tried again later"

Late = Callable[[], None]
"""Called as soon as a stranger would have to come again."""


class Postponed(TryLater):
    """This one mail has to wait, for its password is not tried now; others can be taken."""


class HashNeeded(Exception):
    """A password needs a hash, and here is not the place."""

    def __init__(self, asker: Asker) -> None:
        super().__init__()
        self.asker = asker


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A mail that was read and whose passwords are to be tried in another place."""

    request: Request
    asker: Asker


def not_here(asker: Asker) -> None:
    """A gate that lets no hash through; raises HashNeeded."""
    raise HashNeeded(asker)


def unheard() -> None:
    """What is done where nobody hears whether a bucket is empty."""


def spending(engine: Engine, clock: Callable[[], int], overdrawn: Late = unheard) -> Gate:
    """A gate at which mail without a proof spends from the strangers' bucket.

    Where that is empty it raises Postponed for a stranger; `overdrawn` is called for a player.
    """

    def gate(asker: Asker) -> None:
        if asker is Asker.PROVEN:
            return
        with writing(engine, durable=False) as connection:
            shares = [Share(BUCKET, STRANGERS_DAILY)]
            is_taken = turn(connection, shares, clock(), patience=0)[1]
        if not is_taken and asker is Asker.STRANGER:
            raise Postponed(LATER)
        if not is_taken:
            overdrawn()

    return gate


class PasswordPool:
    """A few threads that try passwords, and a bounded queue before them.

    `prove` tries those of one mail: the mail as it is to be carried out, None if it was kept.  It
    is given what to call where a stranger's mail would have to come again.
    """

    def __init__(self, prove: Callable[[Unchecked, Late], Request | None]) -> None:
        self._prove = prove
        self._threads = ThreadPoolExecutor(THREADS, "hashing")
        self._waiting = self._strangers = 0

    async def proven(self, unproven: Unchecked, late: Late) -> Request | None:
        """The mail with its passwords tried; raises Postponed where the queue is full.

        `late` is called in the event loop, for a mail that is tried but would not be if it were a
        stranger's.
        """
        is_strangers = unproven.asker is Asker.STRANGER
        is_full = self._strangers >= MOST_STRANGERS_WAITING
        if (is_strangers and is_full) or self._waiting >= MOST_WAITING:
            raise Postponed("too many passwords at once; tried again later")
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
        """Wait for the hashes that are being made; nobody else is let in."""
        self._threads.shutdown(cancel_futures=True)
