"""`scripts/demo`: a whole game by real email, whose players know only the emails that they get.

The server runs on loopback with a home of its own.  The players sign up by SMTP and confirm by a
reply.  They answer the emails in their mailboxes until one of them has won.
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import click

from pbmserv.games.perudo.rules import RULE_SETS

NAMES = ("ann", "bob", "cleo", "dan", "eve", "fay")
SERVER = "perudo@localhost"
PATIENCE = 20  # seconds to wait for one email; then the demo ends with an error
LONGEST = 300  # seconds for the whole demo
PROGRAMS = Path(sys.executable).parent
LAST_SHOW = Path(__file__).parents[1] / ".demo"
BID = re.compile(r"(\d+)-(\d+)s")


class Stuck(Exception):
    """The demo cannot go on."""


@dataclass
class Player:
    """A person who knows only the emails in their mailbox."""

    name: str
    mailbox: Path
    port: int
    chance: random.Random
    read: int = 0
    sent: int = 0
    pace: Callable[[], float] = field(default=time.monotonic)

    @property
    def address(self) -> str:
        """The address of the mailbox."""
        return f"{self.name}@localhost"

    def letters(self) -> list[EmailMessage]:
        """The emails that the player has not read yet, oldest first."""
        files = sorted((self.mailbox / "new").glob("*")) if self.mailbox.exists() else []
        fresh = files[self.read :]
        self.read = len(files)
        parser = policy.default
        return [message_from_bytes(file.read_bytes(), policy=parser) for file in fresh]

    def next_letter(self) -> EmailMessage:
        """The latest new email; waits for it, and raises Stuck if none comes in time."""
        until = self.pace() + PATIENCE
        while self.pace() < until:
            if found := self.letters():
                return found[-1]
            time.sleep(0.01)
        raise Stuck(f"{self.name} waited {PATIENCE} seconds for an email and got none")

    def send(self, subject: str, text: str = "", answered: EmailMessage | None = None) -> None:
        """Email the server by SMTP; a reply goes to the Reply-To of what is answered."""
        self.sent += 1
        mail = EmailMessage()
        mail["From"] = self.address
        mail["To"] = str(answered["Reply-To"]) if answered else SERVER
        mail["Subject"] = subject
        mail["Message-ID"] = f"<{self.name}.{self.sent}@localhost>"
        if answered:
            mail["In-Reply-To"] = answered["Message-ID"]
        mail.set_content(text)
        # Not as a context of its own: at Ctrl-C that would send QUIT in the middle of a command.
        with closing(smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE)) as smtp:
            smtp.send_message(mail)
            smtp.quit()
        first = text.strip().partition("\n")[0]
        click.secho(f"{self.name:>5} mails  ", fg="cyan", nl=False)
        click.echo(subject + (f"  |  {first}" if first else ""))

    def move(self, text: str) -> str:
        """The player's move when it is their turn; raises Stuck if the email offers none."""
        dice = [int(die) for die in _after(text, "Your dice: ").partition("(")[0].split()]
        allowed = [(int(n), int(face)) for n, face in BID.findall(_choices(text))]
        beaten = BID.search(_after(text, "bid to beat: "))
        if beaten:
            quantity, face = map(int, beaten.groups())
            table = _dice_in_play(text)
            if not allowed or quantity > self._guess(dice, face, table, text):
                return "dudo"
        if not allowed:
            raise Stuck(f"{self.name} finds no move in the email:\n{text}")
        mine = [bid for bid in allowed if dice.count(bid[1])] or allowed
        quantity, face = self.chance.choice(mine)
        return f"{quantity}-{face}s"

    def _guess(self, dice: list[int], face: int, table: int, text: str) -> float:
        wild = "Ones are wild" in text and face != 1
        mine = dice.count(face) + (dice.count(1) if wild else 0)
        return mine + (table - len(dice)) * (2 if wild else 1) / 6 + self.chance.uniform(0, 1)


def _after(text: str, words: str) -> str:
    return text.partition(words)[2].partition("\n")[0]


