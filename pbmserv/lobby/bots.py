"""Bots (house players): the server's own players, which play at boards with people.

`games/perudo/bots` chooses their moves, from a player's view of the game.  Their userids begin with
`house`, which no person's userid may.
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
from pbmserv.players.userids import LONGEST_USERID

NAME = "house"
_WORD = re.compile(rf"{NAME}(?:-([a-z]+))?(\d?)", re.IGNORECASE)


def is_bot(word: str) -> bool:
    """Whether a word of a challenge means a bot."""
    return word.lower().startswith(NAME)


def words() -> list[str]:
    """The words that mean a bot, one for each level, the usual level first."""
    return [NAME if level == NAME else f"{NAME}-{level}" for level in bots.LEVELS]


def objections(given: Sequence[str]) -> list[Refused]:
    """Refused `no_such_bot` if words mean no bot: the level is unknown, or the number is wrong."""
    unknown = [word[:LONGEST_USERID] for word in given if _level(word) not in bots.LEVELS]
    return [Refused("no_such_bot", names=unknown, known=words())] if unknown else []


def names(words: Sequence[str]) -> list[str]:
    """The userids of the bots that these words of one challenge mean.

    `house` is the next bot that the challenge does not name by its number.  `house3` is exactly
    that bot.  `house-honest` is a bot of another level.
    """
    found = [word.lower() for word in words]
    for place, word in enumerate(found):
        numbers = ["", *map(str, range(2, len(found) + 2))]
        if not word[-1].isdigit():
            others = {*found[:place], *(each for each in found if each[-1].isdigit())}
            found[place] = next(word + each for each in numbers if word + each not in others)
    return found


def seated(connection: Connection, words: Sequence[str], now: int) -> list[Player]:
    """The bots that these words of one challenge mean, in their order; all of them exist."""
    return [_player(connection, name, _level(name), now) for name in names(words)]


def _level(word: str) -> str:
    """The level that a word means, "" for none; the level need not exist."""
    match = _WORD.fullmatch(word)
    return (match[1] or NAME).lower() if match else ""


def standin_for(connection: Connection, board: Board, now: int) -> Player:
    """A bot that does not sit at this board, neither as a player nor as a stand-in."""
    there: Iterable[str] = {each.userid for each in board.seats}
    there = {*there, *(each.standin for each in board.seats)}
    names = [NAME, *(f"{NAME}{number}" for number in range(2, 10))]
    return _player(connection, next(name for name in names if name not in there), NAME, now)


def _player(connection: Connection, name: str, level: str, now: int) -> Player:
    """The bot with this userid; its row is inserted when it is first needed."""
    if found := find(connection, name):
        return found
    # No password has this hash: bots never send commands.
    values = {"userid": name, "userid_key": name, "password_hash": "-", "level": level}
    row = insert(models.Player).values(created_at=now, **values).returning(models.Player.id)
    number = connection.execute(row).scalar_one()
    return Player(number, name, "en")
