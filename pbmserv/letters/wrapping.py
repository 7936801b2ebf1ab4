"""Layout: lines of 72 columns for a plain-text letter, and other people's words kept apart.

What is said stands in the templates; here is only how it is set.
"""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining, east_asian_width

WIDTH = 72
LEFT_OUT = "(quoted lines were left out)"  # the last line of what a player wrote, if so
_LONGEST_QUOTED = 40  # columns: an offending word is shown, a mail is never quoted back


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text in lines of at most `width` columns; the lines after the first are indented.

    A word that is longer than a line is cut.
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
    """The words with the columns they take; those that take more than `most` are cut."""
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
    """The columns that a text takes where every letter is equally wide; Chinese takes two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text
    )


def filled(text: str) -> str:
    """The text in paragraphs of at most 72 columns, as `refusals.toml` writes it.

    A line that begins with blanks is not run together with its neighbours: it is an example, or
    one of a list.
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
    """A line that keeps its blanks, inside and in front, unless it is too long for that."""
    if len(line) <= WIDTH:
        return line.rstrip()
    return blanks + wrapped(line, blanks + "  ", WIDTH - len(blanks))


def told(text: str) -> str:
    """A player's words, marked so that they cannot pass for the letter's own.

    That lines of them were left out is the server's word, and stands below them without a mark.
    """
    said = text.expandtabs(4).splitlines()
    is_cut = said[-1:] == [LEFT_OUT]
    lines: list[str] = []
    for line in said[:-1] if is_cut else said:
        lines += wrapped(printable(line), width=WIDTH - 2).split("\n")
    marked = [f"| {line}".rstrip() for line in lines]
    return "\n".join([*marked, LEFT_OUT] if is_cut else marked)


def printable(text: str) -> str:
    """The text without control characters, and without marks that turn its direction round."""
    return text if text.isprintable() else "".join(filter(str.isprintable, text))


def quoted(text: str) -> str:
    """A word that somebody wrote, short and without control characters, in quotes."""
    text = " ".join(printable(text.replace("\n", " ")).split())
    if len(text) > _LONGEST_QUOTED:
        text = text[:_LONGEST_QUOTED] + "..."
    return f'"{text}"'


def dashed(options: Iterable[str]) -> list[str]:
    """The options as a challenge writes them: `-calza`."""
    return [f"-{option}" for option in options]


def lined(items: Iterable[object], last: str) -> str:
    """The items as one reads them out: "a, b and c" where `last` is "and"."""
    *before, end = [str(item) for item in items] or [""]
    return f"{', '.join(before)} {last} {end}" if before else end


def plural(count: int, one: str, many: str) -> str:
    """The count with its noun."""
    return f"{count} {one if count == 1 else many}"


def column(text: str, width: int, to_the_right: bool = False) -> str:
    """The text filled up to a width with blanks, behind it or in front."""
    return text.rjust(width) if to_the_right else text.ljust(width)
