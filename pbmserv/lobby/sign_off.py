"""The end of an account, and how a player leaves every board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy import delete, select, update

from pbmserv.boards import challenge_answers, notices, play, queued_moves
from pbmserv.boards.board import PLAYING, load_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.table import Resign
from pbmserv.letters.payloads.accounts import SIGNED_OFF
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.perudo import ENDED
from pbmserv.lobby import invitations
from pbmserv.outbox import readdressing
from pbmserv.players import accounts, mailbox_owners

NO_PASSWORD = "-"  # noqa: S105 - what no password hashes to


def sign_off(work: UnitOfWork, player: int) -> list[Letter]:
    """End an account: resign its seats, erase addresses and secrets; the userid stays.

    The last letter goes to the addresses that were confirmed.
    """
    name = accounts.named(work.connection, [player])[0].userid
    goodbye = accounts.addresses_of(work.connection, [player])[player]
    letters = [_without_rematch(each, name) for each in leave_boards(work, player)]
    for table in (models.Vacation, models.Confirmation):
        work.connection.execute(delete(table).where(table.player_id == player))
    row = models.Address
    mailbox_owners.erase(work, select(row.id).where(row.player_id == player))
    readdressing.forget(work, player)
    known = models.Player
    work.connection.execute(
        update(known)
        .where(known.id == player)
        .values(password_hash=NO_PASSWORD, left_at=work.now, digest="off", endings=False)
    )
    return [*letters, *(SIGNED_OFF.to(each, {"userid": name}) for each in goodbye)]


def _without_rematch(letter: Letter, name: str) -> Letter:
    """The letter about the end of a game, which says that this player has left the server."""
    if letter.kind != ENDED.name:
        return letter
    gone = dict.fromkeys((*cast(Sequence[str], letter.payload.get("gone", ())), name))
    return replace(letter, payload={**letter.payload, "gone": [*gone]})


def leave_boards(work: UnitOfWork, player: int) -> list[Letter]:
    """Remove a player from all boards, invitations, searches and spectators; tell the others."""
    letters = [*_resigned(work, player), *invitations.leave(work, player)]
    for table in (models.Seek, models.Watcher):
        work.connection.execute(delete(table).where(table.player_id == player))
    return [each for each in letters if each.to != player]


def _resigned(work: UnitOfWork, player: int) -> list[Letter]:
    """Leave every running board: at once if it is the player's turn, else when the turn comes."""
    query = (
        select(models.Seat.board_id)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Seat.player_id == player, models.Board.state == PLAYING)
    )
    letters = []
    for number in work.connection.execute(query).scalars().all():
        board = load_board(work.connection, number)
        seat = board.seat_of(player)
        if not board.table.cups[seat]:
            continue
        if not board.seats[seat].taken:
            played = challenge_answers.leave(work, board, seat)
            note = notices.reason("declined", board.names[seat])
            letters += notices.of_move(work, played, None, note) if played.events else []
        elif board.table.turn == seat and not (board.void or board.table.pending):
            played = play.move(work, board, seat, Resign())
            letters += notices.of_move(work, played, None)
        elif not board.seats[seat].leaving:
            queued_moves.resign_later(work, board, seat)
    return letters
