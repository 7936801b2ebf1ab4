"""Roll every running round again after a backup was restored, and tell the players.

The restored database would deal the same dice again.  Players have seen these dice in letters sent
after the backup.  They also saw cups that were opened in the lost rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, select, update

from pbmserv.boards import notices, opening_seeds, withdrawn_letters
from pbmserv.boards.board import PLAYING, load_board
from pbmserv.boards.notices import reason
from pbmserv.boards.play import by_itself, drop_queues, end_offer
from pbmserv.boards.record import change_board, record_events
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.dice import SealedDice
from pbmserv.games.perudo.table import roll_again
from pbmserv.letters.payloads.letter import Letter

# Built once, because each tick runs it.
WAITING = (
    select(models.Board.id)
    .where(models.Board.state == PLAYING, models.Board.void_at.is_not(None))
    .order_by(models.Board.void_at, models.Board.id)
)


def mark(connection: Connection, now: int, seed: Callable[[], bytes]) -> None:
    """Mark every running round as void: its board accepts no move until it is rolled again.

    The seeds of boards that have not begun are drawn again at once.
    """
    row = models.Board
    opening_seeds.renew(connection, seed)
    connection.execute(update(row).where(row.state == PLAYING).values(void_at=now))


def waiting(connection: Connection, _now: int) -> Sequence[int]:
    """The numbers of the running boards whose round is void."""
    return connection.execute(WAITING).scalars().all()


def reroll(work: UnitOfWork, number: int) -> list[Letter]:
    """Roll the running round of a board again, from new seeds; returns the letters.

    Letters about the cancelled round that still wait are withdrawn.
    """
    board = load_board(work.connection, number)
    seed, following = work.seed(), work.seed()
    dice = SealedDice(board.seed, seed, following, board.chain)
    events = roll_again(board.table, commitment(seed), dice)
    played = record_events(work, replace(board, next_seed=seed, void=False), events, following)
    change_board(work, board, void_at=None)
    played = by_itself(work, drop_queues(work, end_offer(work, played)))
    started, said = withdrawn_letters.withdraw(work, played.board)
    return [*started, *notices.of_move(work, played, None, reason("restored")), *said]
