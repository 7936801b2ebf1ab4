"""Games played by the real core, and the payloads of the letters that tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pbmserv.boards.record import RECENT_BIDS, RECENT_ROUNDS
from pbmserv.games.perudo.notation import public, write_event, write_view
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
    Bade,
    Dealt,
    Dice,
    Event,
    Revealed,
    Table,
    after_all,
    new_table,
    play,
    start,
    view,
)

NAMES = ("ann", "bob", "cleo", "dan", "eve", "fay")
Facts = dict[str, Any]
Names = Sequence[str]


@dataclass
class Game:
    """A board of which every letter can be asked for."""

    table: Table
    dice: Dice
    names: Names = NAMES
    recent: list[list[str]] = field(default_factory=list)
    events: tuple[Event, ...] = ()
    moved: int = 0

    def __post_init__(self) -> None:
        self.names = list(self.names[: len(self.table.cups)])

    @classmethod
    def opened(cls, rules: Rules, dice: Dice, players: int = 3, names: Names = NAMES) -> Game:
        """A new board whose first round is rolled."""
        game = cls(new_table(rules, players), dice, names)
        game.happen(start(game.table, game.dice))
        return game

    def play(self, action: Action, seat: int | None = None) -> None:
        """A move of the player on turn, or of another seat."""
        seat = self.table.turn if seat is None else seat
        self.happen(play(self.table, seat, action, self.dice))

    def happen(self, events: tuple[Event, ...]) -> None:
        if any(isinstance(event, Revealed) for event in events):
            story = [write_event(Bade(*made)) for made in self.table.bids[-RECENT_BIDS:]]
            story += [write_event(each) for each in events if not isinstance(each, Dealt)]
            self.recent.append(story)
        self.table = after_all(self.table, events)
        self.events = events
        self.moved += 1

    def facts(
        self, reader: int | None, *, told: bool = True, message: tuple[str, str] | None = None
    ) -> Facts:
        """A reader's facts; `told`: with the events of the last move."""
        over = self.table.winner is not None
        playing = reader is not None and bool(self.table.cups[reader]) and not over
        return {
            "board": 12,
            "names": list(self.names),
            "reader": reader,
            "position": write_view(view(self.table, reader)),
            "table": write_view(view(self.table, None)),
            "events": [write_event(public(each)) for each in self.events] if told else [],
            "rounds": self.recent[-RECENT_ROUNDS:],
            "message": {"from": message[0], "text": message[1]} if message else None,
            "seal": sha256(b"line %d" % self.moved).hexdigest(),
            "reply": playing,
        }
