"""Limits: so often in so many seconds, for each what and who alone."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from pbmserv.database import writing
from pbmserv.limits import allowed, note
from pbmserv.models import Attempt

NOW = 1_800_000_000


def test_what_happened_often_enough_is_not_allowed_until_the_span_is_over(engine: Engine) -> None:
    with writing(engine) as connection:
        for second in range(3):
            assert allowed(connection, "reply", "ann", 3, 60, NOW + second)
            note(connection, "reply", "ann", 60, NOW + second)
        assert not allowed(connection, "reply", "ann", 3, 60, NOW + 59)
        assert allowed(connection, "reply", "ann", 3, 60, NOW + 60)
        note(connection, "reply", "ann", 60, NOW + 60)
        assert allowed(connection, "reply", "ann", 2, 60, NOW + 60), "a new span began"


def test_every_what_and_who_counts_alone(engine: Engine) -> None:
    with writing(engine) as connection:
        note(connection, "reply", "ann", 60, NOW)
        assert not allowed(connection, "reply", "ann", 1, 60, NOW)
        assert allowed(connection, "reply", "bob", 1, 60, NOW)
        assert allowed(connection, "failure", "ann", 1, 60, NOW)


def test_spans_that_are_over_leave_no_rows(engine: Engine) -> None:
    with writing(engine) as connection:
        for number in range(50):
            note(connection, "reply", f"stranger{number}@example.org", 60, NOW)
        note(connection, "day", "ann", 86_400, NOW)
        note(connection, "reply", "ann", 60, NOW + 60)
        counted = connection.execute(select(func.count()).select_from(Attempt)).scalar()
    assert counted == 2


def test_a_very_long_who_is_counted_too(engine: Engine) -> None:
    with writing(engine) as connection:
        note(connection, "reply", "x" * 5000, 60, NOW)
        assert not allowed(connection, "reply", "x" * 5000, 1, 60, NOW)
