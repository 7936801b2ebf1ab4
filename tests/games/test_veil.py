"""Veiled bids: against two or three players a raise of the usual bot tells little of its cup."""

from __future__ import annotations

from math import log2

import pytest

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import shrewd, veil
from pbmserv.games.perudo.bots.hands import Counting, hands
from pbmserv.games.perudo.bots.mixture import Policy
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import legal_actions, view

OPENING = "bga 12345/12345/12345 A 1 1 -"
LATER = "bga 12345/12345/12345 A 1 3 B:3-5s,C:4-5s"
HIGHEST = "classic 12345/12345/12345 A 1 2 C:15-1s"  # only calls are left


def told(policy: Policy) -> float:
    """The bits that an action tells of a hand of five dice, on average."""
    known: list[tuple[Counting, float]] = [
        (own, chance) for _, own, chance in hands(5, 6, wild=True).held
    ]
    overall: dict[Action, float] = {}
    for own, chance in known:
        for action, part in policy(own).items():
            overall[action] = overall.get(action, 0.0) + chance * part
    return sum(
        chance * part * log2(part / overall[action])
        for own, chance in known
        for action, part in policy(own).items()
    )


@pytest.mark.parametrize("position", [OPENING, LATER])
def test_a_veiled_bid_tells_less_than_half_of_an_estimated_one(position: str) -> None:
    seen = view(read_position(position), 0)
    assert told(shrewd.veiled(seen)) < told(shrewd.estimated(seen)) / 2


@pytest.mark.parametrize("position", [OPENING, LATER, f"pbmserv{LATER[3:]}", HIGHEST])
def test_a_veiled_policy_has_legal_actions_for_every_hand(position: str) -> None:
    table = read_position(position)
    policy, legal = shrewd.veiled(view(table, 0)), set(legal_actions(table))
    for _, own, _ in hands(5, 6, table.rules.counts_wild(2, False)).held:
        mixture = policy(own)
        assert sum(mixture.values()) == pytest.approx(1)
        assert set(mixture) <= legal
        assert min(mixture.values()) > veil.LEAST


@pytest.mark.parametrize(
    ("position", "is_veiled"),
    [
        ("classic,raise=one_or_both 12345/12345/12345 A 1 1 -", True),
        ("classic 12345/-/12345 A 1 1 -", False),
        ("classic 12345/12345 A 1 1 -", False),
        ("classic,raise=one_or_both 12345/12345/12345/12345 A 1 1 -", True),
        ("classic 12345/12345/12345/12345/12345 A 1 1 -", False),
        ("classic,faces=8 12345/12345/12345 A 1 1 -", False),
    ],
)
def test_bids_against_two_or_three_are_veiled(position: str, is_veiled: bool) -> None:
    """Where no network plays.  Rounds of two have tables; more players or faces are as before."""
    seen = view(read_position(position), 0)
    assert shrewd.is_veiled(seen) == is_veiled
    if is_veiled:
        assert bots.looks_back(seen, "house")
        own = (1, 2, 2, 2, 2, 1)
        assert bots.policy(seen)(own) == shrewd.veiled(seen)(own)


def test_a_hand_calls_where_the_call_is_worth_as_much_as_raising() -> None:
    """What a raise tells counts: a habit that rarely makes it lowers its value."""
    factors = veil.factors([0.1, 0.0], 0.1)
    assert veil.shares([0.5, 0.5], veil.Hand(1.0, factors, None)) == pytest.approx(
        [factors[0] / sum(factors), factors[1] / sum(factors)]
    )
    called = veil.factors([0.08], 0.1)[0]  # less than the best raise
    assert veil.shares([0.5, 0.5], veil.Hand(1.0, factors, called)) is None
    assert veil.shares([1.0, 0.0], veil.Hand(1.0, factors, called)) == [1.0, 0.0]


def test_a_certain_move_is_always_made() -> None:
    """An impossible bid is called with every hand; nobody can raise the last possible one."""
    seen = view(read_position("bga 12345/12345/12345 A 1 2 C:15-1s"), 0)
    assert shrewd.policy(seen)((1, 2, 2, 2, 2, 0)) == {Call("dudo"): 1.0}
    raises = shrewd.policy(view(read_position(OPENING), 0))((1, 2, 2, 2, 2, 0))
    assert all(isinstance(action, Raise) for action in raises)
