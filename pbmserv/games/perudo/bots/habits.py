"""Players who follow a fixed recipe: found by their moves in the rounds that were opened.

The usual bot plays an endgame by solved tables.  Nobody can beat them, and they win little from
weak players.  From a player who has made every move as a plain level makes it, there is more to
win.  To pass for one, a player must move so in all rounds before, and lose to the bot's best reply.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.estimate import Plain, answer
from pbmserv.games.perudo.bots.inference import PLAIN
from pbmserv.games.perudo.events import Bade
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.view import view

LEAST_MOVES = 3
"""The moves that must be known.  With fewer, chance alone can make them look like a recipe's."""


def is_plain(seat: int, opened: Iterable[Opened]) -> bool:
    """Whether a seat has moved in all these rounds as one of the plain levels moves."""
    played = [*opened]
    return any(_follows(seat, played, plain) for plain in PLAIN)


def _follows(seat: int, opened: Iterable[Opened], plain: Plain) -> bool:
    moves = 0
    for each in opened:
        for table, event in each.made:
            if event.seat != seat or table.turn != seat:
                continue
            seen = view(table._replace(cups=each.cups), seat)
            found = answer(seen, plain)
            made = event.bid if isinstance(event, Bade) else event.call
            if (found if isinstance(found, Bid) else found.word) != made:
                return False
            moves += 1
    return moves >= LEAST_MOVES