def _dice_in_play(text: str) -> int:
    found = re.search(r"^(\d+) dice in play", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _choices(text: str) -> str:
    for words in ("\nBid ", "You open the round"):
        if words in text:
            return text.partition(words)[2].partition("\n\n")[0].partition("or call:")[0]
    return ""


@contextmanager
def server(home: Path, seed: int | None) -> Iterator[int]:
    """Run the real server with this home; gives its port, and always stops it at the end."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    (home / "pbmserv.toml").write_text(f'smtp = "127.0.0.1:{port}"\n', "utf-8")
    command = [str(PROGRAMS / "pbmserv"), "--home", str(home), "serve", "--quiet"]
    if seed is not None:
        command.append(f"--repeatable={seed}")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # a pipe was asked for
            if "SMTP on" not in process.stdout.readline():
                raise Stuck("the server did not start")
            yield port
        finally:
            process.terminate()


def sign_up(players: list[Player]) -> None:
    """Every player opens an account, and confirms the address by a reply."""
    for player in players:
        player.send(f"signup {player.name} secret-{player.name}")
        letter = player.next_letter()
        player.send(f"Re: {letter['Subject']}", "Yes, that is me.", letter)
        show(player.name, player.next_letter())


def play(players: list[Player], rules: str) -> str:
    """A game from the challenge to the winner; returns the winner's name."""
    names = " ".join(player.name for player in players)
    players[0].send(f"perudo challenge -rules={rules} {names}", "Good luck to everybody!")
    until = time.monotonic() + LONGEST
    letters = {player.name: player.next_letter() for player in players}
    show(players[0].name, letters[players[0].name], whole=True)
    while time.monotonic() < until:
        for player in players:
            letter = letters[player.name]
            if "won by" in letter["Subject"]:
                return str(letter["Subject"]).rpartition(" ")[2]
        on_turn = next(p for p in players if f"It is your turn, {p.name}." in body(letters[p.name]))
        letter = letters[on_turn.name]
        on_turn.send(f"Re: {letter['Subject']}", on_turn.move(body(letter)), letter)
        letters = {player.name: player.next_letter() for player in players}
        show(on_turn.name, letters[on_turn.name])
    raise Stuck(f"no winner after {LONGEST} seconds")


def body(letter: EmailMessage) -> str:
    """The text of an email."""
    return str(letter.get_content())


def show(reader: str, letter: EmailMessage, *, whole: bool = False) -> None:
    """Print an email: all of it, or its first paragraph and how many dice are left."""
    text = body(letter)
    click.secho(f"{reader:>5} reads  ", fg="green", nl=False)
    click.echo(str(letter["Subject"]))
    if not whole:
        happened, left = text.partition("\n\n")[0], _dice_in_play(text)
        text = f"{happened}\n({left} dice in play)" if left else happened
    for line in text.rstrip().splitlines():
        click.echo(f"             {line}")


def prove(home: Path) -> None:
    """Check the dice of game 1, from the database and from a file with its record."""
    perudo = [str(PROGRAMS / "perudo"), "--home", str(home)]
    record = subprocess.run([*perudo, "record", "1"], check=True, capture_output=True, text=True)
    file = home / "board-1.txt"
    file.write_text(record.stdout.rstrip("\n") + "\n", "utf-8")
    for what in ("1", str(file)):
        click.echo(f"\n$ perudo verify {shlex.quote(what)}")
        subprocess.run([*perudo, "verify", what], check=True)


@click.command()
@click.option(
    "--rules",
    type=click.Choice(list(RULE_SETS)),
    default="pbmserv",
    show_default=True,
    help="The rule set.",
)
@click.option("--players", "count", type=click.IntRange(2, 6), default=4, show_default=True)
@click.option("--seed", type=int, help="The same dice and moves again: any number.")
@click.option("--keep", is_flag=True, help="Keep the mailboxes and the database for good.")
def demonstration(rules: str, count: int, seed: int | None, keep: bool) -> None:
    """Play a whole game of Perudo by real email on this machine, and check its dice.

    The mailboxes and the database are in .demo until the next demo. With --keep, they are in a
    folder of their own, for good.
    """
    home = Path(tempfile.mkdtemp(prefix="perudo-")) if keep else anew(LAST_SHOW)
    chance = random.Random(seed)
    try:
        with server(home, seed) as port:
            players = [
                Player(name, home / "mail" / f"{name}@localhost", port, chance)
                for name in NAMES[:count]
            ]
            sign_up(players)
            winner = play(players, rules)
        click.secho(f"\n{winner} has won.", bold=True)
        prove(home)
    except BrokenPipeError:
        raise  # nobody reads the output any more; click ends without a message
    except (Stuck, OSError, subprocess.CalledProcessError) as problem:
        raise click.ClickException(f"{problem} (see {home})") from None
    click.echo(f"\nThe mailboxes: {home}/mail (Maildir; any mail program opens them)")
    click.echo(f"The database:  {home}/pbmserv.sqlite")
    click.echo("They stay there." if keep else "They stay there until the next demo.")
    click.echo("\nNow play yourself. The players have accounts:")
    perudo, pbmserv = (shlex.quote(str(PROGRAMS / name)) for name in ("perudo", "pbmserv"))
    here = f"{perudo} --home {shlex.quote(str(home))}"
    click.echo(f"  {here} challenge ann bob")
    click.echo(f"  PBMSERV_PASSWORD=secret-ann {here} showas ann -")
    click.echo("Or start with your own data; you are asked for a password:")
    click.echo(f"  {pbmserv} signup yourname -")


def anew(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


if __name__ == "__main__":
    demonstration(prog_name="scripts/demo")
