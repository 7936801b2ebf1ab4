"""House players: the server's own players at its boards, beside people.

How they think is in `games/perudo/bots`; they see what a view tells, as everybody does.  Their
userids begin with `house`, which no person's may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, insert

from pbmserv.boards.board import Board
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.games.perudo import bots
from pbmserv.players.accounts import Player, find

NAME = "house"
_WORD = re.compile(rf"{NAME}(?:-([a-z]+))?(\d?)", re.IGNORECASE)


def is_bot(word: str) -> bool:
    """Whether a word of a challenge means a house player."""
    return word.lower().startswith(NAME)


def words() -> list[str]:
    """The words that mean a house player, one for each level, the usual one first."""
    return [NAME if level == NAME else f"{NAME}-{level}" for level in bots.LEVELS]


def unknown(words: Sequence[str]) -> list[str]:
    """Those of the words that mean no house player: of no level, or badly numbered."""
    return [word for word in words if _level(word) not in bots.LEVELS]


def names(words: Sequence[str]) -> list[str]:
    """The userids that these words of one challenge mean.

    `house` is the next one that is not named otherwise, `house3` that very one; `house-honest`
    is of another level.
    """
    found = [word.lower() for word in words]
    for place, word in enumerate(found):
        numbers = ["", *map(str, range(2, len(found) + 2))]
        if not word[-1].isdigit():
            others = {*found[:place], *(each for each in found if each[-1].isdigit())}
            found[place] = next(word + each for each in numbers if word + each not in others)
    return found


def seated(connection: Connection, words: Sequence[str], now: int) -> list[Player]:
    """The house players that these words of one challenge mean, in their order.

    Raises Refused `no_such_player` for words that mean none.
    """
    if wrong := unknown(words):
        raise Refused("no_such_player", names=[word[:20] for word in wrong])
    return [_player(connection, name, _level(name), now) for name in names(words)]


def _level(word: str) -> str:
    """The level that a word means, "" for none; it need not be one that there is."""
    match = _WORD.fullmatch(word)
    return (match[1] or NAME).lower() if match else ""


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
