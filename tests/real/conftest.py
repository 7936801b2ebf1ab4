"""Real servers for all tests of this folder, emptied between them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.real.ground import Missing
from tests.real.signing import Signing
from tests.real.town import Town, town


@pytest.fixture(scope="package")
def servers() -> Iterator[Town]:
    """The servers; tests that need them are skipped where they are not installed."""
    try:
        with town() as running:
            yield running
    except Missing as missing:
        pytest.skip(f"no real mail servers: {missing}")


@pytest.fixture
def place(servers: Town) -> Iterator[Town]:
    """The servers, with no player and no email."""
    yield servers
    print(servers.ground.logs())  # pytest shows it where a test failed
    servers.clear()


@pytest.fixture(scope="package")
def signing(servers: Town) -> Signing:
    """OpenDKIM and OpenDMARC; tests that need them are skipped where they are not installed."""
    found = Signing(servers.ground, servers.postfix, servers.dovecot)
    try:
        found.start()
    except Missing as missing:
        pytest.skip(f"no signed mail: {missing}")
    return found
