"""Make the words of others safe for a terminal, a log and a letter."""

from __future__ import annotations

LONGEST = 300  # characters


def printable(said: str | bytes, most: int = LONGEST) -> str:
    """At most `most` visible characters of a text, on one line.

    Escape sequences rewrite a terminal.  Unicode's bidirectional controls reorder the text beside
    them.  Line ends forge lines of a log.  Each of these becomes a "?".
    """
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    # Runs of blanks become one, so the shown text may need more than `most` characters.
    words = " ".join(text[: 4 * most].split())[:most]
    if words.isprintable():
        return words
    return "".join(each if each.isprintable() else "?" for each in words)
