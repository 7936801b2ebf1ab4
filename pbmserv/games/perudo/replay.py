"""Replay a script of events and compare each line with the rules.

The script may be complete (a record) or have gaps (a study of a position).  `referee` reads both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.dice import unknown
from pbmserv.games.perudo.event_notation import write_event, write_seat
from pbmserv.games.perudo.events import (
    Action,
    Bade,
    Beacon,
    Call,
    Called,
    Dealt,
    Drawn,
    Event,
    Raise,
    Resign,
    Resigned,
    Restored,
    Revealed,
    Rolled,
)
from pbmserv.games.perudo.play import open_cups, play, roll_again, start, stop
from pbmserv.games.perudo.position import Table, after_all, new_table
from pbmserv.games.perudo.record import Record

Move: TypeAlias = Bade | Called | Resigned | Beacon | Drawn | Restored
Script: TypeAlias = Sequence[tuple[int, Event]]
"""Events with the numbers of their lines, from 1."""


class Broken(Exception):
    """A line that breaks a rule; `refusal` is that of the action, or of the proof that fails.

    `fault` is the reason for people: `why`, a code, and the values of its sentence.
    """

    def __init__(
        self, line: int, fault: Mapping[str, Fact], refusal: Refused | None = None
    ) -> None:
        super().__init__(fault["why"])
        self.line = line
        self.fault = fault
        self.refusal = refusal


def settled(script: Script) -> Script:
    """The script up to its last move: the events after that one may still be missing."""
    moves = [place for place, (_, event) in enumerate(script) if isinstance(event, Move)]
    return script[: moves[-1]] if moves else []


class _Told:
    """Dice from the lines after a move; an unknown die is 0."""

    def __init__(self, told: Sequence[Event]) -> None:
        revealed = next((event for event in told if isinstance(event, Revealed)), None)
        self.seed = revealed.seed if revealed else None
        self._dealt = next((event for event in told if isinstance(event, Dealt)), None)

    def roll(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Rolled:
        cups, commitment = unknown(counts, faces), None
        if self._dealt is not None:
            commitment = self._dealt.commitment
            told = self._dealt.cups
            if tuple(map(len, told)) == counts and _within(told, faces):
                cups = told
        return Rolled(cups, commitment)


def _within(cups: Sequence[Sequence[int]], faces: int) -> bool:
    return all(die <= faces for cup in cups for die in cup)


def replay_record(record: Record) -> None:
    """Replay a whole record.  Raises Broken at the first line that breaks a rule."""
    replay(new_table(record.rules, len(record.players)), script_of(record), whole=True)


def script_of(record: Record) -> Script:
    """The events of a record with the numbers of their lines in its file."""
    return list(enumerate(record.events, len(record.header) + 1))


def replay(table: Table, script: Script, *, whole: bool) -> None:
    """Play every move of the script and compare its events with those of the rules.

    A `whole` script must contain every event, from the first deal on.
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
            raise Broken(number, {"why": "no_move_before"})
        _compare(told, happened, whole=whole)
        table = after_all(table, happened)
        at = end


def _opened(table: Table, told: Script) -> Table:
    """The table with the dice that the `reveal` line after a move shows."""
    for number, event in told:
        if isinstance(event, Revealed):
            fits = tuple(map(len, event.cups)) == table.counts and _within(
                event.cups, table.rules.faces
            )
            dice = [die for cup in event.cups for die in cup]
            known = [die for cup in table.cups for die in cup]
            same = all(a in {0, b} for a, b in zip(known, dice, strict=False))
            if not fits or not same or 0 in dice:
                raise Broken(number, {"why": "other_dice"})
            return table._replace(cups=event.cups)
    return table


def _played(table: Table, number: int, event: Move, told: list[Event]) -> tuple[Event, ...]:
    dice = _Told(told)
    try:
        if isinstance(event, Drawn):
            happened = stop(table, dice)
        elif isinstance(event, Restored):
            happened = roll_again(table, event.commitment, dice)
        elif isinstance(event, Beacon):
            happened = open_cups(table, event, dice)
        else:
            happened = play(table, event.seat, _action(event), dice)
    except Refused as refusal:
        fault = {"why": "refused", "event": write_event(event), **_rule_of(refusal)}
        raise Broken(number, fault, refusal) from None
    opens = isinstance(event, Called) and event.beacon is None
    opens |= isinstance(event, Beacon) and isinstance(table.pending, Called)
    if opens and any(0 in cup for cup in table.cups):
        raise Broken(number, {"why": "dice_unknown"})
    return happened


def _action(event: Bade | Called | Resigned) -> Action:
    if isinstance(event, Bade):
        return Raise(event.bid, event.salt)
    if isinstance(event, Called):
        return Call(event.call, event.salt, event.beacon)
    return Resign(event.salt, event.beacon)


def _rule_of(refusal: Refused) -> dict[str, Fact]:
    """What the rules call their refusal, and the seat whose turn it is (`-`: it was this one)."""
    rule = refusal.facts.get("rule", refusal.code)
    named = refusal.code if rule == refusal.code else f"{refusal.code} ({rule})"
    if refusal.code == "not_your_turn":
        return {"named": named, "turn": write_seat(int(str(refusal.facts["turn"])))}
    return {"named": named, "turn": write_seat(None)}


def _compare(told: Script, happened: Sequence[Event], *, whole: bool) -> None:
    """Compare the given lines with the events, in order; a whole script must have all of them."""
    expected = list(happened)
    for number, event in told:
        due = write_event(expected[0]) if expected else ""
        if not whole and event in expected:
            del expected[: expected.index(event)]
        if not expected or expected[0] != event:
            raise Broken(number, {"why": "unexpected", "event": write_event(event), "due": due})
        expected.pop(0)
    if whole and expected:
        raise Broken(told[-1][0] + 1, {"why": "missing", "due": write_event(expected[0])})
