"""Addresses that were invited to a board, and those to which no invitation may be sent again.

A seat of an invited board may be for somebody who was invited by address.  The address is kept only
while that invitation is open.  Afterwards its keyed digest is kept, for a year, or for ever if its
reader asked for no more.  Nobody without the key of the home can test whether a digest belongs to
an address.  `lobby/address_invitations.py` sends the letters and handles the answers.  Moments are
seconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database.models import AddressInvitation, InvitedAddress
from pbmserv.database.prepared_statements import Prepared
from pbmserv.fast_dataclasses import dataclass
from pbmserv.mail.addresses import mailbox
from pbmserv.security import tokens
from pbmserv.timeunits import DAY

AGAIN = 365 * DAY  # seconds after which an address of no player may be invited again
AGAIN_PLAYER = DAY  # the same for an address of a player, who has other ways to refuse
OPEN, JOINED, CLOSED = "open", "joined", "closed"
DOUBTFUL = "?"  # behind a word in an answer that may be a name, or an everyday word
_FORGET = (
    Prepared(
        delete(InvitedAddress).where(
            InvitedAddress.invited_at <= bindparam("before"), InvitedAddress.never.is_(False)
        )
    ),
    Prepared(
        delete(AddressInvitation).where(
            AddressInvitation.invited_at <= bindparam("before"), AddressInvitation.state != OPEN
        )
    ),
)


@dataclass(frozen=True, slots=True)
class InvitedSeat:
    """A seat for somebody who was invited by address.

    `state` is open, joined or closed.  `address` is "" unless it is open and a letter was sent.
    `named`: its reader said yes, and was asked for a userid.
    """

    board: int
    place: int
    state: str
    address: str
    digest: str
    named: bool


def seats_of(connection: Connection, board: int) -> list[int]:
    """The places of a board that wait for somebody who was invited by address."""
    row = AddressInvitation
    query = select(row.seat).where(row.board_id == board, row.state == OPEN).order_by(row.seat)
    return list(connection.execute(query).scalars())


def of_token(connection: Connection, token: str) -> InvitedSeat | None:
    """The seat to which a letter with this token invited; None if the token is unknown."""
    row = AddressInvitation
    query = select(row.board_id, row.seat, row.state, row.address, row.digest, row.named)
    found = connection.execute(query.where(row.token == tokens.digest(token))).first()
    return InvitedSeat(*found) if found else None


def may_be_invited(work: UnitOfWork, address: str, *, is_player: bool) -> bool:
    """Whether an invitation may be sent to an address, by what is known of earlier ones."""
    digest, row = work.keyed(mailbox(address)), InvitedAddress
    known = work.connection.execute(
        select(row.invited_at, row.never).where(row.digest == digest)
    ).first()
    open_one = AddressInvitation.digest == digest, AddressInvitation.state == OPEN
    if known is None:
        return True
    if known.never or work.connection.execute(select(exists().where(*open_one))).scalar():
        return False
    return bool(known.invited_at <= work.now - (AGAIN_PLAYER if is_player else AGAIN))


def reserve(work: UnitOfWork, board: int, place: int, address: str) -> str:
    """Reserve a place of a board for the reader of an address; returns the token of the letter.

    It is "" for an address that may not be invited.  Then no letter is sent, and nothing of the
    address is kept.
    """
    token = work.confirmation() if address else ""
    digest = work.keyed(mailbox(address)) if address else ""
    values = {
        "board_id": board,
        "seat": place,
        "state": OPEN,
        "token": tokens.digest(token) if token else "",
        "address": address,
        "digest": digest,
        "invited_at": work.now,
    }
    work.connection.execute(insert(AddressInvitation).values(values))
    if address:
        _note(work, digest, never=False)
    return token


def ask_name(connection: Connection, seat: InvitedSeat) -> None:
    """Record that the reader said yes and was asked for a userid."""
    _change(connection, seat, named=True)


def join(connection: Connection, seat: InvitedSeat) -> None:
    """Record that the reader of the letter has a seat now; the address is forgotten here."""
    _change(connection, seat, state=JOINED, address="")


def close(connection: Connection, board: int) -> None:
    """Close the places of a board that begins or is withdrawn; the addresses are forgotten."""
    row = AddressInvitation
    mine = update(row).where(row.board_id == board, row.state == OPEN)
    connection.execute(mine.values(state=CLOSED, address=""))


def never_again(work: UnitOfWork, digest: str) -> None:
    """Send no invitation to the address with this keyed digest any more."""
    _note(work, digest, never=True)


def refuse_for(work: UnitOfWork, address: str) -> None:
    """Send no invitation to an address any more, if one ever was sent there."""
    digest, row = work.keyed(mailbox(address)), InvitedAddress
    if work.connection.execute(select(exists().where(row.digest == digest))).scalar():
        never_again(work, digest)


def forget(work: UnitOfWork, addresses: list[str]) -> None:
    """Forget when these addresses were invited; that they want no invitation is kept."""
    digests = [work.keyed(mailbox(each)) for each in addresses]
    row, seat = InvitedAddress, AddressInvitation
    theirs = row.digest.in_(digests), row.never.is_(False)
    work.connection.execute(delete(row).where(*theirs))
    blank = {"digest": "", "token": "", "address": ""}
    work.connection.execute(update(seat).where(seat.digest.in_(digests)).values(blank))


def expire(connection: Connection, now: int) -> None:
    """Forget invitations that are over, a year after they were sent."""
    for old in _FORGET:
        old.run(connection, {"before": now - AGAIN})


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """Move moments in the future back by `seconds`, after the system clock was set back so far."""
    for row in (InvitedAddress, AddressInvitation):
        ahead = update(row).where(row.invited_at > now)
        connection.execute(ahead.values(invited_at=row.invited_at - seconds))


def _note(work: UnitOfWork, digest: str, *, never: bool) -> None:
    row = InvitedAddress
    connection = work.connection
    kept = connection.execute(select(row.never).where(row.digest == digest)).scalar()
    connection.execute(delete(row).where(row.digest == digest))
    values = {"digest": digest, "invited_at": work.now, "never": never or bool(kept)}
    connection.execute(insert(row).values(values))


def _change(connection: Connection, seat: InvitedSeat, **values: object) -> None:
    row = AddressInvitation
    mine = row.board_id == seat.board, row.seat == seat.place
    connection.execute(update(row).where(*mine).values(values))
