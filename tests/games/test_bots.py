"""Bots: their moves are legal, end the game, depend on the view alone, and are always the same."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import shrewd
from pbmserv.games.perudo.bots.hands import MOST_HANDS, Counting, counting, hands
from pbmserv.games.perudo.bots.inference import PLAIN, odds, read
from pbmserv.games.perudo.bots.mixture import Mixture, drawn, mixed
from pbmserv.games.perudo.bots.plain_levels import (
    LAST_CALZA,
    answer,
    bidders,
    callers,
    hands_of,
    stand_of,
)
from pbmserv.games.perudo.bots.probabilities import at_least, binomial, dice_of, exactly
from pbmserv.games.perudo.event_notation import read_bid
from pbmserv.games.perudo.notation import read_position, read_rules, read_view
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
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
from scripts.arena_games import CHUNK, Cell, figures, interval, measured, played, write
from scripts.arena_games import read as read_figures
from scripts.arena_thresholds import thresholds
from tests.examples import examples
from tests.games.games import plain, randoms, rule_sets, seats
from tests.rows import each_row

DATA = Path(__file__).parent / "data"

levels = st.sampled_from(sorted(bots.LEVELS))


@pytest.mark.long
@given(rule_sets(), seats, randoms, levels)
@settings(max_examples=examples(60))
def test_house_players_make_legal_moves_until_somebody_has_won(
    rules: Rules, players: int, random: Random, level: str
) -> None:
    """By every rule set with any of its options; the same view gives the same move."""
    dice, asked_again = plain(random), Random(1)
    table = new_table(rules, players)
    table = after_all(table, start(table, dice))
    while table.winner is None:
        seen = view(table, table.turn)
        action = bots.choose(seen, level)
        assert action in legal_actions(table)
        if asked_again.random() < 0.1:
            assert bots.choose(seen, level) == action
        table = after_all(table, play(table, table.turn, action, dice))
    # After the last calza every round costs a die.
    assert table.round <= LAST_CALZA + rules.dice * players


@given(st.floats(0, 1, exclude_max=True))
def test_a_draw_follows_the_probabilities(chance: float) -> None:
    """Rounding may leave the sum a little below 1: then the last action takes the rest."""
    raised, doubt = Raise(Bid(1, 2)), Call("dudo")
    assert drawn({raised: 0.25, doubt: 0.7499999}, chance) == (raised if chance < 0.25 else doubt)
    assert drawn({doubt: 1.0}, chance) == doubt


def test_a_mixture_of_two_policies_has_the_probabilities_of_both() -> None:
    raised, doubt, hand = Raise(Bid(1, 2)), Call("dudo"), (1, 0, 0, 0, 0, 0)

    def one(_: Counting) -> Mixture:
        return {raised: 1.0}

    def other(_: Counting) -> Mixture:
        return {raised: 0.5, doubt: 0.5}

    assert mixed(one, other, 0.5)(hand) == {raised: 0.75, doubt: 0.25}
    assert mixed(one, other, 0.0)(hand) == {raised: 0.5, doubt: 0.5}
    assert mixed(one, other, 1.0) is one


def test_a_game_with_only_correct_calzas_ends() -> None:
    """With two faces and wild ones, every die counts, and all dice can be deduced."""
    rules, dice = read_rules("pyrudo,dice=3,faces=2"), plain(Random(1))
    for level in bots.LEVELS:
        table = new_table(rules, 3)
        table = after_all(table, start(table, dice))
        while table.winner is None:
            action = bots.choose(view(table, table.turn), level)
            table = after_all(table, play(table, table.turn, action, dice))
        assert table.round <= LAST_CALZA + 9, level


@pytest.mark.parametrize(("round_", "is_called"), [(LAST_CALZA, True), (LAST_CALZA + 1, False)])
def test_a_calza_that_must_be_right_is_called_until_the_game_is_too_long(
    round_: int, is_called: bool
) -> None:
    """Six dice of two faces, one of them wild: there are six 2s for certain."""
    table = read_position(f"pyrudo,dice=3,faces=2 12/12/12 A {round_} 900 C:6-2s")
    action = bots.choose(view(table, 0), "house")
    assert (action == Call("calza")) is is_called


@pytest.mark.parametrize("level", sorted(bots.LEVELS))
def test_the_dice_of_others_change_no_move(level: str) -> None:
    """Two tables that look alike to the player on turn bring the same move."""
    one = read_position("bga 13556/22222/66666 A 3 9 C:3-5s")
    other = read_position("bga 13556/55555/11111 A 3 9 C:3-5s")
    assert bots.choose(view(one, 0), level) == bots.choose(view(other, 0), level)


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


def test_a_bid_that_no_plain_player_makes_is_weak_evidence() -> None:
    """Five fours out of the blue: some fours, but rather fewer than five."""
    table = read_position("bga 13556/22222 A 1 2 B:5-4s")
    chances = odds(read(view(table, 0), 1), 5, 4)
    assert sum(chances) == pytest.approx(1)
    assert 0.5 < sum(chances[1:5]) < 1


@given(st.integers(1, 10), st.integers(2, 20), st.booleans())
def test_the_probabilities_of_possible_hands_add_up_to_one(
    dice: int, faces: int, wild: bool
) -> None:
    """This holds for any dice and faces. The number of hands is small."""
    known = hands(dice, faces, wild)
    assert sum(chance for _, _, chance in known.held) == pytest.approx(1)
    assert len(known.held) <= MOST_HANDS
    for bit, counts, _ in known.held:
        assert all(known.having(place, own) & bit for place, own in enumerate(counts))


@given(rule_sets(), seats, randoms)
@settings(max_examples=25)
def test_the_forecast_for_many_hands_equals_that_for_each_hand(
    rules: Rules, players: int, random: Random
) -> None:
    """With each hand that he may hold a plain player on turn makes the move that is foretold."""
    rules = rules._replace(dice=min(rules.dice, 3))
    table = new_table(rules, players)
    table = after_all(table, start(table, plain(random)))
    for _ in range(random.randint(0, 4)):
        raises = [each for each in legal_actions(table) if isinstance(each, Raise)][:12]
        if raises:
            table = after(table, Bade(table.turn, random.choice(raises).bid))
    stand = stand_of(view(table, table.turn), table.turn, len(table.bids))
    for hand in combinations_with_replacement(range(1, rules.faces + 1), rules.dice):
        cups = tuple(hand if seat == table.turn else cup for seat, cup in enumerate(table.cups))
        seen = view(table._replace(cups=cups), table.turn)
        counts = counting(hand, rules.faces, rules.counts_wild(2, stand.palifico))
        held = [bit for bit, each, _ in hands_of(stand).held if each == counts]
        for level in PLAIN:
            found = answer(seen, level)
            for bit in held:
                calls = {call for _, call, some in callers(stand, level) if some & bit}
                assert calls == ({found} if isinstance(found, Call) else set())
                if isinstance(found, Bid):
                    assert bidders(stand, level, found) & bit


@each_row("line", (DATA / "house.txt").read_text("utf-8").splitlines())
def test_house_players_choose_the_same_moves_as_before(line: str) -> None:
    """Positions of played games, with the move of each level: speed must not change them.

    The expected moves are of a slower program, which asked every level about each hand alone.
    That of `house` is its estimate, as against a plain player.
    """
    *moves, position = line.split(" ", 3)
    seen = read_view(position)
    stand = stand_of(seen, seen.turn, 0)
    wild = seen.rules.counts_wild(2, stand.palifico)
    own = counting(seen.cups[seen.turn], seen.rules.faces, wild)
    estimate = drawn(shrewd.estimated(seen)(own), 0.0)
    found = [estimate, *(bots.choose(seen, level) for level in ("threshold", "honest"))]
    assert found == [_action(move) for move in moves]


def test_an_estimate_answers_for_many_hands_as_for_each_alone() -> None:
    """What hands share is computed once: `house` mixes over what a watcher can think of."""
    seen = view(read_position("pbmserv 12345/12345/123 A 3 9 B:3-5s"), 0)
    together = shrewd.estimated(seen)
    for _, own, _ in hands(5, seen.rules.faces, True).held[:40]:
        assert together(own) == shrewd.estimated(seen)(own)


def _action(move: str) -> Action:
    return Raise(read_bid(move)) if move[0].isdigit() else Call(move)


def test_a_sure_bid_is_not_doubted_and_an_impossible_one_is() -> None:
    """One's own cup shows it."""
    sure = view(read_position("bga 55555/2 A 3 9 B:2-5s"), 0)
    impossible = view(read_position("bga 22222/2 A 3 9 B:6-5s"), 0)
    for level in bots.LEVELS:
        assert isinstance(bots.choose(sure, level), Raise), level
        assert bots.choose(impossible, level) == Call("dudo"), level


