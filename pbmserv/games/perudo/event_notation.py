"""Read and write a bid, cups and an event in notation, one line for each event of a record.

Each value has one strict text, which reads back as the same value.  A die is one character: 1-9,
then a-k for the faces 10-20; `?` is an unknown die.  Cups are in seat order between slashes; `-` is
an empty one.  Seats are A to F.  Positions are in `position_notation`, whole records in `record`,
and the moves that players write in `move_parser`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import (
    Bade,
    Beacon,
    Called,
    Cup,
    Cups,
    Dealt,
    Drawn,
    Eliminated,
    Event,
    Gained,
    Lost,
    Resigned,
    Restored,
    Revealed,
    Won,
)
from pbmserv.games.perudo.player_salts import is_salt
from pbmserv.games.perudo.rules import MOST_PLAYERS

SEATS = "ABCDEF"
DICE = "?123456789abcdefghijk"
_LONGEST_NUMBER = 9
CALLS = ("dudo", "calza", "pacao")


def write_bid(bid: Bid) -> str:
    """`4-2s`."""
    return str(bid)


def read_bid(text: str) -> Bid:
    """The bid that `write_bid` wrote.  Raises ValueError."""
    quantity, face = text.removesuffix("s").split("-")
    bid = Bid(int(quantity), int(face))
    if str(bid) != text:
        raise ValueError(text)
    return bid


def write_cups(cups: Cups) -> str:
    """The cups in seat order: `13556/2234/-/??`."""
    return "/".join(map(_written_cup, cups))


@lru_cache(maxsize=1024)  # a move shows the same cups to each reader
def _written_cup(cup: Cup) -> str:
    return "".join([DICE[die] for die in cup]) or "-"


def read_cups(text: str) -> Cups:
    """The cups that `write_cups` wrote.  Raises ValueError."""
    return tuple([_read_cup(cup) for cup in text.split("/")])


def _read_cup(text: str) -> Cup:
    if text == "-":
        return ()
    if not text:
        raise ValueError(text)
    return tuple(map(DICE.index, text))


def write_seat(seat: int | None) -> str:
    """`A` for seat 0, `-` for none."""
    return "-" if seat is None else SEATS[seat]


def read_seat(text: str) -> int:
    """The seat of a letter.  Raises ValueError."""
    if len(text) != 1:
        raise ValueError(text)
    return SEATS.index(text)


def read_optional_seat(text: str) -> int | None:
    """The seat of a letter, None for `-`.  Raises ValueError."""
    return None if text == "-" else read_seat(text)


def read_number(text: str) -> int:
    """A whole number from 0, in its shortest form.  Raises ValueError."""
    if (
        not (text.isascii() and text.isdigit())
        or len(text) > _LONGEST_NUMBER
        or str(int(text)) != text
    ):
        raise ValueError(text)
    return int(text)


_CHANGES: dict[str, type[Lost | Gained | Eliminated | Won]] = {
    "lose": Lost,
    "gain": Gained,
    "out": Eliminated,
    "win": Won,
}
_CHANGE_WORDS = {kind: word for word, kind in _CHANGES.items()}
_DRAWN, _RESTORED, _BEACON = "draw", "restored", "beacon"
_HEX = re.compile(r"[0-9a-f]{64}")
_SALT, _WAITS = " salt=", " beacon="


def public(event: Event) -> Event:
    """The event as the public sees it: a deal without its dice."""
    if isinstance(event, Dealt):
        return replace(event, cups=tuple([(0,) * len(cup) for cup in event.cups]))
    return event


def write_event(event: Event) -> str:
    """The event in one line.

    `A 4-2s`, `B dudo salt=9f86d081`, `C resign beacon=340`, `beacon 340 HEX`,
    `deal 2 A ?????/???? - next=HEX`, `reveal 13556/2234 4 seed=HEX`, `restored HEX`, `lose B`,
    `gain C`, `out B`, `win A`, `draw`.
    """
    if isinstance(event, Bade):
        return f"{SEATS[event.seat]} {event.bid}{_salted(event.salt)}"
    if isinstance(event, Called):
        return f"{SEATS[event.seat]} {event.call}{_salted(event.salt)}{_waits(event.beacon)}"
    if isinstance(event, Resigned):
        return f"{SEATS[event.seat]} resign{_salted(event.salt)}{_waits(event.beacon)}"
    if isinstance(event, Dealt):
        line = f"deal {event.round} {SEATS[event.starter]} {write_cups(event.cups)} "
        line += write_seat(event.palifico)
        return line if event.commitment is None else f"{line} next={event.commitment}"
    if isinstance(event, Revealed):
        line = f"reveal {write_cups(event.cups)} {'-' if event.count is None else event.count}"
        return line if event.seed is None else f"{line} seed={event.seed}"
    if isinstance(event, Drawn):
        return _DRAWN
    if isinstance(event, Beacon):
        return f"{_BEACON} {event.round} {event.value or '-'}"
    if isinstance(event, Restored):
        return " ".join(filter(None, (_RESTORED, event.commitment)))
    return f"{_CHANGE_WORDS[type(event)]} {SEATS[event.seat]}"


def _salted(salt: str) -> str:
    return _SALT + salt if salt else ""


def _waits(beacon: int | None) -> str:
    return "" if beacon is None else f"{_WAITS}{beacon}"


def unsalted(event: Event) -> Event:
    """The event without what its move adds to the dice: its salt, and the beacon's round.

    Two games are the same game with other salts.
    """
    if isinstance(event, Called | Resigned) and (event.salt or event.beacon is not None):
        return replace(event, salt="", beacon=None)
    if isinstance(event, Bade) and event.salt:
        return replace(event, salt="")
    return event


def read_event(line: str) -> Event:
    """The event that `write_event` wrote.  Refused: `unreadable_event` (text)."""
    try:
        event = _read_event(line.split(" "))
    except (ValueError, IndexError, KeyError):
        event = None
    if event is None or write_event(event) != line:
        raise Refused("unreadable_event", text=line[:80])
    return event


def _read_event(words: list[str]) -> Event:
    if words == [_DRAWN]:
        return Drawn()
    if words[0] == _RESTORED:
        return Restored(_read_secret(words[1:], ""))
    first, second = words[0], words[1]
    if first == _BEACON:
        return Beacon(_read_round(second), None if words[2] == "-" else _read_secret(words[2:], ""))
    if first in _CHANGES:
        return _CHANGES[first](read_seat(second))
    if first == "deal":
        commitment = _read_secret(words[5:], "next=")
        palifico = read_optional_seat(words[4])
        cups = read_cups(words[3])
        return Dealt(read_number(second), read_seat(words[2]), palifico, cups, commitment)
    if first == "reveal":
        seed = _read_secret(words[3:], "seed=")
        count = None if words[2] == "-" else read_number(words[2])
        return Revealed(read_cups(second), count, seed)
    return _read_move(read_seat(first), second, words[2:])


def _read_move(seat: int, what: str, words: list[str]) -> Bade | Called | Resigned:
    """A move, from the words behind its seat: what it is, its salt, and the beacon's round."""
    waits = words.pop() if words and words[-1].startswith(_WAITS.strip()) else ""
    beacon = _read_round(waits.removeprefix(_WAITS.strip())) if waits else None
    salt = _read_salt(words)
    if what == "resign":
        return Resigned(seat, salt, beacon)
    if what in CALLS:
        return Called(seat, what, salt, beacon)
    return Bade(seat, read_bid(what), salt)


def _read_salt(words: list[str]) -> str:
    salt = words[0].removeprefix(_SALT.strip()) if words else ""
    if words and not is_salt(salt):
        raise ValueError(words[0])
    return salt


def _read_round(text: str) -> int:
    """The number of one of the beacon's rounds, from 1.  Raises ValueError."""
    if not (number := read_number(text)):
        raise ValueError(text)
    return number


def _read_secret(words: list[str], name: str) -> str | None:
    """The secret in the last word of a line, None where the line has no such word."""
    if not words:
        return None
    secret = words[0].removeprefix(name)
    if not _HEX.fullmatch(secret):
        raise ValueError(words[0])
    return secret


def seats_fit(event: Event, players: int) -> bool:
    """Whether all seats (and cups) in the event exist at a table of so many players."""
    if isinstance(event, Revealed):
        return len(event.cups) == players
    if isinstance(event, Dealt):
        fits = len(event.cups) == players and event.starter < players
        return fits and (event.palifico is None or event.palifico < players)
    if isinstance(event, Drawn | Restored | Beacon):
        return True
    return event.seat < players <= MOST_PLAYERS
