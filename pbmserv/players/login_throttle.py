"""Failures: how often a password may be wrong, for whom, and from where.

Whoever guesses at a player's password must be stopped, but must not shut the player out by it.
So the failures of a userid are counted apart: at a shell of the server; in mail that proves to
come from a confirmed address of the player's, as a reply to any letter of ours to that player
does; in other mail under such an address; and from anywhere else.  When those who guess have used
up theirs, the player's own mail is still heard.

Mail under the player's address that proves nothing may be the player's, or that of somebody who
knows the address (we show it to nobody).  Nothing but the password tells them apart, so a limit
is a trade.  A bucket of 100 failures, the most that NIST SP 800-63B (5.2.2) allows, refills with
400 a day: it never locks for long, and a guesser has no more tries than that, however much he
writes.  Once it is empty a right password is not tried either: a try that is not counted is a
guess for nothing.  Then the player replies to a letter of ours; to the one that says so, too.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from hashlib import sha256

from sqlalchemy import Connection, exists, select

from pbmserv.database import models
from pbmserv.mail.addresses import mailbox
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.timeunits import DAY

MOST_OF_A_USERID, MOST_OF_AN_ORIGIN = 10, 20
SECONDS = 3600  # of the span in which they are counted
CLAIMED_DAILY = 400  # under the player's address, without a proof; a quarter of them at once
SHELL = "shell"  # what origins at a shell of the server begin with


class Asker(Enum):
    """Who wants a password to be hashed, by what is known of him before."""

    STRANGER = "not at an address of the player's"
    CLAIMED = "under an address of the player's, without a proof"
    PROVEN = "the player, at an address that is proven"


Gate = Callable[[Asker], None]
"""Asked before a password is hashed, and told who wants it; it may raise."""


def everybody(asker: Asker) -> None:
    """A gate that stands open: a process of the asker's own does the work."""


def asker(connection: Connection, key: str, origin: str, *, proven: bool) -> Asker:
    """Who asks; `key`, `origin` and `proven` as in `are_too_many`."""
    if not is_own(connection, key, origin):
        return Asker.STRANGER
    return Asker.PROVEN if proven else Asker.CLAIMED


def are_too_many(connection: Connection, key: str, origin: str, now: int, *, proven: bool) -> bool:
    """Whether no more passwords are tried for the time being.

    `key` is the userid in lower case, whether somebody has it or not; `origin` a mail address,
    or one that begins with SHELL, or "" for the shell of a process that works by itself.
    `proven` is whether the mail proves to come from that address, or from a reader of the player's
    letters.
    """
    if _is_claimed(connection, key, origin, proven=proven):
        return token_bucket.waiting(connection, [_claimed(key)], now) > 0
    return any(
        not fixed_window.allowed(connection, what, who, most, SECONDS, now)
        for what, who, most in _counted(connection, key, origin)
    )


def note(connection: Connection, key: str, origin: str, now: int, *, proven: bool) -> None:
    """Count a wrong password."""
    if _is_claimed(connection, key, origin, proven=proven):
        token_bucket.turn(connection, [_claimed(key)], now, DAY)
        return
    for what, who, _ in _counted(connection, key, origin):
        fixed_window.note(connection, what, who, SECONDS, now)


def _claimed(key: str) -> Share:
    return Share(f"password {_digest(key)}", CLAIMED_DAILY)


def _is_claimed(connection: Connection, key: str, origin: str, *, proven: bool) -> bool:
    """Whether a mail comes under an address of the player's and proves nothing."""
    typed = not origin or origin.startswith(SHELL)
    return not typed and not proven and is_own(connection, key, origin)


def _digest(key: str) -> str:
    """Of what stood in a userid's place a digest is kept: it may have been the password."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _counted(connection: Connection, key: str, origin: str) -> list[tuple[str, str, int]]:
    """What is counted, for whom, and how many failures an hour it may have."""
    userid = _digest(key)
    if not origin or origin.startswith(SHELL):
        counted = [("at a shell", userid, MOST_OF_A_USERID)]
    elif is_own(connection, key, origin):
        return [("by the player", userid, MOST_OF_A_USERID)]
    else:
        counted = [("by strangers", userid, MOST_OF_A_USERID)]
    if origin:
        counted.append(("origin", mailbox(origin), MOST_OF_AN_ORIGIN))
    return counted


def is_own(connection: Connection, key: str, origin: str) -> bool:
    """Whether that address is one that this player has confirmed."""
    row, known = models.Address, models.Player
    mine = exists().where(
        known.userid_key == key,
        row.player_id == known.id,
        row.address == origin.lower(),
        row.confirmed_at.is_not(None),
    )
    return bool(connection.execute(select(mine)).scalar())
