"""Best replies: what the usual bot does where the recipes of all others are known."""

from __future__ import annotations

from random import Random

import pytest

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import (
    best_replies,
    choice,
    endgames,
    habits,
    network,
    shrewd,
    trained,
)
from pbmserv.games.perudo.bots.habits import RECIPES
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.plain_levels import hands_of, stand_of
from pbmserv.games.perudo.events import Action, Bade, Call, Called, Raise
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.opened_rounds import Opened, opened_rounds
from pbmserv.games.perudo.table import after_all, new_table, play, start, view
from scripts.arena_games import Cell, played
from scripts.arena_yardsticks import expected as expected_action
from tests.games.games import plain

THRESHOLD = RECIPES[:1]
OTHER = 1


def reply(position: str, recipes: tuple[habits.Recipe, ...] = THRESHOLD) -> Action:
    """What seat 0 does in this position against players of these recipes."""
    seen = view(read_position(position), 0)
    found = best_replies.policy(seen, dict.fromkeys(range(1, len(seen.cups)), recipes))
    assert found is not None
    wild = seen.rules.counts_wild(2, seen.palifico is not None)
    mixture = found(counting(seen.cups[0], seen.rules.faces, wild))
    assert [*mixture.values()] == [1.0]
    return next(iter(mixture))


def opened_by(level: str, kind: str = "bga", seats: int = 2) -> tuple[Opened, ...]:
    """The rounds of a game of the usual bot (seat 0) against such players."""
    random, rules = Random(level), read_rules(kind)
    dice = plain(random)
    events = [*start(new_table(rules, seats), dice)]
    table = after_all(new_table(rules, seats), events)
    while table.winner is None:
        seen = view(table, table.turn)
        name = level if table.turn else "house"
        is_outside = name not in bots.LEVELS
        action = expected_action(seen) if is_outside else bots.choose(seen, name, random.random())
        events += (happened := play(table, table.turn, action, dice))
        table = after_all(table, happened)
    return tuple(opened_rounds(rules, events, seats).values())


@pytest.mark.parametrize(("level", "place"), [("threshold", 0), ("honest", 1), ("expected", 2)])
@pytest.mark.parametrize("kind", ["bga", "bga,calza=yes", "pbmserv"])
def test_each_recipe_says_what_its_player_does(level: str, place: int, kind: str) -> None:
    """With the player's cup, before each of its moves; so the others' hands can be left out."""
    moves = [
        (view(table._replace(cups=each.cups), OTHER), event)
        for each in opened_by(level, kind)
        for table, event in each.made
        if event.seat == table.turn == OTHER
    ]
    assert len(moves) > 5
    for seen, event in moves:
        stand = stand_of(seen, OTHER, len(seen.bids))
        wild = seen.rules.counts_wild(2, stand.palifico)
        own = counting(seen.cups[OTHER], seen.rules.faces, wild)
        hands = [counts for _, counts, _ in hands_of(stand).held]
        made = Raise(event.bid) if isinstance(event, Bade) else Call(event.call)
        assert RECIPES[place].answers(stand)[hands.index(own)] == made
        assert isinstance(event, Bade | Called)


def test_a_bid_by_a_recipe_shows_the_cup() -> None:
    """`threshold` opens with the most dice of a face that it has, among equals of the highest.

    So 4-6s are four dice.  With the bot's two, six sixes are certain, and `threshold` doubts them.
    """
    assert reply("classic 23466/66661 A 1 2 B:4-6s") == Raise(Bid(6, 6))


def test_the_bot_doubts_where_every_hand_that_explains_the_bids_says_so() -> None:
    """`threshold` raises a bluff of 2-6s to 3-6s with two sixes, and no wild one."""
    assert reply("bga 44/66 A 5 9 A:2-6s,B:3-6s") == Call("dudo")
    assert isinstance(reply("bga 66/66 A 5 9 A:2-6s,B:3-6s"), Raise)


def test_the_hands_of_all_of_several_players_count_and_the_next_one_decides() -> None:
    """2-5s and then 3-5s of two dice each are two fives at least, and one: with a wild one four."""
    assert reply("classic 12234/55/55 A 3 9 B:2-5s,C:3-5s", RECIPES[1:2]) == Raise(Bid(4, 5))


def test_without_a_hand_that_explains_the_bids_the_bot_hides_its_cup() -> None:
    """`threshold` never opens with nine dice of a face, so this is another player."""
    seen = view(read_position("bga 13556/22246 A 1 2 B:9-4s"), 0)
    assert best_replies.policy(seen, {OTHER: RECIPES}) is None
    opened = opened_by("threshold")
    assert habits.recipes_of((OTHER,), opened) is not None
    own = counting(seen.cups[0], 6, wild=True)
    hidden = endgames.policy(seen) or network.policy(seen) or trained.policy(seen)
    assert hidden is not None
    assert bots.policy(seen, "house", opened)(own) == hidden(own)


@pytest.mark.parametrize(
    ("position", "known"),
    [
        ("bga 12345/12345 A 1 1 -", True),
        ("bga 12345/12345/12345/12345/12345/12345 A 1 1 -", True),
        ("classic,dice=10 1234512345/1234512345 A 1 1 -", False),
        ("bga,hidden=yes 12345/12345/12345 A 1 1 -", False),
    ],
)
def test_hands_are_known_where_they_are_few_and_not_hidden(position: str, known: bool) -> None:
    assert best_replies.are_known(view(read_position(position), 0)) == known


@pytest.mark.long
@pytest.mark.parametrize(("kind", "players"), [("bga", 2), ("classic", 4)])
def test_a_plain_player_loses_to_the_best_replies(kind: str, players: int) -> None:
    """The shares are 93 and 98 of 100 games; without the replies they were 75 and 64."""
    assert played(Cell(kind, players, "house", "threshold"), 1, 0, 12).won >= 10


def test_it_plays_by_its_estimates_if_the_others_hide_how_many_dice_they_have() -> None:
    """Then not all of their hands can be considered."""
    opened = opened_by("threshold", "bga,hidden=yes", 3)
    assert habits.recipes_of([1, 2], opened)
    seen = view(read_position("bga,hidden=yes 12345/12345/12345 A 5 9 -"), 0)
    own = counting(seen.cups[0], seen.rules.faces, wild=True)
    assert choice.policy(seen, "house", opened)(own) == shrewd.estimated(seen)(own)
    assert choice.policy(seen)(own) != shrewd.estimated(seen)(own)
