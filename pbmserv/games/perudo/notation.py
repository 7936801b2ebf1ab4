"""All notation of the game, to read and to write.

It exports `move_parser` (the moves of players, read leniently) and `event_notation` (bids and
events, one line each).  It also exports `position_notation` (one line, as FEN is for chess).  Whole
records are in `record`.
"""

from __future__ import annotations

from pbmserv.games.perudo.event_notation import (
    public,
    read_bid,
    read_cups,
    read_event,
    unsalted,
    write_bid,
    write_cups,
    write_event,
    write_seat,
)
from pbmserv.games.perudo.meant_clauses import leaving_clause, may_begin_with_move
from pbmserv.games.perudo.meant_moves import (
    bids_in,
    calls_in,
    has_call,
    may_raise,
    named_bid,
    named_move,
    names_bids,
    nearest_word,
)
from pbmserv.games.perudo.move_parser import (
    MOVE_WORDS,
    bare_move,
    is_action,
    read_action,
    split_salt,
    without_salt,
)
from pbmserv.games.perudo.position_notation import (
    move_of,
    read_position,
    read_rules,
    read_view,
    write_position,
    write_rules,
    write_view,
)

__all__ = [
    "MOVE_WORDS",
    "bare_move",
    "bids_in",
    "calls_in",
    "has_call",
    "is_action",
    "leaving_clause",
    "may_begin_with_move",
    "may_raise",
    "move_of",
    "named_bid",
    "named_move",
    "names_bids",
    "nearest_word",
    "public",
    "read_action",
    "read_bid",
    "read_cups",
    "read_event",
    "read_position",
    "read_rules",
    "read_view",
    "split_salt",
    "unsalted",
    "without_salt",
    "write_bid",
    "write_cups",
    "write_event",
    "write_position",
    "write_rules",
    "write_seat",
    "write_view",
]
