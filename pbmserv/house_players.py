"""House players: the server's own players at its boards, beside people.

How they think is in `games/perudo/house`; they see what a view tells, as everybody does.  Their
userids begin with `house`, which no person's may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, insert

from pbmserv import models
from pbmserv.boards import Board
from pbmserv.errors import Refused
from pbmserv.games.perudo import house
from pbmserv.players import Player, find

NAME = "house"
_WORD = re.compile(rf"{NAME}(?:-([a-z]+))?(\d?)", re.IGNORECASE)


def is_house(word: str) -> bool:
    """Whether a word of a challenge means a house player."""
    return word.lower().startswith(NAME)


def seated(connection: Connection, words: Sequence[str], now: int) -> list[Player]:
    """The house players that these words of one challenge mean, a different one for each.

    `house` is the next free one, `house3` that very one; `house-honest` is of another level.
    Raises Refused `no_such_player` for words that mean none.
    """
    found: dict[str, Player] = {}
    for word in words:
        match = _WORD.fullmatch(word)
        level = (match[1] or NAME).lower() if match else ""
        if match is None or level not in house.LEVELS:
            raise Refused("no_such_player", names=[word[:20]])
        stem = NAME if level == NAME else f"{NAME}-{level}"
        numbers = [match[2]] if match[2] else ["", *map(str, range(2, 10))]
        name = next(stem + each for each in numbers if stem + each not in found or match[2])
        found[name] = _player(connection, name, level, now)
    return list(found.values())


def standin_for(connection: Connection, board: Board, now: int) -> Player:
    """A house player who does not sit at this board, neither for himself nor for another."""
    there: Iterable[str] = {each.userid for each in board.seats}
    there = {*there, *(each.standin for each in board.seats)}
    names = [NAME, *(f"{NAME}{number}" for number in range(2, 10))]
    return _player(connection, next(name for name in names if name not in there), NAME, now)


def _player(connection: Connection, name: str, level: str, now: int) -> Player:
    """The house player of a name; its row is made when it is first needed."""
    if found := find(connection, name):
        return found
    # No password fits this: house players play here, not by mail.
    values = {"userid": name, "userid_key": name, "password_hash": "-", "level": level}
    row = insert(models.Player).values(created_at=now, **values).returning(models.Player.id)
    number = connection.execute(row).scalar_one()
    return Player(number, name, "en")
