"""Terms: how long the players of a board may take, and what happens then.

What falls due on a board is worked out in `deadlines.py`, and done in `clock.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbmserv.errors import Refused

HOUR, DAY = 3600, 24 * 3600
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


def read_span(parameter: str, text: str) -> int:
    """A time of a challenge in seconds: `7` or `7d` days, `12h` hours.

    Raises Refused `bad_span` unless it is from one hour to a year.
    """
    found = _SPAN.fullmatch(text)
    seconds = int(found[1]) * (HOUR if found[2].lower() == "h" else DAY) if found else 0
    if not HOUR <= seconds <= LONGEST:
        raise Refused("bad_span", parameter=parameter, value=text[:80])
    return seconds
