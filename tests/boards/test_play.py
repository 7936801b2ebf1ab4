"""A board's rows say what its game says, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from pbmserv.boards import play, queued_moves, seating
from pbmserv.boards.board import board_number, load_board
from pbmserv.boards.possible_moves import possible_moves
from pbmserv.boards.record import (
    RECENT_BIDS,
    RECENT_ROUNDS,
    as_it_stood,
    move_of_digest,
    record_text,
    refolded,
    replayed,
)
from pbmserv.boards.seating import TokenUse
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.notation import read_action, write_event, write_view
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import (
    Action,
    Bade,
    Call,
    Dealt,
    Event,
    Raise,
    Resign,
    Resigned,
    Revealed,
    Won,
    legal_bids,
    legal_calls,
    smallest_raises,
    view,
)
from pbmserv.games.perudo.verify import verify
from pbmserv.maintenance import audit
from tests.boards.contexts import NOW, context_on, opened
from tests.examples import examples
from tests.rows import each_row

MOVE = TokenUse.MOVE
bid = read_action


def row_of(engine: Engine, number: int) -> Any:
    with reading(engine) as connection:
        return connection.execute(select(models.Board).where(models.Board.id == number)).one()


def test_a_board_is_opened_with_both_seeds_committed(engine: Engine) -> None:
    """The first in the record's header, the second with the deal; the cups are nobody's yet."""
    with writing(engine) as connection:
        board = opened(context_on(connection))
        text = record_text(connection, board.id)
    assert board.seed is not None
    assert board.next_seed is not None
    assert f"commit {commitment(board.seed)}\n" in text
    assert f"deal 1 A ?????/?????/????? - next={commitment(board.next_seed)}\n" in text
    assert "started 2023-11-14\n" in text
    assert (board.table.move, board.table.turn, board.names) == (1, 0, ["ann", "bob", "cleo"])
    row = row_of(engine, board.id)
    assert (row.move, row.turn, row.started_at, row.ended_at) == (1, 0, NOW, None)


@pytest.mark.slow
@settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rules=st.sampled_from(sorted(RULE_SETS)),
    choices=st.lists(st.integers(0, 2**16), min_size=10, max_size=60),
)
def test_the_rows_follow_the_game(engine: Engine, rules: str, choices: list[int]) -> None:
    """For any game: loading gives the board that playing gave, and the audit agrees.

    The record, read and played again, leads to the same table, and its dice are proven.  A letter
    repeats its last rounds with all their bids, and no seed.
    """
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, rules=rules, dice="2")
        for choice in choices:
            table = board.table
            if table.winner is not None:
                break
            bids = smallest_raises(table)
            calls = [Call(word) for word in legal_calls(table, table.turn)]
            actions: list[Action] = [*(Raise(each) for each in bids), *calls, Resign()]
            # Seldom a resignation: it would end most games before anybody calls.
            action = actions[-1] if choice % 40 == 0 else actions[choice % (len(actions) - 1)]
            board = play.move(context, board, table.turn, action).board
            assert replace(load_board(connection, board.id), seats=board.seats) == board
        record = read_record(record_text(connection, board.id))
        folded = list(refolded(record))[-1]
        assert write_view(view(folded, None)) == write_view(view(board.table, None))
        assert len(record.lines) == board.lines + len(record.header) - 1
        assert board.recent == tuple(finished(record.events)[-RECENT_ROUNDS:])
        verify(record)
    assert list(audit.problems(engine, board.id)) == []
    assert board.id in audit.board_numbers(engine)
    row = row_of(engine, board.id)
    assert (row.ended_at is None) == (board.table.winner is None)
    assert (row.seed is None) == (row.next_seed is None) == (board.table.winner is not None)


def finished(events: Sequence[Event]) -> list[tuple[str, ...]]:
    """The finished rounds of a record, without deals and seeds, each with at most its last bids."""
    rounds: list[list[Event]] = []
    for event in events:
        if isinstance(event, Dealt):
            rounds.append([])
        else:
            rounds[-1].append(replace(event, seed=None) if isinstance(event, Revealed) else event)
    return [
        tuple(map(write_event, story[max(0, bids_of(story) - RECENT_BIDS) :]))
        for story in rounds
        if any(isinstance(event, Revealed) for event in story)
    ]


def bids_of(story: Sequence[Event]) -> int:
    return sum(isinstance(event, Bade) for event in story)


def test_a_letter_shows_only_the_last_bids_of_a_long_round(engine: Engine) -> None:
    """So each move costs the same, and the bid that was called is always among them."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        while board.table.move <= RECENT_BIDS + 3:
            lowest = min(each for each in legal_bids(board.table) if each.face > 1)
            board = play.move(context, board, board.table.turn, Raise(lowest)).board
        *_, last = board.table.bids
        (story,) = play.move(context, board, board.table.turn, Call("dudo")).board.recent
    assert sum(" dudo" not in line and "-" in line for line in story) == RECENT_BIDS
    assert story[RECENT_BIDS - 1] == write_event(Bade(*last))


def test_a_move_from_an_outdated_board_breaks_the_key_of_events(engine: Engine) -> None:
    """Two events never have one number, even if a bug lets a move begin from an old position."""
    with writing(engine) as connection:
        board = opened(context_on(connection))
        play.move(context_on(connection), board, 0, bid("2-2s"))
        with pytest.raises(IntegrityError):
            play.move(context_on(connection), board, 0, bid("3-2s"))


