"""Faults: a server that is killed, or whose disk is filled, while people play by email.

It is a real one, and so are the disk (a small file system of its own) and the relay.  At the end
two things are checked.  Each move that was answered with 250 was made once.  Each letter reached
the relay, under one Message-ID.
"""

from __future__ import annotations

import shutil
import signal
import smtplib
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Table, smallest_raises
from pbmserv.home import read_key
from pbmserv.security.tokens import Tokens
from pbmserv.server.roles import ROLES
from tests.cli.processes import Served, invoked, served, until
from tests.fake_relay import FakeRelay, Taken, open_relay
from tests.stories.town import mail, town_at

NAMES = ("ann", "bob", "cleo")
PATIENCE = 60.0  # seconds
SUPERVISOR = "supervisor"
VICTIMS = (SUPERVISOR, *ROLES)
DISK = 8 * 2**20  # bytes, of a disk that is to be filled


class Missing(Exception):
    """No file system can be mounted here; the message says why."""


class CountingRelay(FakeRelay):
    """Takes every letter, and counts letters by recipient and Message-ID."""

    def __init__(self) -> None:
        super().__init__()
        self.counted: Counter[tuple[str, str]] = Counter()

    def note(self, letter: Taken) -> None:
        number = str(message_from_bytes(letter.data)["Message-ID"])
        self.counted[letter.recipients[0], number] += 1


@dataclass(frozen=True, slots=True)
class Report:
    """The result.  `repeated` letters reached the relay twice, under the same Message-ID."""

    moves: int
    letters: int
    repeated: int
    fills: int
    kills: int

    def __str__(self) -> str:
        return (
            f"{self.fills} fills, {self.kills} kills: {self.moves} moves, {self.letters} letters,"
            f" none lost, none under two Message-IDs, {self.repeated} sent again"
        )


