"""The first letter of a player's first game explains what a bid of ones says."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.letter import Letter


def explained(connection: Connection, letters: Sequence[Letter]) -> list[Letter]:
    """The first letters of a board, where those to players of no other board explain ones."""
    players = [each.to for each in letters if isinstance(each.to, int)]
    seat = models.Seat
    query = select(seat.player_id).where(seat.player_id.in_(players)).group_by(seat.player_id)
    query = query.having(func.count() == 1)
    new = set(connection.execute(query).scalars())
    return [
        replace(each, payload={**each.payload, "first": True}) if each.to in new else each
        for each in letters
    ]
