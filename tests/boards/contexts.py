"""A context for tests: real rows, fixed seeds, and passwords that are account numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random

from sqlalchemy import Connection

from pbmserv.boards import board, play
from pbmserv.context import Context
from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.players import accounts
from pbmserv.security.credentials import Credentials, Identity
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

NOW = 1_700_000_000


def seeds() -> Iterator[bytes]:
    number = 0
    while True:
        yield sha256(f"seed {number}".encode()).digest()
        number += 1


class NumbersAsPasswords(Credentials):
    """Credentials in which the number of an account is its password."""

    def authenticate(self, userid: str, password: str) -> Identity:
        self.tried[userid, password] = Identity(int(password))
        return Identity(int(password))

    def hash(self, password: str) -> str:
        return password


def context_on(connection: Connection, message: str = "") -> Context:
    """A context in which the number of an account is its password."""
    drawn = seeds()
    return Context(
        connection=connection,
        now=NOW,
        sender="ann@example.org",
        at_shell=False,
        message=message,
        settings=Settings(home=Path()),
        credentials=NumbersAsPasswords(),
        seed=lambda: next(drawn),
        chance=Random(1),
        keyed=Tokens(bytes(32)).keyed,
        confirmation=Tokens(bytes(32)).confirmation,
    )


def seated(connection: Connection, names: Sequence[str]) -> list[tuple[int, str]]:
    """Accounts of these players: numbers and userids."""
    found = []
    for name in names:
        known = accounts.find(connection, name)
        if known is None:
            address = f"{name}@example.org"
            accounts.sign_up(connection, name, "x", [address], confirmed=True, now=NOW)
            known = accounts.find(connection, name)
        assert known is not None
        found.append((known.id, known.userid))
    return found


def opened(
    context: Context,
    names: Sequence[str] = ("ann", "bob", "cleo"),
    rules: str = "pbmserv",
    **options: str,
) -> board.Board:
    """A new board of these players."""
    chosen = with_options(rules_named(rules), options)
    return play.open_board(context, chosen, seated(context.connection, names)).board
