"""Figures 1, 3, 4, 11 and 15: emails through a real server, its letters to a sink.

Sessions send replies by SMTP, each for its own boards.  The server answers 250 after its commit and
sends four letters a move to the sink by SMTP.  For figure 15 strangers ask for help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter

from scripts.benchmarks import yardstick
from scripts.benchmarks.commits import Commits, commits
from scripts.benchmarks.figures import (
    Figure,
    at_least,
    at_most,
    in_time,
    median_ratio,
    progress,
    told,
)
from scripts.benchmarks.fsyncs import Fsyncs, fsyncs, why_not
from scripts.benchmarks.population import (
    MOST_MOVES,
    SEATS,
    Seats,
    Town,
    asking_for_help,
    in_turns,
)
from scripts.benchmarks.server_process import Server, Session, bring, server
from scripts.benchmarks.sink import Sink, sink

SESSIONS = 8
DELAY = 0.004  # seconds, of an fsync on a slow disk
SECONDS = 20.0  # after which a measurement has no further rounds
_SETTINGS = """\
smtp = "127.0.0.1:0"
delivery = "smtp"
relay = "127.0.0.1:{port}"
strangers_daily = 1000000
"""


@dataclass(frozen=True, slots=True)
class MeasuredServer:
    """A running server with boards to play on, and a sink for its letters."""

    town: Town
    server: Server
    sink: Sink
    sessions: list[Session]

    def play(self, moves: int, sessions: int = SESSIONS) -> float:
        """Play so many moves in every session, on new boards; returns moves per second.

        The time ends when the last letter has come.
        """
        seats = self.boards_for(moves, sessions)
        mails = [islice(in_turns(seats[place::sessions]), moves) for place in range(sessions)]
        begun = perf_counter()
        bring(self.sessions[:sessions], mails)
        self.sink.wait_for(moves * sessions * SEATS)
        return moves * sessions / (perf_counter() - begun)

    def answer(self, mails: int) -> None:
        """Let so many strangers ask for help in every session; ends with the last answer."""
        bring(self.sessions, [[asking_for_help() for _ in range(mails)] for _ in self.sessions])
        self.sink.wait_for(mails * SESSIONS)

    def boards_for(self, moves: int, sessions: int) -> list[Seats]:
        """Enough boards for the moves, and at least two for every session."""
        return self.town.open_boards(sessions * max(2, -(-moves // MOST_MOVES)))


@contextmanager
def measured_server(folder: Path, counted: Fsyncs | None = None) -> Iterator[MeasuredServer]:
    """A running server with its town and sink; `counted` counts and delays its fsyncs."""
    environment = counted.environment if counted else None
    with (
        sink() as letters,
        Town(folder / "home", _SETTINGS.format(port=letters.port)) as town,
        server(town.home, environment) as running,
    ):
        sessions = [Session(running.port) for _ in range(SESSIONS)]
        try:
            measured = MeasuredServer(town, running, letters, sessions)
            measured.play(2)  # then imports, templates and statements are ready
            measured.answer(2)
            yield measured
        finally:
            for session in sessions:
                session.close()


def memory(folder: Path, quick: bool) -> list[Figure]:
    """Figure 11: the server's memory after many moves, to its memory when it had warmed up.

    The pages of the database that it has mapped are told beside it: they grow with the database.
    """
    rounds, moves = (2, 2) if quick else (12, 40)
    least = rounds // 2
    with measured_server(folder) as measured:
        sizes = []
        for number in in_time(rounds, 2 * SECONDS, least):
            progress(f"figure 11: {number + 1} of {rounds}")
            measured.play(moves)
            sizes.append(measured.server.memory())
        mapped = measured.server.mapped()
    early, late = sizes[1], sizes[-1]
    made = moves * SESSIONS
    what = f"memory after {len(sizes) * made:,} moves, to that after {2 * made:,}"
    return [
        at_most(11, what, late / early, 1.1),
        told(11, "  in megabytes", f"{late / 1e6:.0f}, {early / 1e6:.0f}"),
        told(11, "  mapped pages of files, in megabytes", f"{mapped / 1e6:.0f}"),
    ]


def fsyncs_a_command(folder: Path, quick: bool) -> list[Figure]:
    """Figure 1: how often the server syncs to the disk for each email."""
    what = "fsyncs a command"
    counted = fsyncs(folder)
    if counted is None:
        return [told(1, what, f"skipped: {why_not()}")]
    moves = 4 if quick else 60
    with measured_server(folder, counted) as measured:
        found = []
        for sessions, goal in ((1, 1.05), (SESSIONS, 0.2)):
            progress(f"figure 1: {moves} moves in {sessions} sessions")
            begun = counted.count
            measured.play(moves, sessions)
            figure = (counted.count - begun) / (moves * sessions)
            found.append(at_most(1, f"{what}, {_so_many(sessions)}", figure, goal))
    return found


def _so_many(sessions: int) -> str:
    return "1 session" if sessions == 1 else f"{sessions} sessions"


def moves_a_second(folder: Path, quick: bool) -> list[Figure]:
    """Figure 3: moves per second, email to email, to durable commits per second of bare SQLite."""
    what = f"moves/s mail to mail, {SESSIONS} sessions, to raw durable commits/s"
    counted = fsyncs(folder)
    environment = counted.environment if counted else None
    with measured_server(folder, counted) as measured, commits(folder, environment) as raw:
        found = _rates(measured, raw, quick, what, 0.10)
        if counted is None:
            return [*found, told(3, f"{what}, slow disk", f"skipped: {why_not()}")]
        counted.delay(DELAY)
        slow = f"{what}, {DELAY * 1000:.0f} ms added to each fsync"
        return [*found, *_rates(measured, raw, quick, slow, 1.2)]


def _rates(
    measured: MeasuredServer, raw: Commits, quick: bool, what: str, goal: float
) -> list[Figure]:
    rounds, moves, seconds = (1, 2, 0.05) if quick else (9, 25, 0.4)
    pairs = []
    for number in in_time(rounds, SECONDS):
        progress(f"figure 3: {what}: {number + 1} of {rounds}")
        pairs.append((measured.play(moves), raw.a_second(seconds)))
    ours, theirs = pairs[len(pairs) // 2]
    return [
        at_least(3, what, median_ratio(pairs), goal),
        told(3, "  of them in one round", f"{ours:.0f} moves/s, {theirs:.0f} commits/s"),
    ]


def processor_a_move(folder: Path, quick: bool) -> list[Figure]:
    """Figure 4: the server's CPU for a whole move, to composing one letter the usual way.

    The letters are composed during the moves, on the same two processors.
    """
    what = f"server CPU of a move with {SEATS} letters"
    with measured_server(folder) as measured:
        found = _beside_composing(4, what, 2.2, measured, measured.play, quick)
        return [*found, *_pages_beside_text(measured, quick)]


def _pages_beside_text(measured: MeasuredServer, quick: bool) -> list[Figure]:
    """The server's CPU of a move whose letters have HTML pages, to one with text alone.

    Both take turns on one server, so that a busy machine slows both.
    """
    rounds, moves = (1, 2) if quick else (9, 15)
    pairs = []
    for number in in_time(rounds, SECONDS):
        progress(f"figure 4, pages and text: {number + 1} of {rounds}")
        spent = {}
        for form in ("both", "text") if number % 2 else ("text", "both"):
            measured.town.send_as(form)
            begun = measured.server.processor_seconds()
            measured.play(moves)
            spent[form] = (measured.server.processor_seconds() - begun) / (moves * SESSIONS)
        pairs.append((spent["both"], spent["text"]))
    what = "server CPU of a move, its letters with pages, to the same with text alone"
    return [at_most(4, what, median_ratio(pairs), 1.25), _of_one_round(4, pairs)]


def processor_an_answer(folder: Path, quick: bool) -> list[Figure]:
    """Figure 15: the server's CPU for a stranger's `help` by email, to composing as in figure 4."""
    what = "server CPU of answering help to a stranger"
    with measured_server(folder) as measured:
        return _beside_composing(15, what, 0.8, measured, measured.answer, quick)


def _beside_composing(
    target: int,
    what: str,
    goal: float,
    measured: MeasuredServer,
    work: Callable[[int], object],
    quick: bool,
) -> list[Figure]:
    """The server's CPU of `work` for each email, to composing a letter at the same time.

    The letter is of text alone, which all letters were when the goals were set.  A row of its own
    compares with a letter that has a page, as those of the server have.

    `work(mails)` has every session send so many emails.  The emails that come together share one
    transaction: three or eight, as it happens.  So the ratios of rounds differ by a tenth, and the
    median of nine rounds by 0.04 from run to run.  That is why there are many rounds.
    """
    rounds, mails = (1, 2) if quick else (45, 15)
    of_text, of_page = list[tuple[float, float]](), list[tuple[float, float]]()
    with yardstick.beside() as composing:
        composing.so_far()
        for number in in_time(rounds, SECONDS):
            progress(f"figure {target}: {number + 1} of {rounds}")
            before = composing.so_far()
            begun = measured.server.processor_seconds()
            work(mails)
            ours = (measured.server.processor_seconds() - begun) / (mails * SESSIONS)
            one = composing.so_far().since(before)
            of_text.append((ours, one.text))
            of_page.append((ours, one.with_page))
    return [
        at_most(target, f"{what}, to one jinja2 + EmailMessage", median_ratio(of_text), goal),
        _of_one_round(target, of_text),
        told(target, "  to one that has a page, too", f"{median_ratio(of_page):.3f}"),
        _of_one_round(target, of_page),
    ]


def _of_one_round(target: int, pairs: list[tuple[float, float]]) -> Figure:
    one = sorted(pairs)[len(pairs) // 2]
    return told(target, "  of them in one round", f"{one[0] * 1e3:.2f} ms, {one[1] * 1e3:.2f} ms")
