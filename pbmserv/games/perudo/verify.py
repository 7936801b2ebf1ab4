"""Verify the proofs in a record, round by round.

Every published seed must match the commitment made a round before.  Every cup must follow from its
seed and the lines before its deal.  The seal must match all lines, and every event must follow the
rules (`replay` checks this).
"""

from __future__ import annotations

from typing import NamedTuple

from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.commitments import CHAIN_START, chain, chain_of, commitment
from pbmserv.games.perudo.dice import cups_from
from pbmserv.games.perudo.event_notation import write_event
from pbmserv.games.perudo.events import (
    Bade,
    Beacon,
    Called,
    Cups,
    Dealt,
    Drawn,
    Resigned,
    Restored,
    Revealed,
    Won,
)
from pbmserv.games.perudo.record import Record
from pbmserv.games.perudo.replay import Broken, replay_record

REASONS = (
    *("seed", "seed_missing", "commitment_missing", "counts"),
    *("dice", "history", "header", "seal"),
)
"""The reasons of a refusal for a failed proof.

`history` is a line of the round before its deal, or the deal.  The others are named for the part
that is wrong, missing, or changed.
"""


class Proof(NamedTuple):
    """The proof of a round (numbered from 1).

    `why` is "" if the round is proven.  `restored`: it is proven, but its seed was committed when a
    backup was restored, not a round before.  `running`: the round is not opened yet.  `plain`:
    no round of the record has a seed or a commitment.

    `salted` are the seats of players who added to the dice after their seed was committed.  Where
    it is empty, the proof binds the players alone: the server could have chosen among seeds.

    `beacon` is the beacon's round that opened the cups of the round before.  Its value is the one
    in the record.  Nothing here compares the value with the one that the beacon has published.
    """

    round: int
    proven: bool
    why: str = ""
    salted: frozenset[int] = frozenset()
    beacon: Beacon | None = None


@dataclass(frozen=True, slots=True)
class _Round:
    """The place of a round in the record: `before` is the digest of the `place` lines before it."""

    number: int
    counts: tuple[int, ...]
    place: int
    before: bytes
    commitment: str | None
    restored: bool = False
    opened: int = 0
    revealed: Revealed | None = None
    salted: frozenset[int] = frozenset()
    beacon: Beacon | None = None

    @property
    def seed(self) -> str | None:
        return self.revealed.seed if self.revealed else None


def verify(record: Record) -> list[Proof]:
    """The proof of every round, in order, in a record that follows the rules.

    Refused: as `proofs`; and `broken_record` (round, line, fault) if all proofs hold
    but a line breaks a rule.
    """
    found = proofs(record)
    try:
        replay_record(record)
    except Broken as broken:
        before = record.events[: broken.line - len(record.header)]
        number = sum(isinstance(event, Dealt) for event in before)
        raise Refused(
            "broken_record", where="", round=number, line=broken.line, fault=broken.fault
        ) from None
    return found


def is_over(record: Record) -> bool:
    """Whether the game ended; if not, the record is that of its beginning."""
    return any(isinstance(event, Won | Drawn) for event in record.events)


def proofs(record: Record) -> list[Proof]:
    """The proof of every round, in order, whether or not the events follow the rules.

    Refused: `proof_broken` (round: the first whose proof fails; reason: one of REASONS).  If dice
    do not follow from their seed, the named round is the one whose lines were changed.  That is the
    round itself if only its dice were changed, and the one before if its history was.
    """
    rounds, end = _rounds(record)
    promised = any(each.commitment or each.seed for each in rounds)
    found = [_proof(record, rounds, place, promised) for place in range(len(rounds))]
    if record.seal != end.hex():
        raise _broken(rounds[-1].number if rounds else 1, "seal")
    return found


def _broken(number: int, reason: str) -> Refused:
    return Refused("proof_broken", round=number, reason=reason)


def _rounds(record: Record) -> tuple[list[_Round], bytes]:
    """The rounds of a record, and the digest of all its lines."""
    rounds: list[_Round] = []
    digest = chain_of(record.header, CHAIN_START)
    committed, restored = record.commitment, False
    beacon: Beacon | None = None
    salted = {seat for seat, _ in record.salts}
    for place, event in enumerate(record.events, len(record.header)):
        if isinstance(event, Dealt):
            counts = tuple(map(len, event.cups))
            known = _Round(event.round, counts, place, digest, committed, restored)
            rounds.append(replace(known, salted=frozenset(salted), beacon=beacon))
            committed, restored, beacon = event.commitment, False, None
            salted.clear()
        elif isinstance(event, Restored):
            committed, restored = event.commitment, True
            salted.clear()
        elif isinstance(event, Bade | Called | Resigned) and event.salt:
            salted.add(event.seat)
        elif isinstance(event, Beacon):
            beacon = event
        elif isinstance(event, Revealed) and rounds:
            rounds[-1] = replace(rounds[-1], opened=place, revealed=event)
        digest = chain(digest, write_event(event))
    return rounds, digest


def _proof(record: Record, rounds: list[_Round], place: int, promised: bool) -> Proof:
    """The proof of one round.

    If any round has a seed or a commitment, all must.  Otherwise a server could choose the dice of
    some rounds, and leave out their seeds.
    """
    this = rounds[place]
    if promised and this.commitment is None:
        raise _broken(this.number, "commitment_missing")
    if this.revealed is None:
        return Proof(this.number, False, "running", beacon=this.beacon)
    seed = this.seed
    if seed is None or this.commitment is None:
        if promised:
            raise _broken(this.number, "seed_missing")
        return Proof(this.number, False, "plain", beacon=this.beacon)
    if commitment(bytes.fromhex(seed)) != this.commitment:
        raise _broken(this.number, "seed")
    if tuple(map(len, this.revealed.cups)) != this.counts:
        raise _broken(this.number, "counts")
    cups = cups_from(bytes.fromhex(seed), this.before, this.counts, record.rules.faces)
    if cups == this.revealed.cups:
        why = "restored" if this.restored else ""
        return Proof(this.number, True, why, this.salted, this.beacon)
    if _only_dice_changed(record, rounds, place, cups):
        raise _broken(this.number, "dice")
    raise _broken(rounds[place - 1].number, "history") if place else _broken(1, "header")


def _only_dice_changed(record: Record, rounds: list[_Round], place: int, cups: Cups) -> bool:
    """Whether all later lines match again once the dice are corrected: next round, or seal."""
    this = rounds[place]
    assert this.revealed is not None
    lines = list(record.lines)
    lines[this.opened] = write_event(replace(this.revealed, cups=cups))
    for later in rounds[place + 1 :]:
        if later.revealed is not None and later.revealed.seed is not None:
            seed = bytes.fromhex(later.revealed.seed)
            before = chain_of(lines[: later.place])
            rolled = cups_from(seed, before, later.counts, record.rules.faces)
            return rolled == later.revealed.cups
    return chain_of(lines).hex() == record.seal
