"""Fixed windows: a maximum in a span of seconds, for each action and actor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, func, insert, select

from pbmserv.database.engine import writing
from pbmserv.database.models import Counter
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.fixed_window import (
    Quota,
    allowed,
    count,
    count_in,
    forget,
    note,
    put_back,
    room,
    room_in,
)
from pbmserv.ratelimit.token_bucket import BUCKET, Share, turn_in
from pbmserv.timeunits import DAY
from tests.sql import heard

NOW = 1_800_000_000


def test_an_exhausted_quota_is_refused_until_the_span_ends(engine: Engine) -> None:
    with writing(engine) as connection:
        for second in range(3):
            assert allowed(connection, "reply", "ann", 3, 60, NOW + second)
            note(connection, "reply", "ann", 60, NOW + second)
        assert not allowed(connection, "reply", "ann", 3, 60, NOW + 59)
        assert allowed(connection, "reply", "ann", 3, 60, NOW + 60)
        note(connection, "reply", "ann", 60, NOW + 60)
        assert not allowed(connection, "reply", "ann", 3, 60, NOW + 60), "it was once, a minute ago"
        assert allowed(connection, "reply", "ann", 3, 60, NOW + 61)


def test_it_may_happen_again_when_enough_of_it_is_a_span_ago(engine: Engine) -> None:
    """At that moment, and not a second before it."""
    with writing(engine) as connection:
        for second, times in ((0, 2), (10, 1), (30, 3)):
            note(connection, "reply", "ann", 60, NOW + second, times)
        for most, again in ((7, NOW + 40), (6, NOW + 60), (4, NOW + 70), (3, NOW + 90)):
            quota, counters = Quota("reply", "ann", most), Counters(connection)
            assert fixed_window.again_at(counters, quota, 60, NOW + 40) == again
            assert allowed(connection, "reply", "ann", most, 60, again)
            assert most == 7 or not allowed(connection, "reply", "ann", most, 60, again - 1)


def test_the_limit_holds_in_every_span_of_that_length(engine: Engine) -> None:
    """A limit of three a day by the calendar would allow six in an hour around midnight."""
    day, done = 86_400, list[int]()
    letters = Quota("reply", "ann", 3)
    with writing(engine) as connection:
        for now in range(NOW, NOW + 3 * day, 3000):
            if room(connection, [letters], day, now)[0] > 0:
                count(connection, [letters], day, now)
                done.append(now)
        rows = connection.execute(select(func.count()).select_from(Counter)).scalar_one()
    most = max(sum(start <= each < start + day for each in done) for start in done)
    assert (most, len(done)) == (3, 9)
    assert rows <= 3


def test_quotas_in_one_question_do_not_mix(engine: Engine) -> None:
    """Each pair of what and who counts by itself, and `times` counts."""
    with writing(engine) as connection:
        quotas = [Quota("a", "x", 5, 2), Quota("b", "y", 5, 3)]
        count(connection, quotas, 60, NOW)
        count(connection, [Quota("a", "y", 5, 1)], 60, NOW)
        asked = [*quotas, Quota("a", "y", 5), Quota("b", "x", 5)]
        assert room(connection, asked, 60, NOW) == [3, 2, 4, 5]


def test_every_pair_of_action_and_person_counts_alone(engine: Engine) -> None:
    with writing(engine) as connection:
        note(connection, "reply", "ann", 60, NOW)
        assert not allowed(connection, "reply", "ann", 1, 60, NOW)
        assert allowed(connection, "reply", "bob", 1, 60, NOW)
        assert allowed(connection, "failure", "ann", 1, 60, NOW)


def test_ended_spans_leave_no_rows(engine: Engine) -> None:
    with writing(engine) as connection:
        for number in range(50):
            note(connection, "reply", f"stranger{number}@example.org", 60, NOW)
        note(connection, "day", "ann", 86_400, NOW)
        note(connection, "reply", "ann", 60, NOW + 60)
        counted = connection.execute(select(func.count()).select_from(Counter)).scalar()
    assert counted == 2


def test_a_clock_put_back_joins_what_then_has_the_same_moment(engine: Engine) -> None:
    with writing(engine) as connection:
        for moment in (NOW, NOW + 60, NOW + 60):
            note(connection, "reply", "ann", 3600, moment)
        put_back(connection, 60, NOW)
        assert not allowed(connection, "reply", "ann", 3, 3600, NOW + 3599)
        assert allowed(connection, "reply", "ann", 3, 3600, NOW + 3600)


def test_counters_are_read_in_one_statement_and_written_in_one(engine: Engine) -> None:
    """Quotas and buckets together; one more deletes what is too old, if there is any."""
    said: list[str] = []

    def note_it(sql: str, _: object) -> None:
        said.append(sql.split(maxsplit=1)[0])

    def answered(now: int) -> list[str]:
        said.clear()
        quotas, shares = [Quota("a", "x", 5), Quota("b", "y", 5)], [Share("ann", 32)]
        counters = Counters(connection)
        counters.load([("a", "x"), ("b", "y"), (BUCKET, "ann")])
        room_in(counters, quotas, DAY, now)
        turn_in(counters, shares, now, 0)
        count_in(counters, quotas, DAY, now)
        counters.write()
        return said

    with writing(engine) as connection, heard(connection, note_it):
        assert answered(NOW) == ["SELECT", "INSERT"]
        assert answered(NOW + 1) == ["SELECT", "INSERT"]
        assert answered(NOW + DAY) == ["SELECT", "DELETE", "INSERT"]
        assert room(connection, [Quota("a", "x", 5)], DAY, NOW + DAY) == [3]


def test_a_very_long_name_is_counted_too(engine: Engine) -> None:
    with writing(engine) as connection:
        note(connection, "reply", "x" * 5000, 60, NOW)
        assert not allowed(connection, "reply", "x" * 5000, 1, 60, NOW)


def test_old_counts_are_deleted_without_a_new_request(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a day; what counts for longer stays for as long as is said of it."""
    monkeypatch.setattr(fixed_window, "LONG", {"other": 9 * DAY + 1, "kept": 9 * DAY})
    with writing(engine) as connection:
        for what, age in product(("a", "kept", "more", "other", "z"), (DAY - 1, DAY, 9 * DAY)):
            span = fixed_window.LONG.get(what, DAY)
            count(connection, [Quota(what, f"{age}", 5)], span, NOW - age)
        forget(connection, NOW)
        query = select(Counter.what, func.count()).group_by(Counter.what)
        kept = {row[0]: row[1] for row in connection.execute(query)}
    assert kept == {"a": 1, "kept": 2, "more": 1, "other": 3, "z": 1}


