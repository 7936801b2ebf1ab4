"""Rules where the documents are particular, and what a refusal tells the player."""

from __future__ import annotations

from typing import Any

import pytest

from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action, read_position, write_event
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import (
    Call,
    Dealt,
    Event,
    PlainDice,
    Raise,
    Resign,
    after_all,
    dice_in_play,
    legal_actions,
    legal_bids,
    legal_calls,
    most_dice,
    new_table,
    play,
    smallest_raises,
    start,
    view,
)
from pbmserv.games.perudo.view import View
from tests.rows import each_row


def happens(position: str, move: str) -> list[str]:
    """The lines of what a move leads to: `B dudo` in a position."""
    return [write_event(event) for event in events_of(position, move)]


def events_of(position: str, move: str) -> tuple[Event, ...]:
    seat, _, text = move.partition(" ")
    return play(read_position(position), "ABCDEF".index(seat), read_action(text), PlainDice())


def refusal(position: str, move: str) -> tuple[str, dict[str, Any]]:
    with pytest.raises(Refused) as refused:
        events_of(position, move)
    return refused.value.code, dict(refused.value.facts)


def smallest(position: str) -> str:
    return " ".join(map(str, smallest_raises(read_position(position))))


def next_deal(position: str, move: str) -> Dealt:
    last = events_of(position, move)[-1]
    assert isinstance(last, Dealt)
    return last


def test_a_round_is_written_as_lines() -> None:
    """A doubt: opened cups with their count, who lost, and the next deal."""
    assert happens("classic 446/33/566 B 3 9 A:1-4s", "B dudo") == [
        "B dudo",
        "reveal 446/33/566 2",
        "lose B",
        "deal 4 B ???/?/??? -",
    ]
    assert happens("pacao 5/1/- B 3 9 A:2-5s", "B pacao") == [
        "B pacao",
        "reveal 5/1/- 2",
        "lose A",
        "out A",
        "win B",
    ]


@each_row(
    ("position", "move", "code", "facts"),
    [
        ("bga 11/11 A 2 5 - winner=A", "A 1-2s", "game_over", {"winner": 0}),
        ("bga 11/11 A 2 5 - winner=A", "B dudo", "game_over", {"winner": 0}),
        ("bga 11/11 A 0 1 -", "A 1-2s", "not_started", {}),
        ("bga 11/-/11 A 2 5 -", "B 1-2s", "eliminated", {}),
        ("bga,calza=yes 11/-/11 C 2 5 A:1-2s", "B calza", "eliminated", {}),
        ("bga 11/11/11 A 2 5 -", "B 1-2s", "not_your_turn", {"turn": 0}),
        ("bga 11/11/11 A 2 5 -", "B 99-99s", "not_your_turn", {"turn": 0}),
        ("bga 11/11/11 A 2 5 -", "B resign", "not_your_turn", {"turn": 0}),
        ("bga 11/11/11 B 2 5 A:1-2s", "C dudo", "not_your_turn", {"turn": 1}),
        ("bga 11/11/11 B 2 5 A:1-2s", "C calza", "not_your_turn", {"turn": 1}),
        ("bga 11/11/11 B 2 5 A:1-2s", "B calza", "call_unknown_here", {"call": "calza"}),
        ("pacao 11/1/11 B 2 5 A:1-2s", "B calza", "call_unknown_here", {"rules": "pacao"}),
        ("bga 11/1/11 B 2 5 A:1-2s", "B pacao", "call_unknown_here", {"opening": False}),
        ("bga 11/1/11 B 2 5 -", "B pacao", "call_unknown_here", {"opening": True}),
        ("bga 11/11/11 A 2 5 -", "A dudo", "no_bid_yet", {"call": "dudo"}),
        ("bga,calza=yes 11/11/11 A 2 5 -", "B calza", "no_bid_yet", {"call": "calza"}),
        ("bga,calza=yes 11/11/11 B 2 5 A:1-2s", "A calza", "own_bid", {"call": "calza"}),
        ("pyrudo 11/11/11 B 2 5 A:1-2s", "A calza", "not_your_turn", {"turn": 1}),
        ("pacao 11/11/11 B 2 5 A:1-2s", "B pacao", "pacao_one_die", {"dice": 2}),
        ("pacao 11/1/11 B 2 5 A:1-2s pacao", "B pacao", "pacao_once", {}),
    ],
)
def test_each_seat_may_make_only_its_legal_actions(
    position: str, move: str, code: str, facts: dict[str, Any]
) -> None:
    found, told = refusal(position, move)
    assert found == code
    assert facts.items() <= told.items()


