"""Records: a whole game as a text file, from the header to the seal.

    pbmserv record 2                  the format and its version
    game perudo
    board 12
    rules classic,palifico=yes        the rule set and the options that differ from it
    players ann bob cleo              in seat order: seat A, B, C
    started 2026-11-20                the day, in UTC; may be missing
    commit HEX                        SHA-256 of round 1's seed; missing for dice without proof
    salt A 9f86d081                   what the players have added to the dice of round 1, if any
    deal 1 A ?????/?????/????? - next=HEX
    A 4-2s salt=60303ae2
    B dudo salt=fd61a03a
    reveal 13556/22346/12225 7 seed=HEX
    lose B
    deal 2 B ?????/????/????? - next=HEX
    ...
    win A
    seal HEX                          always the last line

The text is UTF-8 with one event a line, single blanks between words and no empty lines.  A line
feed ends every line (CR LF is read as well).  The events, in order of time:

- `deal ROUND STARTER CUPS PALIFICO [next=HEX]`: ROUND counts from 1, and STARTER is the seat that
  opens.  CUPS has a `?` for each die, in seat order between slashes (`-`: an empty cup).  PALIFICO
  is the seat whose Palifico round it is, or `-`.  `next` is the SHA-256 of the next round's seed.
- `SEAT Q-Fs`, `SEAT dudo`, `SEAT calza`, `SEAT pacao`, `SEAT resign`: the moves, each
  with the salt of its email (`player_salts`) if one came from a person.
- `SEAT dudo [salt=SALT] beacon=ROUND`, or another call or a resignation: the cups stay closed until
  a round of the public beacon drand (`beacon`).  `beacon ROUND HEX` follows, with the value of that
  round, and opens them; with `-` for HEX no value was mixed in.
- `reveal CUPS COUNT [seed=HEX]` after a call or a resignation.  CUPS are all cups of the round,
  each die a character (1-9, then a-k for 10-20).  COUNT is how many dice count for the called bid
  (`-` after a resignation), and `seed` is the round's seed.
- `lose SEAT`, `gain SEAT`, `out SEAT`: a die lost, a die regained, no dice left.  After a
  resignation there is only `out`.
- `restored HEX`: the server was restored from a backup.  The running round is void and opened
  (`reveal` with `-`), and rolled again by the `deal` that follows.  HEX is the SHA-256 of its seed,
  and replaces the one that was committed a round before.
- `win SEAT` ends the game.

Version 1, which is read as well, had no salts.  A game that was running at the upgrade has them
from then on.  Version 3 is that of a game that began on a server with a beacon.  Games that were
running then have its lines from then on.

The chain covers all lines from the first, except the seal.  Digest 0 is 32 zero bytes.  Digest n is
the SHA-256 of digest n-1 followed by line n in UTF-8, without its line end.  The seal is the last
digest in hex.  `dice.cups_from` makes the cups of a round from its seed and the digest of all lines
before its `deal` line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.commitments import chain_of
from pbmserv.games.perudo.event_notation import (
    public,
    read_event,
    read_number,
    read_seat,
    seats_fit,
    write_event,
    write_seat,
)
from pbmserv.games.perudo.events import Event
from pbmserv.games.perudo.player_salts import is_salt
from pbmserv.games.perudo.position_notation import read_rules, write_rules
from pbmserv.games.perudo.rules import FEWEST_PLAYERS, MOST_PLAYERS, Rules

_FORMAT = "pbmserv record"
VERSION = 2
BEACON_VERSION = 3
_VERSIONS = range(1, BEACON_VERSION + 1)
_GAME = "game perudo"
_HEX = re.compile(r"[0-9a-f]{64}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLAYER = re.compile(r"[A-Za-z][A-Za-z0-9._-]{1,19}")


class UnreadableRecord(Refused):
    """A line that no record has: code `unreadable_record`, facts `line` (from 1) and `fault`.

    `fault` is the reason for people: `why`, a code, and the values of its sentence.
    """

    def __init__(self, line: int, why: str, **values: Fact) -> None:
        self.line = line
        self.fault: Mapping[str, Fact] = {"why": why, **values}
        super().__init__("unreadable_record", line=line, fault=self.fault)


@dataclass(frozen=True, slots=True)
class Record:
    """A game as the public saw it.  `events` hold no dice of unopened rounds.

    `salts` are those of the first round, by seat.  `seal` is None for a record that has not been
    written yet.
    """

    board: int
    rules: Rules
    players: tuple[str, ...]
    events: tuple[Event, ...] = ()
    started: str | None = None
    commitment: str | None = None
    seal: str | None = None
    salts: tuple[tuple[int, str], ...] = ()
    version: int = VERSION

    @property
    def header(self) -> tuple[str, ...]:
        """The lines before the first event."""
        return write_header(
            self.board,
            self.rules,
            self.players,
            self.commitment,
            self.started,
            salts=self.salts,
            version=self.version,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines but the seal."""
        return (*self.header, *(write_event(public(event)) for event in self.events))


