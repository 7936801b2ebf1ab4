"""Moves that no turn of a round allows: bids out of range, and calls that the rules do not have."""

from __future__ import annotations

from pbmserv.boards.board import Board
from pbmserv.errors import Refused
from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.notation import write_bid
from pbmserv.games.perudo.table import most_dice


def refusal(board: Board, action: Action) -> Refused | None:
    """The refusal `bid_range`, `over_cap` or `call_unknown_here`; None for any other move."""
    if isinstance(action, Raise):
        return _of_bid(board, action)
    rules = board.table.rules
    if not isinstance(action, Call) or rules.has_call(action.word):
        return None
    facts = {"call": action.word, "rules": rules.name}
    return Refused("call_unknown_here", **facts, queued=True, board=board.id)


def _of_bid(board: Board, action: Raise) -> Refused | None:
    rules, most = board.table.rules, most_dice(board.table)
    code = bidding.objection(rules, most, False, None, action.bid)
    if code not in {"bid_range", "over_cap"}:
        return None
    bid = write_bid(action.bid)
    return Refused(code, bid=bid, faces=rules.faces, cap=most, queued=True, board=board.id)