FIVE = "22222/33333"


@each_row(
    ("position", "move", "code", "rule", "least"),
    [
        (f"classic {FIVE} B 2 5 A:4-3s", "B 0-3s", "bid_range", "bid_range", "5-3s 4-4s 2-1s"),
        (f"classic {FIVE} B 2 5 A:4-3s", "B 11-7s", "bid_range", "bid_range", "5-3s 4-4s 2-1s"),
        (f"classic {FIVE} B 2 5 A:4-3s", "B 11-3s", "over_cap", "over_cap", "5-3s 4-4s 2-1s"),
        (f"classic {FIVE} B 2 5 A:4-3s", "B 4-3s", "not_a_raise", "single", "5-3s 4-4s 2-1s"),
        (f"classic {FIVE} B 2 5 A:4-3s", "B 5-4s", "both_raised", "single", "4-4s 5-3s 2-1s"),
        (f"classic {FIVE} B 2 5 A:4-3s", "B 5-2s", "not_a_raise", "single", "5-3s 4-4s 2-1s"),
        (f"classic {FIVE} B 2 5 A:5-3s", "B 2-1s", "to_ones", "to_ones", "3-1s 6-3s 5-4s"),
        (f"classic {FIVE} B 2 5 A:2-1s", "B 4-2s", "from_ones", "from_ones", "5-2s 3-1s"),
        (f"classic {FIVE} B 2 5 A:2-1s", "B 2-1s", "not_a_raise", "single", "3-1s 5-2s"),
        (f"bga {FIVE} A 2 5 -", "A 2-1s", "opening_ones", "opening_ones", "1-2s"),
        (f"pbmserv {FIVE} B 2 5 A:4-3s", "B 4-3s", "not_a_raise", "literal", "5-3s 1-4s"),
        (f"pbmserv {FIVE} A 2 5 A:2-1s,B:1-2s", "A 2-1s", "repeated_bid", "repeated_bid", ""),
        (f"pbmserv {FIVE} A 2 5 -", "A 11-1s", "over_cap", "over_cap", "1-1s"),
        (f"pacao {FIVE} B 2 5 A:4-3s", "B 3-6s", "not_a_raise", "quantity", "4-6s 5-3s 4-4s 2-1s"),
        ("bga 2/33333 B 2 5 A:1-3s palifico=A", "B 2-4s", "palifico_face", "palifico_face", "2-3s"),
        ("bga 2/33333 B 2 5 A:2-3s palifico=A", "B 2-3s", "not_a_raise", "palifico", "3-3s"),
        ("pacao 2/33333 A 2 5 B:1-3s", "A 1-1s", "palifico_face", "palifico_face", "2-3s"),
        ("pacao 2/3 A 2 5 B:2-3s", "A 3-3s", "no_raise_left", "over_cap", ""),
        ("classic 22/33 B 2 5 A:4-1s", "B 4-6s", "no_raise_left", "from_ones", ""),
        ("pbmserv 22/33 B 2 5 A:4-6s", "B 4-6s", "no_raise_left", "literal", ""),
        ("pbmserv 22/33 B 2 5 A:4-6s", "B 4-7s", "bid_range", "bid_range", ""),
    ],
)
def test_an_illegal_bid_is_refused(
    position: str, move: str, code: str, rule: str, least: str
) -> None:
    """The refusal names the rule that forbids it and the smallest bids that are legal.

    The smallest of the bid's own face comes first: it may be what the player wants.
    """
    found, facts = refusal(position, move)
    assert (found, facts["rule"]) == (code, rule)
    if least or code == "no_raise_left":
        assert " ".join(facts["smallest"]) == least
    table = read_position(position)
    wanted = move.rpartition("-")[2]
    mine = [each for each in map(str, legal_bids(table)) if each.endswith(f"-{wanted}")][:1]
    assert facts["smallest"] == list(dict.fromkeys((*mine, *smallest(position).split())))
    assert facts["bid"] == move.partition(" ")[2]
    assert facts["rules"] == table.rules.name
    assert facts["cap"] == most_dice(table)
    assert facts["faces"] == 6


