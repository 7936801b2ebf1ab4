"""The letter, and how kinds of letters are declared.

A letter is stored as its payload, and turned into words when it is sent.  Each kind of letter has a
`TypedDict` in this folder, and below it a `Kind`.  The `Kind` makes letters: `RECORD.to(None,
{"board": 12, "record": text})`.  So mypy finds a key that is missing, misspelt or of another type.
A test compares the templates with the same names.

- `accounts.py`: accounts, addresses, preferences, vacations
- `boards.py`: invitations, seeks, and what one player does at a board
- `guests.py`: invitations by address, and the answers to their readers
- `listings.py`: tables of boards and players, records and their proof
- `mails.py`: answers to emails, messages, and letters to the operator
- `perudo.py`: the game's letters; `letters/perudo/context.py` has what their templates are given

All payloads are JSON, because they wait in the outbox.  A row written before an upgrade is rendered
after it.  So a key keeps its name and its meaning, and templates need a `default` for new keys.
Moments are in seconds since 1970.  Rendering adds to every letter `zone`, the time zone of its
reader, and `account`, the userid.

The other files do not postpone annotations, because `TypedDict` would compile each on import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Generic, TypeVar

from pbmserv.fast_dataclasses import dataclass

Payload = TypeVar("Payload", bound=Mapping[str, object])


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter: its recipient, its kind, and its payload; a `Kind` makes it.

    `to` is a player's id, an address, or None for the sender of the command.  Such a letter answers
    an email, or a shell prints it.  `board`, `move` and the player are bound in the token
    with which the reader can reply with a move.  Without a move there is no token.  `player`: the
    player of this token in an answer, if the answer goes to an address of that player's.
    `address`: a player's letter goes only to this address, even if it is paused.  `language`: of a
    letter to an address whose player is known, "" for that of the request.  `routine`: but
    for words of others, it tells a player nothing that cannot wait for the player's next letter.
    """

    to: int | str | None
    kind: str
    payload: Mapping[str, object] = field(default_factory=dict)
    board: int | None = None
    move: int | None = None
    token: str = ""
    address: str = ""
    player: int | None = None
    routine: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Payload]):
    """A kind of letter: its name, which is also its template's, and the type of its payload."""

    name: str
    payload: type[Payload]

    def to(
        self,
        reader: int | str | None,
        payload: Payload,
        board: int | None = None,
        move: int | None = None,
        *,
        token: str = "",
        address: str = "",
        player: int | None = None,
        routine: bool = False,
    ) -> Letter:
        """A letter of this kind to its `reader`; `Letter` explains the arguments."""
        return Letter(reader, self.name, payload, board, move, token, address, player, routine)
