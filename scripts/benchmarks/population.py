"""Test data for measurements: a home with players and boards, and its players' emails.

The program itself opens the boards.  A player's email is a reply as mail programs write it, with
the letter quoted below the move.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import TracebackType

from sqlalchemy import Connection, insert, update

from pbmserv.boards import play
from pbmserv.boards.board import Board, load_board
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.database.engine import close, reading, writing
from pbmserv.database.installation import open_installation
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.rules import Rules, rules_named
from pbmserv.games.perudo.table import Bade, after
from pbmserv.home import open_home
from pbmserv.security.credentials import Credentials
from pbmserv.security.dice_seeds import new_seed
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from scripts.benchmarks import yardstick

SEATS = 4
BIDS_A_ROUND = 4  # then a player doubts: every fifth move opens the cups
MOST_MOVES = 45  # of a board: nine rounds, after which every player still has dice to bid with
ADDRESS = "perudo@localhost"


class Town:
    """A home and its database; `engine` belongs to this process, a server opens its own."""

    def __init__(self, home: Path, settings: str = "", players: int = 40) -> None:
        home.mkdir(parents=True)
        (home / "pbmserv.toml").write_text(settings)
        self.home = home
        self.engine, key = open_installation(open_home(home))
        self.tokens = Tokens(key)
        self.players = [(number, f"player{number}") for number in range(1, players + 1)]
        with writing(self.engine) as connection:
            _settle(connection, self.players)

    def open_boards(self, count: int, rules: Rules | None = None) -> list[Seats]:
        """Open boards of four players each."""
        rules = rules or rules_named("pbmserv")
        opened = []
        with writing(self.engine) as connection:
            context = context_on(connection)
            for place in range(count):
                around = [self.players[(place * 3 + n) % len(self.players)] for n in range(SEATS)]
                board = play.open_board(context, rules, around).board
                opened.append(Seats(self, board))
        return opened

    def send_as(self, form: str) -> None:
        """Have all players get their letters in a form from now on: `both`, or `text` alone."""
        with writing(self.engine) as connection:
            connection.execute(update(models.Player).values(format=form))

    def __enter__(self) -> Town:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        close(self.engine)


def _settle(connection: Connection, players: list[tuple[int, str]]) -> None:
    connection.execute(
        insert(models.Player),
        [
            {"id": number, "userid": userid, "userid_key": userid, "password_hash": "-"}
            | {"language": "en", "created_at": 0}
            | {"letters": "all", "format": "both"}  # so each move sends four letters with pages
            for number, userid in players
        ],
    )
    connection.execute(
        insert(models.Address),
        [
            {"player_id": number, "address": address_of(number), "confirmed_at": 0}
            for number, _ in players
        ],
    )


def address_of(player: int) -> str:
    """The sender address of a player."""
    return f"player{player}@example.org"


def context_on(connection: Connection) -> Context:
    """A context for opening boards, without an asker."""
    return Context(
        connection=connection,
        now=int(time.time()),
        sender="",
        at_shell=False,
        message="",
        settings=Settings(home=Path()),
        credentials=Credentials(),
        seed=new_seed,
        chance=Random(1),
        keyed=Tokens(bytes(32)).keyed,
        confirmation=Tokens(bytes(32)).confirmation,
    )


@dataclass(slots=True)
class Seats:
    """A board as its players see it together: the player on turn, and the email with the move."""

    town: Town
    stands: Board
    is_known: bool = True  # after a call the board must be read again

    def next_mail(self) -> Posted:
        """The email with the next move: bids of twos, one more each time, then a doubt.

        Such bids are legal under every rule set, in a Palifico round, too.  Raises RuntimeError if
        the doubt before it has not been taken in: what follows it can be told only then.
        """
        if not self.is_known:
            self._read_again()
        table = self.stands.table
        if len(table.bids) < BIDS_A_ROUND:
            bid = Bid(len(table.bids) + 1, 2)
            mail = self.mail(str(bid))
            self.stands = replace(self.stands, table=after(table, Bade(table.turn, bid)))
            return mail
        self.is_known = False
        return self.mail("dudo")

    def _read_again(self) -> None:
        stands = _load(self.town, self.stands.id)
        if stands.table.move <= self.stands.table.move:
            raise RuntimeError(f"board {stands.id}: its last email has not been taken in")
        self.stands, self.is_known = stands, True

    def mail(self, move: str) -> Posted:
        """The email with a move of the player on turn."""
        table, board = self.stands.table, self.stands.id
        player = self.stands.seats[table.turn].player
        token = self.town.tokens.letter(board, player, table.move)
        return posted(player, token, board, move)


def seats_at(town: Town, board: int) -> Seats:
    """A board of the town in its present state."""
    return Seats(town, _load(town, board))


def _load(town: Town, number: int) -> Board:
    with reading(town.engine) as connection:
        return load_board(connection, number)


@dataclass(frozen=True, slots=True)
class Posted:
    """An email with its envelope."""

    sender: str
    recipient: str
    raw: bytes


def posted(player: int, token: str, board: int, move: str) -> Posted:
    """A reply to a letter with this token: the move, a word to the others, the letter quoted."""
    sender, recipient = address_of(player), ADDRESS.replace("@", f"+{token.lower()}@")
    quoted = "\n".join(f"> {line}".rstrip() for line in yardstick.text().splitlines())
    body = f"{move}\n\nGood luck!\n\nOn Fri, 20 Nov 2026 at 10:12, Perudo wrote:\n{quoted}\n"
    head = {
        "Date": "Fri, 20 Nov 2026 10:15:00 +0100",
        "From": f"Player {player} <{sender}>",
        "To": f"Perudo game server <{recipient}>",
        "Subject": f"Re: Your turn: Perudo board {board}",
        "Message-ID": f"<{secrets.token_hex(12)}@example.org>",
        "In-Reply-To": f"<17.1795210340.{token}@localhost>",
        "References": f"<board-{board}@localhost>\n <17.1795210340.{token}@localhost>",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
        "User-Agent": "Mutt/2.2.9 (2022-11-12)",
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    raw = "\n".join([*lines, "", body]).replace("\n", "\r\n").encode()
    return Posted(sender, recipient, raw)


def asking_for_help() -> Posted:
    """An email with the command `help`, from an address that nobody knows."""
    sender = f"stranger-{secrets.token_hex(8)}@example.org"
    head = {
        "Date": "Fri, 20 Nov 2026 10:15:00 +0100",
        "From": f"A Stranger <{sender}>",
        "To": f"Perudo game server <{ADDRESS}>",
        "Subject": "help",
        "Message-ID": f"<{secrets.token_hex(12)}@example.org>",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "User-Agent": "Mutt/2.2.9 (2022-11-12)",
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return Posted(sender, ADDRESS, "\r\n".join([*lines, "", "", ""]).encode())


def in_turns(seats: list[Seats]) -> Iterator[Posted]:
    """Endless emails, of one board after the other."""
    while True:
        for each in seats:
            yield each.next_mail()