def test_an_exact_bid_is_called_where_a_die_can_be_regained() -> None:
    """Against a single die it is certain that no more are there."""
    seen = view(read_position("bga,calza=yes 2255/6 A 5 9 B:2-5s"), 0)
    assert bots.choose(seen, "threshold") in {Call("calza"), Raise(Bid(3, 5)), Raise(Bid(2, 6))}
    certain = view(read_position("bga,calza=yes 255/-/6 A 5 9 C:2-5s"), 0)
    assert bots.choose(certain, "threshold") == Call("calza")


def test_a_bid_that_surely_holds_is_met_with_pacao() -> None:
    """One's own single die shows it, and pacao costs the bidder a die.

    The network gives each other action a chance below one in a thousand.
    """
    seen = view(read_position("pacao 5/66666 A 3 9 B:1-5s"), 0)
    assert bots.choose(seen, chance=0.001) == Call("pacao")


def test_bots_deduce_hidden_counts_from_the_rounds() -> None:
    table = read_position("bga,hidden=yes 13556/22222/3333 A 2 4 C:2-3s")
    seen = view(table, 0)
    assert [dice_of(seen, seat) for seat in range(3)] == [5, 4, 4]


@pytest.mark.long
def test_the_arena_counts_every_game_once() -> None:
    cell = Cell("pbmserv", 2, "house", "honest")
    found = played(cell, 1, 0, 30)
    assert found.games == 30
    assert played(cell, 1, 0, 30).won == found.won
    assert figures(cell, found)["share"] == pytest.approx(100 * found.won / 30, abs=0.1)


