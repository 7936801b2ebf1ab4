"""Mutants: thousands of emails between hostile and real ones, the same in every run.

Each is a beginning, a piece that may come any number of times, and an end.  So a mutant that is
slow while it is small can be tried in full size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from tests.mail.hostile import HOSTILE, HOSTILE_BOUNCES, Readers, filled
from tests.processor_time import least, usual_seconds

MANY = 10_000
SMALL, LARGEST = 1024, 256 * 1024  # bytes
LIMIT = 0.5  # seconds of CPU for the largest email
SLOWEST = 40  # of the small ones: these are tried in full size
_HERE = Path(__file__).parent
_LONGEST_PIECE = 200  # bytes
_LONGEST_REAL = 2048  # bytes of a real email: the rest of it is left out
_PIECES = (
    *(b"\n", b"\r\n", b"\r", b" ", b"\t", b">", b"<", b"*", b"--", b"-- \n", b"--b", b"\n\n", b"("),
    *(b"On Fri, 5 x", b" wrote:", b"From: ", b"Sent: ", b"To: ", b"Subject: ", b"=?utf-8?q?", b")"),
    *(b"=C3", b"?=", b"=", b"Content-Type: ", b"multipart/mixed; boundary=b", b"text/html", b"'"),
    *(
        b"\xff",
        b"\0",
        b"<div",
        b"</p>",
        b"<!--",
        b"&#803;",
        b"charset=",
        b"utf-16",
        b"windows-1258",
    ),
    *(b"format=flowed", b'"', b"\\", b":", b"@", b";", b"Content-Transfer-Encoding: base64", b"_"),
    *(
        b"Message-ID: <",
        b"5-5s",
        b"perudo ",
        b"move ",
        b"#",
        b"12 ",
        b"References: <a.b@c>",
        b"Re:",
    ),
    *(
        "是".encode(),
        "的是".encode(),
        "\u0323\u0301".encode(),
        b"\xc2\xa0",
        b"yes ",
        b"si",
        b"[ext ",
    ),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """An email that can have any size: `piece` comes as often as there is room."""

    head: bytes
    piece: bytes
    end: bytes

    def of(self, size: int) -> bytes:
        """The email, about so many bytes long."""
        return filled(self.head, self.piece, size - len(self.end)) + self.end


def mutants(count: int = MANY, seed: int = 10) -> Iterator[Mutant]:
    """So many mutants, the same ones in every run."""
    chance = Random(seed)
    hostile = [*HOSTILE.values(), *HOSTILE_BOUNCES.values()]
    folders = (_HERE / "data", _HERE / "senders", _HERE / "reports")
    files = sorted(file for folder in folders for file in folder.glob("*.eml"))
    real = [file.read_bytes()[:_LONGEST_REAL] for file in files]
    for number in range(count):
        if number % 2:
            yield _of_a_real_mail(chance, chance.choice(real))
        else:
            (head, _), (_, piece) = chance.choice(hostile), chance.choice(hostile)
            yield Mutant(
                _changed(chance, head),
                _changed(chance, piece)[:_LONGEST_PIECE] or b"x",
                _end(chance),
            )


def _of_a_real_mail(chance: Random, raw: bytes) -> Mutant:
    """An email somewhere in which a piece of it, or of another kind, comes again and again."""
    begin = chance.randrange(len(raw))
    end = min(len(raw), begin + chance.choice((1, 2, 5, 20, _LONGEST_PIECE)))
    piece = _changed(chance, raw[begin:end])[:_LONGEST_PIECE] or b"x"
    return Mutant(raw[:begin], piece, raw[end:] + _end(chance))


def _changed(chance: Random, text: bytes) -> bytes:
    """The text with up to three things done to it."""
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(text) + 1)
        match chance.randrange(4):
            case 0:
                text = text[:place] + chance.choice(_PIECES) + text[place:]
            case 1:
                text = text[:place] + text[place + 1 :]
            case 2:
                text = text[:place] + chance.randbytes(1) + text[place + 1 :]
            case _:
                text = (
                    text[:place] + text[place : place + 20] * chance.choice((2, 50)) + text[place:]
                )
    return text


def _end(chance: Random) -> bytes:
    return chance.choice((b"", b"x", b":\n", b"\n--b--\n"))


def slowest(
    readers: Readers, every: Iterator[Mutant], told: Callable[[int], object] = lambda number: None
) -> tuple[float, str]:
    """The CPU time of the slowest mutant in full size, in seconds, and which one it is.

    All are read while they are small, each in one of the ways in which emails are read.  Those that
    take longest are then read as large emails.
    """
    ways = list(readers.ways().items())
    small: list[tuple[float, int, Mutant]] = []
    for number, mutant in enumerate(every):
        told(number)
        read = ways[number // 2 % len(ways)][1]
        small.append((_seconds(read, mutant.of(SMALL)), number, mutant))
    found = 0.0, ""
    for _, number, mutant in sorted(small, key=lambda each: each[0])[-SLOWEST:]:
        way, read = ways[number // 2 % len(ways)]
        for size in (SMALL, LARGEST):
            raw = mutant.of(size)
            seconds = _seconds(read, raw)
            if seconds > LIMIT:
                seconds = usual_seconds(partial(read, raw), LIMIT, tries=3)
            found = max(found, (seconds, f"{way}, {size}: {mutant}"))
    return found


def _seconds(read: Callable[[bytes], object], raw: bytes) -> float:
    return least(partial(read, raw), 0, tries=1)
