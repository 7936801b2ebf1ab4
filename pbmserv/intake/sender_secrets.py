"""What a writer of words for others knows and must not pass on: read from the database.

`disclosure/search.py` finds it in a text.  It is asked for only where there is a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from sqlalchemy import Connection, Integer, bindparam, literal, null, select, union

from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.database.models import Address, Board, OutboxLetter, Seat, Sitting
from pbmserv.database.models.states import SENT
from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.search import Confidential
from pbmserv.games.perudo.notation import read_position
from pbmserv.security.tokens import Tokens

MOST_LETTERS = 200  # the latest to an address, of which quotations are known

_IDS = bindparam("players", expanding=True, type_=Integer())
_SAT = union(
    select(Seat.board_id, Seat.seat, Seat.player_id, null().label("until")).where(
        Seat.player_id.in_(_IDS)
    ),
    select(Sitting.board_id, Sitting.seat, Sitting.player_id, Sitting.round).where(
        Sitting.player_id.in_(_IDS)
    ),
).subquery()
"""Who sits and who sat where; `until` is the last round whose dice a player saw there."""
_SEATS = (
    select(Board.id, Board.position, Board.move, _SAT.c.seat, _SAT.c.player_id, _SAT.c.until)
    .join(_SAT, _SAT.c.board_id == Board.id)
    .where(Board.state.in_([PLAYING, INVITED]))
)
_ADDRESSES = select(Address.address).where(
    Address.player_id.in_(_IDS), Address.confirmed_at.is_not(None)
)
_HAS_LEFT = OutboxLetter.state == literal(SENT, literal_execute=True)
"""Written out in statements: SQLite takes no index of a part of the rows for a bound value."""
_LETTERS = (
    select(OutboxLetter.lines)
    .where(OutboxLetter.address == bindparam("address"), _HAS_LEFT)
    .order_by(OutboxLetter.id.desc())
    .limit(MOST_LETTERS)
)


def of_writers(
    connection: Connection,
    players: Set[int],
    tokens: Tokens,
    passwords: Iterable[str],
    commands: Set[str],
) -> Confidential:
    """What these players know, of whom one wrote a mail.

    Of a seat that was given up it is the cup of the round in which that happened, no later one.
    Letters to addresses count that they have confirmed: anybody can name any address as theirs.
    `passwords` are the mail's, `commands` the names of those that take one.
    """
    ids = {"players": sorted(players)}
    cups, good = set(), set()
    for row in connection.execute(_SEATS, ids) if players else ():
        good.add(tokens.letter(row.id, row.player_id, row.move).lower())
        table = read_position(row.position) if row.position else None
        if table and row.until in {None, table.round}:  # no later cup: what is left out tells it
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
        is_token=lambda word: tokens.read(word) is not None,
    )
