"""`mute`: play on without the words of the others."""

from __future__ import annotations

import click

from pbmserv import seating
from pbmserv.boards import board_number, load_board
from pbmserv.commands import Secret, board_last, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.facts.boards import MUTED, Muted


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
    from pbmserv import acts, players, talk, telling

    voucher = seating.writer(desk, userid, password)
    player = players.named(desk.connection, [voucher.player])[0]
    table = load_board(desk.connection, board_number(board))
    if voucher.board not in {None, table.id}:
        raise Refused("wrong_password")
    seat = table.seat_of(player.id)
    acts.check_of_player(desk.connection, player.userid, desk.now)
    if not talk.mute(desk, table.id, player.id, on=on):
        raise Refused("muted_already" if on else "not_muted", board=table.id)
    what = "mute" if on else "unmute"
    acts.note_of_player(desk.connection, what, desk.now, who=player.userid, board=table.id)
    told: Muted = {"board": table.id, "on": on}
    return [telling.noted(desk, MUTED, told, table, seat)]
