"""The engine does what a second one does, which was written from the documents."""

from __future__ import annotations

from random import Random

from pbmserv.errors import Refused
from pbmserv.games.perudo.rules import OPTIONS, RULE_SETS, rules_named, with_options
from pbmserv.games.perudo.table import (
    Action,
    Bid,
    Call,
    Dice,
    Raise,
    Resign,
    Revealed,
    Table,
    after_all,
    legal_bids,
    legal_calls,
    new_table,
    play,
    start,
)
from tests.games.games import plain
from tests.games.reference import Reference
from tests.rows import each_row

GAMES = 30  # of each rule set: with two to six players in turn


def chosen_options(name: str, random: Random) -> dict[str, str]:
    """Some options of a rule set; often few dice, and at times 2 or 20 faces."""
    chosen = {
        option: random.choice(choice.allowed)
        for option, choice in OPTIONS[name].items()
        if option not in {"dice", "faces"} and random.random() < 0.6
    }
    if random.random() < 0.6:
        chosen["dice"] = str(random.choice([1, 2, 2, 3, 10]))
        chosen["faces"] = str(random.choice([2, 3, 6, 20]))
    return chosen


def chosen_action(reference: Reference, random: Random) -> tuple[int, Action]:
    """A legal action of any seat, mostly of the player on turn."""
    if random.random() < 0.02:
        return reference.turn, Resign()
    callers = [seat for seat in reference.seats if reference.calls(seat)]
    bids = reference.legal_bids()
    if callers and (not bids or random.random() < 0.3):
        seat = random.choice(callers)
        return seat, Call(random.choice(sorted(reference.calls(seat))))
    bids = random.choice([bids, bids[:5], bids[-5:]])
    return reference.turn, Raise(Bid(*random.choice(bids)))


def is_refused(table: Table, seat: int, action: Action, dice: Dice) -> bool:
    try:
        play(table, seat, action, dice)
    except Refused:
        return True
    return False


def assert_agreed(table: Table, reference: Reference, dice: Dice) -> None:
    """Whose turn it is, the dice left, the end, and all that may be done now."""
    assert table.winner == reference.winner
    assert list(table.counts) == reference.left
    if table.winner is not None:
        return
    assert (table.turn, table.palifico) == (reference.turn, reference.palifico)
    assert [tuple(bid) for bid in legal_bids(table)] == reference.legal_bids()
    for seat in reference.seats:
        calls = reference.calls(seat)
        assert set(legal_calls(table, seat)) == calls
        for word in ("dudo", "calza", "pacao"):
            assert is_refused(table, seat, Call(word), dice) == (word not in calls)


def carried_out(reference: Reference, seat: int, action: Action, table: Table) -> int | None:
    """Do the action in the reference; the dice that counted for a call, None without one."""
    if isinstance(action, Raise):
        reference.bid((action.bid.quantity, action.bid.face))
    elif isinstance(action, Resign):
        reference.resign()
    else:
        found = reference.count(table.cups)
        reference.call(seat, action.word, table.cups)
        return found
    return None


@each_row("name", list(RULE_SETS))
def test_both_engines_agree_in_every_position_of_random_games(name: str) -> None:
    for number in range(GAMES):
        random = Random(f"{name} {number}")
        options, players = chosen_options(name, random), 2 + number % 5
        reference = Reference(name, players, options)
        dice = plain(random)
        table = new_table(with_options(rules_named(name), options), players)
        table = after_all(table, start(table, dice))
        for _ in range(150):  # moves: with calza a game may go on for long
            assert_agreed(table, reference, dice)
            if table.winner is not None:
                break
            seat, action = chosen_action(reference, random)
            events = play(table, seat, action, dice)
            found = carried_out(reference, seat, action, table)
            counts = [each.count for each in events if isinstance(each, Revealed)]
            assert counts == ([] if isinstance(action, Raise) else [found])
            table = after_all(table, events)
