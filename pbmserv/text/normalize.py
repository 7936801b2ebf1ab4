"""Normalise text that a person wrote: Unicode, dashes and quotes, which mail programs replace."""

from __future__ import annotations

from pbmserv.text.unicode_forms import normalized, without_format

LONGEST_LINE = 2000  # characters of a line that are read: no command needs more

_BEAUTIFIED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000\t", " "),
        **dict(zip("×＝＃", "x=#", strict=True)),
    }
)


def plain(text: str) -> str:
    """The text with plain dashes, quotes and spaces, and without format characters."""
    if text.isascii():  # as most emails; faster than `translate`
        return text.replace("`", "'").replace("\t", " ")
    return normalized(without_format(text).translate(_BEAUTIFIED))


def plain_line(line: str) -> str:
    """`plain` for a line or a Subject; reads at most its first LONGEST_LINE characters."""
    return plain(line[:LONGEST_LINE])
