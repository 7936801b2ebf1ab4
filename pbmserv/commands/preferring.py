"""`set`: what a player prefers."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.facts.accounts import PREFERENCES, Preference


@player_command(
    "set",
    example="set ann secret timezone=Europe/Zurich digest=daily",
    letters=("preferences",),
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("pair", nargs=-1)
def command(desk: Desk, userid: str, password: str, pair: tuple[str, ...]) -> list[Letter]:
    """Say how you want to be treated: language, letters, challenges.

    Without PAIR what you have set is shown.  PAIR is name=value: language; timezone, such as
    Europe/Zurich, for the dates in your letters; format=html for letters with a page beside the
    text, whose moves open a reply; subject=thread for one Subject on all letters of a board;
    digest=daily for one letter a day in place of one for every move; challenges, which start at
    once, ask you first or are off; letters=games for nothing but what concerns your own games;
    broadcasts=off for none to all; and autovacation=on, so that vacation is spent before a seat of
    yours is forfeited.
    """
    from pbmserv import players, preferences

    player = desk.account(userid, password)
    if pair:
        preferences.change(desk.connection, player, pair, desk.now)
    found = preferences.read(desk.connection, player)
    default = desk.settings.challenges
    shown: list[Preference] = [
        {"name": name, "value": value or default, "words": known.words()}
        for name, known in preferences.PREFERENCES.items()
        for value in [found[name]]
    ]
    name = players.named(desk.connection, [player])[0].userid
    return [PREFERENCES.to(None, {"userid": name, "preferences": shown})]
