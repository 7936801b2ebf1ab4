"""Deadlines hold as announced, with vacations and outages too."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.boards.deadlines import elapsed, moved, reached

moments = st.integers(0, 60)
spans = st.integers(1, 30)
vacations = st.lists(st.tuples(moments, spans), max_size=4).map(
    lambda found: sorted((begins, begins + span) for begins, span in found)
)


@given(moments, spans, vacations)
def test_a_deadline_comes_after_exactly_the_time_that_was_announced(
    since: int, seconds: int, away: list[tuple[int, int]]
) -> None:
    assert elapsed(since, reached(since, seconds, away), away) == seconds


@given(moments, st.integers(0, 30), st.integers(1, 40), spans, vacations)
def test_an_outage_moves_the_announced_deadline_by_its_length(
    since: int, before: int, gap: int, seconds: int, away: list[tuple[int, int]]
) -> None:
    """It is never earlier. It is later if a vacation begins between the two."""
    told = reached(since, seconds, away)
    after = moved(away, since + before, gap)
    deadline = reached(since + gap, seconds, after)
    assert deadline >= told + gap
    if not any(told <= begins <= told + gap for begins, _ in set(away) & set(after)):
        assert deadline == told + gap


@given(moments, st.integers(0, 30), st.integers(1, 40), vacations)
def test_a_vacation_keeps_its_length_and_one_booked_for_later_its_days(
    since: int, before: int, gap: int, away: list[tuple[int, int]]
) -> None:
    ticked = since + before
    after = moved(away, ticked, gap)
    assert [ends - begins for begins, ends in after] == [ends - begins for begins, ends in away]
    for old, new in zip(away, after, strict=True):
        assert new[0] - old[0] in {0, gap}
        assert old == new or old[0] < max(ticked + gap, *(ends for _, ends in after))
        assert old != new or old[0] >= ticked + gap


@given(moments, st.integers(0, 30), st.integers(-40, -1), spans, vacations)
def test_a_clock_put_back_moves_a_running_vacation_back_with_it(
    since: int, before: int, gap: int, seconds: int, away: list[tuple[int, int]]
) -> None:
    begun = [each for each in away if each[0] < since + before]
    told = reached(since, seconds, begun)
    assert reached(since + gap, seconds, moved(begun, since + before, gap)) == told + gap
