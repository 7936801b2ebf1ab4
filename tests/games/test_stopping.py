"""A stopped game has no winner, its cups are open, and its record proves the dice."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import (
    read_event,
    read_position,
    read_view,
    write_event,
    write_position,
    write_view,
)
from pbmserv.games.perudo.rules import Rules, rules_named
from pbmserv.games.perudo.table import (
    NOBODY,
    Drawn,
    Raise,
    Resign,
    Revealed,
    Table,
    after_all,
    legal_bids,
    legal_calls,
    new_table,
    play,
    start,
    stop,
    view,
)
from tests.games.games import moves, plain, randoms, rule_sets, seats


def stopped(rules: Rules, players: int, random: Random) -> tuple[Table, Table]:
    """A random game somewhere on its way, before and after it was stopped."""
    dice = plain(random)
    table = new_table(rules, players)
    table = after_all(table, start(table, dice))
    for before, *_ in moves(table, random, dice):
        table = before
        if random.random() < 0.1:
            break
    return table, after_all(table, stop(table, dice))


@given(rule_sets(), seats, randoms)
def test_a_stopped_game_is_over_without_a_winner_and_without_secrets(
    rules: Rules, players: int, random: Random
) -> None:
    before, table = stopped(rules, players, random)
    assert table.winner == NOBODY
    assert table.cups == before.cups
    assert view(table, None).cups == before.cups
    assert legal_bids(table) == ()
    assert not any(legal_calls(table, seat) for seat in range(players))
    for action in (Raise(Bid(1, 2)), Resign()):
        with pytest.raises(Refused, match="game_over"):
            play(table, table.turn, action, plain(random))
    with pytest.raises(Refused, match="game_over"):
        stop(table, plain(random))


@given(rule_sets(), seats, randoms)
def test_a_stopped_game_reads_back(rules: Rules, players: int, random: Random) -> None:
    _, table = stopped(rules, players, random)
    assert read_position(write_position(table)) == table
    assert read_view(write_view(view(table, None))) == view(table, None)


def test_the_stop_event_comes_before_the_open_cups() -> None:
    dice = plain(Random(1))
    table = new_table(rules_named("bga"), 3)
    with pytest.raises(Refused, match="not_started"):
        stop(table, dice)
    table = after_all(table, start(table, dice))
    assert stop(table, dice) == (Drawn(), Revealed(table.cups, None, dice.seed))
    assert write_event(Drawn()) == "draw"
    assert read_event("draw") == Drawn()
