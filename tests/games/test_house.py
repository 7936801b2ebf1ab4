"""House players: legal, to an end, by the view alone, and always the same."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbmserv.games.perudo import house
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.house.belief import at_least, binomial, dice_of, exactly
from pbmserv.games.perudo.house.outlook import hands
from pbmserv.games.perudo.house.reading import odds, read
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Bade,
    Call,
    Raise,
    after,
    after_all,
    legal_actions,
    new_table,
    play,
    start,
    view,
)
from scripts.arena_games import Cell, figures, played
from tests.games.games import plain, randoms, rule_sets, seats

levels = st.sampled_from(sorted(house.LEVELS))


@given(rule_sets(), seats, randoms, levels)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_house_players_make_legal_moves_until_somebody_has_won(
    rules: Rules, players: int, random: Random, level: str
) -> None:
    """By every rule set with any of its options; the same view gives the same move."""
    dice = plain(random)
    table = new_table(rules, players)
    table = after_all(table, start(table, dice))
    while table.winner is None:
        seen = view(table, table.turn)
        action = house.choose(seen, level)
        assert action in legal_actions(table)
        assert house.choose(seen, level) == action
        table = after_all(table, play(table, table.turn, action, dice))
    assert table.move < 60 * 60


@pytest.mark.parametrize("level", sorted(house.LEVELS))
def test_what_others_hold_changes_nothing(level: str) -> None:
    """Two tables that look alike to the player on turn bring the same move."""
    one = read_position("bga 13556/22222/66666 A 3 9 C:3-5s")
    other = read_position("bga 13556/55555/11111 A 3 9 C:3-5s")
    assert house.choose(view(one, 0), level) == house.choose(view(other, 0), level)


def test_odds_are_those_of_the_binomial_distribution() -> None:
    """Five dice, a third of which count: 1 - (2/3)^5 for one or more, by hand."""
    odds = binomial(5, 1 / 3)
    assert sum(odds) == pytest.approx(1)
    assert at_least(odds, 1) == pytest.approx(1 - (2 / 3) ** 5)
    assert exactly(odds, 5) == pytest.approx(3**-5)
    assert (at_least(odds, 0), at_least(odds, 6), exactly(odds, 6)) == (1, 0, 0)


def test_a_bid_is_evidence_for_its_face() -> None:
    """Without it every face is as likely; with it the neighbour rather has the face he named."""
    table = read_position("pbmserv 13556/22222 B 1 1 -")
    before = read(view(table, 0), 1)
    seen = view(after(table, Bade(1, Bid(2, 4))), 0)
    for face, likelier in ((4, True), (3, False)):
        now, then = (at_least(odds(each, 5, face), 2) for each in (read(seen, 1), before))
        assert (now > then) is likelier


def test_a_bid_that_no_plain_player_makes_is_not_taken_at_its_word() -> None:
    """Five fours out of the blue: some fours, but rather fewer than five."""
    table = read_position("bga 13556/22222 A 1 2 B:5-4s")
    chances = odds(read(view(table, 0), 1), 5, 4)
    assert sum(chances) == pytest.approx(1)
    assert 0.5 < sum(chances[1:5]) < 1


@given(rule_sets(), st.booleans(), st.integers(1, 10))
def test_the_hands_thought_of_have_a_chance_of_one_together(
    rules: Rules, palifico: bool, dice: int
) -> None:
    """Whatever the dice and faces of a challenge; there are few enough to think of each."""
    found = hands(rules, palifico, dice)
    assert sum(chance for _, chance in found) == pytest.approx(1)
    assert len(found) <= 300


def test_a_sure_bid_is_not_doubted_and_an_impossible_one_is() -> None:
    """One's own cup shows it."""
    sure = view(read_position("bga 55555/2 A 3 9 B:2-5s"), 0)
    impossible = view(read_position("bga 22222/2 A 3 9 B:6-5s"), 0)
    for level in house.LEVELS:
        assert isinstance(house.choose(sure, level), Raise), level
        assert house.choose(impossible, level) == Call("dudo"), level


def test_an_exact_bid_is_called_where_a_die_can_be_regained() -> None:
    """Against a single die it is certain that no more are there."""
    seen = view(read_position("bga,calza=yes 2255/6 A 5 9 B:2-5s"), 0)
    assert house.choose(seen, "threshold") in {Call("calza"), Raise(Bid(3, 5)), Raise(Bid(2, 6))}
    certain = view(read_position("bga,calza=yes 255/-/6 A 5 9 C:2-5s"), 0)
    assert house.choose(certain, "threshold") == Call("calza")


def test_a_bid_that_surely_holds_is_met_with_pacao() -> None:
    """One's own single die shows it, and pacao costs the bidder a die."""
    seen = view(read_position("pacao 5/66666 A 3 9 B:1-5s"), 0)
    assert house.choose(seen) == Call("pacao")


def test_hidden_counts_are_taken_for_what_the_rounds_leave() -> None:
    table = read_position("bga,hidden=yes 13556/22222/3333 A 2 4 C:2-3s")
    seen = view(table, 0)
    assert [dice_of(seen, seat) for seat in range(3)] == [5, 4, 4]


def test_the_arena_counts_every_game_once() -> None:
    cell = Cell("pbmserv", 2, "house", "honest")
    found = played(cell, 1, 0, 30)
    assert found.games == 30
    assert played(cell, 1, 0, 30).won == found.won
    assert figures(cell, found)["share"] == pytest.approx(100 * found.won / 30, abs=0.1)