def test_a_refusal_names_the_players(engine: Engine) -> None:
    """Whose turn it is, who has won, and on which board; nothing is written."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        with pytest.raises(Refused) as refused:
            play.move(context, board, 1, bid("2-2s"))
        assert refused.value.code == "not_your_turn"
        assert refused.value.facts == {"turn": "ann", "board": board.id, "move": "2-2s"}
        over = play.move(context, board, 0, Resign()).board
        for action in (Resign(), bid("2-2s")):
            with pytest.raises(Refused) as refused:
                play.move(context, over, 1, action)
            assert refused.value.facts == {"winner": "bob", "board": board.id}
        assert load_board(connection, board.id).seats == (
            replace(board.seats[0], leaving=True),
            board.seats[1],
        )


def test_a_digest_names_the_move_after_which_a_board_had_it(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        seen = [board.chain.hex()]
        for seat, text in ((0, "4-2s"), (1, "5-2s"), (2, "dudo"), (None, "1-1s")):
            board = load_board(connection, board.id)
            mover = board.table.turn if seat is None else seat
            seen.append(play.move(context, board, mover, bid(text), "").board.chain.hex())
        text = record_text(connection, board.id)
    assert [move_of_digest(text, each) for each in seen] == [0, 1, 2, 3, 4]
    assert move_of_digest(text, seen[2][:8].upper()) == 2
    assert move_of_digest(text, "0" * 64) is None


def test_two_moves_are_examples_for_the_player_on_turn(engine: Engine) -> None:
    """Two bids that open a round, then a bid and a call; nobody else gets any."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        ann, bob, _ = (each.player for each in board.seats)
        first = possible_moves(connection, board.id, ann).examples
        assert first == ("3-1s", "3-2s")  # bids that are likely true of fifteen dice
        play.move(context, board, 0, bid("4-2s"), "")
        assert possible_moves(connection, board.id, bob).examples == ("5-2s", "dudo")
        assert possible_moves(connection, board.id, ann).examples == ()
        assert possible_moves(connection, board.id, 99).examples == ()
        assert possible_moves(connection, 99, ann).examples == ()


def test_resignations_wait_for_their_turn(engine: Engine) -> None:
    """One after the other they happen in one move; the last one with dice has won."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob", "cleo", "dora"))
        assert queued_moves.resign_later(context, board, 1)
        assert queued_moves.resign_later(context, board, 2)
        board = load_board(connection, board.id)
        assert [each.leaving for each in board.seats] == [False, True, True, False]
        assert not queued_moves.resign_later(context, board, 2)
        assert queued_moves.resign_later(context, load_board(connection, board.id), 2)
        played = play.move(context, load_board(connection, board.id), 0, bid("2-2s"), "Here!")
        assert [each.seat for each in played.events if isinstance(each, Resigned)] == [1, 2]
        assert played.message == "Here!"
        assert played.board.table.turn == 3
        with pytest.raises(Refused, match="eliminated"):
            queued_moves.resign_later(context, played.board, 1)
        assert queued_moves.resign_later(context, played.board, 0)
        board = load_board(connection, board.id)
        played = play.move(context, board, 3, bid("2-2s"))
        assert Won(3) in played.events


def test_a_board_is_seen_as_it_stood(engine: Engine) -> None:
    """With the digest of then, no secrets, and the dice of its round once they are open."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        digests = [board.chain]
        for seat, made in enumerate(("2-2s", "3-2s")):
            board = play.move(context, board, seat, bid(made)).board
            digests.append(board.chain)
        for move in (1, 2, 3):
            stood, cups = as_it_stood(connection, board, move)
            assert (stood.table.move, len(stood.table.bids)) == (move, move - 1)
            assert not any(map(any, stood.table.cups))
            assert (stood.chain, stood.seed, stood.next_seed) == (digests[move - 1], None, None)
            assert cups is None
        secret = board.table.cups
        board = play.move(context, board, 0, Call("dudo")).board
        assert [as_it_stood(connection, board, move).cups for move in (1, 2, 3)] == ([secret] * 3)
        assert as_it_stood(connection, board, 4).cups is None
        for move in (5, 99):
            with pytest.raises(Refused, match="no_such_move"):
                as_it_stood(connection, board, move)


def test_a_board_is_replayed_once_for_any_number_of_its_moves(engine: Engine) -> None:
    """Twenty lines of an email may ask for a hundred; a move that is made in between counts."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        for seat, made in enumerate(("2-2s", "3-2s", "4-2s")):
            board = play.move(context, board, seat % 2, bid(made)).board
            replayed.cache_clear()
            for move in [*range(1, board.table.move + 1)] * 3:
                assert as_it_stood(connection, board, move).board.table.move == move
            assert replayed.cache_info().misses == 1


@each_row("text", ["", "0", "-1", "x", "1.5", "²", "③", "9" * 30, str(2**31)])
def test_text_without_a_number_names_no_board(text: str) -> None:
    with pytest.raises(Refused, match="not_a_board_number"):
        board_number(text)


@pytest.mark.parametrize("text", ["1", "007", "٣", str(2**31 - 1)])
def test_a_number_names_a_board(text: str) -> None:
    assert board_number(text) == int(text)


def test_a_missing_board_is_refused(engine: Engine) -> None:
    with reading(engine) as connection:
        for ask in (load_board, record_text):
            with pytest.raises(Refused, match="no_such_board"):
                ask(connection, 7)


def test_only_its_player_may_act_at_a_seat(engine: Engine) -> None:
    """The credentials say who writes; the number of the move may be asked for."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        number, bob = str(board.id), str(board.seats[1].player)
        assert seating.authorized(context, number, "bob", bob, MOVE) == (board, 1)
        assert seating.authorized(context, number, "bob", bob, MOVE, expected=1) == (board, 1)
        with pytest.raises(Refused, match="wrong_move"):
            seating.authorized(context, number, "bob", bob, MOVE, expected=2)
        with pytest.raises(Refused, match="not_on_board"):
            seating.authorized(context, number, "emil", "1000", MOVE)
