"""`chat`: words from one player to the others at a board."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, message_option, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.facts.boards import CHAT_SENT


@player_command(
    "chat",
    example="perudo chat 12 ann secret",
    letters=("perudo/chat", "chat_sent"),
)
@click.argument("board")
@click.argument("userid")
@click.argument("password", cls=Secret)
@message_option
def command(desk: Desk, board: str, userid: str, password: str) -> list[Letter]:
    """Write to the other players of a board.

    The text below the command goes to them.  Any player of the board may write, at any time.  At a
    shell the text is read from standard input, or given with --message=TEXT.
    """
    from pbmserv import boards, messages, telling

    table, seat = boards.take_seat(desk, board, userid, password, late=True)
    if not desk.message:
        raise Refused("no_message")
    letters = telling.of_chat(desk, table, seat)
    messages.count(desk, table.seats[seat].player, len(letters))
    told = [table.names[place] for place in telling.listening(table) if place != seat]
    return [*letters, CHAT_SENT.to(None, {"board": table.id, "to": told})]