@pytest.mark.parametrize(
    ("what", "seconds"),
    [("reply", DAY + 1), ("kept", 9 * DAY - 1), ("kept", 10 * DAY), ("kept", 60)],
)
def test_only_the_declared_span_can_be_counted(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, what: str, seconds: int
) -> None:
    """Counts for more than a day would otherwise be deleted after a day, without notice."""
    monkeypatch.setattr(fixed_window, "LONG", {"kept": 9 * DAY})
    with writing(engine) as connection:
        note(connection, "reply", "ann", DAY, NOW)
        note(connection, "kept", "ann", 9 * DAY, NOW)
        with pytest.raises(ValueError, match=f"{what}: {seconds} s is not its span"):
            allowed(connection, what, "ann", 5, seconds, NOW)
        with pytest.raises(ValueError, match="is not its span"):
            note(connection, what, "ann", seconds, NOW)
        with pytest.raises(ValueError, match="is not its span"):
            count(connection, [Quota("reply", "ann", 5), Quota(what, "ann", 5)], seconds, NOW)
        assert connection.execute(select(func.count()).select_from(Counter)).scalar_one() == 2


def test_counts_of_other_addresses_cost_no_extra_time(engine: Engine) -> None:
    """The counts of ten thousand addresses are not read to count for another one."""
    quotas = [Quota("reply", "ann", 3), Quota("bytes", "ann", 3), Quota("reply", "bob", 3)]
    with writing(engine) as connection:
        before = _steps(connection, lambda: room(connection, quotas, DAY, NOW))
        rows = [{"what": "reply", "who": f"{n}", "since": NOW, "count": 1} for n in range(10_000)]
        connection.execute(insert(Counter), rows)
        after = _steps(connection, lambda: room(connection, quotas, DAY, NOW))
        counting = _steps(connection, lambda: count(connection, quotas, DAY, NOW))
    assert after <= before + 10
    assert counting <= before + 50


def _steps(connection: Connection, work: Callable[[], object]) -> int:
    """How many tens of instructions of its virtual machine SQLite needs for the work."""
    made = 0

    def step() -> int:
        nonlocal made
        made += 1
        return 0

    driver: Any = connection.connection.driver_connection
    driver.set_progress_handler(step, 10)
    work()
    driver.set_progress_handler(None, 0)
    return made
