"""`chat`: send a message to the other players of a board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import CHAT_SENT, ChatSent
from pbmserv.letters.payloads.letter import Letter

if TYPE_CHECKING:
    from pbmserv.boards.board import Board


@player_command(
    "chat",
    example="perudo chat 12 ann secret",
    letters=("perudo/chat", "chat_sent", "chat_late"),
)
@click.argument("board", shell_complete=boards)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@message_option
def command(context: Context, board: str, userid: str, password: str) -> list[Letter]:
    """Write to the other players of a board.

    The text below the command goes to them.  Any player of the board may write, at any time.
    Players who have muted the board or blocked you do not get it.  Lines that are only for you are
    left out, such as a quoted letter of ours.  The others then read "(quoted lines were left out)".
    In a reply to a letter about the board, the word chat on the first line is enough.  Plain
    sentences do not need it.  At a shell the text is read from standard input, or given with
    --message=TEXT.
    """
    from pbmserv.boards import seating
    from pbmserv.boards.seating import TokenUse

    place = seating.authorized(context, board, userid, password, TokenUse.WORDS)
    return _sent(context, *place)


def _sent(context: Context, board: Board, seat: int) -> list[Letter]:
    """Send the text of an email to the others of a board; an answer says who gets it."""
    from pbmserv.boards import notices, opening_messages, seating

    _refuse_move(board, seat, context.words())
    last = _count(context, board, seat)
    words, over = context.message, board.table.winner is not None
    if not over:  # afterwards nothing waits for a proof, and no seat is taken
        seating.take(context, board, seat)
        words = opening_messages.release(context, board, seat, words)
    hearing, _ = notices.hearers(context, board, board.seats[seat].player)
    told: ChatSent = {
        "board": board.id,
        "to": [board.names[place] for place in hearing],
        "yours": not over and board.table.turn == seat,
        "over": over and board.seats[seat].player in context.owners,
    }
    if last:
        told["last"] = last
    letters = notices.of_chat(context, board, seat, words)
    return [*letters, notices.noted(context, CHAT_SENT, told, board, seat)]


def _refuse_move(board: Board, seat: int, words: str) -> None:
    """Refuse a message that is nothing but a bid or a call: move_as_message.

    A bid of this round, and a call in everyday words such as "I doubt it", may be talk.
    """
    from pbmserv.commands.move_lines.bare_moves import action_of, may_doubt_words
    from pbmserv.games.perudo.events import Call, Raise
    from pbmserv.games.perudo.notation import write_bid

    table = board.table
    if table.winner is not None or not table.cups[seat] or "\n" in words:
        return
    match action_of(words):
        case Raise(bid) if bid not in [told for _, told in table.bids]:
            move = write_bid(bid)
        case Call(word) if not may_doubt_words(words):
            move = word
        case _:
            return
    yours = table.turn == seat
    raise Refused("move_as_message", board=board.id, text=words, move=move, yours=yours)


def _count(context: Context, board: Board, seat: int) -> int:
    """Count words to a board; returns a newcomer's daily limit if these reach it, else 0.

    Raises Refused `newcomers_daily` or `messages_daily`.
    """
    from pbmserv.boards import notices
    from pbmserv.lobby import messages, newcomers

    writer = board.seats[seat].player
    last = 0
    if any(not board.seats[place].taken for place in notices.listening(board) if place != seat):
        # Players with no seat taken have not asked for messages, so a newcomer's limit applies.
        newcomers.check(context, writer, newcomers.MESSAGES)
        newcomers.note(context, writer, newcomers.MESSAGES)
        last = newcomers.reached(context, writer)
    messages.count(context, writer, sum(map(len, notices.hearers(context, board, writer))))
    return last
