"""Word places: the words of a text in order, and where each of them stands.

What one player writes to others is read by its words, for marks and line breaks of a quotation
can be anything.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from pbmserv.disclosure import fingerprint

LARGEST_DIE = 20
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_LONGEST_PREFIX = 8  # words of a mark that stand before each line
_COLONS = (":", "：")


@dataclass
class Words:
    """The words of a text in order: which line each is of, what die it names, if a colon follows.

    A number that a letter follows ("4-2s") names no die.
    """

    found: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    die: list[int] = field(default_factory=list)  # its value as a die, 0 for what is none
    colon: list[bool] = field(default_factory=list)

    def add(self, line: int, text: str) -> None:
        """Add the words of a folded line."""
        found = fingerprint.words(text)
        place = 0
        for word in found:
            place = text.index(word, place) + len(word)
            self.die.append(0 if text[place : place + 1].isalpha() else die_of(word))
            self.colon.append(text[place : place + 2].lstrip().startswith(_COLONS))
        self.found += found
        self.line += [line] * len(found)

    def without(self, skipped: Set[int]) -> Words:
        """The same without the words at some places."""
        kept = [place for place in range(len(self.found)) if place not in skipped]
        every = (self.found, self.line, self.die, self.colon)
        parts = ([each[place] for place in kept] for each in every)
        return Words(*parts)  # type: ignore[arg-type]  # lists of the same types as before

    def marks(self) -> set[int]:
        """The places of words that may be marks: what lines beside each other begin with alike.

        (The first word of each line may be one, too, for some marks count: that is not said here.)
        """
        starts = [place for place, _ in lines_of(self.line)]
        ends = [*starts[1:], len(self.line)]
        heads = [
            self.found[start : min(end, start + _LONGEST_PREFIX)]
            for start, end in zip(starts, ends, strict=False)
        ]
        found = set()
        for place, (start, head) in enumerate(zip(starts, heads, strict=True)):
            beside = heads[max(0, place - 1) : place] + heads[place + 1 : place + 2]
            alike = max((_alike(head, other) for other in beside), default=0)
            found |= set(range(start, start + alike))
        return found

    def are_alone(self, start: int, end: int) -> bool:
        """Whether a run of words is all that their lines hold."""
        before = start == 0 or self.line[start - 1] != self.line[start]
        return before and (end == len(self.line) or self.line[end] != self.line[end - 1])


def lines_of(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where each line's words begin, and which line it is."""
    before = None
    for place, line in enumerate(lines):
        if line != before:
            yield place, line
        before = line


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two lines begin with alike."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def die_of(word: str) -> int:
    """The die that a word names, 0 if it names none; several digits in a row count as one."""
    if word in fingerprint.FACES:
        return fingerprint.FACES.index(word) + 1
    if word.isdigit() and not word.isdecimal():  # such as a digit in a circle
        return unicodedata.digit(word) if len(word) == 1 else LARGEST_DIE + 1
    if word.isdigit():
        value = int(word[:4])
        return value if 0 < value <= LARGEST_DIE else LARGEST_DIE + 1
    return _NUMBERS.get(word, 0)
