"""The seed of a board's first round, and what its players have added to the dice.

A seed proves something only if it was committed before the players added their part.  A board often
begins with one command.  So each player has a seed for the next board that this player begins.
Every letter to the player shows its SHA-256 in the header X-Perudo-Commitment.  An invitation shows
that of its board, and those who accept add to the dice as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from sqlalchemy import Connection, bindparam, func, or_, select, update

from pbmserv.boards.board import INVITED
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.database.models.states import SENT
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.player_salts import salt_of

_player, _seat, _letter = models.Player, models.Seat, models.OutboxLetter
_SEED = select(_player.opening_seed, _player.opening_after).where(_player.id == bindparam("player"))
_NEXT = update(_player).where(_player.id == bindparam("number"))
_LAST = select(func.coalesce(func.max(_letter.id), 0))
_WELCOME = "confirmed"  # the one letter to an address that shows the commitment of its player
_SHOWN = (
    select(_letter.id)
    .where(_letter.state == SENT, _letter.id > bindparam("after"))
    .where(or_(_letter.player_id == bindparam("player"), _letter.kind == _WELCOME))
    .where(
        _letter.address.in_(
            select(models.Address.address).where(models.Address.player_id == bindparam("player"))
        )
    )
    .limit(1)
)
_OF_BOARD = select(models.Board.next_seed).where(models.Board.id == bindparam("board"))
_INVITED = update(models.Board).where(models.Board.state == INVITED)
_SALTS = (
    select(_seat.player_id, _seat.salt)
    .where(_seat.board_id == bindparam("board"), _seat.salt != "")
    .order_by(_seat.seat)
)


@dataclass(frozen=True, slots=True)
class Opening:
    """The seed of the first round, and the salts of the players (by id) who have added to it.

    Players can add only to a seed that `is_shown` already.  For other seeds the salts prove
    nothing.
    """

    seed: bytes
    is_shown: bool = False
    salts: Mapping[int, str] = field(default_factory=dict)

    def with_salt(self, player: int, salt: str) -> Opening:
        """The same with the salt of this player, if there is one and it proves something."""
        if not (salt and self.is_shown):
            return self
        return replace(self, salts={**self.salts, player: salt})


def of_nobody(work: UnitOfWork) -> Opening:
    """A seed that is drawn now: nobody could add to it after it was committed."""
    return Opening(work.seed())


def draw(work: UnitOfWork, player: int) -> None:
    """Draw the seed of the next board that a player begins; letters show it from now on."""
    _store(work.connection, [player], work.seed)


def of_command(context: Context, player: int | None) -> Opening:
    """The seed of the player whose command begins a board, and the salt of that command.

    The salt counts if a letter that shows the seed's commitment has left.
    """
    if player is None:
        return of_nobody(context)
    seed, after = context.connection.execute(_SEED, {"player": player}).one()
    asked = {"player": player, "after": after}
    is_shown = seed is not None and context.connection.execute(_SHOWN, asked).first() is not None
    draw(context, player)
    opening = Opening(context.seed() if seed is None else seed, is_shown)
    return opening.with_salt(player, salt_of(context.identifier))


def of_invitation(work: UnitOfWork, board: int) -> Opening:
    """The seed that was committed with the invitations to a board, and the salts of the answers.

    After a restore, and for an invitation of an older version, it is a seed that is drawn now.
    """
    seed = work.connection.execute(_OF_BOARD, {"board": board}).scalar_one()
    if seed is None:
        return of_nobody(work)
    salts = work.connection.execute(_SALTS, {"board": board})
    return Opening(seed, True, {row.player_id: row.salt for row in salts})


def committed_to(connection: Connection, player: int) -> str:
    """The SHA-256, in hex, of the seed of the next board that a player begins; "" for none."""
    seed = connection.execute(_SEED, {"player": player}).one().opening_seed
    return commitment(seed) if seed else ""


def renew(connection: Connection, seed: Callable[[], bytes]) -> None:
    """Draw the seed of every player again: after a restore the old ones may be known.

    Those of invitations are forgotten.
    """
    has_one = _player.opening_seed.is_not(None)
    people = connection.execute(select(_player.id).where(has_one)).scalars().all()
    _store(connection, people, seed)
    connection.execute(_INVITED.values(next_seed=None))


def _store(connection: Connection, people: Sequence[int], seed: Callable[[], bytes]) -> None:
    if not people:
        return
    after = connection.execute(_LAST).scalar_one()
    fresh = [{"number": each, "opening_seed": seed(), "opening_after": after} for each in people]
    connection.execute(_NEXT, fresh)
