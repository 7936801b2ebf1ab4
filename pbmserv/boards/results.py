"""The result of a finished game for its last letter: places, lost dice and rating changes."""

from __future__ import annotations

from pbmserv.boards import advice
from pbmserv.boards.record import Played, record_text
from pbmserv.context import UnitOfWork
from pbmserv.games.perudo.final_places import dice_changes_of, left_early, places
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.table import view
from pbmserv.letters.payloads.perudo import DiceChanges, RatingChange, Result
from pbmserv.players import accounts


def of_game(work: UnitOfWork, played: Played) -> Result:
    """The result of a board that has just ended; without places if nobody has won.

    The places are those of the seats.  The ratings are those of the players who began there.
    """
    board = played.board
    record = read_record(record_text(work.connection, board.id))
    events = record.events
    counts = view(board.table, None).counts
    changes = dice_changes_of(events, len(board.seats))
    seats: list[DiceChanges] = [
        {
            "name": name,
            "dice": counts[seat],
            "lost": changes[seat].lost,
            "gained": changes[seat].gained,
            "resigned": changes[seat].resigned,
        }
        for seat, name in enumerate(board.names)
    ]
    order = places(events, len(seats))
    if order is not None:
        seats = [seat for _, seat in sorted(zip(order, seats, strict=True), key=lambda at: at[0])]
    return {
        "placed": order is not None,
        "seats": seats,
        "ratings": _ratings(work, played),
        "luckiest": advice.luckiest_call(record),
        "advised": advice.has_moves(record),
        "early": [board.names[seat] for seat in sorted(left_early(events))],
    }


def _ratings(work: UnitOfWork, played: Played) -> list[RatingChange]:
    """What the game changed, the best rating first."""
    ids = [each.player for each in played.changes]
    named = {each.id: each.userid for each in accounts.named(work.connection, ids)} if ids else {}
    changes = sorted(played.changes, key=lambda each: -each.after)
    return [
        {"name": named[each.player], "rating": each.after, "change": each.after - each.before}
        for each in changes
    ]
