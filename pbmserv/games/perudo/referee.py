"""The referee: replays a record, or a position with moves, and names the first broken line.

A record must hold every event that the rules say, and its proofs must hold.  A file of
positions is laxer:

    # what may follow one's own exact call?
    position pyrudo 22/5/- B 7 30 A:2-2s
    B dudo
    lose B

Comments and empty lines are free, a move may be written as players write it (`B bid 4 2`), and
of what follows a move only the lines given are compared.  Dice a call needs and the position
does not tell must come with a `reveal` line.  A further `position` line starts anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.dice import unknown
from pbmserv.games.perudo.events import (
    Action,
    Bade,
    Call,
    Called,
    Dealt,
    Event,
    Raise,
    Resign,
    Resigned,
    Revealed,
    Thrown,
)
from pbmserv.games.perudo.lines import read_event, read_seat, seats_fit, write_event
from pbmserv.games.perudo.moves import read_action
from pbmserv.games.perudo.play import play, start
from pbmserv.games.perudo.position import Table, after_all, new_table
from pbmserv.games.perudo.positions import read_position
from pbmserv.games.perudo.record import Record, Unreadable, read_record
from pbmserv.games.perudo.verify import Proof, verify

Move: TypeAlias = Bade | Called | Resigned
Script: TypeAlias = Sequence[tuple[int, Event]]
"""Events with the numbers of their lines, from 1."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the referee found in the file `name`.

    `fault` is "" where all holds; otherwise `line` (from 1) is the first line that breaks a
    rule, and `fault` says which.  Where the rule refused an action, `code` and `facts` are that
    refusal's.  `proven` is what the proofs of a record show.
    """

    name: str
    line: int = 0
    fault: str = ""
    code: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    proven: tuple[Proof, ...] = ()

    @property
    def where(self) -> str:
        """The place of the fault, `file:line`."""
        return f"{self.name}:{self.line}"


class _Broken(Exception):
    """A line that breaks a rule; `refusal` where it is an action that the rules refuse."""

    def __init__(self, line: int, fault: str, refusal: Refused | None = None) -> None:
        super().__init__(fault)
        self.line = line
        self.fault = fault
        self.refusal = refusal


def referee(text: str, name: str) -> Report:
    """Replay the record, or the positions with moves, in the file `name`.  Never raises."""
    try:
        if _is_positions(text):
            _replay_positions(text)
            return Report(name)
        return Report(name, proven=_replay_record(text))
    except _Broken as broken:
        refusal = broken.refusal
        if refusal is None:
            return Report(name, broken.line, broken.fault)
        return Report(name, broken.line, broken.fault, refusal.code, refusal.facts)


def _is_positions(text: str) -> bool:
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    return next(lines, "").startswith("position ")


# --- records


def _replay_record(text: str) -> tuple[Proof, ...]:
    try:
        record = read_record(text)
    except Unreadable as problem:
        raise _Broken(problem.line, problem.why) from None
    table = new_table(record.rules, len(record.players))
    first = len(record.header) + 1
    _replay(table, list(enumerate(record.events, first)), whole=True)
    try:
        return tuple(verify(record))
    except Refused as problem:
        line = _line_of_round(record, problem.facts)
        raise _Broken(line, f"round {problem.facts['round']}: {problem.facts['why']}") from None


def _line_of_round(record: Record, facts: Mapping[str, Fact]) -> int:
    """The line to show for a broken proof: the opened dice, the deal, the header, the seal."""
    header = len(record.header)
    if facts["reason"] == "seal":
        return header + len(record.events) + 1
    if facts["reason"] == "header":
        return 1
    kind = Dealt if facts["reason"] == "history" else Revealed
    events = enumerate(record.events, header + 1)
    lines = [line for line, event in events if isinstance(event, kind)]
    number = facts["round"]
    assert isinstance(number, int)
    return lines[number - 1]


# --- positions with moves


def _replay_positions(text: str) -> None:
    table: Table | None = None
    script: list[tuple[int, Event]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("position "):
            if table is not None:
                _replay(table, script, whole=False)
            try:
                table, script = read_position(line.removeprefix("position ")), []
            except Refused as problem:
                raise _Broken(number, str(problem.facts["why"]), problem) from None
        elif table is not None:
            script.append((number, _read_line(number, line, len(table.cups))))
    if table is not None:
        _replay(table, script, whole=False)


def _read_line(number: int, line: str, players: int) -> Event:
    try:
        event = read_event(line)
    except Refused:
        event = _read_move(number, line)
    if not seats_fit(event, players):
        raise _Broken(number, "no such seat at this table")
    return event


def _read_move(number: int, line: str) -> Event:
    """A move as a player would write it, after his seat."""
    seat, _, text = line.partition(" ")
    try:
        return _happening(read_seat(seat.upper()), read_action(text))
    except (Refused, ValueError):
        raise _Broken(number, "neither a move nor an event") from None


def _happening(seat: int, action: Action) -> Event:
    if isinstance(action, Raise):
        return Bade(seat, action.bid)
    if isinstance(action, Call):
        return Called(seat, action.word)
    return Resigned(seat)


# --- replaying


class _Told:
    """Dice as the lines after a move tell them; a die not told is 0."""

    def __init__(self, told: Sequence[Event]) -> None:
        revealed = next((event for event in told if isinstance(event, Revealed)), None)
        self.seed = revealed.seed if revealed else None
        self._dealt = next((event for event in told if isinstance(event, Dealt)), None)

    def throw(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Thrown:
        cups, commitment = unknown(counts, faces), None
        if self._dealt is not None:
            commitment = self._dealt.commitment
            told = self._dealt.cups
            if tuple(map(len, told)) == counts and _within(told, faces):
                cups = told
        return Thrown(cups, commitment)


def _within(cups: Sequence[Sequence[int]], faces: int) -> bool:
    return all(die <= faces for cup in cups for die in cup)


def _replay(table: Table, script: Script, *, whole: bool) -> None:
    """Play every move of the script and compare what it says with what the rules say.

    In a `whole` script every event must be there, from the first deal on.
    """
    at = 0
    while at < len(script):
        number, event = script[at]
        end = at + 1
        while end < len(script) and not isinstance(script[end][1], Move):
            end += 1
        told = script[at:end]
        if not table.round and (whole or isinstance(event, Dealt)):
            end, told = at + 1, script[at : at + 1]
            happened = start(table, _Told([event]))
        elif isinstance(event, Move):
            table = _opened(table, told)
            happened = _played(table, number, event, [each for _, each in told])
        else:
            raise _Broken(number, "no move led to this")
        _compare(told, happened, whole=whole)
        table = after_all(table, happened)
        at = end


def _opened(table: Table, told: Script) -> Table:
    """The table with the dice that the `reveal` line after a move tells."""
    for number, event in told:
        if isinstance(event, Revealed):
            fits = tuple(map(len, event.cups)) == table.counts and _within(
                event.cups, table.rules.faces
            )
            dice = [die for cup in event.cups for die in cup]
            known = [die for cup in table.cups for die in cup]
            same = all(a in {0, b} for a, b in zip(known, dice, strict=False))
            if not fits or not same or 0 in dice:
                raise _Broken(number, "these cannot be the dice of this round")
            return table._replace(cups=event.cups)
    return table


def _played(table: Table, number: int, event: Move, told: list[Event]) -> tuple[Event, ...]:
    if isinstance(event, Bade):
        action: Action = Raise(event.bid)
    else:
        action = Call(event.call) if isinstance(event, Called) else Resign()
    try:
        happened = play(table, event.seat, action, _Told(told))
    except Refused as refusal:
        fault = f"{write_event(event)}: {_rule_of(refusal)}"
        raise _Broken(number, fault, refusal) from None
    if isinstance(event, Called) and any(0 in cup for cup in table.cups):
        raise _Broken(number, "the dice are not known; a reveal line must tell them")
    return happened


def _rule_of(refusal: Refused) -> str:
    rule = refusal.facts.get("rule", refusal.code)
    return refusal.code if rule == refusal.code else f"{refusal.code} ({rule})"


def _compare(told: Script, happened: Sequence[Event], *, whole: bool) -> None:
    """Every line told must be what happened, in order; in a whole script nothing is left out."""
    expected = list(happened)
    for number, event in told:
        due = f"; the rules say: {write_event(expected[0])}" if expected else ""
        if not whole and event in expected:
            del expected[: expected.index(event)]
        if not expected or expected[0] != event:
            raise _Broken(number, f"not what happens here: {write_event(event)}{due}")
        expected.pop(0)
    if whole and expected:
        raise _Broken(told[-1][0] + 1, f"missing here: {write_event(expected[0])}")
