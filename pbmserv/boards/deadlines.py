"""Deadlines: how long players may take, and when something falls due on a board.

That depends on the board's terms and on the vacations of the player on turn.  Nothing here knows
the database or the time of day.  `schedule/board_deadlines.py` acts when the moment has come.
Moments are seconds since 1970.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pbmserv.errors import Refused
from pbmserv.timeunits import DAY, HOUR

LONGEST = 366 * DAY
_SPAN = re.compile(r"(\d{1,4})(d|h|)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the challenger chose for a board.  Times are in seconds; `total` 0 is no limit.

    `nag`: a player is reminded after so long, `forfeit`: resigned after so long, or with
    `standin` played for by a house player.  `rated`: the result counts.
    """

    nag: int = 7 * DAY
    forfeit: int = 21 * DAY
    total: int = 0
    standin: bool = False
    rated: bool = True


STANDARD = Terms()

Away = Sequence[tuple[int, int]]
"""The vacations of a player in order: from one moment to another; then no clock runs."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A board's clock: it began to run for the player on turn at `since`.

    `reminded` is how many of the `moments` were dealt with.  `closes` is when the whole board
    must be over, 0 for never.
    """

    since: int
    reminded: int = 0
    closes: int = 0
    terms: Terms = STANDARD


@lru_cache
def moments(terms: Terms) -> tuple[int, ...]:
    """When a player is told, in seconds of his clock; the last one is the forfeit.

    COMMANDS: reminders at the nag time and then daily, the last one a day before the forfeit.
    """
    last = terms.forfeit - DAY
    reminders = list(range(terms.nag, last, DAY)) or [terms.nag]
    if terms.nag < last:
        reminders.append(last)
    return (*reminders, terms.forfeit)


def reached(since: int, seconds: int, away: Away = ()) -> int:
    """The moment at which so many seconds of the clock have run.

    Where a vacation begins at that very moment it is the end of the vacation.
    """
    moment = since
    for begins, ends in away:
        if ends <= moment:
            continue
        run = max(0, begins - moment)
        if run > seconds:
            break
        seconds -= run
        moment = ends
    return moment + seconds


def elapsed(since: int, now: int, away: Away = ()) -> int:
    """The seconds that the clock has run; vacations do not count."""
    stood, moment = 0, since
    for begins, ends in away:  # they may overlap
        if max(begins, moment) < min(ends, now):
            stood += min(ends, now) - max(begins, moment)
            moment = ends
    return max(0, now - since - stood)


def moved(away: Away, ticked_at: int, gap: int) -> Away:
    """The vacations of a player after a gap in which the server was not there.

    A clock that began to run before it is moved by the gap (seconds; below zero where the clock was
    put back).  The vacations on which it has stood still, and those begun within the gap, are moved
    whole by the same: so a deadline is the one that was told and the gap, and never earlier.  One
    booked for later keeps its days, unless one that was moved runs into it.
    """
    found: list[tuple[int, int]] = []
    until = max(ticked_at, ticked_at + gap)
    for begins, ends in sorted(away):
        if begins < until:
            found.append((begins + gap, ends + gap))
            until = max(until, ends + gap)
        else:
            found.append((begins, ends))
    return found


def nag_at(clock: Clock, away: Away = ()) -> int:
    """When the player on turn will be reminded first."""
    return reached(clock.since, clock.terms.nag, away)


def forfeit_at(clock: Clock, away: Away = ()) -> int:
    """When the seat of the player on turn is forfeited."""
    return reached(clock.since, clock.terms.forfeit, away)


def due_at(clock: Clock, away: Away = ()) -> int:
    """When something falls due next: a reminder, the forfeit, or the end of the board's time."""
    times = moments(clock.terms)
    due = reached(clock.since, times[min(clock.reminded, len(times) - 1)], away)
    return min(due, clock.closes) if clock.closes else due


def read_span(parameter: str, text: str) -> int:
    """A time of a challenge in seconds: `7` or `7d` days, `12h` hours.

    Raises Refused `bad_span` unless it is from one hour to a year.
    """
    found = _SPAN.fullmatch(text)
    seconds = int(found[1]) * (HOUR if found[2].lower() == "h" else DAY) if found else 0
    if not HOUR <= seconds <= LONGEST:
        raise Refused("bad_span", parameter=parameter, value=text[:80])
    return seconds
