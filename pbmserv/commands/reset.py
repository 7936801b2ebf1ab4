"""`reset`: a forgotten password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused

DAY = 24 * 3600
MOST_DAILY = 3  # letters a day for one account, and for one who asks


def _is_password(words: Mapping[str, Any]) -> bool:
    return bool(words.get("new"))


@player_command(
    "reset",
    example="reset ann",
    letters=("reset_asked", "reset", "password_changed"),
)
@click.argument("userid")
@click.argument("token", cls=Secret, required=False)
@click.argument("new", cls=Secret, required=False, is_new=_is_password)
def command(desk: Desk, userid: str, token: str | None, new: str | None) -> list[Letter]:
    """Get a new password when you have forgotten yours.

    reset USERID sends a letter to your confirmed addresses; it says what to send then: reset
    USERID TOKEN NEW, within a day.
    """
    from pbmserv import changes, confirmations, limits, players

    if token is not None:
        if new is None:
            raise Refused("one_new_password")
        owner = players.find(desk.connection, userid)
        found = confirmations.known(desk.connection, token, desk.now)
        if found is None or owner is None or found != (confirmations.RESET, owner.id):
            raise Refused("reset_unknown")
        return changes.password(desk, owner.id, new)
    # Whoever asks learns nothing: neither whether the userid exists, nor where letters go.
    answer = Letter(None, "reset_asked", {"userid": userid[:20]})
    for who in filter(None, (userid.lower(), desk.sender)):
        if not limits.allowed(desk.connection, "reset", who, MOST_DAILY, DAY, desk.now):
            return [answer]
        limits.note(desk.connection, "reset", who, DAY, desk.now)
    player = players.find(desk.connection, userid)
    if player is None or not players.addresses_of(desk.connection, [player.id])[player.id]:
        return [answer]
    fresh = confirmations.ask(desk.connection, player.id, confirmations.RESET, desk.now)
    facts = {"userid": player.userid, "token": fresh}
    return [Letter(player.id, "reset", facts, token=fresh), answer]
