"""`scripts/demo`: a whole game by real email, at a pace that people can follow.

The server runs on loopback with a home of its own.  The players sign up by SMTP and confirm by a
reply.  They answer the emails in their mailboxes until one of them has won.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

import click

from pbmserv.cli.terminal_output import HELP, colours
from pbmserv.games.perudo.rules import RULE_SETS
from scripts.demonstration_players import PATIENCE, Player, Stuck, dice_in_play, own_dice

NAMES = ("ann", "bob", "cleo", "dan", "eve", "fay")
LONGEST = 300  # seconds that the players and the server have for the whole game, without pauses
PROGRAMS = Path(sys.executable).parent
TOP = Path(__file__).parents[1]
LAST_SHOW = TOP / ".demo"
USUAL_RULES, USUAL_COUNT = "pbmserv", 4
WIDTH = 80
# Seconds to read a line of an email, a move, a heading and the end of a round.
LINE, MOVE, BLOCK = 0.2, 0.8, 2.0


@dataclass(frozen=True)
class Screen:
    """The terminal; with `paced`, it waits where a person reads."""

    paced: bool

    def say(self, text: str = "", *, bold: bool = False) -> None:
        """Print lines of our own; stops as long as a person reads them."""
        click.secho(text, bold=bold or None)
        self.wait(LINE * (text.count("\n") + 1))

    def act(self, name: str, what: str, text: str, words: str = "") -> None:
        """Print what a player does, such as the Subject of an email, or a move and its words."""
        click.secho(f"  {name:<5}", fg="cyan", nl=False)
        click.echo(f"{what}{text}" + (f'   "{words}"' if words else ""))
        self.wait(MOVE)

    def quote(self, text: str) -> None:
        """Print lines of an email, with a margin."""
        for line in text.splitlines():
            click.secho("  |", fg="green", nl=False)
            click.echo(f" {line}".rstrip())
            self.wait(LINE)

    def letter(self, reader: str, letter: EmailMessage, until: str = "\n--\n") -> None:
        """Print an email as far as `until`, by default without its foot."""
        self.say(f"\nThe server emails {reader}: {letter['Subject']}", bold=True)
        text, words, _ = body(letter).partition(until)
        self.quote((text + words).strip() + ("\n[...]" if words else ""))
        self.wait(BLOCK)

    def wait(self, seconds: float) -> None:
        """Give a person so many seconds to read."""
        if self.paced:
            sys.stdout.flush()
            time.sleep(seconds)


def body(letter: EmailMessage) -> str:
    """The text of an email, as a mail program shows it."""
    text = letter.get_body(("plain",)) or letter
    shown = re.sub(r"^ (?=[ >]|From )| $", "", str(text.get_content()), flags=re.MULTILINE)
    return shown


@contextmanager
def server(home: Path, seed: int) -> Iterator[int]:
    """Run the real server with this home; gives its port, and always stops it at the end."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    (home / "pbmserv.toml").write_text(f'smtp = "127.0.0.1:{port}"\n', "utf-8")
    command = [str(PROGRAMS / "pbmserv"), "--home", str(home)]
    command += ["serve", "--quiet", f"--repeatable={seed}"]
    with (
        (home / "server.log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None  # a pipe was asked for
            if "SMTP on" not in process.stdout.readline():
                raise Stuck("the server did not start")
            yield port
        finally:
            process.terminate()


def introduce(screen: Screen, home: Path, names: Sequence[str], again: str) -> None:
    """Say what comes, and the rules in the words of the program's own help."""
    screen.say("PERUDO BY EMAIL", bold=True)
    screen.say(f"A game of {joined(names)}. A server runs on this machine, and every")
    screen.say("email below is really sent. The players know only the emails that they get.")
    screen.say(f"The same game again: {again}")
    if screen.paced:
        minutes = max(2, len(names) - 1)  # measured
        screen.say(f"It takes {minutes} minutes; --fast leaves out the pauses. Ctrl-C ends it.")
    screen.say("\nThe rules, from `perudo help`:", bold=True)
    told = perudo(home, "help").split("\n\n")
    screen.quote("\n\n".join(told[1:4]))
    screen.say("A bid of four 2s is written 4-2s. To doubt the last bid, a player writes dudo.")
    screen.wait(BLOCK)


def sign_up(screen: Screen, players: Sequence[Player]) -> None:
    """Every player opens an account, and confirms the address by a reply."""
    screen.say("\nEverybody signs up by email:", bold=True)
    for player in players:
        subject = f"signup {player.name} {player.password}"
        player.send(subject)
        asked = player.next_letter()
        player.send(f"Re: {asked['Subject']}", "Yes, that is me.", asked)
        welcome = player.next_letter()
        if player is players[0]:
            screen.act(player.name, "sends      ", subject)
            screen.act(player.name, "receives   ", str(asked["Subject"]))
            screen.act(player.name, "replies    ", "Yes, that is me.")
            screen.act(player.name, "receives   ", str(welcome["Subject"]))
    screen.say(f"  {joined([player.name for player in players[1:]])} do the same.")
    screen.wait(BLOCK)


@dataclass
class Game:
    """A game from the challenge to the winner, as it is shown."""

    screen: Screen
    players: Sequence[Player]
    shows_turn: bool = True  # until an email with a bid to beat was shown as a whole
    shows_cups: bool = True  # and one with opened cups
    round: int = 1
    move: int = 1  # the number of the next one
    bidder: str = ""  # who moved last
    playing: set[str] = field(default_factory=set)  # who have dice

    def played(self, rules: str) -> str:
        """Play to the end; returns the winner's name, or raises Stuck."""
        screen, first = self.screen, self.players[0]
        screen.say(f"\n{first.name} challenges the others:", bold=True)
        option = "" if rules == USUAL_RULES else f"-rules={rules} "
        subject = f"perudo challenge {option}{' '.join(each.name for each in self.players)}"
        first.send(subject, "Good luck to everybody!")
        screen.act(first.name, "sends      ", subject)
        until = time.monotonic() + LONGEST
        letters = {player.name: player.next_letter() for player in self.players}
        self.playing = set(letters)
        screen.say("The server rolls the dice and emails all players. Each sees only their own.")
        self._head(letters)
        while time.monotonic() < until:
            on_turn = self._on_turn(letters)
            if on_turn is None:
                return self._ended(letters)
            begun = time.monotonic()
            letters = self._moved(on_turn, letters[on_turn.name])
            until += screen.paced * (time.monotonic() - begun)
        raise Stuck(f"no winner after {LONGEST} seconds")

    def _letters(self, *, all_get_one: bool) -> dict[str, EmailMessage]:
        """The letters after a move, with those of all who had dice if it ended a round."""
        self.move += 1
        found: dict[str, EmailMessage] = {}
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for player in self.players:
                for letter in player.letters():
                    if str(letter["X-Perudo"]).endswith(f"; move={self.move}"):
                        found[player.name] = letter
            is_there = self.playing <= set(found) if all_get_one else any(map(asks, found.values()))
            if winner_of(found) or is_there:
                return found
            time.sleep(0.01)
        raise Stuck(f"no email for the next player came in {PATIENCE} seconds")

    def _on_turn(self, letters: dict[str, EmailMessage]) -> Player | None:
        """The player whose turn it is; None after the end of the game."""
        if winner_of(letters):
            return None
        for player in self.players:
            letter = letters.get(player.name)
            if letter and asks(letter):
                return player
        raise Stuck(f"nobody is on turn: {', '.join(letters)}")

    def _moved(self, player: Player, letter: EmailMessage) -> dict[str, EmailMessage]:
        """Show and send the reply of this player; returns the letters that follow it."""
        text = body(letter)
        full = self.shows_turn and ". Beat " in text
        reply = player.reply(text, talks=full)
        if full:
            self.shows_turn = False
            self.screen.letter(player.name, letter)
            self.screen.say(f"\n{player.name} replies:", bold=True)
            self.screen.quote(reply.text)
            self.screen.wait(BLOCK)
            if reply.move != "dudo":
                self.screen.say("\nThe others answer their emails the same way:", bold=True)
        else:
            self.screen.act(player.name, "", reply.move, reply.words)
        player.send(f"Re: {letter['Subject']}", reply.text, letter)
        letters = self._letters(all_get_one=reply.move == "dudo")
        if reply.move == "dudo":
            self._opened({player.name, self.bidder}, letters)
        self.bidder = player.name
        return letters

    def _opened(self, told: set[str], letters: dict[str, EmailMessage]) -> None:
        """Show the opened cups, if possible in the letter of a player who is not called "you"."""
        names = [player.name for player in self.players if player.name in letters]
        reader = min(names, key=lambda name: (name in told, name == self.bidder))
        text = body(letters[reader])
        if winner_of(letters):
            return
        if self.shows_cups:
            self.shows_cups = False
            self.screen.letter(reader, letters[reader], until="THE TABLE")
            self.screen.say(
                "\nThe game goes on; of each email you see the round that ended.", bold=True
            )
        else:
            self.screen.act(reader, "reads:", "")
            self.screen.quote(of_round(text, self.round))
            self.screen.wait(BLOCK)
        self.round += 1
        self.playing = {name for name in letters if own_dice(body(letters[name]))}
        self._head(letters)

    def _head(self, letters: dict[str, EmailMessage]) -> None:
        dice = max(dice_in_play(body(letter)) for letter in letters.values())
        self.screen.say(f"\nRound {self.round}, {dice} dice", bold=True)

    def _ended(self, letters: dict[str, EmailMessage]) -> str:
        """Show the last letter to the winner; returns the winner's name."""
        winner = winner_of(letters)
        self.screen.letter(winner, letters[winner])
        self.screen.say(f"\n{winner} has won.", bold=True)
        return winner


def of_round(text: str, number: int) -> str:
    """What an email says of the round with this number, from its bids to the opened cups.

    An email tells of every round since its reader's last turn: the others are left out.  If the
    reader called, the email tells of this call alone, without bids.
    """
    story = text.partition("THE TABLE")[0].rstrip()
    bids = rf"Bids of round {number}:|Round {number}, from "
    if found := re.search(rf"^({bids})", story, re.MULTILINE):
        return story[found.start() :]
    calls = [*re.finditer("^You called ", story, re.MULTILINE)]
    if not calls:
        raise Stuck(f"an email does not tell of round {number}")
    return story[calls[-1].start() :]


def winner_of(letters: Mapping[str, EmailMessage]) -> str:
    """The player whom the last letter of a game congratulates; "" while it goes on."""
    return next((name for name in letters if f"You win, {name}!" in body(letters[name])), "")


def asks(letter: EmailMessage) -> bool:
    """Whether a letter asks its reader for a move."""
    return str(letter["X-Perudo"]).startswith("your-turn;")


def joined(names: Sequence[str]) -> str:
    """The names as in a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def perudo(home: Path, *words: str) -> str:
    """What the program `perudo` prints; raises CalledProcessError if it fails."""
    command = [str(PROGRAMS / "perudo"), "--home", str(home), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def prove(screen: Screen, home: Path) -> None:
    """Check the dice of game 1, from the database and from a file with its record."""
    file = home / "board-1.txt"
    file.write_text(perudo(home, "record", "1").rstrip("\n") + "\n", "utf-8")
    said, of_file = (perudo(home, "verify", each).splitlines()[0] for each in ("1", str(file)))
    if said != of_file:
        raise Stuck(f"the record says: {of_file}")
    screen.say(f"Were the dice fair? perudo verify 1: {said}")


def typed(*words: str) -> str:
    """A line to be typed into a shell; a long one continues on the next."""
    line = "  " + " ".join(words)
    return line if len(line) <= WIDTH else "  " + " \\\n    ".join(words)


def near(path: Path) -> str:
    """The path as it is typed here: without this folder's name if the path is below it."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def invite(screen: Screen, home: Path, name: str, password: str) -> None:
    """Print commands that work as they stand."""
    screen.say(
        f"\nNow play against a house player as {name}; the password is {password}:", bold=True
    )
    screen.say(typed(".", near(PROGRAMS / "activate")))
    screen.say(typed(f"export PBMSERV_HOME={shlex.quote(str(home))}"))
    screen.say(typed("perudo challenge", name, "house"))


@click.command(context_settings=HELP)
@click.option(
    "--rules",
    type=click.Choice(list(RULE_SETS)),
    default=USUAL_RULES,
    show_default=True,
    help="The rule set.",
)
@click.option(
    "--players",
    "count",
    type=click.IntRange(2, 6),
    default=USUAL_COUNT,
    show_default=True,
    help="How many play.",
)
@click.option("--seed", type=int, help="The same dice and moves again: the number of that demo.")
@click.option("--fast", is_flag=True, help="No pauses, as when the output is not a terminal.")
@click.option("--keep", is_flag=True, help="Keep the mailboxes and the database for good.")
def demonstration(rules: str, count: int, seed: int | None, fast: bool, keep: bool) -> None:
    """Play a whole game of Perudo by real email on this machine, and check its dice.

    The mailboxes and the database are in .demo until the next demo. With --keep, they are in a
    folder of their own, for good.
    """
    home = Path(tempfile.mkdtemp(prefix="perudo-")) if keep else anew(LAST_SHOW)
    seed = random.SystemRandom().randrange(10_000) if seed is None else seed
    chance = random.Random(seed)
    screen = Screen(paced=not fast and sys.stdout.isatty())
    names = NAMES[:count]
    again = [near(TOP / "scripts" / "demo"), f"--seed {seed}"]
    again += [f"--rules {rules}"] * (rules != USUAL_RULES)
    again += [f"--players {count}"] * (count != USUAL_COUNT)
    try:
        with server(home, seed) as port:
            players = [
                Player(name, home / "mail" / f"{name}@localhost", port, chance) for name in names
            ]
            introduce(screen, home, names, " ".join(again))
            sign_up(screen, players)
            Game(screen, players).played(rules)
        prove(screen, home)
    except BrokenPipeError:
        raise  # nobody reads the output any more; click ends without a message
    except (Stuck, OSError, subprocess.CalledProcessError) as problem:
        raise click.ClickException(f"{problem} (see {home})") from None
    screen.say(f"The same game again: {' '.join(again)}")
    kept = "" if keep else ", until the next demo"
    screen.say(f"The emails{kept}: {near(home / 'mail')}")
    invite(screen, home, players[0].name, players[0].password)


def anew(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


if __name__ == "__main__":
    demonstration(prog_name="scripts/demo", color=colours(os.environ))
