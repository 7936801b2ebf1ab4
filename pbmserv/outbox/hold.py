"""Which letters are held back for a digest, and which wait for a rate limit."""

from __future__ import annotations

from sqlalchemy import literal

from pbmserv.database import models
from pbmserv.database.models.states import HELD

ASKING = {"confirm", "confirm_address"}  # letters that ask somebody to confirm an address
DAILY = "daily"
# What a digest holds in place of letters of their own.
OF_BOARDS = {"perudo/started", "perudo/moved", "perudo/ended", "perudo/chat", "perudo/offer"}
IS_HELD = models.OutboxLetter.state == literal(HELD, literal_execute=True)
"""Written out in statements: SQLite takes no index of a part of the rows for a bound value."""
