"""`pbmserv serve` is killed at random during a game by email, and the game ends as it should."""

from __future__ import annotations

import signal
import smtplib
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import smallest_raises
from pbmserv.server.roles import INTAKE, SENDING
from tests.cli.processes import Served, served, typed, until
from tests.crash.faults import SUPERVISOR
from tests.stories.town import (
    OUR_ADDRESS,
    PASSWORD,
    Letter,
    answering,
    letters_in,
    mail,
    town_at,
)

pytestmark = pytest.mark.long

NAMES = ("ann", "bob", "cleo")
LONGEST = 200.0  # seconds until the game is given up; on a busy machine each start takes long
FEWEST_KILLS, MOST_KILLS = 5, 25
Mailed = tuple[bytes, str, str]  # the bytes, from whom, to which address


class Killer:
    """Kills a process of the server again and again, at random moments; another one starts."""

    def __init__(self, server: Served, chance: Random) -> None:
        self.server = server
        self.kills = 0
        self.failure: Exception | None = None  # why no other server was started
        self._chance = chance
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._kill_again_and_again()
        except (AssertionError, OSError, subprocess.TimeoutExpired) as failure:
            self.failure = failure

    def _kill_again_and_again(self) -> None:
        while not self._over.wait(self._chance.uniform(0, 0.2)):
            if self.kills < MOST_KILLS:
                # A supervisor is killed every second time: so no worker's pause becomes long.
                what = (SUPERVISOR, SENDING, SUPERVISOR, INTAKE)[self.kills % 4]
                if what == SUPERVISOR:
                    self.server.stop(signal.SIGKILL)
                    self.server = Served(self.server.home)
                else:
                    self.server.kill(what)
                self.kills += 1

    def rest(self) -> Served:
        """No more kills; the server that runs now."""
        self._over.set()
        self._thread.join()
        return self.server

    def end(self) -> None:
        """End the kills and the server, even after a failure."""
        server = self.rest()
        if server.process.poll() is None:
            server.stop()


def wait_for_kills(killer: Killer, sent: int) -> None:
    """Wait for a kill for each of the first moves: a fast machine would end the game before."""
    wanted = min(sent, FEWEST_KILLS)
    until(lambda: killer.failure is not None or killer.kills >= wanted)


def deliver(killer: Killer, mailed: Mailed) -> int:
    """Send an email as a mail server does: again and again, until it hears 250; how often."""
    tries, last = 0, time.monotonic() + LONGEST
    while True:
        assert killer.failure is None, f"no server starts any more: {killer.failure}"
        assert time.monotonic() < last, "no email is taken any more"
        tries += 1
        try:
            killer.server.send(*mailed)
        except (OSError, smtplib.SMTPException, ValueError):
            time.sleep(0.02)
        else:
            return tries


def letters_about(home: Path, move: int) -> dict[str, Letter]:
    """The game letters of everybody at a move of the board, by address; waits for all of them."""
    last = time.monotonic() + LONGEST
    while True:
        found = {
            letter.to: letter
            for letter in letters_in(home)
            if any(
                said in " ".join(letter.text.split())
                for said in (f"move {move}.", " wins.", "You win, ")
            )
        }
        if len(found) == len(NAMES):
            return found
        assert time.monotonic() < last, f"of move {move} there are only {sorted(found)}"
        time.sleep(0.02)


def moves(home: Path) -> list[str]:
    """The public lines of the board."""
    file = f"file:{home / 'pbmserv.sqlite'}?mode=ro"
    with closing(sqlite3.connect(file, uri=True)) as connection:
        rows = connection.execute("select line from happenings order by number")
        return [each for (line,) in rows for each in line.split("\n")]


@pytest.fixture
def playing(home: Path) -> Path:
    with town_at(home, seed=11) as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES, options=("-inorder", "-dice=3"))
    return home


def answer(letter: Letter, home: Path, number: int, chance: Random) -> Mailed:
    """What the player on turn answers: mostly a bid, else a doubt."""
    connection = sqlite3.connect(f"file:{home / 'pbmserv.sqlite'}?mode=ro", uri=True)
    (position,) = connection.execute("select position from boards").fetchone()
    connection.close()
    table = read_position(position)
    bids = smallest_raises(table)
    doubts = bool(table.bids) and (not bids or chance.random() < 0.4)
    text = "dudo" if doubts else str(chance.choice(bids))
    subject = f"Re: {letter.subject}"
    raw = mail(
        letter.to,
        subject,
        text,
        message_id=f"<move-{number}@client.example>",
        to=letter.reply_to,
        headers=answering(letter),
    )
    return raw, letter.to, letter.reply_to


def test_a_game_outlives_a_server_that_is_killed_again_and_again(playing: Path) -> None:
    """Every move is applied once, and every player gets exactly one letter about each."""
    chance = Random(20)
    started = time.monotonic()
    sent = 0
    with served(playing) as first:
        killer = Killer(first, Random(21))
        try:
            move = 1
            while not any(line.startswith("win ") for line in moves(playing)):
                letters = letters_about(playing, move)
                turn = next(each for each in letters.values() if "Your turn, " in each.text)
                mailed = answer(turn, playing, move, chance)
                wait_for_kills(killer, sent)
                deliver(killer, mailed)
                if chance.random() < 0.2:  # a mail server that did not hear the 250
                    deliver(killer, mailed)
                sent, move = move, move + 1
                assert time.monotonic() - started < LONGEST
            killer.rest()
            letters_about(playing, move)
            time.sleep(1.5)  # something else might still come
        finally:
            killer.end()

    assert killer.kills >= FEWEST_KILLS
    played = [line for line in moves(playing) if line[:2] in {"A ", "B ", "C "}]
    assert len(played) == sent
    typed_out = typed(playing, "pbmserv", "audit")
    assert typed_out.stdout == "Boards: 1, problems: 0\n"
    assert typed(playing, "pbmserv", "queue", "list").stdout == "Nothing waits.\n"

    told = [each for each in letters_in(playing) if "Perudo board" in each.subject]
    each_has = Counter(letter.to for letter in told)
    assert each_has == {f"{name}@example.org": sent + 1 for name in NAMES}
    identities = Counter(str(letter.message["Message-ID"]) for letter in told)
    assert set(identities.values()) == {1}


def test_every_accepted_email_is_kept(playing: Path) -> None:
    """An email that was answered with 250 the moment before the kill is there afterwards."""
    chance = Random(5)
    for number in range(6):
        with served(playing) as server:
            raw = mail("ann@example.org", f"set ann {PASSWORD}", message_id=f"<{number}@x>")
            server.send(raw, "ann@example.org", OUR_ADDRESS)
            time.sleep(chance.uniform(0, 0.01))
            server.stop(signal.SIGKILL)
    # The last server's other process may not have ended yet, and sends meanwhile.
    until(lambda: "Another process" not in typed(playing, "pbmserv", "deliver").stdout)
    helped = [each for each in letters_in(playing) if each.subject == "The preferences of ann"]
    assert len(helped) == 6
