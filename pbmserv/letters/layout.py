"""Layout: lines of 72 columns for a plain-text letter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WIDTH = 72


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text in lines of at most `width` columns; the lines after the first are indented.

    A word that is longer than a line is cut.
    """
    lines: list[str] = []
    line = ""
    for word in _short_words(text.split(), width - len(indent)):
        start = indent if lines else ""
        candidate = f"{line} {word}" if line else start + word
        if line and len(candidate) > width:
            lines.append(line)
            line = indent + word
        else:
            line = candidate
    return "\n".join([*lines, line])


def _short_words(words: Iterable[str], most: int) -> Iterable[str]:
    for word in words:
        for start in range(0, len(word), most):
            yield word[start : start + most]


def told(text: str) -> str:
    """A player's words, marked so that they cannot pass for the letter's own."""
    lines: list[str] = []
    for raw in text.replace("\t", " ").split("\n"):
        line = "".join(character for character in raw if character.isprintable())
        lines += wrapped(line, width=WIDTH - 2).split("\n")
    return "\n".join(f"| {line}".rstrip() for line in lines)


def lined(items: Sequence[str], last: str = "and") -> str:
    """The items as one reads them out: "a, b and c"."""
    items = [str(item) for item in items]
    return f" {last} ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def plural(count: int, one: str, many: str) -> str:
    """The count with its noun."""
    return f"{count} {one if count == 1 else many}"


def column(text: str, width: int) -> str:
    """The text filled up to a width, or cut to it."""
    return text[:width].ljust(width)
