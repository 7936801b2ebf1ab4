"""`show`: show boards as a spectator sees them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter

MOST_SHOWN = 20  # boards, so that one answer stays readable
MOST_REPLAYED = 5  # boards before a move: each costs the reading of a whole record


@player_command(
    "show",
    example="perudo show 12",
    letters=("perudo/show", "invitation"),
    reads=True,
    as_json=True,
    ordered=named,
)
@click.argument("what", shell_complete=boards, nargs=-1, required=True)
def command(context: Context, what: tuple[str, ...]) -> list[Letter]:
    """Show boards as a spectator sees them.

    You never see dice of a round that is still running.  WHAT is a board's number (12), or a board
    as it was before a move (12#5).  Dice that are now open are shown.  Of the finished rounds you
    see the last four; advise shows each one, and record all.  WHAT can also be userids with all,
    active, inactive or next.  At most 20 boards are shown, or 5 if one is shown as it was before a
    move.  For a board that has not begun you see the invitation.

    The key of --json is boards.  Each board has board, status, move, round, turn, winner, rules,
    options, players (name, dice, out), dice_in_play and palifico.  It has bids (player, bid),
    deadlines (reminder, forfeit, closes, standin), rounds and cups.  While the cups wait for a
    round of drand, it has call (player, move) and beacon (number, opens).  The rounds are the
    latest that are over; left_out is the number of earlier ones.  Each has round, moves (player,
    move), count, lost, gained, out, restored and cups (player, dice).  The board's own cups are
    those of an earlier position, once they are open.  An invitation has board, status, challenger,
    rules, options, rated, inorder, players, waiting, until and standin.  Its times are in hours:
    nagtime, forfeittime and totaltime.  A guest who has not answered is null among its players and
    in waiting.
    """
    from pbmserv.boards import notices
    from pbmserv.boards.board import board_number, load_board
    from pbmserv.boards.record import as_it_stood

    letters: list[Letter] = []
    asked = list(dict.fromkeys(word for word in what if word[:1].isdigit()))
    for word in asked[: MOST_REPLAYED if any("#" in word for word in asked) else MOST_SHOWN]:
        number, hash_sign, move = word.partition("#")
        if not hash_sign:
            letters.append(_board(context, board_number(number)))
            continue
        board = load_board(context.connection, board_number(number))
        wanted = board_number(move, "unreadable_number")
        if wanted == board.table.move:
            letters.append(notices.shown(context, board, None))
        else:
            then = as_it_stood(context.connection, board, wanted)
            letters.append(notices.stood(context, then.board, then.cups))
    words = [word for word in what if not word[:1].isdigit()]
    if letters and not words:
        return letters
    return letters + of_players(context, words, but=[word for word in asked if "#" not in word])


def of_players(context: Context, words: Sequence[str], but: Sequence[str] = ()) -> list[Letter]:
    """The boards of these players, by userids and a status, `but` those that are shown already.

    Raises Refused `no_boards_found`.
    """
    from pbmserv.boards import listing

    names, status = listing.names_and_status(words)
    numbers = listing.numbers(context.connection, names, status)
    if not numbers:
        raise Refused("no_boards_found")
    others = [number for number in numbers[:MOST_SHOWN] if str(number) not in but]
    return [_board(context, number) for number in others]


def _board(context: Context, number: int) -> Letter:
    """A board, or the invitation if it has not begun."""
    from pbmserv.boards import notices
    from pbmserv.boards.board import load_board

    try:
        return notices.shown(context, load_board(context.connection, number), None)
    except Refused as refusal:
        if refusal.code != "not_begun":
            raise
        from pbmserv.lobby import invitations

        if invitation := invitations.load(context.connection, number):
            return invitations.shown(invitation)
        raise
