"""Failures: how often a password may be wrong in an hour, for whom, and from where.

Whoever guesses at a player's password must be stopped, but must not shut the player out by it.
So the failures of a userid are counted apart for those that come from the player's own confirmed
addresses, for those typed at a shell of the server, and for those from anywhere else: when the
strangers have used up theirs, the player's own mails are still heard.  (A From can be forged, but
addresses are shown to nobody.)  Replies to letters need no password, and `reset` sets another.
"""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import Connection, exists, select

from pbmserv import limits, models
from pbmserv.errors import Refused

MOST_OF_A_USERID, MOST_OF_AN_ORIGIN = 10, 20
SECONDS = 3600  # of the span in which they are counted
SHELL = "shell"  # what origins at a shell of the server begin with


def check(connection: Connection, key: str, origin: str, now: int) -> None:
    """Raise Refused `too_many_attempts` where no more passwords are tried for the time being.

    `key` is the userid in lower case, whether somebody has it or not; `origin` a mail address,
    or one that begins with SHELL, or "" for the shell of a process that works by itself.
    """
    for what, who, most in _counted(connection, key, origin):
        if not limits.allowed(connection, what, who, most, SECONDS, now):
            raise Refused("too_many_attempts", minutes=SECONDS // 60)


def note(connection: Connection, key: str, origin: str, now: int) -> None:
    """Count a wrong password."""
    for what, who, _ in _counted(connection, key, origin):
        limits.note(connection, what, who, SECONDS, now)


def _counted(connection: Connection, key: str, origin: str) -> list[tuple[str, str, int]]:
    """What is counted, for whom, and how many failures an hour it may have.

    Of what stood in a userid's place a digest is kept: it may have been the password.
    """
    userid = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    if not origin or origin.startswith(SHELL):
        counted = [("at a shell", userid, MOST_OF_A_USERID)]
    elif _is_own(connection, key, origin):
        counted = [("by the player", userid, MOST_OF_A_USERID)]
    else:
        counted = [("by strangers", userid, MOST_OF_A_USERID)]
    if origin:
        counted.append(("origin", origin.lower(), MOST_OF_AN_ORIGIN))
    return counted


def _is_own(connection: Connection, key: str, origin: str) -> bool:
    """Whether that address is one that this player has confirmed."""
    row, known = models.Address, models.Player
    mine = exists().where(
        known.userid_key == key,
        row.player_id == known.id,
        row.address == origin.lower(),
        row.confirmed_at.is_not(None),
    )
    return bool(connection.execute(select(mine)).scalar())
