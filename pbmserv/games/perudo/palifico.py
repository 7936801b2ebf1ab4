"""Palifico: the round of a player who has come down to one die, in which the face stays.

These functions say when such a round begins, when it goes on after a resignation, and whom it
restricts.  `bidding` says which bids the restriction forbids.
"""

from __future__ import annotations

from pbmserv.games.perudo.position import Position, Table
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.turns import living

_TWO_PLAYERS = 2  # players: classic's exception


def palifico_after_loss(table: Table, loser: int) -> int | None:
    """The seat whose Palifico the next round is, when `loser` gives up a die; None for nobody's.

    By pyrudo each player has one Palifico ("for the first time").  By classic and bga each has one
    at every descent.  In classic: "not when only two players left".
    """
    rules, left = table.rules, len(table.cups[loser]) - 1
    first = rules.palifico == "first" and loser not in table.palifico_used
    begun = left == 1 and (first or rules.palifico == "every")
    return loser if begun and _may_be(rules, living(table.cups)) else None


def palifico_after_resignation(table: Table, seat: int) -> int | None:
    """The seat whose Palifico the next round is, when `seat` resigns; None for nobody's.

    A Palifico round stays one while its player is still in and the rules would still give it.
    """
    stays = table.palifico != seat and _may_be(table.rules, living(table.cups) - 1)
    return table.palifico if stays else None


def _may_be(rules: Rules, players: int) -> bool:
    return rules.palifico_of_two or players > _TWO_PLAYERS


def face_frozen(position: Position) -> bool:
    """Whether Palifico restricts the player on turn to the face of the last bid.

    A Palifico round restricts all players. pacao restricts only a player who began the round with
    one die.  Counts do not change within a round, so that is a player who has one die now.
    """
    if position.palifico is not None:
        return True
    return position.rules.palifico == "own" and len(position.cups[position.turn]) == 1
