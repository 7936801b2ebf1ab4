"""`report`: report the messages of a board to the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import all_boards
from pbmserv.commands.framework import Secret, board_last, message_option, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import REPORTED, Reported
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import REPORT, Report
from pbmserv.timeunits import DAY

if TYPE_CHECKING:
    from pbmserv.boards.board import Board

MOST_DAILY = 5  # reports of one player


@player_command(
    "report", example="report ann secret 12", letters=("report", "reported"), ordered=board_last
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", shell_complete=all_boards)
@message_option
def command(context: Context, userid: str, password: str, board: str) -> list[Letter]:
    """Report one of your boards to the operator, with its messages.

    The text below the command goes with it.  Messages at a board are kept for 30 days, unless the
    operator has set another time.  Reports are kept for a year.  You can also reply to the latest
    letter about the board, with the word report on the first line.
    """
    from pbmserv.boards import seating

    return _reported(context, *seating.writer_at(context, userid, password, board))


def _reported(context: Context, board: Board, seat: int) -> list[Letter]:
    """Report a board, with its messages and the text of the email, to the operator."""
    from pbmserv.boards import chat_log, notices
    from pbmserv.monitoring import action_log
    from pbmserv.ratelimit import fixed_window

    player = board.seats[seat]
    if not fixed_window.allowed(
        context.connection, "report", str(player.player), MOST_DAILY, DAY, context.now
    ):
        raise Refused("too_many_reports", most=MOST_DAILY)
    fixed_window.note(context.connection, "report", str(player.player), DAY, context.now)
    said = chat_log.reported(context.connection, board.id)
    words = " ".join(context.message.split())
    action_log.note(
        context.connection,
        action_log.REPORT,
        context.now,
        who=player.userid,
        board=board.id,
        why=words,
    )
    told: Report = {
        "board": board.id,
        "by": player.userid,
        "names": board.names,
        "text": context.message,
        "talk": said,
    }
    operator = context.settings.operator
    kept: Reported = {"board": board.id, "count": len(said), "unread": not operator}
    answer = notices.noted(context, REPORTED, kept, board, seat)
    return [answer, REPORT.to(operator, told)] if operator else [answer]
