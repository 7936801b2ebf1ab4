"""Actions of players, and the events that result from them.

Seats count from 0.  A cup is a tuple of dice, 1-20 each; a die 0 is unknown to the reader.  `salt`
is what the player's email adds to the coming dice (`player_salts`), "" without an email.
`beacon` is the number of the beacon's round for which the cups wait (`beacon`), None if they open
at once.
`event_notation` writes them; `position` says what they change.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.bids import Bid

Cup: TypeAlias = tuple[int, ...]
Cups: TypeAlias = tuple[Cup, ...]


@dataclass(frozen=True, slots=True)
class Raise:
    """The player bids: opens the round or raises the last bid."""

    bid: Bid
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """The player calls the last bid.  `word` is dudo, calza or pacao."""

    word: str
    salt: str = ""
    beacon: int | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    """The player leaves the game; the player's dice leave the table."""

    salt: str = ""
    beacon: int | None = None


Action: TypeAlias = Raise | Call | Resign


@dataclass(frozen=True, slots=True)
class Dealt:
    """Round `round` (from 1) was dealt; `starter` opens it.

    `palifico` is the seat whose Palifico round it is.  `commitment` is the SHA-256, in hex, of the
    next round's seed; None for dice without proof.
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
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """The seat called the last bid: dudo, calza or pacao."""

    seat: int
    call: str
    salt: str = ""
    beacon: int | None = None


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat left the game."""

    seat: int
    salt: str = ""
    beacon: int | None = None


@dataclass(frozen=True, slots=True)
class Beacon:
    """The beacon's round for which a call or a resignation has waited, with its value in hex.

    The value is None if the server uses the beacon no more: then the dice do not depend on it.
    """

    round: int
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Revealed:
    """All cups of the round were opened.

    `count` is how many dice count for the called bid.  It is None where a resignation or a restored
    backup ended the round.  `seed` is the round's secret in hex; None for dice without proof.
    """

    cups: Cups
    count: int | None
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """The server was restored from a backup, so the coming dice may be known.

    The running round is void.  `commitment` is the SHA-256, in hex, of the seed of the round that
    replaces it; None for dice without proof.
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
    """The seat has no dice left and is out."""

    seat: int


@dataclass(frozen=True, slots=True)
class Won:
    """Only this seat has dice left: the game is over."""

    seat: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The game was stopped without a winner.  The cups are opened next."""


NOBODY = -1
"""The winner of a game that was stopped."""

Event: TypeAlias = (
    Dealt
    | Bade
    | Called
    | Resigned
    | Beacon
    | Revealed
    | Restored
    | Lost
    | Gained
    | Eliminated
    | Won
    | Drawn
)


class Rolled(NamedTuple):
    """The result of a roll: the cups, and the commitment to the next seed, in hex."""

    cups: Cups
    commitment: str | None = None


class Dice(Protocol):
    """A source of dice, given as an argument."""

    @property
    def seed(self) -> str | None:
        """The running round's secret in hex, published when the round ends."""
        ...

    def roll(self, happened: tuple[Event, ...], counts: tuple[int, ...], faces: int) -> Rolled:
        """Fill the cups: `counts` dice for each seat, each 1 to `faces`.

        `happened` has the events of this move before the roll.
        """
        ...
