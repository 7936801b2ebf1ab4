"""Interventions: boards that the operator stops or takes out of the ratings, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from sqlalchemy import Connection, Engine

from pbmserv.boards import operator_actions, ratings
from pbmserv.boards.board import load_board
from pbmserv.context import Context
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.games.perudo.table import NOBODY
from pbmserv.letters.payloads.letter import Letter
from pbmserv.monitoring import action_log
from tests.boards.contexts import context_on, opened
from tests.boards.test_ratings import played


def _at_once(boards_: Iterable[Any]) -> AbstractContextManager[Any]:
    """No progress is shown."""
    return nullcontext(boards_)


def told(letters: list[Letter]) -> list[int | str | None]:
    return [letter.to for letter in letters]


def test_a_stopped_board_is_over_and_unrated_and_its_players_are_told(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        letters = operator_actions.stopped(context, board.id, "asked for")
        assert told(letters) == [seat.player for seat in board.seats]
        note = {"kind": "stopped", "who": "", "other": "asked for"}
        assert all(letter.payload["note"] == note for letter in letters)
        after = load_board(connection, board.id)
        assert after.table.winner == NOBODY
        assert not after.clock.terms.rated
        last = action_log.latest(connection, action_log.STOP, board=board.id)
        assert last is not None
        assert last["why"] == "asked for"
        with pytest.raises(Refused, match="game_over"):
            operator_actions.stopped(context, board.id, "")


def test_a_finished_board_cannot_be_stopped(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        with pytest.raises(Refused, match="game_over"):
            operator_actions.stopped(context, played(context, ("ann", "bob")).id, "")


Decision = Callable[[Context, int, str], list[Letter]]


def decided(
    engine: Engine,
    decide: Decision,
    number: int,
    progress: Callable[[Iterable[Any]], AbstractContextManager[Any]] = _at_once,
) -> list[Letter]:
    """What the operator's command does, beside everything else that goes on."""
    letters: list[Letter] = []

    def write(settle: Callable[[Connection], None]) -> None:
        with writing(engine) as connection:
            found = decide(context_on(connection), number, "")
            settle(connection)
        letters.extend(found)

    counts = decide is operator_actions.reinstated
    ratings.recount(engine, progress, ratings.Decision(number, counts, write))
    return letters


def known(engine: Engine) -> ratings.Ratings:
    with reading(engine) as connection:
        assert list(ratings.problems(connection)) == []
        return ratings.known(connection)


def test_an_annulled_board_is_as_if_it_had_not_been_played(engine: Engine) -> None:
    """Taken back, the ratings are what they were; each is told, and done once."""
    with writing(engine) as connection:
        context = context_on(connection)
        first = played(context, ("ann", "bob"))
    before = known(engine)
    with writing(engine) as connection:
        second = played(context_on(connection), ("ann", "bob"))
    after = known(engine)
    letters = decided(engine, operator_actions.annulled, second.id)
    assert told(letters) == [seat.player for seat in second.seats]
    assert known(engine) == before
    with pytest.raises(Refused, match="not_rated"):
        decided(engine, operator_actions.annulled, second.id)
    decided(engine, operator_actions.reinstated, second.id)
    assert known(engine) == after
    with pytest.raises(Refused, match="not_annulled"):
        decided(engine, operator_actions.reinstated, second.id)
    decided(engine, operator_actions.annulled, first.id)
    decided(engine, operator_actions.annulled, second.id)
    assert known(engine) == {}


def test_a_board_that_ends_while_all_are_counted_again_is_counted(engine: Engine) -> None:
    with writing(engine) as connection:
        played(context_on(connection), ("ann", "bob"))

    def meanwhile(boards_: Iterable[Any]) -> AbstractContextManager[Any]:
        found = list(boards_)
        with writing(engine) as connection:
            played(context_on(connection), ("cleo", "dan"))
        return nullcontext(found)

    ratings.recount(engine, meanwhile)
    assert len(known(engine)) == 2 * 4


@pytest.mark.parametrize("undone", [False, True])
def test_two_decisions_at_once_both_reach_the_ratings(engine: Engine, undone: bool) -> None:
    """The first that counted its boards before the second was written counts them again."""
    with writing(engine) as connection:
        context = context_on(connection)
        first, second, _ = (played(context, ("ann", "bob")) for _ in range(3))
    if undone:
        decided(engine, operator_actions.annulled, second.id)
    other = operator_actions.reinstated if undone else operator_actions.annulled
    counted: list[int] = []

    def meanwhile(boards_: Iterable[Any]) -> AbstractContextManager[Any]:
        found = list(boards_)
        if not counted:
            decided(engine, other, second.id)
        counted.append(len(found))
        return nullcontext(found)

    letters = decided(engine, operator_actions.annulled, first.id, meanwhile)
    assert len(letters) == 2
    assert counted == ([1, 2] if undone else [2, 1])
    games = {rating.games for rating in known(engine).values()}
    assert games == {2 if undone else 1}


def test_an_error_while_counting_undoes_the_decision(engine: Engine) -> None:
    with writing(engine) as connection:
        board = played(context_on(connection), ("ann", "bob"))
    before = known(engine)

    def stopped(_: Iterable[Any]) -> AbstractContextManager[Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decided(engine, operator_actions.annulled, board.id, stopped)
    assert known(engine) == before
    with reading(engine) as connection:
        assert load_board(connection, board.id).clock.terms.rated


def test_without_boards_there_is_nothing_to_count(engine: Engine) -> None:
    ratings.recount(engine, _at_once)
    assert known(engine) == {}
