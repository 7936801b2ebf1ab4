"""Advice: chances whose right value is known, and nothing from a round that still runs."""

from __future__ import annotations

import pytest

from pbmserv.games.perudo.advice import Judged, judged, luckiest
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.opened_rounds import opened_rounds
from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.games.perudo.table import Bade, Called, Cups, Dealt, Event, Lost, Restored, Revealed

CUPS = ((5, 5), (5, 3))
HIDDEN: Cups = ((0, 0), (0, 0))


def game(call: str, running: Cups = ((0, 0), (0,))) -> list[Event]:
    """A opens with two 5s, B calls; there are three 5s, and round 2 is dealt and begun."""
    return [
        Dealt(1, 0, None, HIDDEN),
        Bade(0, Bid(2, 5)),
        Called(1, call),
        Revealed(CUPS, 3),
        Lost(1),
        Dealt(2, 1, None, running),
        Bade(1, Bid(1, 6)),
    ]


def test_a_chance_is_what_the_player_could_know() -> None:
    """A holds 5 5, so the bid is certain.  B holds one 5: of A's two dice one must be a 5.

    Without wild ones that is 11/36, so the doubt is right with 25/36.
    """
    (each,) = opened_rounds(rules_named("pbmserv"), game("dudo"), 2).values()
    bid, call = judged(each, with_bot=False).moves
    assert bid == Judged(0, "2-5s", 1.0, True)
    assert (call.seat, call.move, call.right) == (1, "dudo", False)
    assert call.chance == pytest.approx(25 / 36)
    assert call.surprise == pytest.approx(25 / 36)


def test_a_calza_is_right_if_the_number_is_exact() -> None:
    """With wild ones a die counts with 1/3: exactly one of A's two dice with 4/9."""
    rules = with_options(rules_named("bga"), {"calza": "yes"})
    (each,) = opened_rounds(rules, game("calza"), 2).values()
    _, call = judged(each, with_bot=False).moves
    assert call.chance == pytest.approx(4 / 9)
    assert not call.right


def test_the_bots_move_is_the_one_of_its_policy() -> None:
    """B has seen one bid, and knows only its own cup."""
    (each,) = opened_rounds(rules_named("bga"), game("dudo"), 2).values()
    first, second = judged(each, with_bot=True).moves
    for move in (first, second):
        assert move.bot and 0 < move.share <= 1
    others = [((1, 1), (5, 3)), ((6, 4), (5, 3))]
    for cups in others:
        events = [Revealed(cups, 0) if isinstance(e, Revealed) else e for e in game("dudo")]
        (each,) = opened_rounds(rules_named("bga"), events, 2).values()
        moves = judged(each, with_bot=True).moves
        assert (moves[1].bot, moves[1].chance) == (second.bot, second.chance)


def test_no_die_of_a_running_round_is_used() -> None:
    """A round is finished when its cups are opened; the dice of the next one change nothing."""
    found = [
        opened_rounds(rules_named("bga"), game("dudo", running), 2)
        for running in (((0, 0), (0,)), ((1, 2), (3,)), ((6, 6), (6,)))
    ]
    assert [list(each) for each in found] == [[1], [1], [1]]
    assert len({str(judged(each[1], with_bot=True)) for each in found}) == 1


def test_a_void_round_is_not_finished() -> None:
    events = [*game("dudo")[:2], Restored(None), Revealed(CUPS, None)]
    assert opened_rounds(rules_named("bga"), events, 2) == {}


def test_the_luckiest_call_is_the_one_with_the_least_probable_result() -> None:
    rounds = opened_rounds(rules_named("pbmserv"), game("dudo"), 2).values()
    found = luckiest([judged(each, with_bot=False) for each in rounds])
    assert found is not None
    number, call = found
    assert (number, call.seat, call.move) == (1, 1, "dudo")
    assert luckiest([]) is None