@each_row(
    ("position", "move", "calls"),
    [
        ("classic 22/33 B 2 5 A:4-1s", "B 4-6s", ["dudo"]),
        ("pyrudo 22/33 B 2 5 A:4-1s", "B 4-6s", ["dudo", "calza"]),
        ("bga,calza=yes 2/33 B 2 5 A:3-4s palifico=A", "B 3-5s", ["dudo", "calza"]),
        ("pacao 22/3 B 2 5 A:3-4s", "B 3-5s", ["dudo", "pacao"]),
        ("pacao 22/33 B 2 5 A:4-1s", "B 0-6s", ["dudo"]),
        ("pyrudo 22/33 A 2 5 -", "A 5-2s", []),
    ],
)
def test_a_refused_bid_names_the_calls_that_are_possible(
    position: str, move: str, calls: list[str]
) -> None:
    assert refusal(position, move)[1]["calls"] == calls


def test_refusals_on_ones_say_how_many_it_takes() -> None:
    assert refusal(f"classic {FIVE} B 2 5 A:5-3s", "B 2-1s")[1]["least"] == 3
    assert refusal(f"classic {FIVE} B 2 5 A:2-1s", "B 4-2s")[1]["least"] == 5
    facts = refusal(f"classic,to1=exact {FIVE} B 2 5 A:5-3s", "B 4-1s")[1]
    assert (facts["least"], facts["exact"]) == (3, True)
    assert happens(f"classic,to1=exact {FIVE} B 2 5 A:5-3s", "B 3-1s") == ["B 3-1s"]


def test_in_pbmserv_one_higher_number_is_a_raise() -> None:
    """One number up is enough; what was bid before may not come back in the same round."""
    assert smallest(f"pbmserv {FIVE} B 2 5 A:5-2s") == "6-2s 1-3s"
    assert smallest(f"pbmserv,raise=quantity {FIVE} B 2 5 A:5-2s") == "6-2s 5-3s"
    assert smallest(f"pbmserv,raise=strict {FIVE} B 2 5 A:5-6s") == "6-6s"
    assert happens(f"pbmserv {FIVE} B 2 5 A:5-2s", "B 1-3s") == ["B 1-3s"]
    assert refusal(f"pbmserv,raise=strict {FIVE} B 2 5 A:5-2s", "B 6-1s")[0] == "not_a_raise"


def test_one_or_both_numbers_may_rise_in_classic() -> None:
    """The option takes the printed example 8x4 -> 9x5 at its word; nothing may fall."""
    twenty = "22222/33333/44444/55555"
    position = f"classic,raise=one_or_both {twenty} B 2 5 A:8-4s"
    assert happens(position, "B 9-5s") == ["B 9-5s"]
    assert refusal(position, "B 9-3s")[0] == "not_a_raise"
    assert refusal(position, "B 7-5s")[0] == "not_a_raise"


@pytest.mark.parametrize("name", ["classic,palifico=yes", "bga", "pyrudo"])
def test_palifico_follows_the_descent_to_one_die(name: str) -> None:
    """The loser opens, and everybody keeps the face."""
    deal = next_deal(f"{name} 446/33/566 B 3 9 A:2-4s", "B dudo")
    assert (deal.starter, deal.palifico) == (1, 1)
    table = after_all(read_position(f"{name} 446/3/566 B 4 9 -"), [deal])
    assert {bid.face for bid in legal_bids(table)} == {1, 2, 3, 4, 5, 6}
    table = after_all(table, play(table, 1, read_action("2-1s"), PlainDice()))
    assert {bid.face for bid in legal_bids(table)} == {1}


def test_the_bidder_or_the_caller_left_with_one_die_has_palifico() -> None:
    """The player with one die left: the doubted bidder, or the caller of a wrong calza."""
    assert next_deal("bga 44/33/566 B 3 9 A:6-4s", "B dudo").palifico == 0
    assert next_deal("bga,calza=yes 44/33/56 B 3 9 A:6-4s", "C calza").palifico == 2
    assert next_deal("pyrudo 44/33/566 B 3 9 A:6-4s", "B calza").palifico == 1


def test_only_pyrudo_gives_one_palifico_a_player() -> None:
    used = "44/33/566 B 3 9 A:6-4s used=A"
    assert next_deal(f"pyrudo {used}", "B dudo").palifico is None
    assert next_deal("bga 44/33/566 B 3 9 A:6-4s used=A", "B dudo").palifico == 0
    first = read_position("pyrudo 44/33/566 B 3 9 A:6-4s")
    after = after_all(first, events_of("pyrudo 44/33/566 B 3 9 A:6-4s", "B dudo"))
    assert after.palifico_used == {0}
    bga = read_position("bga 44/33/566 B 3 9 A:6-4s")
    assert after_all(bga, events_of("bga 44/33/566 B 3 9 A:6-4s", "B dudo")).palifico_used == set()


