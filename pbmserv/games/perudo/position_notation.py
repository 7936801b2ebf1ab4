"""Read and write positions in notation: the whole table, or one reader's view, in one line.

    bga,calza=yes 13556/??/- B 3 9 A:3-2s,B:4-2s palifico=A used=AC pacao winner=A reader=B

First come the rule set and the options that differ from it, then the cups.  The seat whose turn it
is, the round and the number of the next move follow.  Then come the bids of this round (`-`: none).
The other fields are only written where they apply.  `winner=-`: the game was stopped.
`pending=B:dudo:340`: the call of B waits for round 340 of the beacon.  `reader` (a seat, or `-` for
a spectator) makes it a view.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.event_notation import (
    CALLS,
    SEATS,
    read_bid,
    read_cups,
    read_number,
    read_optional_seat,
    read_seat,
    write_cups,
    write_seat,
)
from pbmserv.games.perudo.events import NOBODY, Called, Resigned
from pbmserv.games.perudo.position import Position, Table
from pbmserv.games.perudo.rules import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    RULE_SETS,
    Rules,
    options_of,
    with_options,
)
from pbmserv.games.perudo.view import View, view

_HIDDEN, _RESIGNS = "*", "resign"
_LONGEST = 120  # characters of a line that a refusal shows


class _Impossible(ValueError):
    """A reason that has a sentence: `fault` is `why`, a code, and the values of the sentence."""

    def __init__(self, why: str, **values: Fact) -> None:
        super().__init__(why, values)
        self.fault: dict[str, Fact] = {"why": why, **values}


def write_rules(rules: Rules) -> str:
    """`classic,palifico=yes`: the rule set and the options that differ from it."""
    return ",".join([rules.name, *(f"{name}={word}" for name, word in options_of(rules).items())])


@lru_cache(maxsize=256)
def read_rules(text: str) -> Rules:
    """The rules that `write_rules` wrote.  Raises ValueError, or Refused as `with_options`."""
    name, *options = text.split(",")
    if name not in RULE_SETS:
        raise ValueError(name)
    if not options:
        return RULE_SETS[name]
    rules = with_options(RULE_SETS[name], dict(option.partition("=")[::2] for option in options))
    if write_rules(rules) != text:
        raise _Impossible("rules_form", word=text[:_LONGEST], written=write_rules(rules))
    return rules


def write_position(table: Table) -> str:
    """The whole table in one line, secret dice included."""
    return _write(table, write_cups(table.cups))


def write_view(seen: View) -> str:
    """A reader's view in one line: a position that names its reader."""
    cups = [
        _HIDDEN if count is None else write_cups((cup,))
        for cup, count in zip(seen.cups, seen.counts, strict=True)
    ]
    return f"{_write(seen, '/'.join(cups))} reader={write_seat(seen.reader)}"


def _write(position: Position, cups: str) -> str:
    bids = ",".join([f"{SEATS[seat]}:{bid}" for seat, bid in position.bids]) or "-"
    words = [write_rules(position.rules), cups, SEATS[position.turn]]
    words += [str(position.round), str(position.move), bids]
    if position.palifico is not None:
        words.append(f"palifico={SEATS[position.palifico]}")
    if position.palifico_used:
        words.append("used=" + "".join([SEATS[seat] for seat in sorted(position.palifico_used)]))
    if position.pacao_called:
        words.append("pacao")
    if position.winner is not None:
        winner = None if position.winner == NOBODY else position.winner
        words.append(f"winner={write_seat(winner)}")
    if (pending := position.pending) is not None:
        what = pending.call if isinstance(pending, Called) else _RESIGNS
        words.append(f"pending={SEATS[pending.seat]}:{what}:{pending.beacon}")
    return " ".join(words)


def read_position(line: str) -> Table:
    """The table that `write_position` wrote, or the table as far as a view's line tells it.

    Unknown dice are 0; a cup with a hidden number of dice gets one such die.  Refused:
    `unreadable_position` (text, and fault: `why`, a code, and the values of its sentence).
    """
    try:
        table, _ = _read(line.split(" "))
    except (ValueError, IndexError, Refused) as problem:
        raise _unreadable(line, problem) from None
    return table


def move_of(line: str) -> int:
    """The number of the move that a position or a view waits for, from its line."""
    return int(line.split(" ", _MOVE + 1)[_MOVE])


