"""Statistics: games whose right answer is known, and luck that is zero on average."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.statistics import Counts, statistics
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Dealt,
    Event,
    Lost,
    Resigned,
    Revealed,
    after_all,
    new_table,
    start,
)
from tests.games.games import moves, plain

pytestmark = pytest.mark.long


def game(call: str, *cups: tuple[int, ...], palifico: int | None = None) -> list[Event]:
    """Two players; A opens with two 5s, B calls."""
    hidden = tuple((0,) * len(cup) for cup in cups)
    return [
        Dealt(1, 0, palifico, hidden),
        Bade(0, Bid(2, 5)),
        Called(1, call),
        Revealed(cups, 2),
        Lost(1),
    ]


def test_a_true_bid_and_a_wrong_doubt_are_counted_without_wild_ones() -> None:
    """A holds 5 5: his bid surely holds.  B holds one 5 of two: the other two dice are fair.

    For B the bid is true unless neither of A's dice is a 5: 1 - (5/6)^2 = 11/36.  So his doubt was
    right with 25/36.  Of B's two dice one was a 5, and 2/6 were to be expected.
    """
    ann, bob = statistics(rules_named("pbmserv"), game("dudo", (5, 5), (5, 3)), 2)
    assert (ann.bids, ann.true, ann.expected_true, ann.bluffs) == (1, 1, 1.0, 0)
    assert (bob.calls, bob.right) == (1, 0)
    assert bob.expected_right == pytest.approx(25 / 36)
    assert bob.right_variance == pytest.approx(25 / 36 * 11 / 36)
    assert bob.matches == pytest.approx(1 - 2 / 6)
    assert bob.matches_variance == pytest.approx(2 * 1 / 6 * 5 / 6)
    assert ann.dice_luck is None
    assert ann.call_luck is None
    assert bob.call_luck == pytest.approx(-(25 / 36) / sqrt(25 / 36 * 11 / 36))


def test_ones_count_where_they_are_wild_and_not_in_palifico() -> None:
    """A holds 1 3: with wild ones he has one of the two; in a Palifico round of bga none."""
    wild, _ = statistics(rules_named("bga"), game("dudo", (1, 3), (5, 3)), 2)
    assert (wild.true, wild.bluffs) == (1, 0)
    assert wild.expected_true == pytest.approx(1 - (2 / 3) ** 2)
    plain_ones, _ = statistics(rules_named("bga"), game("dudo", (1, 3), (5, 3), palifico=0), 2)
    assert (plain_ones.true, plain_ones.bluffs) == (0, 1)
    assert plain_ones.expected_true == pytest.approx(1 / 36)


def test_calza_and_pacao_are_right_in_their_own_ways() -> None:
    """There are exactly two 5s: calza is right, and so is pacao."""
    for call, chance in (("calza", 10 / 36), ("pacao", 11 / 36)):
        _, bob = statistics(rules_named("pbmserv"), game(call, (5, 3), (5, 3)), 2)
        assert bob.right == 1
        assert bob.expected_right == pytest.approx(chance)


def test_an_aborted_round_counts_only_its_bids() -> None:
    events = [*game("dudo", (5, 5), (5, 3))[:2], Resigned(1), Revealed(((5, 5), (5, 3)), None)]
    ann, bob = statistics(rules_named("pbmserv"), events, 2)
    assert (ann.bids, bob.calls) == (1, 0)
    opened: list[Event] = [
        Dealt(1, 0, None, ((0,), (0,))),
        Resigned(0),
        Revealed(((5,), (3,)), None),
    ]
    assert statistics(rules_named("pbmserv"), opened, 2) == (Counts(), Counts())


@pytest.mark.parametrize("name", ["pbmserv", "classic", "bga", "pyrudo", "pacao"])
def test_luck_is_zero_on_average(name: str) -> None:
    """Over 300 games of players who move at random it is within four standard errors."""
    random, rules = Random(7), rules_named(name)
    total = Counts()
    for _ in range(300):
        dice = plain(random)
        events = list(start(new_table(rules, 3), dice))
        table = after_all(new_table(rules, 3), events)
        for *_, happened in moves(table, random, dice):
            events += happened
        for each in statistics(rules, events, 3):
            total += each
    assert total.calls > 300
    assert abs(total.call_luck or 9) < 4
    assert abs(total.dice_luck or 9) < 4
    assert abs(total.true - total.expected_true) < 4 * sqrt(total.bids / 4)
