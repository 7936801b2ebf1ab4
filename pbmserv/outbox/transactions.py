"""Run a function in a transaction, and write its letters into the outbox: both or neither."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from random import Random, SystemRandom
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine

from pbmserv.context import Context, UnitOfWork
from pbmserv.database.engine import writing
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox import queue
from pbmserv.security.credentials import Credentials
from pbmserv.security.dice_seeds import new_seed
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

Work: TypeAlias = Callable[[UnitOfWork], list[Letter]]
"""A function that reads and writes rows, and returns the letters about its changes."""
_Seed: TypeAlias = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Transactions:
    """Makes units of work for scheduled jobs and for the operator, and contexts for commands.

    `clock()` returns seconds since 1970, `seed()` 32 new secret bytes; `chance` shuffles seats.
    """

    engine: Engine
    tokens: Tokens
    settings: Settings
    clock: Callable[[], int]
    seed: _Seed = new_seed
    chance: Random = field(default_factory=SystemRandom)

    def unit_of_work(self, connection: Connection) -> UnitOfWork:
        """A unit of work in an open transaction."""
        return UnitOfWork(
            connection=connection,
            now=self.clock(),
            settings=self.settings,
            seed=self.seed,
            chance=self.chance,
            keyed=self.tokens.keyed,
            confirmation=self.tokens.confirmation,
        )

    def context(
        self,
        connection: Connection,
        credentials: Credentials,
        sender: str,
        message: str,
        *,
        at_shell: bool = False,
        **more: Any,
    ) -> Context:
        """The context of a command in an open transaction; `more` are its other fields."""
        return Context(
            connection=connection,
            now=self.clock(),
            settings=self.settings,
            seed=self.seed,
            chance=self.chance,
            keyed=self.tokens.keyed,
            confirmation=self.tokens.confirmation,
            sender=sender,
            at_shell=at_shell,
            message=message,
            credentials=credentials,
            **more,
        )

    def execute(self, connection: Connection, work: Work) -> None:
        """Run a function in an open transaction, and put its letters into the outbox."""
        unit = self.unit_of_work(connection)
        queue.put(connection, work(unit), self.tokens, unit.now)

    def run(self, work: Work) -> None:
        """Run a function in a transaction of its own, and put its letters into the outbox."""
        with writing(self.engine) as connection:
            self.execute(connection, work)
