"""`chat`: send a message to the other players of a board."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.boards import CHAT_SENT, ChatSent
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "chat",
    example="perudo chat 12 ann secret",
    letters=("perudo/chat", "chat_sent", "chat_late"),
)
@click.argument("board")
@click.argument("userid")
@click.argument("password", cls=Secret)
@message_option
def command(context: Context, board: str, userid: str, password: str) -> list[Letter]:
    """Write to the other players of a board.

    The text below the command goes to them.  Any player of the board may write, at any time.  Lines
    that are only for you are left out, such as a quoted letter of ours.  The others then read
    "(quoted lines were left out)".  At a shell the text is read from standard input, or given with
    --message=TEXT.
    """
    from pbmserv.boards import notices, opening_messages, seating
    from pbmserv.lobby import messages, newcomers

    table, seat = seating.take_seat(context, board, userid, password, words=True)
    context.words()
    if any(not table.seats[place].taken for place in notices.listening(table) if place != seat):
        # Players with no seat taken have not asked for messages, so a newcomer's limit applies.
        newcomers.check(context, table.seats[seat].player, newcomers.MESSAGES)
        newcomers.note(context, table.seats[seat].player, newcomers.MESSAGES)
    messages.count(
        context,
        table.seats[seat].player,
        len(notices.of_chat(context, table, seat, context.message)),
    )
    seating.take(context, table, seat)
    words = opening_messages.released(context, table, seat, context.message)
    letters = notices.of_chat(context, table, seat, words)
    to = [table.names[place] for place in notices.listening(table) if place != seat]
    told: ChatSent = {"board": table.id, "to": to}
    return [*letters, notices.noted(context, CHAT_SENT, told, table, seat)]
