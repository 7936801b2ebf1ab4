"""Passwords: argon2id, the same time for everybody, and a memory that does not last."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import Type

from pbmserv.errors import TryLater
from pbmserv.security import passwords as module
from pbmserv.security.passwords import REMEMBERED_SECONDS, Passwords

NOW = 1_800_000_000


class Counted(PasswordHasher):
    """A real hasher that counts how often it was put to work."""

    work = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.work += 1
        return super().verify(hash, password)

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.work += 1
        return super().hash(password, salt=salt)


@pytest.fixture
def hasher() -> Counted:
    return Counted(time_cost=1, memory_cost=8, parallelism=1)


def test_a_password_is_kept_as_argon2id_with_the_librarys_own_parameters() -> None:
    kept = Passwords().hash("secret")
    parameters = extract_parameters(kept)
    assert parameters.type is Type.ID
    assert parameters.memory_cost >= 19 * 1024  # KiB, the least that OWASP recommends
    assert "secret" not in kept


def test_the_right_password_is_right_and_any_other_is_not(passwords: Passwords) -> None:
    kept = passwords.hash("secret")
    assert passwords.prove("ann", kept, "secret", NOW)
    for other in ("Secret", "secret ", "", "\udce9", "x" * 100_000):
        assert not passwords.prove("ann", kept, other, NOW)


def test_an_unknown_userid_and_a_wrong_password_cost_the_same_work(hasher: Counted) -> None:
    passwords = Passwords(hasher)
    kept = passwords.hash("secret")
    for stored in (kept, None, "no hash"):
        before = hasher.work
        assert not passwords.prove("ann", stored, "wrong", NOW)
        assert hasher.work - before >= 1


def test_an_unknown_userid_and_a_wrong_password_take_the_same_time() -> None:
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1))
    kept = passwords.hash("secret")
    spent: dict[str | None, list[float]] = {kept: [], None: []}
    for _ in range(15):
        for stored, times in spent.items():
            before = time.process_time()
            passwords.prove("ann", stored, "wrong", NOW)
            times.append(time.process_time() - before)
    wrong, unknown = min(spent[kept]), min(spent[None])
    assert 0.6 < wrong / unknown < 1.7


def test_a_right_password_is_remembered_for_ten_minutes(hasher: Counted) -> None:
    passwords = Passwords(hasher)
    kept = passwords.hash("secret")
    works = []
    for now in (NOW, NOW + 1, NOW + REMEMBERED_SECONDS - 1, NOW + REMEMBERED_SECONDS):
        before = hasher.work
        assert passwords.prove("ann", kept, "secret", now)
        works.append(hasher.work - before)
    assert works == [1, 0, 0, 1]


def test_the_memory_is_of_one_userid_one_hash_and_one_password(hasher: Counted) -> None:
    passwords = Passwords(hasher)
    old, new = passwords.hash("secret"), passwords.hash("changed")
    assert passwords.prove("ann", old, "secret", NOW)
    assert not passwords.prove("ann", new, "secret", NOW), "a changed password is forgotten"
    assert not passwords.prove("ann", old, "changed", NOW)
    before = hasher.work
    assert passwords.prove("bob", old, "secret", NOW)
    assert hasher.work > before


def test_a_wrong_password_is_not_remembered_as_anything(hasher: Counted) -> None:
    passwords = Passwords(hasher)
    kept = passwords.hash("secret")
    before = hasher.work
    assert not any(passwords.prove("ann", kept, "wrong", NOW) for _ in range(2))
    assert hasher.work - before == 2


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, hasher: Counted) -> None:
    monkeypatch.setattr(module, "_MOST_REMEMBERED", 2)
    passwords = Passwords(hasher)
    kept = passwords.hash("secret")
    for userid in ("ann", "bob", "cleo"):
        passwords.prove(userid, kept, "secret", NOW)
    before = hasher.work
    passwords.prove("cleo", kept, "secret", NOW)
    assert hasher.work == before
    passwords.prove("ann", kept, "secret", NOW)
    assert hasher.work == before + 1, "the oldest was forgotten"


def test_several_threads_may_prove_at_once(passwords: Passwords) -> None:
    kept = passwords.hash("secret")
    with ThreadPoolExecutor(4) as pool:
        proven = pool.map(
            lambda number: passwords.prove(f"p{number % 7}", kept, "secret", NOW), range(200)
        )
        assert all(proven)


def prove_without_memory(known: bool) -> tuple[str, bool]:
    """What refuses the right password while no memory is left, and whether it is right later."""
    passwords = Passwords()
    kept = passwords.hash("secret") if known else None
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**24, before[1]))
    try:
        refused = str(passwords.prove("ann", kept, "secret", NOW))
    except TryLater as error:
        refused = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return refused, passwords.prove("ann", kept, "secret", NOW)


@pytest.mark.parametrize("known", [True, False])
def test_without_memory_for_a_hash_no_password_is_wrong(known: bool) -> None:
    """It is checked when there is memory again.

    A new process tries it: one that has freed as much before takes this memory again for the hash,
    and no limit stops that.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        refused, later = process.submit(prove_without_memory, known).result()
    assert "Memory allocation error" in refused
    assert later is known
