"""Golden letters: one round and more of every rule set, as its players read it.

The boards are opened and played on in a real database, and the letters are sent as in any home.
Time and seeds are fixed.  `pytest tests/letters --rewrite` writes the files anew after a change of
words; read them then, as a player on a phone would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random

from sqlalchemy import Connection, update

from pbmserv.boards import board, notices, play
from pbmserv.boards.board import load_board
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.games.perudo.notation import read_action, read_position
from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.letters import render
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import accounts
from pbmserv.security.credentials import Credentials
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from tests.letters import samples, test_refusals

FOLDER = Path(__file__).with_name("golden")
NAMES = ("ann", "bob", "cleo")
MORNING = 1_700_000_000  # 14 November 2023, 22:13 UTC


@dataclass(frozen=True)
class Evening:
    """What is played: the rules, a first round, a later one, and how a game ends.

    The first round is bid by bid, with a spectator and a chat behind it.  A later or last one
    begins at a position.  A move is of the player on turn, or of a seat (`A:calza`).
    """

    options: Mapping[str, str]
    first: str
    later: tuple[tuple[str, str], ...]
    last: tuple[str, str]


SINGLE = "346/25/1126 C 7 40 A:2-2s,B:5-2s"  # when this bid is called, bob has one die left
LAST = "346/25/2 B 12 60 A:4-4s"
EVENINGS: Mapping[str, tuple[str, Evening]] = {
    "pbmserv": (
        "pbmserv",
        Evening({}, "3-2s 4-2s dudo", ((SINGLE, "dudo 1-1s"),), (LAST, "resign 4-5s dudo")),
    ),
    "classic": (
        "classic",
        Evening(
            {"palifico": "yes", "calza": "yes"},
            "3-2s 4-2s 2-1s dudo",
            ((SINGLE, "dudo 1-2s 2-2s A:calza"),),
            (LAST, "resign 4-5s dudo"),
        ),
    ),
    "bga": (
        "bga",
        Evening(
            {"calza": "yes"},
            "3-2s 4-2s 2-1s calza",
            ((SINGLE, "dudo 1-1s 2-1s A:calza"),),
            (LAST, "resign 4-5s dudo"),
        ),
    ),
    "bga-hidden": (
        "bga",
        Evening({"hidden": "yes"}, "3-2s 4-2s dudo", (), ("34/-/2 A 12 60 C:10-6s", "dudo")),
    ),
    "pyrudo": (
        "pyrudo",
        Evening(
            {},
            "3-2s 4-2s 2-1s calza",
            (
                (SINGLE, "dudo 1-2s"),
                ("346/25/1126 C 7 40 A:2-2s,B:3-2s", "calza"),
                ("346/25/1126 C 7 40 B:8-1s", "9-1s dudo"),
            ),
            (LAST, "resign 4-5s dudo"),
        ),
    ),
    "pacao": (
        "pacao",
        Evening(
            {},
            "3-2s 5-3s dudo",
            (("346/2/1126 C 7 40 A:2-2s", "3-2s 4-2s pacao"),),
            (LAST, "resign 4-5s dudo"),
        ),
    ),
}


@dataclass
class Town:
    """Three players, boards in a database, and every letter about them."""

    context: Context
    players: Sequence[tuple[int, str]]
    told: list[Letter]

    def opened(self, rules: str, options: Mapping[str, str], message: str = "") -> board.Board:
        """A new board."""
        played = play.open_board(
            self.context, with_options(rules_named(rules), options), self.players
        )
        if message:
            self.told += notices.of_start(self.context, played, NAMES[0], message)
        return played.board

    def said(self, message: str) -> Context:
        """The context, with a message."""
        return replace(self.context, message=message)

    def set_up(self, board: board.Board, position: str) -> board.Board:
        """The board, with its game set to a position."""
        table = read_position(position)
        row = {"position": position, "move": table.move, "turn": table.turn, "recent": "[]"}
        self.context.connection.execute(
            update(models.Board).where(models.Board.id == board.id).values(row)
        )
        return load_board(self.context.connection, board.id)

    def play(self, number: int, moves: str, messages: Mapping[int, str]) -> None:
        """Play moves on a board, which is loaded before each move, as it is for an email."""
        for place, move in enumerate(moves.split()):
            board = load_board(self.context.connection, number)
            seat, _, action = move.rpartition(":")
            mover = "ABC".index(seat) if seat else board.table.turn
            context = self.said(messages.get(place, ""))
            played = play.move(context, board, mover, read_action(action), context.message)
            self.told += notices.of_move(context, played, mover)


def town(connection: Connection) -> Town:
    """A town whose players have signed up; its seeds are the same every day."""
    numbers = count()
    context = Context(
        connection=connection,
        now=MORNING,
        sender="",
        at_shell=True,
        message="",
        settings=Settings(home=Path(), address="perudo@example.org"),
        credentials=Credentials(),
        seed=lambda: sha256(b"seed %d" % next(numbers)).digest(),
        chance=Random(1),
        keyed=Tokens(bytes(32)).keyed,
        confirmation=Tokens(bytes(32)).confirmation,
    )
    signed_up = [
        accounts.sign_up(connection, name, "-", [f"{name}@example.org"], confirmed=True, now=1)[0]
        for name in NAMES
    ]
    return Town(context, list(zip(signed_up, NAMES, strict=True)), [])


def letters_of(name: str, town: Town) -> list[Letter]:
    """Every letter of these boards, in the order of writing."""
    rules, evening = EVENINGS[name]
    town.told.clear()
    board = town.opened(rules, evening.options, "Good luck to you both!")
    town.play(board.id, evening.first, {1: "Hm. I do not believe a word of it,\nbut here we go."})
    board = load_board(town.context.connection, board.id)
    town.told.append(notices.shown(town.context, board, None))
    town.told += notices.of_chat(town.context, board, 2, "Well played.")
    written = rules + "".join(f",{option}={value}" for option, value in evening.options.items())
    for position, moves in (*evening.later, evening.last):
        board = town.set_up(town.opened(rules, evening.options), f"{written} {position}")
        town.play(board.id, moves, {2: "That was close!"})
    return town.told


def golden(name: str, town: Town) -> Iterator[tuple[str, str]]:
    """Every letter of these boards: the file's name and its text."""
    readers = dict(town.players)
    number, before = 0, None
    for letter in letters_of(name, town):
        event = (letter.kind, letter.payload["board"], letter.payload["seal"])
        number, before = number + (event != before), event
        words = render.word(letter.kind, letter.payload, "en")
        who = readers[letter.to] if isinstance(letter.to, int) else "spectator"
        file = f"{name}/{number:02}-{who}-{letter.kind.partition('/')[2]}.txt"
        yield file, f"Subject: {words.subject}\n\n{words.text}"


def golden_refusals() -> str:
    """The words of every refusal."""
    return "\n".join(
        f"[{code}]\n{render.refusal(code, facts, 'en')}\n" for code, facts in test_refusals.EVERY
    )


def golden_answers() -> str:
    """Every other letter of the server."""
    words = [(kind, render.word(kind, facts, "en")) for kind, facts in samples.EVERY]
    return "\n".join(f"[{kind}]\nSubject: {each.subject}\n\n{each.text}" for kind, each in words)


def everything(connection: Connection) -> dict[str, str]:
    """Every golden file: its name below the folder, and its text."""
    found = {"refusals.txt": golden_refusals(), "answers.txt": golden_answers()}
    living = town(connection)
    for name in EVENINGS:
        found |= dict(golden(name, living))
    return found
