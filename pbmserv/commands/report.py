"""`report`: the talk of a board goes to the operator."""

from __future__ import annotations

import click

from pbmserv import seating
from pbmserv.boards import board_number, load_board
from pbmserv.commands import Secret, board_last, message_option, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.facts.boards import REPORTED, Reported
from pbmserv.facts.mails import REPORT, Report
from pbmserv.timeunits import DAY

MOST_DAILY = 5  # reports of one player


@player_command(
    "report", example="report ann secret 12", letters=("report", "reported"), ordered=board_last
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board")
@message_option
def command(desk: Desk, userid: str, password: str, board: str) -> list[Letter]:
    """Report a board of yours to the operator, with what was said there.

    The text below the command goes with it.  What is said at a board is kept for 30 days, unless
    the operator has set another time; what was reported is kept for a year.  In reply to the latest
    letter of the board the word report on the first line is enough.
    """
    from pbmserv import acts, limits, players, talk, telling

    voucher = seating.writer(desk, userid, password)
    player = players.named(desk.connection, [voucher.player])[0]
    table = load_board(desk.connection, board_number(board))
    if voucher.board not in {None, table.id}:
        raise Refused("wrong_password")
    seat = table.seat_of(player.id)
    if not limits.allowed(desk.connection, "report", str(player.id), MOST_DAILY, DAY, desk.now):
        raise Refused("too_many_reports", most=MOST_DAILY)
    limits.note(desk.connection, "report", str(player.id), DAY, desk.now)
    said = talk.reported(desk.connection, table.id)
    words = " ".join(desk.message.split())
    acts.note(desk.connection, acts.REPORT, desk.now, who=player.userid, board=table.id, why=words)
    told: Report = {
        "board": table.id,
        "by": player.userid,
        "names": table.names,
        "text": desk.message,
        "talk": said,
    }
    operator = desk.settings.operator
    kept: Reported = {"board": table.id, "count": len(said), "unread": not operator}
    answer = telling.noted(desk, REPORTED, kept, table, seat)
    return [answer, REPORT.to(operator, told)] if operator else [answer]
