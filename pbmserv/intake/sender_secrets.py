"""What the writer of a text knows and must not pass on, read from the database.

`disclosure/redaction.py` finds it in a text.  It is read only if there is a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from sqlalchemy import Connection, Integer, bindparam, literal, null, select, union

from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.database.models import Address, Board, OutboxLetter, Seat, Sitting
from pbmserv.database.models.states import SENT
from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.redaction import Confidential
from pbmserv.games.perudo.notation import read_position
from pbmserv.security.tokens import ABOUT, Tokens, is_of_button

MOST_LETTERS = 200  # the latest ones to an address, whose quotations are recognized

_IDS = bindparam("players", expanding=True, type_=Integer())
_SAT = union(
    select(Seat.board_id, Seat.seat, Seat.player_id, null().label("until")).where(
        Seat.player_id.in_(_IDS)
    ),
    select(Sitting.board_id, Sitting.seat, Sitting.player_id, Sitting.round).where(
        Sitting.player_id.in_(_IDS)
    ),
).subquery()
"""The present and former players of seats; `until` is the last round whose dice a player saw."""
_SEATS = (
    select(Board.id, Board.position, Board.move, _SAT.c.seat, _SAT.c.player_id, _SAT.c.until)
    .join(_SAT, _SAT.c.board_id == Board.id)
    .where(Board.state.in_([PLAYING, INVITED]))
)
_ADDRESSES = select(Address.address).where(
    Address.player_id.in_(_IDS), Address.confirmed_at.is_not(None)
)
_HAS_LEFT = OutboxLetter.state == literal(SENT, literal_execute=True)
"""This is a literal in SQL, because SQLite uses no partial index for a bound value."""
_LETTERS = (
    select(OutboxLetter.lines)
    .where(OutboxLetter.address == bindparam("address"), _HAS_LEFT)
    .order_by(OutboxLetter.id.desc())
    .limit(MOST_LETTERS)
)


def lines_of_letters(connection: Connection, address: str) -> frozenset[int]:
    """The fingerprints of the latest letters to an address."""
    sent = connection.execute(_LETTERS, {"address": address}).scalars()
    return fingerprint.read([lines for lines in sent if lines is not None])


def of_writers(
    connection: Connection,
    players: Set[int],
    tokens: Tokens,
    passwords: Iterable[str],
    commands: Set[str],
) -> Confidential:
    """The secrets of these players, one of whom wrote an email.

    For a seat that was given up, only the cup of that round counts.  Letters count if they were
    sent to confirmed addresses, because anybody can name any address.  `passwords` are those of the
    email, `commands` the names of commands that take one.
    """
    ids = {"players": sorted(players)}
    cups: set[tuple[int, ...]] = set()
    good: set[str] = set()
    for row in connection.execute(_SEATS, ids) if players else ():
        letter = row.id, row.player_id, row.move
        good.update(tokens.letter(*letter, about).lower() for about in ABOUT)
        table = read_position(row.position) if row.position else None
        # The writer does not know a later cup, so leaving it out would reveal it.
        if table and row.until in {None, table.round}:
            cups.add(tuple(sorted(die for die in table.cups[row.seat] if die)))
    own = connection.execute(_ADDRESSES, ids).scalars() if players else ()
    kept = [
        lines
        for address in sorted(own)
        for lines in connection.execute(_LETTERS, {"address": address}).scalars()
        if lines is not None
    ]
    return Confidential(
        cups=cups,
        tokens=good,
        lines=fingerprint.read(kept),
        passwords=frozenset(passwords),
        commands=commands,
        is_token=lambda word: is_of_button(word) or tokens.read(word) is not None,
    )
