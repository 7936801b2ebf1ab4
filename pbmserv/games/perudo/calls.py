"""The calls: who may call dudo, calza or pacao, and who gains or loses a die by it."""

from __future__ import annotations

from pbmserv.errors import Refused
from pbmserv.games.perudo.deals import dealt
from pbmserv.games.perudo.events import Called, Dice, Eliminated, Event, Gained, Lost, Revealed
from pbmserv.games.perudo.palifico import palifico_after_loss
from pbmserv.games.perudo.position import Table
from pbmserv.games.perudo.turn_checks import require_player
from pbmserv.games.perudo.turns import opener_after_loss
from pbmserv.games.perudo.view import count


def require(table: Table, seat: int, word: str) -> None:
    """Refuse a call that the player at `seat` cannot make now.

    Refused: as `require_player`, not_your_turn (turn), call_unknown_here, no_bid_yet, own_bid,
    pacao_one_die, pacao_once.
    """
    rules, bids = table.rules, table.bids
    require_player(table, seat)
    anyone = word == "calza" and rules.calza and rules.calza_by_anyone
    if seat != table.turn and not anyone:
        raise Refused("not_your_turn", turn=table.turn)
    if not rules.has_call(word):
        raise Refused("call_unknown_here", call=word, rules=rules.name, opening=not bids)
    if not bids:
        raise Refused("no_bid_yet", call=word)
    if bids[-1][0] == seat:  # bga says so; classic is silent, but offers it "in addition to dudo"
        raise Refused("own_bid", call=word)
    if word == "pacao":
        if len(table.cups[seat]) != 1:
            raise Refused("pacao_one_die", dice=len(table.cups[seat]))
        if table.pacao_called:
            raise Refused("pacao_once")


def result(table: Table, called: Called, first: Event, dice: Dice) -> tuple[Event, ...]:
    """What a call leads to; `first` is the event that opens the cups: the call, or the beacon."""
    seat, word = called.seat, called.call
    bidder, bid = table.bids[-1]
    cups = table.cups
    found = count(table, bid.face)
    begun = (first, Revealed(cups, found, dice.seed))
    if word == "calza":
        if found != bid.quantity:
            return _lost(table, begun, seat, seat, dice)
        # "+1, at most 5": the limit is the number of dice at the start
        full = len(cups[seat]) >= table.rules.dice
        happened = begun if full else (*begun, Gained(seat))
        return dealt(table, happened, seat, None if full else seat, 1, None, dice)
    # A doubt is right if fewer dice count than were bid.  Pacao is the opposite of a doubt.  Its
    # caller says "it is there", and a true bid costs the bidder a die.
    holds = found >= bid.quantity
    if holds == (word == "pacao"):
        return _lost(table, begun, bidder, seat, dice)
    return _lost(table, begun, seat, bidder, dice)


def _lost(
    table: Table, begun: tuple[Event, ...], loser: int, winner: int, dice: Dice
) -> tuple[Event, ...]:
    """The loser gives up a die, and is out without a die left."""
    is_out = len(table.cups[loser]) == 1
    happened = (*begun, Lost(loser), Eliminated(loser)) if is_out else (*begun, Lost(loser))
    starter = opener_after_loss(table.rules, table.cups, loser, winner)
    palifico = palifico_after_loss(table, loser)
    return dealt(table, happened, starter, loser, -1, palifico, dice)
