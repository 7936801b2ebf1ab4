"""The words of a text in order, with the line that each of them is in.

The search for secrets reads a player's text by its words: the marks and line breaks of a quotation
vary.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from pbmserv.disclosure import fingerprint

LARGEST_DIE = 20
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_LONGEST_PREFIX = 8  # words of a mark in front of each line
_COLONS = (":", "：")


@dataclass
class Words:
    """The words of a text in order: their lines, the dice they name, whether a colon follows.

    A number that a letter follows ("4-2s") does not name a die.
    """

    found: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    die: list[int] = field(default_factory=list)  # the value of the die that it names, or 0
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
        """The same words without those at some places."""
        kept = [place for place in range(len(self.found)) if place not in skipped]
        every = (self.found, self.line, self.die, self.colon)
        parts = ([each[place] for place in kept] for each in every)
        return Words(*parts)  # type: ignore[arg-type]  # lists of the same types as before

    def marks(self) -> set[int]:
        """The places of words that may be marks: adjacent lines begin with the same ones.

        The first word of each line may be a mark, too, because some marks are numbered.  This
        function does not report those.
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
        """Whether a run of words fills its lines."""
        before = start == 0 or self.line[start - 1] != self.line[start]
        return before and (end == len(self.line) or self.line[end] != self.line[end - 1])


def lines_of(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The place at which each line's words begin, and the number of the line."""
    before = None
    for place, line in enumerate(lines):
        if line != before:
            yield place, line
        before = line


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two lines have in common at their beginnings."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def die_of(word: str) -> int:
    """The die that a word names, or 0; several digits count as one die."""
    if word in fingerprint.FACES:
        return fingerprint.FACES.index(word) + 1
    if word.isdigit() and not word.isdecimal():  # such as a digit in a circle
        return unicodedata.digit(word) if len(word) == 1 else LARGEST_DIE + 1
    if word.isdigit():
        value = int(word[:4])
        return value if 0 < value <= LARGEST_DIE else LARGEST_DIE + 1
    return _NUMBERS.get(word, 0)