def test_only_classic_exempts_two_players() -> None:
    two = "44/33/- B 3 9 A:4-4s"
    assert next_deal(f"classic,palifico=yes {two}", "B dudo").palifico is None
    assert next_deal(f"bga {two}", "B dudo").palifico == 0
    assert next_deal(f"pyrudo {two}", "B dudo").palifico == 0
    three = "44/33/5 B 3 9 A:4-4s"
    assert next_deal(f"classic,palifico=yes {three}", "B dudo").palifico == 0


def test_one_die_at_the_start_does_not_make_a_palifico_round() -> None:
    """No player has lost a die yet. Only pacao's rule looks at the number itself."""
    for name, frozen in (("bga", False), ("pyrudo", False), ("pacao", True)):
        table = new_table(RULE_SETS[name]._replace(dice=1), 3)
        table = after_all(table, start(table, PlainDice()))
        assert table.palifico is None
        table = after_all(table, play(table, 0, read_action("1-3s"), PlainDice()))
        assert ({bid.face for bid in legal_bids(table)} == {3}) is frozen


def test_pacao_binds_only_the_player_with_one_die() -> None:
    """His own raises keep the face; the next player's are free, and so is his opening."""
    assert {bid.face for bid in legal_bids(read_position("pacao 44/3/56 B 3 9 A:2-4s"))} == {4}
    assert len({b.face for b in legal_bids(read_position("pacao 44/3/56 C 3 9 B:2-4s"))}) == 6
    assert len({b.face for b in legal_bids(read_position("pacao 44/3/56 B 3 9 -"))}) == 6


def test_bga_counts_no_ones_in_palifico() -> None:
    assert happens("bga 1/14/444 B 3 9 A:4-4s palifico=A", "B dudo")[1] == "reveal 1/14/444 4"
    assert happens("bga 1/14/444 B 3 9 A:4-4s", "B dudo")[1] == "reveal 1/14/444 6"
    assert happens("bga 1/11/444 B 3 9 A:3-1s palifico=A", "B dudo")[1] == "reveal 1/11/444 3"


@pytest.mark.parametrize("name", ["classic,calza=yes", "bga,calza=yes"])
def test_calza_is_legal_out_of_turn(name: str) -> None:
    """Everyone but the bidder may; the caller opens the next round, right or wrong."""
    position = f"{name} 4456/33/44 B 3 9 A:4-4s"
    table = read_position(position)
    calls = [legal_calls(table, seat) for seat in range(3)]
    assert calls == [(), ("dudo", "calza"), ("calza",)]
    assert happens(position, "C calza")[2:] == ["gain C", "deal 4 C ????/??/??? -"]
    wrong = happens(f"{name} 4456/33/445 B 3 9 A:5-4s", "C calza")
    assert wrong[2:] == ["lose C", "deal 4 C ????/??/?? -"]


def test_calza_never_leads_above_the_start() -> None:
    """The limit is the number of dice at the start; the caller still opens."""
    lines = happens("bga,calza=yes,dice=2 44/33/56 B 3 9 A:2-4s", "C calza")
    assert lines[2:] == ["deal 4 C ??/??/?? -"]
    lines = happens("pyrudo 44444/33/56 B 3 9 A:5-4s", "B calza")
    assert lines[2:] == ["gain B", "deal 4 B ?????/???/?? -"]


def test_calza_that_costs_the_last_die() -> None:
    """Out: the next living player on the left opens."""
    lines = happens("bga,calza=yes 4/33/5/- B 3 9 A:3-4s", "C calza")
    assert lines[2:] == ["lose C", "out C", "deal 4 A ?/??/-/- -"]


@pytest.mark.parametrize(
    ("name", "bidder_loses", "caller_loses"),
    [
        ("pbmserv", "B", "A"),
        ("classic", "A", "B"),
        ("bga", "A", "B"),
        ("pyrudo", "A", "B"),
        ("pacao", "B", "C"),
    ],
)
def test_a_doubt_decides_the_opener_of_the_next_round(
    name: str, bidder_loses: str, caller_loses: str
) -> None:
    false = next_deal(f"{name} 222/333/456 B 3 9 A:5-2s", "B dudo")
    true = next_deal(f"{name} 222/333/456 B 3 9 A:3-2s", "B dudo")
    assert ("ABC"[false.starter], "ABC"[true.starter]) == (bidder_loses, caller_loses)


