"""Hash passwords with argon2id, and remember for ten minutes which ones were right.

One argon2 verification costs as much processor time as hundreds of moves.  So a password that was
right is remembered for ten minutes.  This memory is an HMAC under a key that only this process
knows; it is never stored.  What was wrong is remembered in the same way, so that no word of a
player's texts is compared twice.  `players/login_throttle.py` limits how often a login may fail.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError, VerificationError
from argon2.low_level import error_to_str

from pbmserv.errors import TryLater

REMEMBERED_SECONDS = 600
_MOST_REMEMBERED = 10_000
# argon2.h: ARGON2_MEMORY_ALLOCATION_ERROR and ARGON2_THREAD_FAIL.  Each hash takes 64 MB.
_SHORTAGES = {error_to_str(-22), error_to_str(-33)}


class Passwords:
    """Hash and verify passwords; safe to use from several threads."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()  # argon2id, the library's current defaults
        self._key = secrets.token_bytes(32)
        self._proven: OrderedDict[bytes, int] = OrderedDict()
        self._wrong: OrderedDict[bytes, int] = OrderedDict()
        self._lock = Lock()

    def hash(self, password: str) -> str:
        """The argon2id hash to store, which includes its salt and parameters.

        Raises TryLater if the system has no memory for it.
        """
        with _translated():
            return self._hasher.hash(_encoded(password))

    def prove(self, userid_key: str, password_hash: str | None, password: str, now: int) -> bool:
        """Whether the password is right.  `now` is in seconds since 1970.

        `password_hash` is None for a userid that does not exist.  The answer then takes as long as
        for a wrong password: its timing does not tell which userids exist.  Raises TryLater if the
        system has no memory for a hash.
        """
        if password_hash is None:
            return self._waste_time(password)
        mark = self._mark(userid_key, password_hash, password)
        if self._remembers(mark, now):
            return True
        try:
            with _translated():
                self._hasher.verify(password_hash, _encoded(password))
        except InvalidHashError:  # an account that no password opens
            return self._waste_time(password)
        except VerificationError:
            self._remember(self._wrong, mark, now)
            return False
        self._remember(self._proven, mark, now)
        return True

    def remembers(
        self, userid_key: str, password_hash: str | None, password: str, now: int
    ) -> bool:
        """Whether `prove` would confirm this password from memory, without a hash."""
        if password_hash is None:
            return False
        return self._remembers(self._mark(userid_key, password_hash, password), now)

    def refutes(self, userid_key: str, password_hash: str, password: str) -> bool:
        """Whether `prove` has found this password wrong before, and nobody set another since."""
        mark = self._mark(userid_key, password_hash, password)
        with self._lock:
            return mark in self._wrong

    def _waste_time(self, password: str) -> bool:
        self.hash(password)
        return False

    def _mark(self, userid_key: str, password_hash: str, password: str) -> bytes:
        # The stored hash is part of the key, so a change of password voids the memory.
        parts = (userid_key.encode(), password_hash.encode(), _encoded(password))
        text = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.digest(self._key, text, "sha256")

    def _remembers(self, mark: bytes, now: int) -> bool:
        with self._lock:
            return self._proven.get(mark, now) > now

    def _remember(self, marks: OrderedDict[bytes, int], mark: bytes, now: int) -> None:
        with self._lock:
            marks[mark] = now + REMEMBERED_SECONDS
            marks.move_to_end(mark)
            while len(marks) > _MOST_REMEMBERED:
                marks.popitem(last=False)


@contextmanager
def _translated() -> Iterator[None]:
    """Turn a shortage of the system into TryLater: no password is wrong because of it."""
    try:
        yield
    except Argon2Error as error:
        if str(error) in _SHORTAGES:
            raise TryLater(f"a password cannot be checked: {error}") from error
        raise


def _encoded(password: str) -> bytes:
    # A shell passes bytes that are not UTF-8 as lone surrogates: a wrong password, not a crash.
    return password.encode("utf-8", "surrogatepass")