@pytest.mark.long
def test_an_arena_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Games in the file are not played again, and the next ones follow."""
    cell, file = Cell("pacao", 2, "honest", "honest"), tmp_path / "arena.json"
    found = {cell: played(cell, 3, 0, CHUNK)}
    write(file, found, 3)
    found = read_figures(file, 3)
    assert list(measured([cell], 2 * CHUNK, 3, found)) == [cell]
    assert found[cell].games == 2 * CHUNK
    assert found[cell].won == sum(played(cell, 3, first, CHUNK).won for first in (0, CHUNK))
    with pytest.raises(click.UsageError):
        read_figures(file, 4)


@pytest.mark.parametrize(
    ("won", "low", "high"), [(0, 0.0, 0.0370), (10, 0.0552, 0.1744), (100, 0.9630, 1.0)]
)
def test_the_interval_of_a_share_is_wilsons(won: int, low: float, high: float) -> None:
    """The numbers for 100 games are by hand: Brown, Cai and DasGupta (2001), formula 4."""
    assert interval(won, 100) == pytest.approx((low, high), abs=0.0001)


@pytest.mark.long
def test_a_threshold_tuned_to_the_rules_wins_more() -> None:
    """Doubting below one half is too much if ones are wild."""
    points = thresholds("classic", 2, 400, 1, (0.2, 0.5))
    assert points[0.2] > 0 > points[0.5]
