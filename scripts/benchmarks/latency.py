"""Figure 12: the time from a player's email to the letters that follow from it.

The yardstick is an email through a relay that does nothing but pass emails on, and stores none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from scripts.benchmarks.figures import (
    Figure,
    at_most,
    in_time,
    median_ratio,
    percentile,
    progress,
    told,
)
from scripts.benchmarks.population import SEATS, Posted, Seats, in_turns
from scripts.benchmarks.relay import relay
from scripts.benchmarks.server_process import Session, bring
from scripts.benchmarks.sink import Sink, sink
from scripts.benchmarks.throughput import SECONDS, SESSIONS, MeasuredServer, measured_server


def mail_to_letter(folder: Path, quick: bool) -> list[Figure]:
    """Figure 12: from an email to the last of its letters, to an email through a null relay."""
    with measured_server(folder) as measured, sink() as letters, relay(letters.port) as port:
        past = _Relay(Session(port), letters)
        found = [*_one_sender(measured, past, quick), *_half_load(measured, past, quick)]
        past.session.close()
    return found


class _Relay:
    """The null relay: a session with it, and the sink behind it."""

    def __init__(self, session: Session, letters: Sink) -> None:
        self.session = session
        self._letters = letters

    def seconds(self, mail: Posted) -> float:
        """How long this email takes through the relay."""
        return _seconds(mail, self.session, self._letters, 1)


def _one_sender(measured: MeasuredServer, past: _Relay, quick: bool) -> list[Figure]:
    """One sender waits for all letters; both ways take turns, so a busy machine slows both."""
    moves = 4 if quick else 300
    ours, theirs = list[float](), list[float]()
    seats = measured.boards_for(moves, 1)
    for number in in_time(moves, SECONDS, least=100):
        progress(f"figure 12: move {number + 1} of {moves}")
        mail = seats[number % len(seats)].next_mail()
        ours.append(_seconds(mail, measured.sessions[0], measured.sink, SEATS))
        theirs.append(past.seconds(mail))
    middle = percentile(ours, 50), percentile(theirs, 50)
    what = f"p50 from an email to the last of {SEATS} letters, to an email through a null relay"
    return [at_most(12, what, middle[0] / middle[1], 4), _told_apart(*middle)]


def _half_load(measured: MeasuredServer, past: _Relay, quick: bool) -> list[Figure]:
    """All sessions send, half as many moves a second as the server can do.

    An email's time begins when it is due to be sent, even if its session is late.
    """
    rounds, moves = (1, 2) if quick else (5, 25)
    pairs = []
    for number in in_time(rounds, SECONDS):
        progress(f"figure 12, half load: {number + 1} of {rounds}")
        rate = measured.play(moves) / 2
        seats = measured.boards_for(moves, SESSIONS)
        ours = _at_rate(measured, seats, moves, rate)
        # The relay never has these emails at the same time as the server.
        theirs = [past.seconds(each.mail("1-2s")) for each in seats * 3]
        pairs.append((percentile(ours, 50), percentile(theirs, 50)))
    what = f"the same at half load, {SESSIONS} senders"
    return [
        at_most(12, what, median_ratio(pairs), 8),
        _told_apart(*sorted(pairs)[len(pairs) // 2]),
    ]


def _at_rate(measured: MeasuredServer, seats: list[Seats], moves: int, rate: float) -> list[float]:
    """The seconds of each move, if all sessions together send so many of them a second."""
    measured.sink.arrivals()
    begin, due = monotonic(), dict[int, list[float]]()

    def paced(place: int) -> Iterator[Posted]:
        mine = seats[place::SESSIONS]
        mails = in_turns(mine)
        for number in range(moves):
            mail, moment = next(mails), begin + (number * SESSIONS + place) / rate
            due.setdefault(mine[number % len(mine)].stands.id, []).append(moment)
            time.sleep(max(0.0, moment - monotonic()))
            yield mail

    bring(measured.sessions, [paced(place) for place in range(SESSIONS)])
    measured.sink.wait_for(moves * SESSIONS * SEATS)
    arrived = measured.sink.arrivals()
    return [
        last - moment
        for board, moments in due.items()
        for moment, last in zip(moments, sorted(arrived[board])[SEATS - 1 :: SEATS], strict=True)
    ]


def _seconds(mail: Posted, session: Session, letters: Sink, count: int) -> float:
    begun = monotonic()
    session.send(mail)
    letters.wait_for(count)
    return monotonic() - begun


def _told_apart(*seconds: float) -> Figure:
    return told(12, "  of them", ", ".join(f"{each * 1e3:.1f} ms" for each in seconds))
