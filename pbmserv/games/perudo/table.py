"""The public interface of the game: every name that other packages need to play Perudo.

    play(table, seat, action, dice) -> events      decides; refuses with a reason
    after(table, event) -> Table                   records; refuses nothing
    view(table, seat | None) -> View               all that this reader may know

It exports names of `bids`, `rules`, `bidding` (is this bid legal), `events`, `position` (the table
and `after`), `turns`, `palifico`, `play`, `view`, `dice`.  Text is in `notation`, whole games are
in `record`.
"""

from __future__ import annotations

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.dice import PlainDice
from pbmserv.games.perudo.events import (
    NOBODY,
    Action,
    Bade,
    Beacon,
    Call,
    Called,
    Cup,
    Cups,
    Dealt,
    Dice,
    Drawn,
    Eliminated,
    Event,
    Gained,
    Lost,
    Raise,
    Resign,
    Resigned,
    Restored,
    Revealed,
    Rolled,
    Won,
)
from pbmserv.games.perudo.palifico import face_frozen
from pbmserv.games.perudo.play import open_cups, play, roll_again, start, stop
from pbmserv.games.perudo.position import (
    Position,
    Table,
    after,
    after_all,
    new_table,
)
from pbmserv.games.perudo.turns import next_living
from pbmserv.games.perudo.view import (
    View,
    count,
    dice_in_play,
    legal_actions,
    legal_bids,
    legal_calls,
    legal_raises,
    most_dice,
    smallest_raises,
    view,
)

__all__ = [
    "NOBODY",
    "Action",
    "Bade",
    "Beacon",
    "Bid",
    "Call",
    "Called",
    "Cup",
    "Cups",
    "Dealt",
    "Dice",
    "Drawn",
    "Eliminated",
    "Event",
    "Gained",
    "Lost",
    "PlainDice",
    "Position",
    "Raise",
    "Resign",
    "Resigned",
    "Restored",
    "Revealed",
    "Rolled",
    "Table",
    "View",
    "Won",
    "after",
    "after_all",
    "count",
    "dice_in_play",
    "face_frozen",
    "legal_actions",
    "legal_bids",
    "legal_calls",
    "legal_raises",
    "most_dice",
    "new_table",
    "next_living",
    "open_cups",
    "play",
    "roll_again",
    "smallest_raises",
    "start",
    "stop",
    "view",
]
