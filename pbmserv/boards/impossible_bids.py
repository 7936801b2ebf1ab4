"""Bids that no turn of a round allows, because of their face or of their number of dice."""

from __future__ import annotations

from pbmserv.boards.board import Board
from pbmserv.errors import Refused
from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.notation import write_bid
from pbmserv.games.perudo.table import most_dice


def refusal(board: Board, action: Action) -> Refused | None:
    """The refusal `bid_range` or `over_cap` of such a bid; None for any other action."""
    if not isinstance(action, Raise):
        return None
    rules, most = board.table.rules, most_dice(board.table)
    code = bidding.objection(rules, most, False, None, action.bid)
    if code not in {"bid_range", "over_cap"}:
        return None
    bid = write_bid(action.bid)
    return Refused(code, bid=bid, faces=rules.faces, cap=most, queued=True, board=board.id)
