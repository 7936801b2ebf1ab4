"""Whether an email is proven to be a player's.

A From address can be forged, and everybody who has a letter has its token.  Commands ask here
before they believe that a player wrote an email.
"""

from __future__ import annotations

from collections.abc import Set

from sqlalchemy import Connection, bindparam, or_, select

from pbmserv.boards.newest_letter import is_last_of_leaver, is_newest
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import Identity
from pbmserv.timeunits import DAY

LAST_WORDS = 30 * DAY  # after the end of a game, in which its letters still bring words
PROOF = "proof"  # what `fixed_window` counts, for longer than anybody keeps an email
_row = models.Board
_AT_MOVE = (
    select(_row.id)
    .where(_row.id == bindparam("board"), _row.move == bindparam("given"))
    .where(or_(_row.ended_at.is_(None), _row.ended_at > bindparam("since")))
)


def counts_still(
    connection: Connection, shown: Identity, now: int, owners: Set[int] = frozenset()
) -> bool:
    """Whether the credentials are a password, or the token of a board's latest letters.

    Such a token is of a move that has not been made yet.  After the end of a game the token of its
    last letters counts for LAST_WORDS.  `owners` are the players of the sender's address.  For them
    the token of the player's newest letter counts as well, also after a resignation.  The token of
    a button never counts: it works only for its own command.
    """
    if shown.only:
        return False
    if shown.board is None:
        return True
    since = now - LAST_WORDS
    given = {"board": shown.board, "given": shown.move, "since": since}
    if connection.execute(_AT_MOVE, given).scalar() is not None:
        return True
    if shown.player not in owners:
        return False
    return is_newest(connection, shown) or is_last_of_leaver(connection, shown, since)


def proves(context: Context, player: int) -> bool:
    """Whether the email proves that it is this player's; a shell needs no proof.

    One proof is the player's password anywhere in the email.  Others are the token of the player's
    latest letter of a board, and a proven From of the player.
    """
    if context.at_shell:
        return True
    answered = [each for each in (context.answered,) if each and not each.is_void]
    mine = [each for each in (*context.credentials.shown, *answered) if each.player == player]
    if any(counts_still(context.connection, each, context.now, context.owners) for each in mine):
        return True
    return player in context.owners and proves_once(context)


def is_from(context: Context, player: int) -> bool:
    """Whether the email counts as this player's.

    It must prove its sender, or answer a letter that was sent to the player.
    Any letter that was sent to the email's address is enough, if the player has confirmed the
    address.
    """
    return (context.credentials.answers and player in context.owners) or proves(context, player)


def answers(context: Context) -> bool:
    """Whether the email answers a letter that was sent to its address, or proves its sender.

    Such a letter is not a secret, so this allows only one thing: stopping letters to that address.
    """
    answered = context.answered
    is_theirs = answered is not None and answered.player in context.owners
    return context.credentials.answers or is_theirs or proves_once(context)


def proves_once(context: Context) -> bool:
    """Whether the email proves its sender for the first time; records that it did.

    Signatures seldom cover the Message-ID, so somebody could send a copy of the email later.
    """
    credentials, proof = context.credentials, context.proof
    if credentials.is_first is None:
        seen = (context.connection, PROOF, proof)
        long = fixed_window.LONG[PROOF]
        credentials.is_first = bool(proof) and fixed_window.allowed(*seen, 1, long, context.now)
        if credentials.is_first:
            fixed_window.note(*seen, long, context.now)
    return credentials.is_first
