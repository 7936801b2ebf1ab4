"""Printable: what others have said, made fit for a terminal, a log and a letter."""

from __future__ import annotations

LONGEST = 300  # characters


def printable(said: str | bytes, most: int = LONGEST) -> str:
    """At most so many characters, on one line, each of them to be seen.

    Escape sequences rewrite a terminal, marks of direction (Unicode's bidi controls) turn round
    what stands beside them, and line ends forge lines of a log: each of these becomes a "?".
    """
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    # Of a long text more is looked at than shown, for runs of blanks become one.
    words = " ".join(text[: 4 * most].split())[:most]
    if words.isprintable():
        return words
    return "".join(each if each.isprintable() else "?" for each in words)
