"""The tables: what the database remembers.

Moments are whole seconds since 1970, UTC.  Seats count from 0.  Secrets are never in clear:
a password is an argon2id hash, a token is kept as its SHA-256.
"""

from __future__ import annotations

from pbmserv.database.models.base import Base
from pbmserv.database.models.boards import (
    Board,
    Happening,
    Seat,
    Seek,
    Sitting,
    Talk,
    Tally,
    Tick,
    Watcher,
)
from pbmserv.database.models.installation import Installation
from pbmserv.database.models.players import (
    Address,
    Attempt,
    Ban,
    Block,
    Confirmation,
    FormerMailbox,
    Player,
    Rating,
    Vacation,
)
from pbmserv.database.models.post import Act, Bucket, InboxMail, Incident, OutboxLetter, Try

__all__ = [
    "Act",
    "Address",
    "Attempt",
    "Ban",
    "Base",
    "Block",
    "Board",
    "Bucket",
    "Confirmation",
    "FormerMailbox",
    "Happening",
    "InboxMail",
    "Incident",
    "Installation",
    "OutboxLetter",
    "Player",
    "Rating",
    "Seat",
    "Seek",
    "Sitting",
    "Talk",
    "Tally",
    "Tick",
    "Try",
    "Vacation",
    "Watcher",
]
