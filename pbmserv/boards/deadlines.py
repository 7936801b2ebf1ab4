"""Deadlines: how long players may take, and when something falls due on a board.

That depends on the board's terms and on the vacations of the player on turn.  This module does not
use the database or the current time.  `schedule/overdue_boards.py` acts when a deadline has come.
Moments are seconds since 1970.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.payloads.perudo import Times
from pbmserv.timeunits import DAY, HOUR

LONGEST = 366 * DAY
FAR = 60 * DAY  # seconds that the system clock was ahead: longer than most vacations last
_SPAN = re.compile(r"(\d{1,4})(d|h|)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """The time limits that the challenger chose for a board, in seconds; `total` 0 means no limit.

    A player is reminded after `nag`.  After `forfeit` the player is resigned, or replaced by a bot
    if `standin` is set.  `rated`: the result counts for ratings.
    """

    nag: int = 7 * DAY
    forfeit: int = 21 * DAY
    total: int = 0
    standin: bool = False
    rated: bool = True


STANDARD = Terms()

Away = Sequence[tuple[int, int]]
"""The vacations of a player in order, each with its first and last moment."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A board's clock, which has run for the player on turn since `since`.

    `reminded` counts the `moments` already handled.  `closes` is when the whole game must be over,
    0 for never.
    """

    since: int
    reminded: int = 0
    closes: int = 0
    terms: Terms = STANDARD


@lru_cache
def moments(terms: Terms) -> tuple[int, ...]:
    """When a player is told, in seconds of the player's clock; the last moment is the forfeit.

    Reminders come at the nag time and then daily, the last one a day before the forfeit.
    """
    last = terms.forfeit - DAY
    reminders = list(range(terms.nag, last, DAY)) or [terms.nag]
    if terms.nag < last:
        reminders.append(last)
    return (*reminders, terms.forfeit)


def reached(since: int, seconds: int, away: Away = ()) -> int:
    """The moment at which the clock has run for so many seconds.

    If a vacation begins at exactly that moment, the result is the end of the vacation.
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
    """The vacations of a player after a gap in which the server did not run.

    A clock that began to run before the gap is moved by the gap.  The gap is in seconds, negative
    if the system clock was set back.  Vacations that have stopped the clock, or that began within
    the gap, are moved by the same amount.  So each deadline is the announced one plus the gap, and
    never earlier.  A vacation booked for later keeps its days, unless a moved one overlaps it.

    A clock that was far ahead had moved vacations by the gap into the time behind `ticked_at`.  So
    these are moved, too.  One that begins nearer to now was booked since the clock is right.
    """
    found: list[tuple[int, int]] = []
    was_far_ahead = gap < -FAR
    since = ticked_at + gap // 2 if was_far_ahead else 0
    until = ticked_at - gap if was_far_ahead else max(ticked_at, ticked_at + gap)
    for begins, ends in sorted(away):
        if since <= begins < until:
            found.append((begins + gap, ends + gap))
            until = max(until, ends + gap)
        else:
            found.append((begins, ends))
    return found


def nag_at(clock: Clock, away: Away = ()) -> int:
    """When the player on turn is reminded for the first time."""
    return reached(clock.since, clock.terms.nag, away)


def forfeit_at(clock: Clock, away: Away = ()) -> int:
    """When the seat of the player on turn is forfeited."""
    return reached(clock.since, clock.terms.forfeit, away)


def times_told(clock: Clock, away: Away, now: int) -> Times:
    """The deadlines of the player on turn, as letters tell them."""
    nag = nag_at(clock, away)
    return {
        "now": now,
        "nag": nag,
        "late": nag <= now,
        "forfeit": forfeit_at(clock, away),
        "closes": clock.closes,
        "standin": clock.terms.standin,
    }


def due_at(clock: Clock, away: Away = ()) -> int:
    """When something falls due next: a reminder, the forfeit, or the end of the board's time."""
    times = moments(clock.terms)
    due = reached(clock.since, times[min(clock.reminded, len(times) - 1)], away)
    return min(due, clock.closes) if clock.closes else due


def read_span(parameter: str, text: str) -> int:
    """Read a time limit of a challenge, in seconds: `7` or `7d` are days, `12h` are hours.

    Raises Refused `bad_span` unless it is from one hour to 366 days.
    """
    found = _SPAN.fullmatch(text)
    seconds = int(found[1]) * (HOUR if found[2].lower() == "h" else DAY) if found else 0
    if not HOUR <= seconds <= LONGEST:
        raise Refused("bad_span", parameter=parameter, value=text[:80])
    return seconds
