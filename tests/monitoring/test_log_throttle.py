"""The log repeats the same warning once a minute at most."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from pbmserv.monitoring.log_throttle import Throttle


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What a log with a throttle has written; pytest has the same handler for all tests."""
    throttle = Throttle()
    caplog.handler.addFilter(throttle)
    yield caplog
    caplog.handler.removeFilter(throttle)


def say(level: int, at: float, words: str, *facts: object) -> None:
    log = logging.getLogger("pbmserv.test")
    record = log.makeRecord(log.name, level, __file__, 1, words, facts, None)
    record.created = at
    log.handle(record)


def test_equal_warnings_are_logged_once_a_minute(lines: pytest.LogCaptureFixture) -> None:
    for second in range(150):
        say(logging.WARNING, 1000.0 + second, "letters wait: %s", "the disk is full")
    more = " (59 times more since the last such line)"
    told = "letters wait: the disk is full"
    assert lines.messages == [told, told + more, told + more]


def test_other_warnings_and_quieter_lines_all_pass(lines: pytest.LogCaptureFixture) -> None:
    for number in range(3):
        say(logging.WARNING, 1000.0, "letter out%s: refused", number)
        say(logging.INFO, 1000.0, "letter left")
    assert len(lines.messages) == 6


def test_a_flood_of_different_warnings_takes_bounded_memory(
    lines: pytest.LogCaptureFixture,
) -> None:
    throttle = lines.handler.filters[0]
    assert isinstance(throttle, Throttle)
    for number in range(2500):
        say(logging.ERROR, 1000.0, "no %s", number)
    assert len(lines.messages) == 2500
    assert len(throttle._passed) <= 1000