class Play:
    """People who play by email on a server that is killed, or whose disk is full."""

    def __init__(self, server: Served, relay: CountingRelay, chance: Random, last: int) -> None:
        """`last` is the number of the last letter from before the server started."""
        self._server, self._relay, self._chance = server, relay, chance
        self._last_before = last
        self._home = server.home
        self._tokens = Tokens(read_key(self._home))
        self._accepted: list[int] = []  # the board of each move that was answered with 250
        self._fills = self._kills = 0

    def play(self, moves: int) -> None:
        """Make so many moves, and send each until it is answered with 250."""
        for _ in range(moves):
            board, table = self._running()
            last = time.monotonic() + PATIENCE
            mailed = self._mailed(board, table)
            while not self._is_taken(*mailed):
                assert time.monotonic() < last, "no move is taken any more"
                time.sleep(0.05)
            self._accepted.append(board)

    def fill(self, seconds: float) -> None:
        """Fill the disk while letters leave, try a move, and free it after a while."""
        self.play(1)
        board, table = self._running()
        mailed = self._mailed(board, table)
        filler = self._home.parent / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        last = time.monotonic() + seconds
        taken = False
        while time.monotonic() < last:
            taken = taken or self._is_taken(*mailed)
            time.sleep(0.1)
        filler.unlink()
        until(lambda: taken or self._is_taken(*mailed), PATIENCE)
        self._accepted.append(board)
        self._fills += 1

    def kill(self, what: str = SUPERVISOR) -> None:
        """Kill a process of the server while letters leave.

        Another worker starts by itself; without its supervisor we start another server.
        """
        self.play(1)
        time.sleep(self._chance.uniform(0, 0.02))
        if what == SUPERVISOR:
            self._server.stop(signal.SIGKILL)
            self._server = Served(self._home)
        else:
            self._server.kill(what)
        self._kills += 1

    def checked(self) -> Report:
        """The result, when all letters have left; fails where a move or a letter is lost."""
        until(lambda: not self._asked("select id from outbox where state = 'due'"), PATIENCE)
        made = Counter(
            board
            for board, line in self._asked("select board_id, line from happenings")
            if line[:2] in {"A ", "B ", "C "}
        )
        assert made == Counter(self._accepted)
        rows = self._asked(f"select id, address, state from outbox where id > {self._last_before}")
        letters = {(address, number) for number, address, state in rows if state == "sent"}
        assert len(letters) == len(rows)
        sent = Counter(to for to, _ in letters)
        taken = Counter(to for to, _ in self._relay.counted)
        assert sent == taken, f"lost: {sent - taken}, unknown: {taken - sent}"
        repeated = self._relay.counted.total() - len(self._relay.counted)
        assert repeated <= self._kills, self._relay.counted
        return Report(len(self._accepted), len(letters), repeated, self._fills, self._kills)

    def stop(self) -> None:
        """Stop the server and its relay."""
        if self._server.process.poll() is None:
            self._server.stop()

    def _running(self) -> tuple[int, Table]:
        """The board that is played, in its present state; a new one if the last is over."""
        question = "select id, position from boards where state = 'playing'"
        if not self._asked(question):
            done = invoked(self._home, "perudo", "challenge", "-inorder", *NAMES)
            assert done.returncode == 0, done.stderr
        ((board, position),) = self._asked(question)
        return board, read_position(position)

    def _mailed(self, board: int, table: Table) -> tuple[bytes, str, str]:
        """A move of the player on turn, mostly a bid: the bytes, from whom, to which address."""
        bids = smallest_raises(table)
        doubts = bool(table.bids) and (not bids or self._chance.random() < 0.4)
        name = NAMES[table.turn]
        (player,) = self._asked(f"select id from players where userid = '{name}'")[0]
        token = self._tokens.letter(board, player, table.move)
        number, to = f"<{board}-{table.move}@client.example>", f"perudo+{token}@localhost"
        text = "dudo" if doubts else str(self._chance.choice(bids))
        sender = f"{name}@example.org"
        raw = mail(sender, f"Re: Your turn: Perudo board {board}", text, message_id=number, to=to)
        return raw, sender, to

    def _is_taken(self, raw: bytes, sender: str, to: str) -> bool:
        try:
            self._server.send(raw, sender, to)
        except (OSError, smtplib.SMTPException):
            return False
        return True

    def _asked(self, question: str) -> list[tuple[Any, ...]]:
        return _rows(self._home, question)


def _rows(home: Path, question: str) -> list[tuple[Any, ...]]:
    file = home / "pbmserv.sqlite"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return connection.execute(question).fetchall()


@contextmanager
def played(home: Path, seed: int) -> Iterator[Play]:
    """People who play, with a server and a relay of their own."""
    with town_at(home, seed) as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
    # A server writes letters as soon as it starts, because years have passed since the town's time.
    ((last,),) = _rows(home, "select max(id) from outbox where state <> 'due'")
    relay = CountingRelay()
    with open_relay(relay) as port:
        chosen = f'delivery = "smtp"\nrelay = "127.0.0.1:{port}"\nchallenges_daily = 10_000\n'
        with served(home, chosen) as server:
            play = Play(server, relay, Random(seed), last)
            try:
                yield play
            finally:
                play.stop()


@contextmanager
def small_disk(size: int = DISK) -> Iterator[Path]:
    """A file system of its own, in memory; raises Missing if we may not mount one."""
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-disk-"))
    mount, umount = shutil.which("mount"), shutil.which("umount")
    try:
        if not mount or not umount:
            raise Missing("there is no mount(8)")
        words = [mount, "-t", "tmpfs", "-o", f"size={size}", "pbmserv", str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(done.stderr.strip())
        # This shell unmounts it when its input ends, also because we were killed.
        ends = subprocess.Popen(
            ["sh", "-c", 'read -r _; "$0" "$1" || { "$0" -l "$1"; false; }', umount, str(folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            yield folder
        finally:
            ends.communicate(timeout=PATIENCE)
            assert ends.returncode == 0, "the disk was still used"
    finally:
        folder.rmdir()
