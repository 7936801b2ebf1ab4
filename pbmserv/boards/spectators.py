"""Spectators: who watches boards of others, and which letters they get."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select, update

from pbmserv.boards.board import PLAYING, board_number, load_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import WATCHING
from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox.recipients import GAMES

EVERY = "all"
MOST_AT_ONCE = 100  # boards that one command names


def begin(work: UnitOfWork, player: int, words: Sequence[str]) -> list[Letter]:
    """Send a player every letter of these boards; raises Refused as `load_board`.

    Raises Refused `just_games` if the player has chosen to get no such letters.
    """
    _check_wanted(work, player)
    return [_watching_letter("watching", _watch(work, player, words, just_end=False))]


def end(work: UnitOfWork, player: int, words: Sequence[str]) -> list[Letter]:
    """Send a player no more letters of these boards; raises Refused `not_watching`."""
    row = models.Watcher
    seen = set(
        work.connection.execute(select(row.board_id).where(row.player_id == player)).scalars()
    )
    every = _is_every(words)
    numbers = [] if every else [board_number(word) for word in words[:MOST_AT_ONCE]]
    if unseen := [number for number in numbers if number not in seen]:
        raise Refused("not_watching", boards=unseen)
    gone = seen if every else numbers
    work.connection.execute(delete(row).where(row.player_id == player, row.board_id.in_(gone)))
    return [_watching_letter("ended", numbers)]


def until_end(work: UnitOfWork, player: int, words: Sequence[str]) -> list[Letter]:
    """Tell a player when these boards end; without boards, switch this on or off for all boards.

    Raises Refused as `begin`.
    """
    if words:
        _check_wanted(work, player)
        return [_watching_letter("ending", _watch(work, player, words, just_end=True))]
    row = models.Player
    on = not work.connection.execute(select(row.endings).where(row.id == player)).scalar_one()
    if on:
        _check_wanted(work, player)
    work.connection.execute(update(row).where(row.id == player).values(endings=on))
    return [_watching_letter("everywhere" if on else "nowhere", [])]


def _watch(work: UnitOfWork, player: int, words: Sequence[str], *, just_end: bool) -> list[int]:
    """Store that the player watches these boards, and return their numbers.

    Raises Refused as `load_board`, or `board_over`.
    """
    if _is_every(words):
        query = select(models.Board.id).where(models.Board.state == PLAYING)
        numbers = list(work.connection.execute(query.limit(MOST_AT_ONCE)).scalars())
    else:
        numbers = list(dict.fromkeys(board_number(word) for word in words[:MOST_AT_ONCE]))
        for number in numbers:
            board = load_board(work.connection, number)
            if board.table.winner is not None:
                raise Refused("board_over", board=number)
    row = models.Watcher
    mine = row.player_id == player, row.board_id.in_(numbers)
    work.connection.execute(delete(row).where(*mine))
    rows = [{"board_id": each, "player_id": player, "just_end": just_end} for each in numbers]
    if rows:
        work.connection.execute(insert(row), rows)
    return numbers


def _check_wanted(work: UnitOfWork, player: int) -> None:
    row = models.Player
    query = select(row.userid).where(row.id == player, row.letters == GAMES)
    if userid := work.connection.execute(query).scalar():
        raise Refused("just_games", userid=userid)


def _is_every(words: Sequence[str]) -> bool:
    return [word.lower() for word in words] == [EVERY]


def _watching_letter(what: str, numbers: Sequence[int]) -> Letter:
    return WATCHING.to(None, {"what": what, "boards": numbers})