def write_header(
    board: int,
    rules: Rules,
    players: Sequence[str],
    commitment: str | None = None,
    started: str | None = None,
    *,
    salts: Iterable[tuple[int, str]] = (),
    version: int = VERSION,
) -> tuple[str, ...]:
    """The lines of a record before its first event."""
    lines = [f"{_FORMAT} {version}", _GAME, f"board {board}", f"rules {write_rules(rules)}"]
    lines.append(f"players {' '.join(players)}")
    if started is not None:
        lines.append(f"started {started}")
    if commitment is not None:
        lines.append(f"commit {commitment}")
    lines += [f"salt {write_seat(seat)} {salt}" for seat, salt in salts]
    return tuple(lines)


def write_lines(lines: Iterable[str], seal: str | None = None) -> str:
    """The text of a record from its lines, and the seal over them."""
    lines = tuple(lines)
    sealing = f"seal {seal or chain_of(lines).hex()}"
    return "\n".join([*lines, sealing, ""])


def read_record(text: str) -> Record:
    """The record in a text that `write_lines` made.

    Raises UnreadableRecord (a Refused) with the number of the first line that is not understood.
    `referee` and `verify` check the rules and the proofs.
    """
    lines = text.removesuffix("\n").split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    record, header = _read_header(lines)
    events = []
    for number, line in enumerate(lines[header:-1], header + 1):
        try:
            event = read_event(line)
        except Refused:
            raise UnreadableRecord(number, "no_event") from None
        if not seats_fit(event, len(record.players)) or public(event) != event:
            raise UnreadableRecord(number, "other_table")
        events.append(event)
    seal = lines[-1].removeprefix("seal ")
    if len(lines) <= header or not _HEX.fullmatch(seal) or seal == lines[-1]:
        raise UnreadableRecord(len(lines), "no_seal")
    return replace(record, events=tuple(events), seal=seal)


def _read_header(lines: Sequence[str]) -> tuple[Record, int]:
    """The record from the header, and the number of the header's lines."""
    versions = [each for each in _VERSIONS if lines[0] == f"{_FORMAT} {each}"]
    if not versions:
        raise UnreadableRecord(1, "expected", expected=f"{_FORMAT} {VERSION}")
    if lines[1:2] != [_GAME]:
        raise UnreadableRecord(2, "expected", expected=_GAME)
    at = 2
    values: dict[str, str] = {}
    for name in ("board", "rules", "players", "started", "commit"):
        if at < len(lines) and lines[at].startswith(name + " "):
            values[name] = lines[at].removeprefix(name + " ")
            at += 1
        elif name in {"board", "rules", "players"}:
            raise UnreadableRecord(at + 1, "expected", expected=name)
    record = replace(_from_header(values), version=versions[0])
    salts: list[tuple[int, str]] = []
    while at < len(lines) and lines[at].startswith("salt "):
        salts.append(_read_salt(at + 1, lines[at], len(record.players)))
        at += 1
    if [*dict(sorted(salts)).items()] != salts:
        raise UnreadableRecord(at, "salts_unordered")
    return replace(record, salts=tuple(salts)), at


def _read_salt(number: int, line: str, players: int) -> tuple[int, str]:
    """The seat and the salt of one line of the header."""
    try:
        _, seat, salt = line.split(" ")
        place = read_seat(seat)
    except ValueError:
        raise UnreadableRecord(number, "no_salt") from None
    if place >= players or not is_salt(salt):
        raise UnreadableRecord(number, "no_salt")
    return place, salt


def _from_header(values: dict[str, str]) -> Record:
    try:
        board = read_number(values["board"])
    except ValueError:
        raise UnreadableRecord(3, "no_board") from None
    try:
        rules = read_rules(values["rules"])
    except (ValueError, Refused):
        raise UnreadableRecord(4, "no_rules") from None
    players = tuple(values["players"].split(" "))
    named = all(map(_PLAYER.fullmatch, players))
    if not named or not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise UnreadableRecord(5, "no_players", least=FEWEST_PLAYERS, most=MOST_PLAYERS)
    started, commitment = values.get("started"), values.get("commit")
    if started is not None and not _DAY.fullmatch(started):
        raise UnreadableRecord(6, "no_day")
    if commitment is not None and not _HEX.fullmatch(commitment):
        raise UnreadableRecord(6 if started is None else 7, "no_commitment")
    return Record(board, rules, players, (), started, commitment)
