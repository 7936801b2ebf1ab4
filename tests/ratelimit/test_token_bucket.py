"""Token buckets: a burst, a daily rate, and turns for those who have to wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, create_engine, func, select

from pbmserv.database.engine import writing
from pbmserv.database.models import Base, Counter
from pbmserv.ratelimit.token_bucket import (
    BURST,
    NEVER,
    EarliestTime,
    Share,
    forget_full,
    put_back,
    turn,
    waiting,
)
from pbmserv.timeunits import DAY
from tests.examples import examples

NOW = 1_800_000_000
HOUR = 3600


def taken(engine: Engine, now: int, patience: int = 9 * DAY, **daily: int) -> EarliestTime | None:
    shares = [Share(name, flow) for name, flow in daily.items()]
    with writing(engine) as connection:
        found, is_taken = turn(connection, shares, now, patience)
    return found if is_taken else None


@contextmanager
def in_memory() -> Iterator[Connection]:
    """A transaction in a new database of one example."""
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def wait(engine: Engine, now: int, **daily: int) -> int:
    with writing(engine) as connection:
        return waiting(connection, [Share(name, flow) for name, flow in daily.items()], now)


def test_a_quarter_of_a_day_comes_at_once_and_the_rest_one_by_one(engine: Engine) -> None:
    turns = [taken(engine, NOW, ann=32) for _ in range(10)]
    assert turns == [EarliestTime(NOW, "ann")] * 8 + [
        EarliestTime(NOW + HOUR, "ann"),
        EarliestTime(NOW + 2 * HOUR, "ann"),
    ]


def test_several_tokens_are_taken_at_once_but_no_more_than_a_day_gives(engine: Engine) -> None:
    """The last ask for a whole day's tokens, so nothing else comes out in the day before."""
    with writing(engine) as connection:
        turns = [
            turn(connection, [Share("ann", 32, tokens)], NOW, 9 * DAY)[0] for tokens in (6, 3, 99)
        ]
    assert [each.at - NOW for each in turns] == [0, HOUR, HOUR + DAY + 8 * HOUR]


def test_a_long_full_bucket_gives_more_than_its_size_at_once(engine: Engine) -> None:
    """Then it has to refill."""
    with writing(engine) as connection:
        assert turn(connection, [Share("ann", 32, 20)], NOW, 0)[1]
        assert waiting(connection, [Share("ann", 32)], NOW) == 13 * HOUR
        later = NOW + 20 * HOUR  # it has just become full
        assert waiting(connection, [Share("ann", 32, 8)], later) == 0
        assert waiting(connection, [Share("ann", 32, 20)], later) == 12 * HOUR


def test_more_than_a_day_gives_is_never_ready(engine: Engine) -> None:
    with writing(engine) as connection:
        assert waiting(connection, [Share("ann", 32, 20), Share("ann", 32, 13)], NOW) == NEVER


def test_shares_of_one_bucket_are_added_up_and_a_look_takes_nothing(engine: Engine) -> None:
    for _ in range(8):
        assert wait(engine, NOW, ann=32) == 0
    with writing(engine) as connection:
        twice = [Share("ann", 32, 2), Share("ann", 32, 4)]
        assert turn(connection, twice, NOW, HOUR)[1]
        assert waiting(connection, twice, NOW) == 4 * HOUR
    assert wait(engine, NOW, ann=32) == 0


def test_an_unused_bucket_is_full_again_and_deleted(engine: Engine) -> None:
    """It is deleted a day after it is full. Before that, an unknown bucket would allow more."""
    for _ in range(9):
        taken(engine, NOW, ann=32)
    later = NOW + 9 * HOUR + DAY
    assert taken(engine, later, bob=32) == EarliestTime(later, "bob")
    with writing(engine) as connection:
        for moment, kept in ((later - 1, 2), (later, 1)):
            forget_full(connection, moment)
            rows = select(func.count()).select_from(Counter)
            assert connection.execute(rows).scalar() == kept
    turns = [taken(engine, later, ann=32) for _ in range(9)]
    assert [each and each.at - later for each in turns] == [0, 0, 0, 0, 0, 0, 0, 0, HOUR]


def test_a_clock_put_back_empties_no_bucket(engine: Engine) -> None:
    for _ in range(5):
        taken(engine, NOW, ann=32)
    with writing(engine) as connection:
        put_back(connection, 13 * HOUR)
    turns = [taken(engine, NOW - 13 * HOUR, ann=32) for _ in range(4)]
    assert [each and each.at - NOW + 13 * HOUR for each in turns] == [0, 0, 0, HOUR]


