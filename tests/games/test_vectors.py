"""The worked cases of the rules: positions, actions, and what each document says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import Rules, rules_named, with_options
from pbmserv.games.perudo.table import (
    Action,
    Bid,
    Call,
    Dealt,
    Eliminated,
    Event,
    Gained,
    Lost,
    PlainDice,
    Raise,
    Revealed,
    Table,
    Won,
    after_all,
    count,
    dice_in_play,
    legal_calls,
    legal_raises,
    new_table,
    play,
)
from tests.rows import Test, each_row

CASES = json.loads((Path(__file__).parent / "data" / "vectors.json").read_text())


def of_type(*types: str) -> Callable[[Test], Test]:
    chosen = [case for case in CASES if case["action"]["type"] in types]
    return each_row("case", chosen, ids=[case["id"] for case in chosen])


def rules_of(case: dict[str, Any]) -> Rules:
    words = {True: "yes", False: "no"}
    options = {name: words.get(value, str(value)) for name, value in case["options"].items()}
    return with_options(rules_named(case["ruleset"]), options)


def table_of(case: dict[str, Any]) -> Table:
    """The position of a case, set up directly.  Palifico is its one-die player's (or seat 0's)."""
    given = case["given"]
    names = given["players"]
    counts = [given["dice_counts"][name] for name in names]
    dice = given.get("dice", {})
    cups = tuple(tuple(dice.get(name, [0] * n)) for name, n in zip(names, counts, strict=True))
    last, turn = given.get("last_bid"), given.get("turn", names[0])
    bids = [(names.index(turn), Bid(*bid)) for bid in given.get("round_bids", [])[:-1]]
    if last:
        bids.append((names.index(last["player"]), Bid(last["quantity"], last["face"])))
    seat = counts.index(1) if 1 in counts else 0
    return Table(
        rules=rules_of(case),
        cups=cups,
        round=3,
        move=9,
        turn=names.index(turn),
        bids=tuple(bids),
        palifico=seat if given["palifico"] else None,
        palifico_used=frozenset(names.index(name) for name in given.get("palifico_used", ())),
        pacao_called=given.get("pacao_called", False),
    )


def action_of(case: dict[str, Any]) -> Action:
    action = case["action"]
    if action["type"] == "bid":
        return Raise(Bid(action["quantity"], action["face"]))
    return Call(action["type"])


def outcome(names: list[str], table: Table, events: tuple[Event, ...]) -> dict[str, Any]:
    """What the events of a call say, in the words of the cases."""
    said: dict[str, Any] = dict.fromkeys(("loser", "gainer", "eliminated", "winner"))
    after = after_all(table, events)
    said["dice_counts"] = dict(zip(names, after.counts, strict=True))
    said["next_starter"] = said["next_palifico"] = None
    words = {Lost: "loser", Gained: "gainer", Eliminated: "eliminated", Won: "winner"}
    for event in events:
        if isinstance(event, Revealed):
            said["count"] = event.count
        elif isinstance(event, Dealt):
            said["next_starter"] = names[event.starter]
            if event.palifico is not None:
                said["next_palifico"] = names[event.palifico]
        elif isinstance(event, Lost | Gained | Eliminated | Won):
            said[words[type(event)]] = names[event.seat]
    said["next_palifico_players"] = [
        name for name, dice in said["dice_counts"].items() if dice == 1
    ]
    return said


@of_type("bid", "dudo", "calza", "pacao")
def test_an_action_leads_to_the_expected_result(case: dict[str, Any]) -> None:
    """The action is legal or refused, and leads to what the case expects."""
    names, table = case["given"]["players"], table_of(case)
    seat, action = names.index(case["action"]["player"]), action_of(case)
    listed = (
        seat == table.turn and action.bid in list(legal_raises(table))
        if isinstance(action, Raise)
        else isinstance(action, Call) and action.word in legal_calls(table, seat)
    )
    assert listed is case["expect"].get("legal", True)
    if not listed:
        with pytest.raises(Refused):
            play(table, seat, action, PlainDice())
        return
    said = outcome(names, table, play(table, seat, action, PlainDice()))
    expected = {name: value for name, value in case["expect"].items() if name != "legal"}
    assert {name: said[name] for name in expected} == expected


@of_type("count")
def test_a_face_has_the_expected_count(case: dict[str, Any]) -> None:
    """Ones count as wild where the rule set says so."""
    assert count(table_of(case), case["action"]["face"]) == case["expect"]["count"]


@of_type("parse")
def test_a_written_move_is_understood_or_refused(case: dict[str, Any]) -> None:
    """A move as a player wrote it is understood, or refused."""
    text, expected = case["action"]["text"], case["expect"]
    if "error" in expected:
        with pytest.raises(Refused, match="unreadable_move"):
            read_action(text)
    elif "call" in expected:
        assert read_action(text) == Call(expected["call"])
    else:
        assert read_action(text) == Raise(Bid(*expected["bid"]))


@of_type("start", "order")
def test_a_table_starts_as_expected(case: dict[str, Any]) -> None:
    """Number of players, dice for each, and the order of seats are as expected."""
    expected = case["expect"]
    players = case["action"].get("players", len(expected.get("players", ())))
    if not expected.get("legal", True):
        with pytest.raises(Refused, match="player_count"):
            new_table(rules_of(case), players)
        return
    table = new_table(rules_of(case), players)
    assert len(table.cups) == players
    assert table.counts == (expected.get("dice_each", table.rules.dice),) * players
    assert dice_in_play(table) == expected.get("total_dice", 5 * players)
