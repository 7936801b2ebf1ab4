"""Lay out plain-text letters: lines of 72 columns, with other people's words marked.

The words are in the templates; this module only arranges them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import combining, east_asian_width

WIDTH = 72
LEFT_OUT = "(quoted lines were left out)"  # the last line of a player's text if lines were left out
BOUND = "\u00a0"  # a blank at which no line ends: French has one before a colon
_WORD = re.compile(rf"(?:\S|{BOUND})+")
_LONGEST_QUOTED = 40  # columns: a wrong word is shown, but an email is never quoted back


def _words(text: str) -> list[str]:
    """The words of a text; what a blank binds at which no line ends is one word."""
    return text.split() if text.isascii() else _WORD.findall(text)


@lru_cache(maxsize=1024)  # the letters of a move have most sentences in common
def one_line(text: str) -> str:
    """The text on one line, with one blank between words."""
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text  # as most sentences are; no other white space is printable
    return " ".join(text.split() if text.isascii() else _WORD.findall(text))


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text in lines of at most `width` columns; lines after the first are indented.

    A word longer than a line is cut.
    """
    text = one_line(text)
    if len(text) <= width and text.isascii():
        return text
    if not indent and text.isascii() and (found := _broken(text, width)):
        return "\n".join(found)
    lines: list[str] = []
    line, used = "", 0
    for word, columns in _measured(text, width - len(indent)):
        if line and used + 1 + columns > width:
            lines.append(line)
            line, used = indent + word, len(indent) + columns
        elif line:
            line, used = f"{line} {word}", used + 1 + columns
        else:
            line, used = word, columns
    return "\n".join([*lines, line])


def _broken(text: str, width: int) -> list[str]:
    """ASCII text with single blanks in lines of at most `width`; none if a word is longer."""
    lines: list[str] = []
    start = 0
    while len(text) - start > width:
        end = text.rfind(" ", start, start + width + 1)
        if end < 0:
            return []
        lines.append(text[start:end])
        start = end + 1
    return [*lines, text[start:]]


def _measured(text: str, most: int) -> Iterable[tuple[str, int]]:
    """The words with their width in columns; words wider than `most` are cut."""
    every = _words(text)
    if text.isascii() and max(lengths := list(map(len, every)), default=0) <= most:
        return zip(every, lengths, strict=True)
    return _cut(every, most)


def _cut(words: Iterable[str], most: int) -> Iterable[tuple[str, int]]:
    for word in words:
        columns = columns_of(word)
        if columns <= most:
            yield word, columns
            continue
        piece, used = "", 0
        for character in word:
            if used + (wide := columns_of(character)) > most:
                yield piece, used
                piece, used = "", 0
            piece, used = piece + character, used + wide
        yield piece, used


def columns_of(text: str) -> int:
    """The width of a text in columns of a fixed-width font; Chinese characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text
    )


def told(text: str) -> str:
    """A player's words, marked so that they cannot be mistaken for the letter's own."""
    lines: list[str] = []
    for line in text.expandtabs(4).splitlines():
        lines += wrapped(printable(line), width=WIDTH - 2).split("\n")
    return "\n".join(f"| {line}".rstrip() for line in lines)


def printable(text: str) -> str:
    """The text without control characters, and without characters that reverse its direction.

    Blanks at which no line ends become usual ones.
    """
    if text.isprintable():
        return text
    return "".join(filter(str.isprintable, text.replace(BOUND, " ").replace("\u202f", " ")))


def quoted(text: str, marks: str = '"%(text)s"') -> str:
    """A word that somebody wrote, shortened, without control characters, and in quotes."""
    text = " ".join(printable(text.replace("\n", " ")).split())
    if len(text) > _LONGEST_QUOTED:
        text = text[:_LONGEST_QUOTED] + "..."
    return marks % {"text": text}


def dashed(options: Iterable[str]) -> list[str]:
    """The options as players write them: `-calza`."""
    return [f"-{option}" for option in options]


def lined(items: Iterable[object], last: str) -> str:
    """The items as a list in words: "a, b and c" if `last` is "and"."""
    *before, end = [str(item) for item in items] or [""]
    return f"{', '.join(before)} {last} {end}" if before else end
