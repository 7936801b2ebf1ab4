"""Lay out plain-text letters: lines of 72 columns, with other people's words marked.

The words are in the templates; this module only arranges them.
"""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining, east_asian_width

WIDTH = 72
LEFT_OUT = "(quoted lines were left out)"  # the last line of a player's text if lines were left out
_LONGEST_QUOTED = 40  # columns: a wrong word is shown, but an email is never quoted back


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text in lines of at most `width` columns; lines after the first are indented.

    A word longer than a line is cut.
    """
    text = " ".join(text.split())
    if len(text) <= width and text.isascii():
        return text
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


def _measured(text: str, most: int) -> Iterable[tuple[str, int]]:
    """The words with their width in columns; words wider than `most` are cut."""
    words = text.split()
    if text.isascii() and max(lengths := list(map(len, words)), default=0) <= most:
        return zip(words, lengths, strict=True)
    return _cut(words, most)


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


def filled(text: str) -> str:
    """The text of `refusals.toml` in paragraphs of at most 72 columns.

    A line that begins with blanks is an example or a list item, so it is not joined with others.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.strip("\n").split("\n"), ""]:
        blanks = " " * (len(line) - len(line.lstrip()))
        if line and not blanks:
            paragraph.append(line)
            continue
        if paragraph:
            lines.append(wrapped(" ".join(paragraph)))
            paragraph = []
        lines.append(_hung(line, blanks))
    return "\n".join(lines[:-1])


def _hung(line: str, blanks: str) -> str:
    """A line that keeps its blanks, inside and in front, unless it is too long."""
    if len(line) <= WIDTH:
        return line.rstrip()
    return blanks + wrapped(line, blanks + "  ", WIDTH - len(blanks))


def told(text: str) -> str:
    """A player's words, marked so that they cannot be mistaken for the letter's own.

    The note that lines were left out is the server's, so it follows without a mark.
    """
    said = text.expandtabs(4).splitlines()
    is_cut = said[-1:] == [LEFT_OUT]
    lines: list[str] = []
    for line in said[:-1] if is_cut else said:
        lines += wrapped(printable(line), width=WIDTH - 2).split("\n")
    marked = [f"| {line}".rstrip() for line in lines]
    return "\n".join([*marked, LEFT_OUT] if is_cut else marked)


def printable(text: str) -> str:
    """The text without control characters, and without characters that reverse its direction."""
    return text if text.isprintable() else "".join(filter(str.isprintable, text))


def quoted(text: str) -> str:
    """A word that somebody wrote, shortened, without control characters, and in quotes."""
    text = " ".join(printable(text.replace("\n", " ")).split())
    if len(text) > _LONGEST_QUOTED:
        text = text[:_LONGEST_QUOTED] + "..."
    return f'"{text}"'


def dashed(options: Iterable[str]) -> list[str]:
    """The options as players write them: `-calza`."""
    return [f"-{option}" for option in options]


def lined(items: Iterable[object], last: str) -> str:
    """The items as a list in words: "a, b and c" if `last` is "and"."""
    *before, end = [str(item) for item in items] or [""]
    return f"{', '.join(before)} {last} {end}" if before else end


def plural(count: int, one: str, many: str) -> str:
    """The count with its noun."""
    return f"{count} {one if count == 1 else many}"


def column(text: str, width: int, to_the_right: bool = False) -> str:
    """The text filled up with blanks to a width, behind it or in front."""
    return text.rjust(width) if to_the_right else text.ljust(width)
