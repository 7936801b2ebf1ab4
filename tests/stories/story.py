"""A story: a text file of emails in and letters out, played by a real listener and compared.

    # What the story is about.
    seed: 3

    >> ann@example.org: Re: Your turn: Perudo board 1
    + reply
    4-2s

    << bob@example.org: Your turn: Perudo board 1
    ann bids four 2s (4-2s).
    ...

`>>` is an email: who writes it, and its Subject.  The lines with `+` say how it is sent.  `reply`
sends it to the plus address, as mail programs do.  `references` sends it to the bare address, so
only the headers tell what it answers.  A number names an older letter (`reply 2`: the one before
the latest).  `again` sends the email before, byte by byte.  `envelope <>` makes it a bounce, and
`base64` encodes it.  `after 60` sends it so many minutes later.  `unsubscribe` sends it to the
List-Unsubscribe of the latest letter.  `report NAME` sends a file of tests/mail/reports about the
latest letter.  `report NAME 2` is about the one before it, and in `report NAME 1 unstamped` nothing
proves which.  Any other line is a header of the email.  `{token}` in an email is what the latest
letter asked to be confirmed.  `<<` is a letter: to whom, its Subject and its text, where `...`
stands for any number of lines.  `<< nobody`: no letter.

`~~ 7 days` (or hours): so much time passes while the server runs; the letters of that time
follow.  `~~ 2 days away`: while it does not run.  `players: ann bob` at the top signs them up;
`wanted: turns` has them choose these letters, else each gets one for each move.
`settings: KEY = VALUE` there is a line of the home's pbmserv.toml.  `beacon: 3 days` there fills
the file `values` of the home with those of the beacon, from the town's morning on.
`defaults: yes` there has every other setting be that of a new server; else a town has those of
`town.UNHURRIED`.

`pytest tests/stories --rewrite` writes the letters anew; `letters: brief` at the top has it
shorten those that it writes.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pbmserv.games.perudo.beacon import EVERY, PERIOD, round_after
from pbmserv.settings import SETTINGS_FILE
from pbmserv.timeunits import DAY
from tests.shared import made_once
from tests.stories.snapshots import Snapshot
from tests.stories.town import MORNING, OUR_ADDRESS, Letter, Town, answering, mail, town_at

REPORTS = Path(__file__).parents[1] / "mail" / "reports"
STAMP = "aaaaaaafpa5sussrf7wa3u3x"  # of the reports there
BRIEF = 6  # lines of a letter that is written down shortened
NOBODY = "<< nobody"


@dataclass
class Block:
    """An email, a letter or a remark: its first line, and the lines below."""

    head: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join([self.head, *self.lines]).rstrip("\n")


def blocks(text: str) -> list[Block]:
    """The blocks of a story, the one at the top first."""
    found = [Block(text.split("\n", 1)[0])]
    for line in text.split("\n")[1:]:
        if line.startswith((">> ", "<< ", "## ", "~~ ")):
            found.append(Block(line))
        else:
            found[-1].lines.append(line)
    return found


class Teller:
    """Plays a story in a town, and writes it down as it happened."""

    def __init__(self, town: Town, brief: bool) -> None:
        self._town = town
        self._brief = brief
        self._last: tuple[bytes, str, str] = (b"", "", "")

    def told(self, story: list[Block]) -> Iterator[str]:
        """The blocks as they happened."""
        place = 0
        while place < len(story):
            block = story[place]
            place += 1
            yield block.text
            if not block.head.startswith((">> ", "~~ ")):
                continue
            expected: list[Block] = []
            while place < len(story) and story[place].head.startswith("<< "):
                expected.append(story[place])
                place += 1
            passes = block.head.startswith("~~ ")
            written = self._passed(block) if passes else self._posted(block)
            yield from self._letters(written, expected)

    def _letters(self, written: list[Letter], expected: list[Block]) -> Iterator[str]:
        if not written:
            yield NOBODY
        for place, letter in enumerate(written):
            head = f"<< {letter.to}: {letter.subject}"
            text = without_token(letter).rstrip("\n")
            fits = place < len(expected) and is_told_by(expected[place], head, text)
            if fits:
                yield expected[place].text
            else:
                yield f"{head}\n{shortened(text) if self._brief else text}"

    def _passed(self, block: Block) -> list[Letter]:
        """Let time pass; returns the letters of that time."""
        number, unit, *away = block.head.removeprefix("~~ ").split()
        hours = int(number) * (24 if unit.startswith("day") else 1)
        if away:
            self._town.now += 3600 * hours
            hours = 0
        return self._town.waited(hours)

    def _posted(self, block: Block) -> list[Letter]:
        """Send the email of a block; returns the letters that it causes."""
        sender, _, subject = block.head.removeprefix(">> ").partition(": ")
        options, text = parted(block.lines)
        to, envelope, encoding = OUR_ADDRESS, sender, None
        headers: dict[str, str] = {}
        for option in options:
            word, _, value = option.partition(" ")
            if word == "again":
                return self._town.carry(*self._last)
            if word in {"reply", "references"}:
                letter = self._town.last_letter_to(sender, int(value or 1))
                to = letter.reply_to if word == "reply" else to
                headers |= answering(letter)
            elif word == "envelope":
                envelope = value.strip("<>")
            elif word == "unsubscribe":
                to = self._town.last_letter_to(sender, int(value or 1)).unsubscribe
            elif word == "report":
                return self._town.carry(*self._report(sender, *value.split()))
            elif word == "base64":
                encoding = "base64"
            elif word == "after":
                self._town.now += 60 * int(value)
            else:
                name, _, value = option.partition(": ")
                headers[name] = value
        if "{token}" in subject + text:
            token = self._town.asked_of(sender)
            subject, text = (each.replace("{token}", token) for each in (subject, text))
        number = self._town.next_message_id()
        raw = mail(
            sender, subject, text, message_id=number, to=to, headers=headers, encoding=encoding
        )
        self._last = (raw, envelope, to)
        return self._town.carry(raw, envelope, to)

    def _report(
        self, reader: str, name: str, back: str = "1", *words: str
    ) -> tuple[bytes, str, str]:
        """A machine's report about a letter: the email, and its envelope."""
        letter = self._town.last_letter_to(reader, int(back))
        text = (REPORTS / f"{name}.eml").read_text("utf-8").replace("ann@example.org", reader)
        stamp = "X" if "unstamped" in words else letter.stamp
        text = re.sub(STAMP, stamp, text, flags=re.IGNORECASE)
        text = re.sub(
            r"(?m)^Message-I[dD]: .*$", f"Message-ID: {self._town.next_message_id()}", text, count=1
        )
        to = OUR_ADDRESS if "unstamped" in words else f"perudo+b-{stamp.lower()}@localhost"
        return text.encode(), "", to


