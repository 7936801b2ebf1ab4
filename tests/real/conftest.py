"""Real servers for all tests of this folder, put in order between them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.real.ground import Missing
from tests.real.town import Town, town


@pytest.fixture(scope="package")
def servers(request: pytest.FixtureRequest) -> Iterator[Town]:
    """The servers; tests that need them are skipped where they cannot be had."""
    try:
        with town() as running:
            yield running
            if request.session.testsfailed:
                print(running.ground.logs())
    except Missing as missing:
        pytest.skip(f"no real mail servers: {missing}")


@pytest.fixture
def place(servers: Town) -> Iterator[Town]:
    """The town, without anybody in it."""
    yield servers
    servers.clear()
