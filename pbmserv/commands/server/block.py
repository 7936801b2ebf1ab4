"""`block`: refuse all contact with a player."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.accounts import BLOCKED
from pbmserv.letters.payloads.letter import Letter


@player_command("block", example="block ann secret bob", letters=("blocked",))
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("other")
def command(context: Context, userid: str, password: str, other: str) -> list[Letter]:
    """Stop messages and new games from a player.

    OTHER is that player's userid.  You get no messages, chat or offers from them, and no new game
    starts with both of you.  Your games that have begun go on.  They get no letter about it, but
    are told when they write to you or challenge you.  unblock ends it.  You can also reply to the
    latest letter about a board where they play.  Write block OTHER on the first line.
    """
    return switched(context, userid, password, other, on=True)


def switched(context: Context, userid: str, password: str, other: str, *, on: bool) -> list[Letter]:
    """Block a player, or end that; the answer.

    With the token of a letter it can only be a player of that board.  Raises Refused
    `no_such_player`, `block_house`, `block_oneself`, `blocked_already`, `not_blocked`,
    `too_many_blocks`, `too_many_acts`, or as `seating.writer`.
    """
    from pbmserv.boards import seating
    from pbmserv.boards.board import load_board
    from pbmserv.lobby import bots
    from pbmserv.monitoring import action_log
    from pbmserv.players import accounts, blocks

    identity = seating.writer(context, userid, password)
    own = accounts.named(context.connection, [identity.player])[0]
    if bots.is_bot(other):
        raise Refused("block_house")
    found = accounts.find(context.connection, other)
    if found is None:
        raise Refused("no_such_player", names=[other[:20]])
    if identity.board is not None:
        there = load_board(context.connection, identity.board).seats
        if found.id not in [each.player for each in there]:
            raise Refused("wrong_password")
    if found.id == own.id:
        raise Refused("block_oneself")
    action_log.check_of_player(context.connection, own.userid, context.now)
    change = blocks.add if on else blocks.remove
    if not change(context.connection, own.id, found.id):
        raise Refused("blocked_already" if on else "not_blocked", userid=found.userid)
    what = "block" if on else "unblock"
    action_log.note_of_player(
        context.connection, what, context.now, who=own.userid, about=found.userid
    )
    return [BLOCKED.to(None, {"userid": own.userid, "other": found.userid, "on": on})]
