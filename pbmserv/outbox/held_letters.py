"""Which letters are held back for a digest, and which wait for a rate limit."""

from __future__ import annotations

from sqlalchemy import literal

from pbmserv.database import models
from pbmserv.database.models.states import HELD

# Letters to addresses that may belong to somebody who has asked for nothing.
ASKING = {"confirm", "confirm_address", "guest_invitation"}
DAILY = "daily"
# A digest replaces these letters.
OF_BOARDS = {"perudo/started", "perudo/moved", "perudo/ended", "perudo/chat", "perudo/offer"}
IS_HELD = models.OutboxLetter.state == literal(HELD, literal_execute=True)
"""This is a literal in SQL, because SQLite uses no partial index for a bound value."""
