"""The final places of players."""

from __future__ import annotations

from random import Random

from hypothesis import given

from pbmserv.games.perudo.final_places import DiceChanges, dice_changes_of, left_early, places
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Dealt,
    Eliminated,
    Event,
    Gained,
    Lost,
    Resigned,
    Won,
    after_all,
    new_table,
    start,
)
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


@given(rule_sets(), seats, randoms)
def test_the_rounds_of_a_seat_explain_its_dice(rules: Rules, players: int, random: Random) -> None:
    dice = plain(random)
    table = new_table(rules, players)
    events: list[Event] = [*start(table, dice)]
    table = after_all(table, events)
    for before, _, _, happened in moves(table, random, dice):
        events += happened
        table = after_all(before, happened)
    for changes, cup in zip(dice_changes_of(events, players), table.cups, strict=True):
        left = rules.dice - len(changes.lost) + len(changes.gained)
        assert len(cup) == (0 if changes.resigned else left)
        assert changes.lost == sorted(set(changes.lost))


def test_rounds_count_from_one_and_a_seat_may_leave() -> None:
    deals = [Dealt(number, 0, None, ()) for number in (1, 2, 3)]
    events: list[Event] = [deals[0], Lost(1), deals[1], Gained(1), deals[2], Lost(0), Resigned(1)]
    assert dice_changes_of(events, 2) == (DiceChanges([3]), DiceChanges([1], [2], 3))


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


def test_who_resigned_while_others_played_on_left_early() -> None:
    """The resignation that ends a game is not early."""
    deal = Dealt(1, 0, None, ((1,), (2,), (3,)))
    first: list[Event] = [deal, Resigned(1), Eliminated(1), deal]
    assert left_early([deal]) == frozenset()
    assert left_early(first[:-1]) == frozenset()
    assert left_early(first) == {1}
    assert left_early([*first, Resigned(0), Eliminated(0), Won(2)]) == {1}
    assert left_early([deal, Lost(0), Eliminated(0), deal, Resigned(1), Won(2)]) == frozenset()
