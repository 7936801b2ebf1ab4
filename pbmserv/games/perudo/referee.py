"""Replay a record, or a position with moves, and report the first broken line.

A record must hold every event that the rules say, and its proofs must hold.  A file of positions is
less strict:

    # what may follow one's own exact call?
    position pyrudo 22/5/- B 7 30 A:2-2s
    B dudo
    lose B

Comments and empty lines are allowed, and a move may be written as players write it (`B bid 4 2`).
Only the given lines are compared with the events after a move.  If a call needs dice that the
position does not tell, a `reveal` line must give them.  A further `position` line starts a new
position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.event_notation import read_event, read_seat, seats_fit
from pbmserv.games.perudo.events import (
    Action,
    Bade,
    Call,
    Called,
    Dealt,
    Event,
    Raise,
    Resigned,
    Revealed,
)
from pbmserv.games.perudo.move_parser import read_action
from pbmserv.games.perudo.position import Table, new_table
from pbmserv.games.perudo.position_notation import read_position
from pbmserv.games.perudo.record import Record, UnreadableRecord, read_record, write_lines
from pbmserv.games.perudo.replay import Broken, replay, replay_record, script_of, settled
from pbmserv.games.perudo.rules import FEWEST_PLAYERS, RULE_SETS
from pbmserv.games.perudo.verify import Proof, is_over, proofs

_POSITION = "position "


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result for the file `name`.

    `fault` is empty if everything is right.  Otherwise `line` (from 1) is the first line that
    breaks a rule.  `fault` is the reason: `why`, a code, and the values of its sentence.  If the
    rules refused an action, or a proof failed, `code` and `facts` are those of the refusal.
    `proven` holds the proofs of a record.  `running`: it is a record that ends before the game is
    over.
    """

    name: str
    line: int = 0
    fault: Mapping[str, Fact] = field(default_factory=dict)
    code: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    proven: tuple[Proof, ...] = ()
    running: bool = False

    @property
    def where(self) -> str:
        """The place of the fault, `file:line`."""
        return f"{self.name}:{self.line}"


def referee(text: str, name: str) -> Ruling:
    """Replay the record, or the positions with moves, in the file `name`.  Never raises."""
    try:
        if _is_positions(text):
            _replay_positions(text)
            return Ruling(name)
        record, proven = _replay_record(text)
        return Ruling(name, proven=proven, running=not is_over(record))
    except Broken as broken:
        refusal = broken.refusal
        if refusal is None:
            return Ruling(name, broken.line, broken.fault)
        return Ruling(name, broken.line, broken.fault, refusal.code, refusal.facts)


def _is_positions(text: str) -> bool:
    return next(_meant(text), (0, ""))[1].startswith(_POSITION)


def _meant(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file of positions that are not empty or comments, numbered from 1."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


# --- records


def _replay_record(text: str) -> tuple[Record, tuple[Proof, ...]]:
    try:
        record = read_record(text)
    except UnreadableRecord as problem:
        _replay_before(text, problem.line)
        raise Broken(problem.line, problem.fault) from None
    replay_record(record)
    try:
        return record, tuple(proofs(record))
    except Refused as problem:
        fault = {"why": "not_proven", "round": problem.facts["round"]}
        raise Broken(_line_of_round(record, problem.facts), fault, problem) from None


def _replay_before(text: str, line: int) -> None:
    """Replay the lines above one that is not understood: they may contain an earlier error."""
    try:
        record = read_record(write_lines(text.split("\n")[: line - 1]))
    except UnreadableRecord:
        return
    replay(new_table(record.rules, len(record.players)), settled(script_of(record)), whole=True)


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
    table = new_table(RULE_SETS["pbmserv"], FEWEST_PLAYERS)
    script: list[tuple[int, Event]] = []
    for number, line in _meant(text):
        try:
            if line.startswith(_POSITION):
                replay(table, script, whole=False)
                table, script = _read_position(number, line.removeprefix(_POSITION)), []
            else:
                script.append((number, _read_line(number, line, len(table.cups))))
        except Broken:
            replay(table, settled(script), whole=False)
            raise
    replay(table, script, whole=False)


def _read_position(number: int, line: str) -> Table:
    try:
        return read_position(line)
    except Refused as problem:
        fault = problem.facts["fault"]
        assert isinstance(fault, Mapping)
        raise Broken(number, fault, problem) from None


def _read_line(number: int, line: str, players: int) -> Event:
    try:
        event = read_event(line)
    except Refused:
        event = _read_move(number, line)
    if not seats_fit(event, players):
        raise Broken(number, {"why": "no_such_seat"})
    return event


def _read_move(number: int, line: str) -> Event:
    """A move as a player would write it, after the player's seat."""
    seat, _, text = line.partition(" ")
    try:
        return _event(read_seat(seat.upper()), read_action(text))
    except (Refused, ValueError):
        raise Broken(number, {"why": "no_move"}) from None


def _event(seat: int, action: Action) -> Event:
    if isinstance(action, Raise):
        return Bade(seat, action.bid)
    if isinstance(action, Call):
        return Called(seat, action.word)
    return Resigned(seat)
