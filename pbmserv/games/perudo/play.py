"""Decide what an action leads to: refuse it, or return the events that follow.

It asks `turn_checks` who may act, `bidding` whether a bid is legal, and `calls` what a call costs.
`palifico` says when a Palifico begins, and `turns` who opens the next round.  The checks run in
this order: turn, range, most dice, Palifico, ones, general raise.  The dice come from the `dice`
argument.  All functions here are pure, so a refused action changes nothing.
"""

from __future__ import annotations

from typing import NoReturn

from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo import bidding, calls
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.deals import dealt
from pbmserv.games.perudo.events import (
    Action,
    Bade,
    Beacon,
    Call,
    Called,
    Dealt,
    Dice,
    Drawn,
    Eliminated,
    Event,
    Raise,
    Resigned,
    Restored,
    Revealed,
)
from pbmserv.games.perudo.palifico import (
    face_frozen,
    palifico_after_resignation,
)
from pbmserv.games.perudo.position import Table
from pbmserv.games.perudo.turn_checks import require_running, require_turn
from pbmserv.games.perudo.turns import living, next_living, opener_again
from pbmserv.games.perudo.view import legal_bids, legal_calls, most_dice

_TWO_PLAYERS = 2  # a resignation leaves one


def start(table: Table, dice: Dice) -> tuple[Event, ...]:
    """The first deal of a new table.  Seat 0 opens (pbmserv: the first in order starts).

    This is never a Palifico round, with any number of dice: nobody has come down to one die yet.
    """
    cups, commitment = dice.roll((), table.counts, table.rules.faces)
    return (Dealt(1, 0, None, cups, commitment),)


def play(table: Table, seat: int, action: Action, dice: Dice) -> tuple[Event, ...]:
    """The events when the player at `seat` (from 0) does `action`.

    Refused for any action: not_started, game_over (winner), eliminated, not_your_turn (turn).  A
    bid: bid_range, over_cap, palifico_face, opening_ones, to_ones, from_ones, both_raised,
    not_a_raise, repeated_bid, no_raise_left.  A call: call_unknown_here, no_bid_yet, own_bid,
    pacao_one_die, pacao_once.

    A call or a resignation with a `beacon` only announces itself.  The cups stay closed, and every
    other action is refused (beacon_awaited), until `open_cups`.  A resignation that leaves one
    player needs no new dice, and so no beacon.
    """
    if isinstance(action, Raise):
        return (_bid(table, seat, action),)
    if isinstance(action, Call):
        calls.require(table, seat, action.word)
        called = Called(seat, action.word, action.salt, action.beacon)
        return (called,) if called.beacon else calls.result(table, called, called, dice)
    require_turn(table, seat)
    if action.beacon and living(table.cups) > _TWO_PLAYERS:
        return (Resigned(seat, action.salt, action.beacon),)
    return _resign(table, seat, Resigned(seat, action.salt), dice)


def open_cups(table: Table, beacon: Beacon, dice: Dice) -> tuple[Event, ...]:
    """The events when the beacon's value is there: the call or resignation that waits for it acts.

    The beacon is the first of them, so the dice of the next round depend on its value.  Refused:
    not_started, game_over (winner), beacon_unannounced (beacon: the round that was announced, or
    None).
    """
    require_running(table)
    pending = table.pending
    if pending is None or pending.beacon != beacon.round:
        announced = None if pending is None else pending.beacon
        raise Refused("beacon_unannounced", beacon=announced)
    table = table._replace(pending=None)
    if isinstance(pending, Called):
        return calls.result(table, pending, beacon, dice)
    return _resign(table, pending.seat, beacon, dice)


def stop(table: Table, dice: Dice) -> tuple[Event, ...]:
    """End the game without a winner; its last round is opened, so that all dice are proven.

    The caller decides when to stop a game (all agree to a draw, or its time is over).  Refused:
    not_started, game_over (winner).
    """
    require_running(table)
    return (Drawn(), Revealed(table.cups, None, dice.seed))


def roll_again(table: Table, commitment: str | None, dice: Dice) -> tuple[Event, ...]:
    """Void the running round and roll it again, from the seed behind `commitment`.

    Nobody loses a die, and the same player opens the round.  A Palifico round stays one.  The
    caller decides when to roll again (after a backup was restored).  Refused: not_started,
    game_over (winner).
    """
    require_running(table)
    begun = (Restored(commitment), Revealed(table.cups, None, dice.seed))
    starter = opener_again(table.bids, table.turn)
    return dealt(table, begun, starter, None, 0, table.palifico, dice)


def _bid(table: Table, seat: int, action: Raise) -> Bade:
    bid = action.bid
    rules, cups, started, _, turn, bids, _, _, _, winner, pending = table
    if seat != turn or winner is not None or not started or not cups[seat] or pending:
        require_turn(table, seat)
    last = bids[-1][1] if bids else None
    most, frozen = most_dice(table), face_frozen(table)
    if bid not in bidding.allowed(rules, most, frozen, last):
        _refuse(table, bidding.objection(rules, most, frozen, last, bid), last, bid)
    if rules.never_repeats and bid in [made for _, made in bids]:
        _refuse(table, "repeated_bid", last, bid)
    return Bade(seat, bid, action.salt)


def _refuse(table: Table, code: str, last: Bid | None, bid: Bid) -> NoReturn:
    """Refuse a bid, with the rule that forbids it and the smallest legal bids.

    The first of these is the smallest of the bid's own face, if there is one.
    Where no legal bid is left, the refusal says which calls are left.
    """
    rules = table.rules
    legal = legal_bids(table)
    of_its_face = [each for each in legal if each.face == bid.face][:1]
    smallest = dict.fromkeys((*of_its_face, *bidding.smallest(rules, last, legal)))
    facts: dict[str, Fact] = {
        "bid": str(bid),
        "last": None if last is None else str(last),
        "rule": rules.raising if code in {"not_a_raise", "both_raised"} else code,
        "rules": rules.name,
        "smallest": list(map(str, smallest)),
        "calls": list(legal_calls(table, table.turn)),
        "cap": most_dice(table),
        "faces": rules.faces,
    }
    if last is not None:
        facts["face"] = last.face
        if code == "to_ones":
            facts["least"] = bidding.least_ones(last)
            facts["exact"] = rules.to_ones == "exact"
        elif code == "from_ones":
            facts["least"] = bidding.least_from_ones(last)
        elif code == "not_a_raise" and face_frozen(table):
            facts["rule"] = "palifico"
    raise Refused(code if legal or code == "bid_range" else "no_raise_left", **facts)


def _resign(table: Table, seat: int, first: Event, dice: Dice) -> tuple[Event, ...]:
    """The dice leave the game, the round is rolled again, and the left neighbour opens it.

    No document has a rule for this.  `first` is the resignation, or the beacon for which it waited.
    """
    happened = (
        first,
        Revealed(table.cups, None, dice.seed),
        Eliminated(seat),
    )
    starter = next_living(table.cups, seat)
    palifico = palifico_after_resignation(table, seat)
    return dealt(table, happened, starter, seat, -len(table.cups[seat]), palifico, dice)
