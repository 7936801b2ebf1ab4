"""The login throttle: how many wrong passwords are allowed, for whom, and from where.

Guessing a player's password must be stopped without locking the player out.  So failures of a
userid are counted separately by origin:

- at a shell of the server;
- in an email with a proven, confirmed address of the player, or in a proven reply to the player's
  letter;
- in other emails that name such an address as their sender;
- from anywhere else.

When a guesser has used up one limit, the player's own email still has another.

An email with the player's address and no proof may be from the player.  It may also be from
somebody who knows the address (we show it to nobody).  Only the password tells them apart, so the
limit is a compromise.  A token bucket of 100 failures, the most that NIST SP 800-63B (5.2.2)
allows, refills with 400 a day.  It never locks for long, and limits a guesser however many emails
are sent.  When it is empty, a right password is not tried either, because an uncounted try would be
a free guess.  The player can then reply to any letter of ours, also to the one that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from hashlib import sha256

from sqlalchemy import Connection, bindparam, exists, select

from pbmserv.database import models
from pbmserv.mail.addresses import mailbox
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.timeunits import DAY

MOST_OF_A_USERID, MOST_OF_AN_ORIGIN = 10, 20
SECONDS = 3600  # in which failures are counted
CLAIMED_DAILY = 400  # with an address of the player's and no proof; a quarter of them at once
SHELL = "shell"  # how origins at a shell of the server begin
_IS_OWN = select(
    exists().where(
        models.Player.userid_key == bindparam("userid"),
        models.Address.player_id == models.Player.id,
        models.Address.address == bindparam("address"),
        models.Address.confirmed_at.is_not(None),
    )
)


class Asker(Enum):
    """Who asks for a password check, as far as it is known before the check."""

    STRANGER = "not at an address of the player's"
    CLAIMED = "under an address of the player's, without a proof"
    PROVEN = "the player, at an address that is proven"


Gate = Callable[[Asker], None]
"""A function called before a password is hashed, with the asker; it may raise."""


def everybody(asker: Asker) -> None:
    """A gate that lets every asker pass, for a process that serves only this asker."""


def asker(connection: Connection, key: str, origin: str, *, proven: bool) -> Asker:
    """Who asks; `key`, `origin` and `proven` are as in `are_too_many`."""
    if not is_own(connection, key, origin):
        return Asker.STRANGER
    return Asker.PROVEN if proven else Asker.CLAIMED


def are_too_many(connection: Connection, key: str, origin: str, now: int, *, proven: bool) -> bool:
    """Whether no password is tried at present, because of too many failures.

    `key` is the userid in lower case; it need not exist.  `origin` is an email address, or begins
    with SHELL, or is "" for a process that works by itself.  `proven`: the email proves that it
    comes from that address, or from a reader of the player's letters.
    """
    if _is_claimed(connection, key, origin, proven=proven):
        return token_bucket.waiting(connection, [_claimed(key)], now) > 0
    return any(
        not fixed_window.allowed(connection, what, who, most, SECONDS, now)
        for what, who, most in _counters(connection, key, origin)
    )


def note(connection: Connection, key: str, origin: str, now: int, *, proven: bool) -> None:
    """Count a wrong password."""
    if _is_claimed(connection, key, origin, proven=proven):
        token_bucket.turn(connection, [_claimed(key)], now, DAY)
        return
    for what, who, _ in _counters(connection, key, origin):
        fixed_window.note(connection, what, who, SECONDS, now)


def _claimed(key: str) -> Share:
    return Share(f"password {_digest(key)}", CLAIMED_DAILY)


def _is_claimed(connection: Connection, key: str, origin: str, *, proven: bool) -> bool:
    """Whether an email comes with an address of the player's and without proof."""
    typed = not origin or origin.startswith(SHELL)
    return not typed and not proven and is_own(connection, key, origin)


def _digest(key: str) -> str:
    """The stored form of a userid: a digest, because somebody may have typed the password there."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _counters(connection: Connection, key: str, origin: str) -> list[tuple[str, str, int]]:
    """The counters of an attempt: each with its kind, its owner, and its limit an hour."""
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
    """Whether the player has confirmed that address."""
    asked = {"userid": key, "address": origin.lower()}
    return bool(connection.execute(_IS_OWN, asked).scalar())
