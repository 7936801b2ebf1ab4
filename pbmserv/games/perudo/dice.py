"""Provably fair dice: every cup follows from a secret committed earlier and from public data.

The server commits the secret seed of round r+1 before it deals the round.  The deal of round r
carries the SHA-256 of that seed (for round 1, the record's header does).  The cups follow from the
seed and from the digest of all public lines before the deal.  So neither the server nor a player
can choose them.  When the round ends its seed is published.  `commitments` has the digests, and
`verify` checks a whole record.  A seed is 32 random bytes (`security/dice_seeds.py`).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator

from pbmserv.games.perudo.commitments import chain_of, commitment
from pbmserv.games.perudo.event_notation import public, write_event
from pbmserv.games.perudo.events import Cup, Cups, Event, Rolled


def cups_from(seed: bytes, digest: bytes, counts: tuple[int, ...], faces: int) -> Cups:
    """The cups of a round: `counts` dice for each seat, each die 1 to `faces` (2-20).

    HMAC-SHA256(seed, digest and a block number of four bytes) gives bytes, block by block.  Each
    byte in turn gives a die, byte % faces + 1.  A byte from the last, incomplete multiple of
    `faces` is skipped, so that every face is equally likely.
    """
    dice = _dice(seed, digest, faces)
    return tuple(tuple(next(dice) for _ in range(count)) for count in counts)


def _dice(seed: bytes, digest: bytes, faces: int) -> Iterator[int]:
    fair = 256 - 256 % faces
    block = 0
    while True:
        for byte in hmac.digest(seed, digest + block.to_bytes(4, "big"), "sha256"):
            if byte < fair:
                yield byte % faces + 1
        block += 1


class SealedDice:
    """Dice from committed seeds.

    `seed` is the running round's secret (None before the first deal).  `next_seed` is the secret of
    the next round (committed already).  `after_seed` is a fresh one, committed with the next roll.
    `chain` is the digest of all public lines before this move.
    """

    def __init__(
        self, seed: bytes | None, next_seed: bytes, after_seed: bytes, chain: bytes
    ) -> None:
        self.seed = None if seed is None else seed.hex()
        self._next_seed = next_seed
        self._after_seed = after_seed
        self._chain = chain

    def roll(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Rolled:
        """The cups of the next round, and the commitment to the seed of the one after it."""
        digest = chain_of([write_event(public(event)) for event in happened], self._chain)
        cups = cups_from(self._next_seed, digest, counts, faces)
        return Rolled(cups, commitment(self._after_seed))


def unknown(counts: tuple[int, ...], faces: int) -> Cups:
    """Cups in which every die is unknown."""
    return tuple((0,) * count for count in counts)


def _in_order(rolls: Iterable[Cups]) -> Callable[[tuple[int, ...], int], Cups]:
    waiting = iter(rolls)
    return lambda counts, faces: next(waiting)


class PlainDice:
    """Dice without proof, from a source or from a list of rolls in order.

    `source` is called with the counts and the faces for the cups of each roll.  Without it every
    die is 0, not known.
    """

    seed: str | None = None

    def __init__(
        self,
        source: Callable[[tuple[int, ...], int], Cups] | Iterable[Cups] = unknown,
    ) -> None:
        self._source = source if callable(source) else _in_order(source)

    def roll(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Rolled:
        """The cups of the next round, without a commitment."""
        return Rolled(self._source(counts, faces))


def from_rolls(roll: Callable[[int], int]) -> PlainDice:
    """Unproven dice from a source of single dice: `roll(faces)` gives one, 1 to `faces`."""

    def cup(count: int, faces: int) -> Cup:
        return tuple(roll(faces) for _ in range(count))

    return PlainDice(lambda counts, faces: tuple(cup(count, faces) for count in counts))
