"""How an account ends, and how a player leaves every board."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from pbmserv.boards import declining, notices, play, queued_moves
from pbmserv.boards.board import PLAYING, load_board
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.games.perudo.table import Resign
from pbmserv.letters.payloads.accounts import SIGNED_OFF
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invitations
from pbmserv.outbox import readdressing
from pbmserv.players import accounts, mailboxes

NO_PASSWORD = "-"  # noqa: S105 - what no password hashes to


def signed_off(context: Context, player: int) -> list[Letter]:
    """End an account: seats are resigned, addresses and secrets erased; the name stays.

    The last letter goes to the addresses that were confirmed.
    """
    name = accounts.named(context.connection, [player])[0].userid
    goodbye = accounts.addresses_of(context.connection, [player])[player]
    letters = left_boards(context, player)
    for table in (models.Vacation, models.Confirmation):
        context.connection.execute(delete(table).where(table.player_id == player))
    row = models.Address
    mailboxes.erase(context, select(row.id).where(row.player_id == player))
    readdressing.forget(context, player)
    known = models.Player
    context.connection.execute(
        update(known)
        .where(known.id == player)
        .values(password_hash=NO_PASSWORD, left_at=context.now, digest="off", endings=False)
    )
    return [*letters, *(SIGNED_OFF.to(each, {"userid": name}) for each in goodbye)]


def left_boards(context: Context, player: int) -> list[Letter]:
    """Take a player from all boards, invitations, searches and audiences; the others are told."""
    letters = [*_resigned(context, player), *invitations.leave(context, player)]
    for table in (models.Seek, models.Watcher):
        context.connection.execute(delete(table).where(table.player_id == player))
    return [each for each in letters if each.to != player]


def _resigned(context: Context, player: int) -> list[Letter]:
    """Leave every running board: at once where it is the player's turn, else when it comes."""
    query = (
        select(models.Seat.board_id)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Seat.player_id == player, models.Board.state == PLAYING)
    )
    letters = []
    for number in context.connection.execute(query).scalars().all():
        board = load_board(context.connection, number)
        seat = board.seat_of(player)
        if not board.table.cups[seat]:
            continue
        if not board.seats[seat].taken:
            played = declining.left(context, board, seat)
            note = notices.Note("declined", board.names[seat])
            letters += notices.of_move(context, played, None, note) if played.events else []
        elif board.table.turn == seat and not board.void:
            played = play.move(context, board, seat, Resign())
            letters += notices.of_move(context, played, None)
        elif not board.seats[seat].leaving:
            queued_moves.resign_later(context, board, seat)
    return letters