@pytest.mark.parametrize("name", ["classic", "bga", "pyrudo", "pacao"])
def test_an_eliminated_loser_leaves_the_opening_to_his_left(name: str) -> None:
    assert next_deal(f"{name} 222/3/-/456 B 3 9 A:3-2s", "B dudo").starter == 3
    assert next_deal(f"{name} 2/333/-/456 B 3 9 A:4-2s", "B dudo").starter == 1


def test_a_resignation_rolls_the_round_again() -> None:
    """The dice leave the table and the left neighbour opens; nobody loses another die."""
    assert happens("bga 44/33/-/56 B 3 9 A:2-4s", "B resign") == [
        "B resign",
        "reveal 44/33/-/56 -",
        "out B",
        "deal 4 D ??/-/-/?? -",
    ]
    assert happens("bga 44/33 B 3 9 A:2-4s", "B resign")[2:] == ["out B", "win A"]


def test_a_round_rolled_again_stays_palifico_while_its_player_is_in() -> None:
    """Rolled again it stays a Palifico round while its player is in and the rule applies."""
    assert next_deal("bga 4/33/56 B 3 9 A:2-4s palifico=A", "B resign").palifico == 0
    assert next_deal("bga 4/33/56 A 3 9 - palifico=A", "A resign").palifico is None
    classic = "classic,palifico=yes 4/33/56"
    assert next_deal(f"{classic} B 3 9 A:2-4s palifico=A", "B resign").palifico is None
    assert next_deal(f"{classic}/22 B 3 9 A:2-4s palifico=A", "B resign").palifico == 0
    again = read_position("pyrudo 4/33/56 B 3 9 A:2-4s palifico=A used=A")
    after = after_all(again, play(again, 1, Resign(), PlainDice()))
    assert (after.palifico, after.palifico_used) == (0, frozenset({0}))


def test_hidden_counts_are_not_leaked() -> None:
    """A bid is refused only above the number of dice at the start (decision 16)."""
    position = "bga,hidden=yes 44/33/- B 3 9 A:2-4s"
    table = read_position(position)
    assert most_dice(table) == 15
    assert happens(position, "B 15-4s") == ["B 15-4s"]
    assert refusal(position, "B 16-4s")[0] == "over_cap"
    seen = view(table, 1)
    assert (seen.cups, seen.counts, seen.out) == (
        ((), (3, 3), ()),
        (None, 2, 0),
        (False, False, True),
    )
    assert dice_in_play(seen) is None
    assert dice_in_play(table) == 4
    assert legal_bids(seen) == legal_bids(table)


def test_when_the_game_is_over_everything_is_open() -> None:
    table = read_position("bga,hidden=yes 44/- A 3 9 B:2-4s winner=A")
    seen = view(table, None)
    assert isinstance(seen, View)
    assert seen.cups == table.cups
    assert not legal_bids(table)
    assert not legal_actions(table)
    assert legal_calls(table, 0) == ()


def test_legal_actions_are_the_bids_and_the_calls() -> None:
    for position in (
        "bga 44/33 A 3 9 -",
        "bga 44/33 B 3 9 A:2-4s",
        "pyrudo 44/3 B 3 9 A:2-4s",
        "pacao 44/3 B 3 9 A:2-4s",
        "pbmserv 44/33 A 3 9 A:2-1s,B:1-2s",
    ):
        table = read_position(position)
        words = legal_calls(table, table.turn)
        expected = [*map(Raise, legal_bids(table)), *map(Call, words)]
        assert list(legal_actions(table)) == expected


@pytest.mark.parametrize("players", [0, 1, 7])
def test_a_table_has_two_to_six_players(players: int) -> None:
    with pytest.raises(Refused) as refused:
        new_table(RULE_SETS["bga"], players)
    assert refused.value.code == "player_count"
    assert refused.value.facts == {"given": players, "least": 2, "most": 6}


def test_a_table_has_no_legal_bid_before_its_first_deal() -> None:
    table = new_table(RULE_SETS["bga"], 3)
    assert (table.round, table.move, table.counts) == (0, 1, (5, 5, 5))
    assert legal_bids(table) == ()
    rolls = PlainDice([((1,) * 5, (2,) * 5, (3,) * 5)])
    begun = after_all(table, start(table, rolls))
    assert (begun.round, begun.turn, begun.cups[1]) == (1, 0, (2,) * 5)
