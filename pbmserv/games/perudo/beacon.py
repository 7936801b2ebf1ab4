"""The public beacon drand: which of its rounds opens the cups, and when that round is emitted.

The server knows the seed of the next round.  So together with the player who moves last it could
choose that player's salt.  So a call can wait for a value that nobody knows yet.
`games/perudo/play.py` puts the number of a later round into the line of the call.  The value gets a
line of its own.  The network is drand's quicknet; `CHAIN`, `GENESIS` and `PERIOD` are from its
chain info.
"""

from __future__ import annotations

import re

from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.events import Action, Call, Resign

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
"""The hash of the network: it names the network in drand's public API."""
GENESIS = 1_692_803_367
"""When round 1 was emitted, in seconds since 1970."""
PERIOD = 3
"""Seconds from a round to the next one."""
AHEAD = 60
"""The fewest seconds from a call to its round: its letters must leave before the value exists."""
EVERY = 20
"""Only each 20th round is used, one a minute.  So one value opens the cups of many boards.  A
server without web access needs only a short list of values."""
_VALUE = re.compile(r"[0-9a-f]{64}")


def is_value(text: str) -> bool:
    """Whether a text is the value of a round, in lower case: drand calls it randomness."""
    return _VALUE.fullmatch(text) is not None


def emitted_at(number: int) -> int:
    """When a round (from 1) is emitted, in seconds since 1970."""
    return GENESIS + (number - 1) * PERIOD


def round_at(moment: int) -> int:
    """The latest round that is emitted at a moment; 0 before the first one."""
    return max(0, (moment - GENESIS) // PERIOD + 1)


def round_after(moment: int) -> int:
    """The first used round that is emitted at least `AHEAD` seconds after a moment."""
    first = max(1, -((GENESIS - moment - AHEAD) // PERIOD) + 1)
    return -(-first // EVERY) * EVERY


def with_beacon(action: Action, now: int) -> Action:
    """A call or resignation at this moment, with the round that it waits for; a bid stays as it is.

    `play` decides whether a resignation needs to wait.
    """
    if isinstance(action, Call | Resign):
        return replace(action, beacon=round_after(now))
    return action
