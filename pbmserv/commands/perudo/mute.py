"""`mute`: stop messages of the other players of a board."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, board_last, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import MUTED, Muted
from pbmserv.letters.payloads.letter import Letter


@player_command("mute", example="perudo mute ann secret 12", letters=("muted",), ordered=board_last)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", shell_complete=boards)
def command(context: Context, userid: str, password: str, board: str) -> list[Letter]:
    """Stop getting what the others write at a board.

    You still get their moves.  unmute ends it.  You can also reply to the latest letter about the
    board, with the word mute on the first line.
    """
    return switched(context, userid, password, board, on=True)


def switched(
    context: Context, userid: str, password: str, number: str, *, on: bool
) -> list[Letter]:
    """Mute a board, or end that; the answer.

    Raises Refused `muted_already`, `not_muted`, `too_many_acts`, or as `seating.writer_at`.
    """
    from pbmserv.boards import chat_log, notices, seating
    from pbmserv.monitoring import action_log

    board, seat = seating.writer_at(context, userid, password, number)
    player = board.seats[seat]
    action_log.check_of_player(context.connection, player.userid, context.now)
    if not chat_log.mute(context, board.id, player.player, on=on):
        raise Refused("muted_already" if on else "not_muted", board=board.id)
    what = "mute" if on else "unmute"
    action_log.note_of_player(
        context.connection, what, context.now, who=player.userid, board=board.id
    )
    replies = notices.hears_reply(context, board, seat)
    told: Muted = {"board": board.id, "on": on, "reply": replies}
    return [notices.noted(context, MUTED, told, board, seat)]
