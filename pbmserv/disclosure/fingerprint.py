"""Fingerprints of a letter's lines, which identify a quotation of them.

A line is reduced to its bare words.  So quotation marks, blanks, accents and the changes of mail
programs do not matter.  Four bytes of each line are kept.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from pbmserv.text.unicode_forms import unmarked, with_plain_digits

MOST_LINES = 128  # of a letter that are kept: 512 bytes; letters of games have 20 to 70
MOST_WORDS = 24  # of a line that count
FEWEST_WORDS = 2  # a shorter line may be anybody's
FACES = "⚀⚁⚂⚃⚄⚅"
_WORD = re.compile(rf"\d+|[^\W\d_]+|[{FACES}]")
_ASCII_WORD = re.compile(r"[0-9]+|[A-Za-z]+")  # the same in ASCII, in half the time
_FOUR_WORDS = "\ufdfa"  # the only character that folds to more than three words
_OF_OTHERS = "|"  # `wrapping.told` puts it before the words of other players


def folded(text: str) -> str:
    """The text in lower case, without accents and invisible characters; in linear time.

    The digits of all scripts become 0 to 9, because mail programs of some languages write others.
    The Turkish dotless i becomes an i: both have the same capital.
    """
    if text.isascii():
        return text.lower()
    bare = unmarked(text.replace(_FOUR_WORDS, " ")).casefold().replace("ı", "i")
    return with_plain_digits(bare)


def words(text: str) -> list[str]:
    """The words of a folded text: letters, numbers and dice characters, each by itself."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(text)


def of_letter(lines: Iterable[int]) -> bytes:
    """The fingerprints of a letter's lines, as the outbox keeps them."""
    return _bytes(lines)[: 4 * MOST_LINES]


def of_text(text: str) -> bytes:
    """The fingerprints of its lines, four bytes each."""
    return _bytes(of_lines(text))


def of_lines(text: str) -> list[int]:
    """The fingerprints of its lines in their order, without those that have none."""
    if not text:  # as of many blocks that a page shows
        return []
    return [each for each in map(_of_line, text.split("\n")) if each is not None]


def _bytes(lines: Iterable[int]) -> bytes:
    return array("I", dict.fromkeys(lines)).tobytes()


def without(lines: bytes, others: bytes) -> bytes:
    """The fingerprints of lines that are not among others."""
    gone = read([others])
    return array("I", [each for each in array("I", lines) if each not in gone]).tobytes()


def read(kept: Iterable[bytes]) -> frozenset[int]:
    """The fingerprints of several letters, read from their kept bytes."""
    found = array("I")
    for each in kept:
        found.frombytes(each)
    return frozenset(found)


@lru_cache(maxsize=4096)  # the letters of a move share most of their lines
def _of_line(line: str) -> int | None:
    """A line's fingerprint; None if the line is too short, or another player's words."""
    if line.startswith(_OF_OTHERS):
        return None
    found = words(folded(line))[:MOST_WORDS]
    return crc32(_written(found)) if len(found) >= FEWEST_WORDS else None


def _written(line: Sequence[str]) -> bytes:
    return f"{' '.join(line)} ".encode("utf-8", "surrogatepass")


def matches(line: Sequence[str], known: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Find known lines among words: the place of their first word, and the one behind the last.

    If lines begin at the same word, only the longest is returned.  It takes time linear in
    the number of words.  Lines of one length are compared all at once, because `map` and
    `isdisjoint` are loops in C.
    """
    encoded = [f"{word} ".encode("utf-8", "surrogatepass") for word in line]
    ends: dict[int, int] = {}
    numbers = [0] * len(encoded)  # of the line that begins at each word, one word longer each time
    for length in range(1, min(MOST_WORDS, len(encoded)) + 1):
        numbers = list(map(crc32, encoded[length - 1 :], numbers))
        if length >= FEWEST_WORDS and not known.isdisjoint(numbers):
            ends.update(
                (start, start + length) for start, each in enumerate(numbers) if each in known
            )
    yield from sorted(ends.items())
