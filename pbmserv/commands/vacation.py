"""`vacation`: days on which no clock runs for a player."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import click

from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.terms import DAY

OFF = "off"


@player_command(
    "vacation",
    example="vacation ann secret 2027-12-24 2027-12-31",
    letters=("vacation",),
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("day", nargs=-1, required=True)
def command(desk: Desk, userid: str, password: str, day: tuple[str, ...]) -> list[Letter]:
    """Have your clocks stand still from one day to another, the last day included.

    Write the days as 2027-12-24; in your own time zone they begin and end at midnight.  The
    others at your boards are told.  off ends a vacation at once, and those to come.  You can
    still play while you are away.
    """
    from sqlalchemy import select

    from pbmserv import models, players, vacations

    player = desk.account(userid, password)
    name = players.named(desk.connection, [player])[0].userid
    if [word.lower() for word in day] == [OFF]:
        return vacations.end(desk, player, name)
    zone = desk.connection.execute(
        select(models.Player.timezone).where(models.Player.id == player)
    ).scalar_one()
    begins, ends = _moment(day[0], zone), _moment(day[-1], zone) + DAY
    begins = max(begins, desk.now) if begins > desk.now - DAY else begins
    if len(day) > len(("from", "to")) or not desk.now <= begins < ends:
        raise Refused("bad_day", text=" ".join(day)[:40])
    return vacations.take(desk, player, name, begins, ends)


def _moment(text: str, zone: str) -> int:
    """When a day begins in a time zone; raises Refused `bad_day`."""
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=ZoneInfo(zone)).timestamp())
    except (ValueError, OverflowError):
        raise Refused("bad_day", text=text[:20]) from None
