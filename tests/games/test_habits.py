"""Habits: a player of a fixed recipe is known by the opened rounds, and nobody else is."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.advice import judged
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import best_replies, endgames, habits
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.mixture import mixed
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.opened_rounds import Opened, opened_rounds
from pbmserv.games.perudo.table import (
    Bade,
    Call,
    Event,
    Raise,
    Table,
    after_all,
    new_table,
    play,
    start,
    view,
)
from scripts.arena_yardsticks import expected
from tests.games.games import plain

HOUSE, PLAIN = 0, 1


def turns(
    kind: str, level: str, games: int, players: int = 2
) -> Iterator[tuple[Table, tuple[Opened, ...], list[Event]]]:
    """Each turn of games of the usual bot (seat 0) against a level, with what was opened before."""
    random = Random(f"{kind} {level}")
    rules, dice = read_rules(kind), plain(random)
    for _ in range(games):
        events: list[Event] = [*start(new_table(rules, players), dice)]
        table = after_all(new_table(rules, players), events)
        while table.winner is None:
            opened = tuple(opened_rounds(rules, events, players).values())
            yield table, opened, events
            seen = view(table, table.turn)
            name = "house" if table.turn == HOUSE else level
            action = bots.choose(seen, name, random.random(), opened)
            happened = play(table, table.turn, action, dice)
            events += happened
            table = after_all(table, happened)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["threshold", "honest"])
@pytest.mark.parametrize("kind", ["bga", "classic", "classic,palifico=yes"])
def test_the_bot_knows_a_plain_player_after_a_few_moves(kind: str, level: str) -> None:
    """From then on it makes the best reply to the recipe of this player, more often each round."""
    known, trusts = 0, set()
    for table, opened, _ in turns(kind, level, 6):
        seen = view(table, table.turn)
        moves = sum(event.seat == PLAIN for each in opened for _, event in each.made)
        if table.turn != HOUSE or moves < habits.LEAST_MOVES:
            continue
        known += 1
        assert habits.is_plain(PLAIN, opened)
        wild = table.rules.counts_wild(2, table.palifico is not None)
        own = counting(table.cups[HOUSE], table.rules.faces, wild)
        recipes = habits.recipes_of((PLAIN,), opened)
        assert recipes is not None
        replies = best_replies.policy(seen, recipes)
        assert replies is not None
        trust = habits.trust((PLAIN,), opened)
        hidden = bots.policy(seen, "house")
        assert bots.policy(seen, "house", opened)(own) == mixed(replies, hidden, trust)(own)
        trusts.add(trust)
    assert known > 0
    assert max(trusts) == 1
    assert min(trusts) < 1


def test_the_bot_makes_best_replies_more_often_with_each_round_of_its_only_opponent() -> None:
    """A round in which the opponent did not move tells nothing; of several each tells enough."""
    played = [opened for _, opened, _ in turns("bga", "threshold", 1)][-1]
    seen = [each for each in played if any(event.seat == PLAIN for _, event in each.made)]
    counts = range(1, habits.ROUNDS + 1)
    assert len(seen) >= habits.ROUNDS
    grown = [habits.trust((PLAIN,), seen[:count]) for count in counts]
    assert grown == pytest.approx([16 / 81, 8 / 27, 4 / 9, 2 / 3, 1])
    assert habits.trust((PLAIN,), seen) == 1
    unmoved = Opened(1, (), ())
    assert habits.trust((PLAIN,), [unmoved, *seen[:1], unmoved]) == grown[0]
    assert habits.trust((PLAIN, HOUSE), seen[:1]) == 1


@pytest.mark.slow
def test_advice_remembers_what_the_bot_remembered() -> None:
    """Against a plain player the advice for a solved round is what the bot had in mind there."""
    games: list[list[Event]] = []
    wanted: list[dict[tuple[int, int], tuple[str, float]]] = []
    for table, opened, events in turns("bga", "threshold", 6):
        if not games or games[-1] is not events:
            games.append(events)
            wanted.append({})
        seen = view(table, table.turn)
        if table.turn == HOUSE and bots.looks_back(seen, "house"):
            wild = table.rules.counts_wild(2, table.palifico is not None)
            own = counting(table.cups[HOUSE], table.rules.faces, wild)
            mixture = bots.policy(seen, "house", opened)(own)
            best = max(mixture, key=lambda each: mixture[each])
            assert isinstance(best, Raise | Call)
            said = str(best.bid) if isinstance(best, Raise) else best.word
            wanted[-1][table.round, len(table.bids)] = said, mixture[best]
    assert any(wanted)
    for events, said_then in zip(games, wanted, strict=True):
        rounds = opened_rounds(read_rules("bga"), events, 2)
        for (number, place), then in said_then.items():
            before = [rounds[each] for each in sorted(rounds) if each < number]
            move = judged(rounds[number], with_bot=True, before=before).moves[place]
            assert (move.bot, move.share) == then


def test_a_player_of_expected_values_is_plain_too() -> None:
    """As `scripts/arena --against expected` plays; the usual bot is not."""
    random, rules = Random(1), read_rules("bga")
    dice = plain(random)
    events: list[Event] = [*start(new_table(rules, 2), dice)]
    table = after_all(new_table(rules, 2), events)
    while table.winner is None:
        seen = view(table, table.turn)
        is_house = table.turn == HOUSE
        action = bots.choose(seen, "house", random.random()) if is_house else expected(seen)
        happened = play(table, table.turn, action, dice)
        events += happened
        table = after_all(table, happened)
    opened = tuple(opened_rounds(rules, events, 2).values())
    assert habits.is_plain(PLAIN, opened)
    assert not habits.may_be_plain(HOUSE, opened)


def test_one_other_move_is_enough_to_be_no_plain_player() -> None:
    *_, (_, opened, events) = turns("bga", "threshold", 1)
    assert habits.is_plain(PLAIN, opened)
    place = [n for n, each in enumerate(events) if isinstance(each, Bade) and each.seat == PLAIN][1]
    bade = events[place]
    assert isinstance(bade, Bade)
    events[place] = Bade(PLAIN, Bid(bade.bid.quantity + 1, bade.bid.face))
    changed = opened_rounds(read_rules("bga"), events, 2).values()
    assert not habits.is_plain(PLAIN, changed)


def test_only_the_latest_rounds_are_judged() -> None:
    """So a move takes no longer in a long game.  Each opponent of several has its share of them."""
    *_, (_, plain_rounds, _) = turns("bga", "threshold", 1)
    *_, (_, others, _) = turns("bga", "house", 1)
    assert not habits.may_be_plain(PLAIN, others)
    later = [*plain_rounds] * habits.MOST_JUDGED
    enough = later[: habits.MOST_JUDGED]
    assert habits.is_plain(PLAIN, [*others, *enough])
    assert not habits.is_plain(PLAIN, [*others, *enough[len(others) :]])
    assert habits.are_plain((PLAIN, PLAIN), [*others, *enough[: habits.MOST_JUDGED // 2]])


def test_few_moves_prove_nothing() -> None:
    for _, opened, _ in turns("bga", "threshold", 1):
        made = [event for each in opened for _, event in each.made if event.seat == PLAIN]
        assert habits.is_plain(PLAIN, opened) == (len(made) >= habits.LEAST_MOVES)


def test_fewer_moves_of_each_of_several_players_are_enough() -> None:
    """The moves of all of them together tell more than those of one."""
    others, known = (1, 2, 3), 0
    for _, opened, _ in turns("bga", "threshold", 1, players=4):
        seats = [event.seat for each in opened for _, event in each.made]
        are_many = min(map(seats.count, others)) >= habits.LEAST_OF_SEVERAL
        if known == len(opened):
            continue
        known = len(opened)
        assert habits.are_plain(others, opened) == are_many
        if are_many:
            return


def test_against_anybody_else_the_endgame_is_solved() -> None:
    """Without a history, and with one of the usual bot itself, which follows no plain recipe."""
    table = read_position("bga 12/34 A 5 9 -")
    seen, own = view(table, 0), counting((1, 2), 6, wild=True)
    solved = endgames.policy(seen)
    assert solved is not None
    assert bots.policy(seen)(own) == solved(own)
    *_, (_, opened, _) = turns("bga", "house", 1)
    assert not habits.is_plain(PLAIN, opened)
    assert bots.policy(seen, "house", opened)(own) == solved(own)


def test_a_player_without_dice_who_is_not_plain_does_not_count() -> None:
    """Only those who still have dice count; the bot plays a solved round against one player."""
    table = read_position("bga 12/-/34 A 5 9 -")
    assert bots.looks_back(view(table, 0), "house")
    assert not bots.looks_back(view(table, 0), "threshold")
    assert bots.looks_back(view(read_position("bga 12/1/34 A 5 9 -"), 0), "house")