def parted(lines: list[str]) -> tuple[list[str], str]:
    """The options of an email, and its text."""
    count = next((n for n, line in enumerate(lines) if not line.startswith("+ ")), len(lines))
    options = [line.removeprefix("+ ") for line in lines[:count]]
    return options, "\n".join(lines[count:]).strip("\n")


def without_token(letter: Letter) -> str:
    """A letter's text, with {token} for the random token that is to be confirmed."""
    if not letter.is_to_be_confirmed:
        return letter.text
    return letter.text.replace(letter.token, "{token}")


def shortened(text: str) -> str:
    """The beginning of a letter."""
    lines = text.split("\n")
    return "\n".join([*lines[:BRIEF], "..."] if len(lines) > BRIEF else lines)


def is_told_by(expected: Block, head: str, text: str) -> bool:
    """True if the block tells this letter, where `...` stands for any lines."""
    lines = expected.text.split("\n")[1:]
    if "..." not in lines:  # nearly always; compiling an expression takes longer
        return expected.head == head and lines == text.split("\n")
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in lines)
    return expected.head == head and re.fullmatch(pattern, text + "\n") is not None


def write_values(home: Path, days: int) -> None:
    """Values of the beacon as the file of a home has them: each a digest of its round."""
    first = round_after(MORNING)
    rounds = range(first, first + days * DAY // PERIOD, EVERY)
    values = (f"{each} {sha256(f'drand {each}'.encode()).hexdigest()}\n" for each in rounds)
    (home / "values").write_text("".join(values))


class Told(NamedTuple):
    """A story as it happened: its text, and the hours in which something changed by itself.

    `begun`: its players have signed up.
    """

    text: str
    changes: Sequence[int]
    begun: Snapshot


def told(file: Path, home: Path, before: Told | None = None) -> Told:
    """Tell a story; `before` is an earlier telling, on SQLite.

    The first telling is to a real SMTP listener.  The second begins with the players of the first.
    """
    story = blocks(file.read_text("utf-8"))
    settings = dict(
        re.findall(
            r"^(seed|letters|players|defaults|wanted|beacon): (.*)$", story[0].text, re.MULTILINE
        )
    )
    chosen = re.findall(r"^settings: (.*)$", story[0].text, re.MULTILINE)
    if chosen:
        home.mkdir(mode=0o700, exist_ok=True)
        with (home / SETTINGS_FILE).open("a") as kept:
            kept.writelines(f"{each}\n" for each in chosen)
    if "beacon" in settings:
        write_values(home, int(settings["beacon"].split()[0]))
    seed = int(settings.get("seed", "1"))
    with town_at(
        home,
        seed,
        is_unhurried=settings.get("defaults") != "yes",
        by_smtp=before is None,
        changes=before and before.changes,
    ) as town:
        if before:
            town.restore(before.begun)
        else:
            wanted = settings.get("wanted", "all")
            town.sign_up(*settings.get("players", "").split(), letters=wanted)
        begun = before.begun if before else town.snapshot()
        teller = Teller(town, settings.get("letters") == "brief")
        text = "\n\n".join(teller.told(story)) + "\n"
        return Told(text, town.hours.changed, begun)


def told_on_sqlite(file: Path, home: Path) -> Told:
    """The story as it happened on SQLite: played once in a run of tests, in this home."""

    def tell(target: Path) -> None:
        target.write_bytes(pickle.dumps(told(file, home)))

    found = pickle.loads(made_once(f"story-{file.stem}", tell).read_bytes())  # noqa: S301 - ours
    assert isinstance(found, Told)
    return found
