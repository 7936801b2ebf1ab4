"""The arena's reader and its exploitability: what a player wins who knows the bots' code."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.table import Call, Raise, View, view
from scripts import arena_reader, arena_times
from scripts.arena_exploit import Situation, Walk, exploitability, situations
from scripts.arena_games import Cell, Tally, arena, figures, played
from scripts.arena_yardsticks import NAMES, choose


def test_the_reader_weighs_the_cups_with_which_the_bot_makes_the_bid() -> None:
    """The true cup is among them, and a bid changes their chances, which add up to 1."""
    table = read_position("bga 13556/22246 B 1 2 A:2-5s")
    bid = bots.choose(view(table, 1), chance=0.999)
    assert isinstance(bid, Raise)
    table = read_position(f"bga 13556/22246 A 1 3 A:2-5s,B:{bid.bid}")
    believed = dict(arena_reader.beliefs(view(table, None), 1, "house"))
    assert sum(believed.values()) == pytest.approx(1)
    assert counting((2, 2, 2, 4, 6), 6, wild=True) in believed
    unread = view(read_position("bga 13556/22246 B 1 2 A:2-5s"), None)
    assert believed != dict(arena_reader.beliefs(unread, 1, "house"))


def test_the_reader_ignores_a_bid_that_no_bot_makes() -> None:
    table = read_position("bga 13556/22246 A 1 2 B:9-4s")
    assert len(arena_reader.beliefs(view(table, None), 1, "house")) == 252


def _seen(position: str) -> View:
    return view(read_position(position), 0)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_player_of_the_arena_sees_what_is_certain(name: str) -> None:
    """The player's own cup shows it."""
    assert choose(_seen("bga 22222/2 A 3 9 B:6-5s"), name, "house") == Call("dudo")
    assert isinstance(choose(_seen("bga 55555/2 A 3 9 B:2-5s"), name, "house"), Raise)


def test_the_reader_calls_calza_and_pacao_where_they_are_certain() -> None:
    seen = _seen("bga,calza=yes 255/-/6 A 5 9 C:2-5s")
    assert choose(seen, "expected", "house") == Call("calza")
    assert choose(_seen("pacao 5/66666 A 3 9 B:1-5s"), "reader", "house") == Call("pacao")


def test_the_feigner_moves_like_threshold_until_it_is_believed() -> None:
    """In the first round nobody can know it: its opening bid is that of `threshold`."""
    seen = _seen("bga 12345/12345 A 1 1 -")
    assert choose(seen, "feigner", "house") == choose(seen, "threshold", "house")


@pytest.mark.long
def test_the_reader_wins_and_its_share_is_to_be_small() -> None:
    cell = Cell("bga", 3, "reader", "honest")
    tally = played(cell, 1, 0, 10)
    assert tally.won > 6
    assert figures(cell, tally)["met"] is False
    assert figures(cell, Tally(300, 1000, 1, 1.0, 1.0))["met"] is True


def test_the_best_response_in_a_palifico_round_of_two_dice_is_that_by_hand() -> None:
    """`honest` opens with its own face F, so the second player wins only with F, too.

    It doubts 1-Fs without F, and raises with it.  So a starter with F wins 5 of 6 rounds.
    """
    situation = Situation(read_rules("bga"), 1, 1, palifico=True)
    values = [Walk(situation, "honest", bot, 99, 1000).value() for bot in (0, 1)]
    assert values == pytest.approx([-2 / 3, 2 / 3])
    found = exploitability(situation, "honest", 1000)
    assert found.value == pytest.approx(0)
    assert found.exact


def test_a_tree_that_is_too_long_gives_a_lower_bound() -> None:
    situation = next(iter(situations("classic")))
    whole = exploitability(situation, "house", 5000)
    part = exploitability(situation, "house", 30)
    assert (whole.exact, part.exact) == (True, False)
    assert part.value <= whole.value


def test_situations_have_palifico_where_the_rules_do() -> None:
    assert [each.palifico for each in situations("bga")].count(True) == 3
    assert not any(each.palifico for each in situations("classic,palifico=yes"))


def test_no_response_wins_more_than_a_die_a_round() -> None:
    for situation in situations("pyrudo"):
        assert -1 <= Walk(situation, "threshold", 0, 1, 5000).value() <= 1


@pytest.mark.parametrize("words", [("--players", "3"), ("--against", "threshold")])
def test_exploitability_of_other_games_is_refused(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(arena, ["--exploit", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--exploit is about two players" in done.stderr


def test_the_time_of_a_move_is_that_of_house_alone() -> None:
    """The second game has one `house` player, so it has fewer of its moves than the first."""
    both = [arena_times.times("bga,dice=1", 3, games, 1, slow=0.0) for games in (1, 2)]
    for each in both:
        assert 0 < each.slowest <= each.total <= each.moves * each.slowest
    assert both[0].moves < both[1].moves < 2 * both[0].moves


@pytest.mark.long
def test_the_table_of_times_has_a_line_for_each_number_of_dice() -> None:
    done = CliRunner().invoke(
        arena, ["--times", "--games", "20", "--rules", "bga", "--players", "2"]
    )
    assert done.exit_code == 0
    assert [each.split()[:2] for each in done.stdout.splitlines()[1:]] == [
        [f"bga,dice={dice}", "2"] for dice in arena_times.DICE
    ]
