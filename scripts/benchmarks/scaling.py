"""Figures 5 and 6: the cost of a move among many boards, and late on a long board."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from pbmserv.boards import play
from pbmserv.database.engine import writing
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import Action, Call, Raise, Table, count
from scripts.benchmarks.board_copies import multiply
from scripts.benchmarks.figures import (
    Figure,
    at_most,
    in_time,
    percentile,
    processor_seconds,
    progress,
    told,
)
from scripts.benchmarks.population import Posted, Town, context_on, in_turns, seats_at
from scripts.benchmarks.processor import Office

FEW, MANY, MILLION = 1_000, 100_000, 1_000_000
PLAYED = 100  # boards that are really played; the others are copies of them
MOVES_EACH = 40  # of every board, before the measured moves
TRACED = 5  # the database still has the emails and letters of so many moves
SECONDS = 20.0  # after which a measurement has no further rounds
BATCH = 50  # emails in a transaction, and emails between two checkpoints

LONG, SHORT = 1_000, 10
ALIKE = 24  # boards of each length


def many_boards(folder: Path, quick: bool, most: int = MANY) -> list[Figure]:
    """Figure 5: a move's transaction with so many boards in the database, to one with 1,000."""
    few, many, moves = (4, 8, 4) if quick else (FEW, most, 3_000)
    times: dict[int, list[float]] = {few: [], many: []}
    with Town(folder / "few", players=few) as small, Town(folder / "many", players=many) as large:
        for town, size in ((small, few), (large, many)):
            _grow(town, size, min(few, PLAYED), 2 if quick else MOVES_EACH)
        with closing(Office(small)) as one, closing(Office(large)) as other:
            sides = ((few, one, _anywhere(small, few)), (many, other, _anywhere(large, many)))
            for number in in_time(moves, 2 * SECONDS, least=1_000):
                if number % BATCH == 0:
                    progress(f"figure 5: move {number} of {moves}")
                for size, processor, mails in sides:
                    mail = next(mails)
                    begun = perf_counter()
                    processor.accept(mail)
                    times[size].append(perf_counter() - begun)
                    if number % BATCH == 0:
                        processor.rest()
    found = []
    for percent, goal in ((50, 1.1), (99, 1.5)):
        ours, theirs = percentile(times[many], percent), percentile(times[few], percent)
        what = f"p{percent} of a move's transaction at {many:,} boards, to {few:,}"
        found.append(at_most(5, what, ours / theirs, goal))
        found.append(told(5, "  in milliseconds", f"{ours * 1e3:.2f}, {theirs * 1e3:.2f}"))
    return found


def _grow(town: Town, size: int, played: int, moves: int) -> None:
    """Add boards to the town, each some moves old; only a few of them are really played."""
    progress(f"figure 5: making {size:,} boards")
    mails = in_turns(town.open_boards(played))
    with closing(Office(town)) as processor:
        batch = min(BATCH, played)  # each board at most once, as its answer decides its next move
        for _ in range(moves * played // batch + 1):
            processor.accept(*(next(mails) for _ in range(batch)))
    with writing(town.engine) as connection:
        kept = TRACED * played
        for statement in (
            "UPDATE outbox SET state = 'sent', payload = ''",
            f"DELETE FROM outbox WHERE id <= (SELECT max(id) FROM outbox) - {4 * kept}",
            f"DELETE FROM inbox WHERE id <= (SELECT max(id) FROM inbox) - {kept}",
        ):
            connection.exec_driver_sql(statement)
    multiply(town.home, size // played)


def _anywhere(town: Town, size: int) -> Iterator[Posted]:
    """Moves on random boards."""
    chance = Random(1)
    while True:
        yield seats_at(town, chance.randint(1, size)).next_mail()


def long_boards(folder: Path, quick: bool) -> list[Figure]:
    """Figure 6: the CPU of a move on a board with 1,000 moves, to one with 10, letters included.

    Each round is a bid of exactly the dice there are, and a right calza.  Nobody loses a die, so
    late rounds equal the first.
    """
    long, alike, moves = (20, 2, 2) if quick else (LONG, ALIKE, SHORT)
    with Town(folder / "home") as town:
        progress(f"figure 6: playing {long} moves")
        for board, played in zip(
            town.open_boards(2, rules_named("pyrudo")), (long, SHORT), strict=True
        ):
            _play(town, board.stands.id, played)
        multiply(town.home, alike)
        times: tuple[list[float], list[float]] = ([], [])
        with closing(Office(town)) as processor:
            processor.accept(_calza(town, 1), _calza(town, 2))
            for number in in_time(moves * alike, SECONDS, least=100):
                progress(f"figure 6: move {number} of {moves * alike}")
                for side in (0, 1):
                    mail = _calza(town, 1 + side + 2 * (number % alike))
                    times[side].append(processor_seconds(partial(_whole, processor, mail)))
    ours, theirs = median(times[0]), median(times[1])
    what = f"CPU of a whole move on a board with {long:,} moves, to one with {SHORT}"
    return [
        at_most(6, what, ours / theirs, 1.05),
        told(6, "  in milliseconds", f"{ours * 1e3:.2f}, {theirs * 1e3:.2f}"),
    ]


def _play(town: Town, board: int, moves: int) -> None:
    with writing(town.engine) as connection:
        context = context_on(connection)
        stands = seats_at(town, board).stands
        for _ in range(moves):
            table = stands.table
            stands = play.move(context, stands, table.turn, _safe(table)).board


def _safe(table: Table) -> Action:
    """A bid of all dice of a face, or the right calza on it."""
    if table.bids:
        return Call("calza")
    face = max(range(2, 7), key=lambda face: count(table, face))
    return Raise(Bid(count(table, face), face))


def _whole(processor: Office, mail: Posted) -> None:
    processor.accept(mail)
    processor.deliver()


def _calza(town: Town, board: int) -> Posted:
    seats = seats_at(town, board)
    action = _safe(seats.stands.table)
    return seats.mail(str(action.bid) if isinstance(action, Raise) else "calza")
