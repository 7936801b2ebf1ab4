"""What players do, and what happens: actions going in, events coming out.

Seats count from 0.  A cup is a tuple of dice, 1-20 each; a die 0 is one that the reader does
not know.  How they are written is in `notation`, what they change in `position`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from pbmserv.games.perudo.bids import Bid

Cup: TypeAlias = tuple[int, ...]
Cups: TypeAlias = tuple[Cup, ...]


@dataclass(frozen=True, slots=True)
class Raise:
    """The player bids: opens the round or raises the last bid."""

    bid: Bid


@dataclass(frozen=True, slots=True)
class Call:
    """The player calls the last bid.  `word` is dudo, calza or pacao."""

    word: str


@dataclass(frozen=True, slots=True)
class Resign:
    """The player leaves the game; his dice leave the table."""


Action: TypeAlias = Raise | Call | Resign


@dataclass(frozen=True, slots=True)
class Dealt:
    """Round `round` (from 1) was thrown; `starter` opens it.

    `palifico` is the seat whose Palifico round it is.  `commitment` is the SHA-256, in hex, of
    the next round's seed; None where nobody proves the dice.
    """

    round: int
    starter: int
    palifico: int | None
    cups: Cups
    commitment: str | None = None


@dataclass(frozen=True, slots=True)
class Bade:
    """The seat bid."""

    seat: int
    bid: Bid


@dataclass(frozen=True, slots=True)
class Called:
    """The seat called the last bid: dudo, calza or pacao."""

    seat: int
    call: str


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat left the game."""

    seat: int


@dataclass(frozen=True, slots=True)
class Revealed:
    """All cups of the round were opened.

    `count` is how many dice count for the called bid; None where a resignation or a restored
    backup broke the round off.  `seed` is the round's secret in hex; None where nobody proves the
    dice.
    """

    cups: Cups
    count: int | None
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """The server went back to a backup, and dice that were to come may have been seen.

    The running round is void.  `commitment` is the SHA-256, in hex, of the seed of the round that
    is thrown in its place; None where nobody proves the dice.
    """

    commitment: str | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """The seat lost a die."""

    seat: int


@dataclass(frozen=True, slots=True)
class Gained:
    """The seat got a lost die back."""

    seat: int


@dataclass(frozen=True, slots=True)
class Eliminated:
    """The seat has no dice any more and is out."""

    seat: int


@dataclass(frozen=True, slots=True)
class Won:
    """The seat alone has dice left: the game is over."""

    seat: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The game was stopped: nobody has won.  The cups are opened next."""


NOBODY = -1
"""The winner of a game that was stopped."""

Event: TypeAlias = (
    Dealt
    | Bade
    | Called
    | Resigned
    | Revealed
    | Restored
    | Lost
    | Gained
    | Eliminated
    | Won
    | Drawn
)


class Thrown(NamedTuple):
    """What a throw of the dice gave: the cups, and the commitment to the next seed, in hex."""

    cups: Cups
    commitment: str | None = None


class Dice(Protocol):
    """Chance, as an argument."""

    @property
    def seed(self) -> str | None:
        """The running round's secret in hex, opened when the round ends."""
        ...

    def throw(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Thrown:
        """Fill the cups: so many dice for each seat, each 1 to `faces`.

        `happened` is what this move did so far, before the throw.
        """
        ...
