"""The bids that are offered to the player on turn."""

from __future__ import annotations

from math import comb
from random import Random

from hypothesis import given, settings

from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.suggestions import MOST, offered_bids
from pbmserv.games.perudo.table import view
from pbmserv.games.perudo.view import legal_bids
from tests.examples import examples
from tests.games.games import an_action, plain, randoms, rule_sets, seats
from tests.letters.plays import Game
from tests.rows import each_row


def offered(position: str) -> list[str]:
    return list(map(str, offered_bids(view(read_position(position), None))))


@each_row(
    "last, bids",
    [
        ("4-2s", "5-2s 4-3s 4-4s 4-5s 4-6s 5-1s"),  # 1-3s is legal, and says nothing
        ("4-6s", "5-6s 5-5s 5-4s 5-3s 5-2s 5-1s"),
        ("10-4s", "10-5s 10-6s"),  # there are ten dice
        ("10-6s", ""),
        ("9-6s,C:10-6s,A:9-5s", "10-5s 10-4s 10-3s 10-2s 10-1s"),
    ],
)
def test_bids_get_higher_and_higher_if_only_one_number_must_rise(last: str, bids: str) -> None:
    """The sentence of the default rules allows 1-3s after 4-2s; nobody means it."""
    found = offered(f"pbmserv 1234/123/456 B 4 40 A:{last}")
    assert found == bids.split()


def test_without_a_higher_bid_any_legal_one_is_offered() -> None:
    """Ten 6s were bid before ten 5s, so only fewer dice of a higher face are left."""
    found = offered("pbmserv 1234/123/456 B 4 40 C:10-6s,A:10-5s")
    assert found == ["1-6s"]


def test_an_opening_names_no_dice_of_players_who_are_out_if_counts_are_hidden() -> None:
    """Two players are in, so two dice are certain: two of a face are not likely."""
    found = offered("bga,hidden=yes 1/2/-/-/-/- A 9 40 -")
    assert found == ["1-2s", "1-3s", "1-4s", "1-5s", "1-6s"]


@each_row(
    "position, bids",
    [
        ("pbmserv 123/456/123 A 1 1 -", "2-1s 2-2s 2-3s 2-4s 2-5s 2-6s"),
        ("bga 1/234/561 A 5 20 - palifico=A", "2-1s 2-2s 2-3s 2-4s 2-5s 2-6s"),
        ("pbmserv 12345/12345/12345 A 1 1 -", "3-1s 3-2s 3-3s 3-4s 3-5s 3-6s"),
        ("bga 12345/12345/12345 A 1 1 -", "4-2s 4-3s 4-4s 4-5s 4-6s"),
        ("bga 1/23 A 5 20 -", "1-2s 1-3s 1-4s 1-5s 1-6s"),
    ],
)
def test_an_opening_is_not_a_single_die_on_a_full_table(position: str, bids: str) -> None:
    """One die is offered where few are left: a second one is not likely there."""
    assert offered(position) == bids.split()


@each_row("wild", [False, True])
def test_an_opening_is_likely_true_for_a_bidder_who_has_one_of_its_dice(wild: bool) -> None:
    """At all tables of six-sided dice, from two dice to thirty."""
    chance = (1 + wild) / 6
    for total in range(2, 31):
        cups = "/".join("1" * ((total + 5 - seat) // 6) or "-" for seat in range(6))
        name = "bga" if wild else "pbmserv"
        bid = offered_bids(view(read_position(f"{name} {cups} A 1 1 -"), None))[-1]
        others, needed = total - 1, bid.quantity - 1
        true = sum(
            comb(others, found) * chance**found * (1 - chance) ** (others - found)
            for found in range(needed, others + 1)
        )
        assert true > 0.5, (total, str(bid))


@settings(max_examples=examples(40))
@given(rules=rule_sets(), players=seats, random=randoms)
def test_offered_bids_are_legal_and_one_is_offered_wherever_one_is_legal(
    rules: Rules, players: int, random: Random
) -> None:
    game = Game.opened(rules, plain(random), players)
    for _ in range(30):
        if game.table.winner is not None:
            return
        seen = view(game.table, None)
        bids, legal = offered_bids(seen), legal_bids(seen)
        assert set(bids) <= set(legal) and len(bids) <= MOST
        assert bool(bids) == bool(legal)
        seat, action = an_action(game.table, random)
        game.play(action, seat)
