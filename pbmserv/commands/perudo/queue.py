"""`queue`: moves to be made when the turn comes."""

from __future__ import annotations

import click

from pbmserv import seating
from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.facts.boards import QUEUED, Queued

OFF = "off"


@player_command(
    "queue",
    example="perudo queue 12 ann secret 5-4s dudo",
    letters=("queued", "perudo/moved", "perudo/ended", "perudo/chat"),
)
@click.argument("board")
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("move", nargs=-1, required=True)
def command(
    desk: Desk, board: str, userid: str, password: str, move: tuple[str, ...]
) -> list[Letter]:
    """Leave moves that are played by themselves when your turn comes.

    They are tried in order, and the first legal one is played.  MOVE is written as in move, each
    without blanks in it: 5-4s dudo.  A new queue replaces the old one; off takes it back.  Your
    letter of that turn says what was played and what was dropped.  A queue is for the round that
    runs: where new dice are thrown before your turn it is dropped, and your letter says so.  If it
    is your turn already, the queue is tried at once; the text below the command goes to the others
    then.
    """
    from dataclasses import replace

    from pbmserv import opening, queueing, telling
    from pbmserv.games.perudo.notation import bare_move

    table, seat = seating.take_seat(desk, board, userid, password, private=True)
    moves = tuple(map(bare_move, move))
    moves = () if moves == (OFF,) else moves
    played = queueing.queue(desk, table, seat, moves)
    if played.events:
        words = opening.released(desk, table, seat)
        return telling.of_move(desk, replace(played, message=words), seat)
    if seat in played.tried:
        raise queueing.none_legal(table, moves)
    unsaid = bool(moves and desk.message)
    words = opening.released(replace(desk, message=""), table, seat)
    letters = telling.of_chat(replace(desk, message=words), table, seat) if words else []
    told: Queued = {"board": table.id, "moves": moves, "unsaid": unsaid}
    return [*letters, telling.noted(desk, QUEUED, told, table, seat)]
