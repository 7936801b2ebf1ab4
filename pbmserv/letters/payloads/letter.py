"""Facts: which letters there are, and what each of them knows.

A letter is written down as facts and worded when it leaves.  Each kind of letter has a
`TypedDict` in this folder, and a `Kind` below it, which makes letters of it:
`RECORD.to(None, {"board": 12, "record": text})`.  So a fact that is missing, misspelt or of
another type is found by mypy, where the letter is made; a test holds the templates to the same
names.

- `players/validation.py`: accounts, addresses, preferences, vacations
- `boards/board.py`: invitations, seeks, and what one player does at a board
- `listings.py`: tables of boards and players, records and their proof
- `mails.py`: answers to mails, messages, and letters to the operator
- `perudo.py`: the game's letters; what its templates are given is in `letters/perudo/context.py`

All of them are JSON, for facts wait in the outbox as such.  A row that was written before an
upgrade is worded after it: a key keeps its name and its meaning, and what is new there has to do
without in the templates (`default`).  A moment is in seconds since 1970.  What wording adds to
every letter is `zone`, the time zone of its reader, and `account`, the userid.

Annotations are no text in this folder: `TypedDict` would compile each of them on import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Facts = TypeVar("Facts", bound=Mapping[str, object])


@dataclass(frozen=True, slots=True)
class Letter:
    """To whom, which letter, and the facts it is worded from; a `Kind` makes it.

    `to` is a player's number, an address, or None for whoever asked (a shell prints that one,
    a mail answers it).  `board`, `move` and the player whom it goes to bind the token by which
    the reader can reply with a bare move; without a move there is none.  `player`: whose token
    an answer to whoever asked carries, where it goes to an address of that player's.
    `address`: a player's letter goes to this address alone, paused or not.
    """

    to: int | str | None
    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)
    board: int | None = None
    move: int | None = None
    token: str = ""
    address: str = ""
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Kind(Generic[Facts]):
    """A kind of letter: its name, which is its template's, and what its facts are."""

    name: str
    facts: type[Facts]

    def to(
        self,
        reader: int | str | None,
        facts: Facts,
        board: int | None = None,
        move: int | None = None,
        *,
        token: str = "",
        address: str = "",
        player: int | None = None,
    ) -> Letter:
        """A letter of this kind to its `reader`; what the arguments mean, `Letter` says."""
        return Letter(reader, self.name, facts, board, move, token, address, player)