def read_view(line: str) -> View:
    """The view that `write_view` wrote.  Refused: `unreadable_position`, as `read_position`."""
    try:
        table, rest = _read(line.split(" "))
        if write_view(seen := view(table, rest["reader"])) != line:
            raise _Impossible("other_form")
    except (ValueError, IndexError, KeyError, Refused) as problem:
        raise _unreadable(line, problem) from None
    return seen


def _unreadable(line: str, problem: Exception) -> Refused:
    return Refused("unreadable_position", text=line[:_LONGEST], fault=_fault(line, problem))


def _fault(line: str, problem: Exception) -> dict[str, Fact]:
    """Why a line is not a position: `why`, a code, and the values of its sentence.

    It is the first of the line's parts that cannot be read, if there is one.
    """
    words = line.split(" ")
    if len(words) < len(_PARTS):
        return {"why": "few_words"}
    for (part, read), word in zip(_PARTS.items(), words, strict=False):
        try:
            read(word)
        except _Impossible as wrong:
            return wrong.fault
        except (ValueError, Refused):
            return {"why": part, "word": word[:_LONGEST]}
    return problem.fault if isinstance(problem, _Impossible) else {"why": "other_form"}


def _read(words: list[str]) -> tuple[Table, dict[str, Any]]:
    rules = read_rules(words[0])
    cups = read_cups(words[1].replace(_HIDDEN, "?") if rules.hidden else words[1])
    rest = _read_rest(words[6:])
    table = Table(
        rules,
        cups,
        read_number(words[3]),
        read_number(words[4]),
        read_seat(words[2]),
        _read_bids(words[5]),
        rest.get("palifico"),
        rest.get("used", frozenset()),
        "pacao" in rest,
        rest.get("winner"),
        rest.get("pending"),
    )
    _require_sense(table)
    return table, rest


def _read_winner(text: str) -> int:
    seat = read_optional_seat(text)
    return NOBODY if seat is None else seat


def _read_bids(text: str) -> tuple[tuple[int, Bid], ...]:
    return () if text == "-" else tuple([_read_bid(bid) for bid in text.split(",")])


def _read_bid(text: str) -> tuple[int, Bid]:
    seat, bid = text.split(":")
    return read_seat(seat), read_bid(bid)


def _read_pending(text: str) -> Called | Resigned:
    seat, what, number = text.split(":")
    if what not in {*CALLS, _RESIGNS} or not (beacon := read_number(number)):
        raise ValueError(text)
    if what == _RESIGNS:
        return Resigned(read_seat(seat), "", beacon)
    return Called(read_seat(seat), what, "", beacon)


def _read_nothing(text: str) -> bool:
    if text:
        raise ValueError(text)
    return True


_PARTS: dict[str, Callable[[str], object]] = {
    "rules": read_rules,
    "cups": lambda text: read_cups(text.replace(_HIDDEN, "?")),
    "turn": read_seat,
    "round": read_number,
    "move": read_number,
    "bids": _read_bids,
}
"""The parts of every position, in order."""
_MOVE = list(_PARTS).index("move")

_REST: dict[str, Callable[[str], object]] = {
    "palifico": read_seat,
    "used": lambda seats: frozenset(map(read_seat, seats)),
    "pacao": _read_nothing,
    "winner": _read_winner,
    "pending": _read_pending,
    "reader": read_optional_seat,
}


def _read_rest(words: list[str]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            if name in rest:
                raise ValueError(name)
            rest[name] = _REST[name](value)
        except (KeyError, ValueError):
            raise _Impossible("no_field", word=word[:_LONGEST]) from None
    return rest


def _require_sense(table: Table) -> None:
    """Raise ValueError for a position that is impossible on any table."""
    rules, cups = table.rules, table.cups
    players = len(cups)
    seats = {table.turn, *table.palifico_used, *(seat for seat, _ in table.bids)}
    seats |= {seat for seat in (table.palifico, table.winner) if seat is not None}
    seats |= {table.pending.seat} if table.pending else set()
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise _Impossible("player_count", least=FEWEST_PLAYERS, most=MOST_PLAYERS)
    if max(seats) >= players:
        raise _Impossible("no_such_seat")
    if any(len(cup) > rules.dice or max(cup, default=0) > rules.faces for cup in cups):
        raise _Impossible("too_many_dice")
    if table.winner is None and not cups[table.turn]:
        raise _Impossible("turn_without_dice")
    if table.move < 1:
        raise _Impossible("move_zero")
    if any(bid.quantity < 1 or not 1 <= bid.face <= rules.faces for _, bid in table.bids):
        raise _Impossible("no_such_bid")
