"""`preview`: check whether a bid is legal now, and show which bids could follow."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import PREVIEW, Preview
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "preview",
    example="perudo preview 12 4-2s",
    letters=("preview",),
    reads=True,
)
@click.argument("board", shell_complete=boards)
@click.argument("bid", nargs=-1, required=True)
def command(context: Context, board: str, bid: tuple[str, ...]) -> list[Letter]:
    """Check whether a bid is legal now, and which bids could follow.

    Nothing is played.  You cannot preview a call: its result would reveal dice.
    """
    from pbmserv.boards.board import board_number, load_board
    from pbmserv.games.perudo.notation import bare_move, read_action, write_bid
    from pbmserv.games.perudo.table import PlainDice, Raise, after_all, play, smallest_raises

    action = read_action(" ".join(bid))
    if not isinstance(action, Raise):
        raise Refused("call_not_previewed", call=bare_move(" ".join(bid)))
    table = load_board(context.connection, board_number(board)).table
    told: Preview = {
        "board": int(board),
        "bid": write_bid(action.bid),
        "legal": True,
        "code": "",
        "facts": {},
        "following": [],
    }
    try:
        events = play(table, table.turn, action, PlainDice())
    except Refused as refusal:
        told |= {"legal": False, "code": refusal.code, "facts": refusal.facts}
    else:
        following = smallest_raises(after_all(table, events))
        told["following"] = [write_bid(each) for each in following]
    return [PREVIEW.to(None, told)]
