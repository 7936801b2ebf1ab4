"""`set`: set a player's preferences."""

from __future__ import annotations

from collections.abc import Mapping

import click

from pbmserv.commands.completion import preferences
from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.accounts import PREFERENCES, Preference, Preferences
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "set",
    example="set ann secret timezone=Europe/Zurich digest=daily",
    letters=("preferences",),
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("pair", nargs=-1, shell_complete=preferences)
def command(context: Context, userid: str, password: str, pair: tuple[str, ...]) -> list[Letter]:
    """Set your preferences: language, letters, challenges.

    Without PAIR you see your preferences.  PAIR is name=value.  timezone=Europe/Zurich sets the
    dates in your letters.  format=text brings plain letters, without buttons and pictures of
    dice.  digest=daily brings one letter a day instead of many.  challenges=start, ask or off:
    games with you start at once, ask you first, or are refused.  broadcasts=off stops messages to
    all players.  autovacation=on uses your vacation before you lose a seat.

    language=fr sets the language of your letters: en (English), es (español), fr (français) or
    ru (русский).  Its name will do, too: language=French, idioma=español.

    letters=turns brings a letter when it is your turn, when a round or game ends, and when a player
    writes.  A player without dice gets only the end of the game, and what players write.
    letters=all brings one for every move, also for your own.  Choose it if you want to call calza
    when it is not your turn.  letters=games is turns, without letters of boards that you do not
    play at.
    """
    from pbmserv.players import accounts, preferences

    player = context.account(userid, password)
    before = _read(context, player)
    names = preferences.change(context.connection, player, pair, context.now) if pair else []
    found = _read(context, player)
    shown: list[Preference] = [
        {"name": name, "value": found[name], "words": known.words()}
        for name, known in preferences.PREFERENCES.items()
    ]
    userid = accounts.named(context.connection, [player])[0].userid
    facts: Preferences = {"userid": userid, "preferences": shown}
    if names:
        facts["changed"] = [
            {"name": name, "before": before[name], "value": found[name]} for name in names
        ]
    return [PREFERENCES.to(None, facts)]


def _read(context: Context, player: int) -> Mapping[str, str]:
    """A player's preferences; the server's settings are those that were never set."""
    from pbmserv.players import preferences

    found = preferences.read(context.connection, player)
    return {**found, "challenges": found["challenges"] or context.settings.challenges}
