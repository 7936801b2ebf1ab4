"""`vacation`: stop a player's clocks for some days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import MAXYEAR, datetime, timedelta

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.dates import zone_of
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY

OFF = "off"
MOST_YEARS_AHEAD = 20  # Python's dates end with the year 9999
MOST_DAILY = 4  # changes a day: each one sends letters to all opponents


@player_command(
    "vacation",
    example="vacation ann secret 2027-12-24 2027-12-31",
    letters=("vacation",),
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("day", nargs=-1, required=True)
def command(context: Context, userid: str, password: str, day: tuple[str, ...]) -> list[Letter]:
    """Stop your clocks while you are away.

    They stop from the first day to the last, both included.  Write the days as 2027-12-24; they
    begin and end at midnight in your own time zone.  The others at your boards are told, so you can
    change it at most four times a day.  off ends a vacation at once, and cancels planned ones.  You
    can still play while you are away.
    """
    from pbmserv.players import accounts
    from pbmserv.ratelimit import fixed_window

    player = context.account(userid, password)
    name = accounts.named(context.connection, [player])[0].userid
    if not fixed_window.allowed(
        context.connection, "vacation", str(player), MOST_DAILY, DAY, context.now
    ):
        raise Refused("too_many_changes", what="vacation", most=MOST_DAILY)
    letters = _changed(context, player, name, day)
    fixed_window.note(context.connection, "vacation", str(player), DAY, context.now)
    return letters


def _changed(context: Context, player: int, name: str, day: Sequence[str]) -> list[Letter]:
    """Take a vacation, or end it if the word is `off`."""
    from sqlalchemy import select

    from pbmserv.boards import vacations
    from pbmserv.database import models

    if [word.lower() for word in day] == [OFF]:
        return vacations.end(context, player, name)
    zone = context.connection.execute(
        select(models.Player.timezone).where(models.Player.id == player)
    ).scalar_one()
    begins, ends = _midnight(day[0], zone), _midnight(day[-1], zone, after=True)
    if _midnight(day[0], zone, after=True) > context.now:
        begins = max(begins, context.now)
    if len(day) > len(("from", "to")) or not context.now <= begins < ends:
        raise Refused("bad_day", text=" ".join(day)[:40])
    if ends > context.now + MOST_YEARS_AHEAD * vacations.YEAR:
        raise Refused("vacation_far", years=MOST_YEARS_AHEAD)
    return vacations.take(context, player, name, begins, ends)


def _midnight(text: str, zone: str, *, after: bool = False) -> int:
    """When a day begins in a time zone, or ends (`after`).

    Raises Refused `bad_day`, or `vacation_far` for the last year of the calendar.
    """
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=zone_of(zone))
        if day.year == MAXYEAR:
            raise Refused("vacation_far", years=MOST_YEARS_AHEAD)
        return int((day + timedelta(days=after)).timestamp())
    except (ValueError, OverflowError):
        raise Refused("bad_day", text=text[:20]) from None
