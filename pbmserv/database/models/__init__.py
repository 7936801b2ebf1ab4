"""The tables of the database; `base.py` says how they are declared, and in which units.

Statements are where they are needed, and changes of tables are in `migrations`.
"""

from __future__ import annotations

from pbmserv.database.models.base import Base
from pbmserv.database.models.boards import (
    AddressInvitation,
    Board,
    BoardEvent,
    Seat,
    Seek,
    Sitting,
    Talk,
    Tally,
    Tick,
    Watcher,
)
from pbmserv.database.models.emails import (
    Action,
    DeliveryAttempt,
    InboxMail,
    OperatorAlert,
    OutboxLetter,
)
from pbmserv.database.models.installation import Installation
from pbmserv.database.models.players import (
    Address,
    Ban,
    Block,
    Confirmation,
    Counter,
    FormerMailbox,
    InvitedAddress,
    Player,
    Rating,
    Vacation,
)

__all__ = [
    "Action",
    "Address",
    "AddressInvitation",
    "Ban",
    "Base",
    "Block",
    "Board",
    "BoardEvent",
    "Confirmation",
    "Counter",
    "DeliveryAttempt",
    "FormerMailbox",
    "InboxMail",
    "Installation",
    "InvitedAddress",
    "OperatorAlert",
    "OutboxLetter",
    "Player",
    "Rating",
    "Seat",
    "Seek",
    "Sitting",
    "Talk",
    "Tally",
    "Tick",
    "Vacation",
    "Watcher",
]
