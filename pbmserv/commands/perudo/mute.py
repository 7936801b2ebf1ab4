"""`mute`: play on without the words of the others."""

from __future__ import annotations

import click

from pbmserv.boards import seating
from pbmserv.boards.board import board_number, load_board
from pbmserv.commands.framework import Secret, board_last, player_command
from pbmserv.context import Desk
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import MUTED, Muted
from pbmserv.letters.payloads.letter import Letter


@player_command("mute", example="perudo mute ann secret 12", letters=("muted",), ordered=board_last)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board")
def command(desk: Desk, userid: str, password: str, board: str) -> list[Letter]:
    """Play on at a board without what the others write there.

    Their moves are told as before.  unmute ends it.  In reply to the latest letter of the board the
    word mute on the first line is enough.
    """
    return switched(desk, userid, password, board, on=True)


def switched(desk: Desk, userid: str, password: str, board: str, *, on: bool) -> list[Letter]:
    """Mute a board, or end that; the answer.

    Raises Refused `not_on_board`, `muted_already`, `not_muted`, `too_many_acts`, or as
    `boards.writer`.
    """
    from pbmserv.boards import chat_log, notices
    from pbmserv.monitoring import action_log
    from pbmserv.players import accounts

    voucher = seating.writer(desk, userid, password)
    player = accounts.named(desk.connection, [voucher.player])[0]
    table = load_board(desk.connection, board_number(board))
    if voucher.board not in {None, table.id}:
        raise Refused("wrong_password")
    seat = table.seat_of(player.id)
    action_log.check_of_player(desk.connection, player.userid, desk.now)
    if not chat_log.mute(desk, table.id, player.id, on=on):
        raise Refused("muted_already" if on else "not_muted", board=table.id)
    what = "mute" if on else "unmute"
    action_log.note_of_player(desk.connection, what, desk.now, who=player.userid, board=table.id)
    told: Muted = {"board": table.id, "on": on}
    return [notices.noted(desk, MUTED, told, table, seat)]