def test_the_emptiest_of_several_buckets_decides(engine: Engine) -> None:
    taken(engine, NOW, ann=4, all=400)
    assert taken(engine, NOW, ann=4, all=400) == EarliestTime(NOW + 8 * HOUR, "ann")
    assert taken(engine, NOW, bob=4, all=400) == EarliestTime(NOW, "bob")
    for _ in range(97):
        taken(engine, NOW, all=400)
    assert taken(engine, NOW, cleo=4, all=400) == EarliestTime(NOW + DAY // 300, "all")


def test_a_request_with_too_long_a_wait_takes_nothing(engine: Engine) -> None:
    assert taken(engine, NOW, ann=4, all=8) == EarliestTime(NOW, "ann")
    for _ in range(5):
        assert taken(engine, NOW, patience=HOUR, ann=4, all=8) is None
    assert taken(engine, NOW, bob=4, all=8) == EarliestTime(NOW, "bob"), (
        "nothing was taken from all"
    )


@pytest.mark.parametrize("is_own", [True, False])
def test_a_bucket_pays_out_when_another_bucket_does(engine: Engine, is_own: bool) -> None:
    """Otherwise waiting tokens and new ones would come together, which is too much."""
    with writing(engine) as connection:
        turn(connection, [Share("slow", 4)], NOW, DAY)
        both = [Share("ann", 32, 8, own=is_own), Share("slow", 4)]
        assert turn(connection, both, NOW, DAY)[0] == EarliestTime(NOW + 8 * HOUR, "slow")
        at_once = waiting(connection, [Share("ann", 32, 8)], NOW + 8 * HOUR) == 0
    assert at_once is not is_own


def most_in_a_day(turns: list[tuple[int, int]]) -> int:
    """The largest sum in 24 hours of those moments, each with how often it happened."""
    return max(sum(times for at, times in turns if begin <= at < begin + DAY) for begin, _ in turns)


@settings(max_examples=examples(200))
@given(
    st.lists(st.tuples(st.integers(0, 3 * DAY), st.integers(1, 30)), min_size=1, max_size=40),
    st.integers(4, 50),
    st.lists(st.integers(1, 3 * DAY), max_size=3),
)
def test_no_24_hours_have_more_than_a_days_tokens(
    asked: list[tuple[int, int]], daily: int, forgotten: list[int]
) -> None:
    """This holds for any request size, and for any time at which full buckets are deleted."""
    turns = []
    with in_memory() as connection:
        for moment, tokens in sorted([*asked, *((each, 0) for each in forgotten)]):
            if tokens:
                least = min(tokens, daily)
                share = Share("ann", daily, least)
                turns.append((turn(connection, [share], NOW + moment, 99 * DAY)[0].at, least))
            else:
                forget_full(connection, NOW + moment)
    assert most_in_a_day(turns) <= daily


@pytest.mark.parametrize("daily", [4, 5, 7, 100, 101, 1000, 4000, 160_000, 80_000_000])
def test_the_first_24_hours_give_a_days_tokens_and_no_more(engine: Engine, daily: int) -> None:
    """All is asked for at once: the last token of the day comes in time, the next one later."""
    with writing(engine) as connection:
        burst = Share("ann", daily, daily // BURST)
        assert turn(connection, [burst], NOW, 0) == (EarliestTime(NOW, "ann"), True)
        rest = Share("ann", daily, daily - daily // BURST)
        late = waiting(connection, [rest], NOW)
    assert DAY <= late <= DAY + 1 + daily // 1000  # a millisecond for each token at most


@settings(max_examples=examples(50))
@given(
    st.lists(st.integers(0, 2 * DAY), min_size=1, max_size=40).map(sorted),
    st.integers(4, 5000),
)
def test_no_span_of_time_has_more_turns_than_a_burst_and_its_share(
    moments: list[int], flow: int
) -> None:
    """Everybody gets a turn, none before it was asked for, and in the order of asking."""
    with in_memory() as connection:
        share = [Share("ann", flow)]
        turns = [turn(connection, share, NOW + each, 99 * DAY)[0].at for each in moments]
    assert len(turns) == len(moments)
    assert turns == sorted(turns)
    assert all(at >= NOW + asked for at, asked in zip(turns, moments, strict=True))
    for first, begin in enumerate(turns):
        for last in range(first, len(turns)):
            span = turns[last] - begin + 1  # turns are rounded up to a second
            assert last - first + 1 <= flow // BURST + span * flow / DAY + 1
