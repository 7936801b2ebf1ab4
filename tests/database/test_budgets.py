"""Budgets: so many at once and so many a day, and a turn of their own for those that come later."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine, func, select

from pbmserv.budgets import BURST, Share, Turn, forget_full, put_back, turn, waiting
from pbmserv.database import writing
from pbmserv.models import Base, Bucket
from pbmserv.terms import DAY

NOW = 1_800_000_000
HOUR = 3600


def taken(engine: Engine, now: int, patience: int = 9 * DAY, **daily: int) -> Turn | None:
    shares = [Share(name, flow) for name, flow in daily.items()]
    with writing(engine) as connection:
        found, is_taken = turn(connection, shares, now, patience)
    return found if is_taken else None


def wait(engine: Engine, now: int, **daily: int) -> int:
    with writing(engine) as connection:
        return waiting(connection, [Share(name, flow) for name, flow in daily.items()], now)


def test_a_quarter_of_a_day_comes_at_once_and_the_rest_one_by_one(engine: Engine) -> None:
    turns = [taken(engine, NOW, ann=24) for _ in range(8)]
    assert turns == [Turn(NOW, "ann")] * 6 + [Turn(NOW + HOUR, "ann"), Turn(NOW + 2 * HOUR, "ann")]


def test_several_tokens_are_taken_at_once_but_no_more_than_there_can_be(engine: Engine) -> None:
    with writing(engine) as connection:
        turns = [
            turn(connection, [Share("ann", 24, tokens)], NOW, 9 * DAY)[0] for tokens in (4, 3, 99)
        ]
    assert [each.at - NOW for each in turns] == [0, HOUR, 7 * HOUR]


def test_shares_of_one_bucket_are_added_up_and_a_look_takes_nothing(engine: Engine) -> None:
    for _ in range(6):
        assert wait(engine, NOW, ann=24) == 0
    with writing(engine) as connection:
        twice = [Share("ann", 24, 2), Share("ann", 24, 3)]
        assert turn(connection, twice, NOW, HOUR)[1]
        assert waiting(connection, twice, NOW) == 4 * HOUR
    assert wait(engine, NOW, ann=24) == 0


def test_a_bucket_that_was_left_alone_is_full_again_and_forgotten(engine: Engine) -> None:
    for _ in range(7):
        taken(engine, NOW, ann=24)
    assert taken(engine, NOW + 7 * HOUR, bob=24) == Turn(NOW + 7 * HOUR, "bob")
    with writing(engine) as connection:
        forget_full(connection, NOW + 7 * HOUR)
        assert connection.execute(select(func.count()).select_from(Bucket)).scalar() == 1
    turns = [taken(engine, NOW + 7 * HOUR, ann=24) for _ in range(7)]
    assert [each and each.at - NOW - 7 * HOUR for each in turns] == [0, 0, 0, 0, 0, 0, HOUR]


def test_a_clock_that_is_put_back_empties_no_bucket(engine: Engine) -> None:
    for _ in range(3):
        taken(engine, NOW, ann=24)
    with writing(engine) as connection:
        put_back(connection, 13 * HOUR)
    turns = [taken(engine, NOW - 13 * HOUR, ann=24) for _ in range(4)]
    assert [each and each.at - NOW + 13 * HOUR for each in turns] == [0, 0, 0, HOUR]


def test_the_emptiest_of_several_buckets_decides(engine: Engine) -> None:
    taken(engine, NOW, ann=4, all=400)
    assert taken(engine, NOW, ann=4, all=400) == Turn(NOW + 6 * HOUR, "ann")
    assert taken(engine, NOW, bob=4, all=400) == Turn(NOW, "bob")
    for _ in range(97):
        taken(engine, NOW, all=400)
    assert taken(engine, NOW, cleo=4, all=400) == Turn(NOW + DAY // 400, "all")


def test_who_would_wait_for_too_long_takes_nothing(engine: Engine) -> None:
    assert taken(engine, NOW, ann=4, all=8) == Turn(NOW, "ann")
    for _ in range(5):
        assert taken(engine, NOW, patience=HOUR, ann=4, all=8) is None
    assert taken(engine, NOW, bob=4, all=8) == Turn(NOW, "bob"), "nothing was taken from all"


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 2 * DAY), min_size=1, max_size=40).map(sorted),
    st.integers(4, 5000),
)
def test_no_span_of_time_has_more_turns_than_a_burst_and_its_share(
    moments: list[int], flow: int
) -> None:
    """Everybody gets a turn, none before it was asked for, and in the order of asking."""
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        share = [Share("ann", flow)]
        turns = [turn(connection, share, NOW + each, 99 * DAY)[0].at for each in moments]
    assert len(turns) == len(moments)
    assert turns == sorted(turns)
    assert all(at >= NOW + asked for at, asked in zip(turns, moments, strict=True))
    for first, begin in enumerate(turns):
        for last in range(first, len(turns)):
            span = turns[last] - begin + 1  # turns are rounded up to a second
            assert last - first + 1 <= flow // BURST + span * flow / DAY + 1
