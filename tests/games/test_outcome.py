"""Who came in which place."""

from __future__ import annotations

from random import Random

from hypothesis import given

from pbmserv.games.perudo.outcome import places
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import Eliminated, Event, Won, after_all, new_table, start
from tests.games.games import moves, plain, randoms, rule_sets, seats


@given(rule_sets(), seats, randoms)
def test_every_player_has_a_separate_rank_after_a_win(
    rules: Rules, players: int, random: Random
) -> None:
    dice = plain(random)
    table = new_table(rules, players)
    events: list[Event] = [*start(table, dice)]
    table = after_all(table, events)
    for before, _, _, happened in moves(table, random, dice):
        assert places(events, players) is None
        events += happened
        table = after_all(before, happened)
    order = places(events, players)
    assert order is not None
    assert sorted(order) == list(range(1, players + 1))
    assert order[table.winner or 0] == 1


def test_a_player_eliminated_later_ranks_higher() -> None:
    assert places([Eliminated(2), Eliminated(0), Won(1)], 3) == (2, 1, 3)
    assert places([Won(1)], 3) is None


def test_a_replaced_player_went_out_at_the_replacement() -> None:
    """Seats 1 and 2 play on; the seat that was handed over wins, or goes out late, or soon."""
    before, after = Eliminated(3), Eliminated(1)
    assert places([before, after, Eliminated(2), Won(0)], 4, {0: 1}) == (4, 3, 2, 5)
    assert places([before, after, Eliminated(0), Won(2)], 4, {0: 1}) == (3, 2, 1, 4)
    assert places([before, Eliminated(0), after, Won(2)], 4, {0: 1}) == (3, 2, 1, 4)
    assert places([before, after, Eliminated(0), Won(2)], 4, {0: 2}) == (2, 3, 1, 4)
    assert places([before, after, Eliminated(0), Won(2)], 4) == (2, 3, 1, 4)


def test_a_player_replaced_later_ranks_higher() -> None:
    assert places([Eliminated(2), Eliminated(1), Won(0)], 3, {0: 2, 1: 0}) == (2, 4, 3)
    assert places([Eliminated(2), Won(0)], 3, {0: 2, 1: 0}) == (2, 4, 3)
