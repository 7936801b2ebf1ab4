"""Normalise text that a person wrote: Unicode, dashes, quotes and Subject prefixes.

Mail programs replace dashes and quotes, and put prefixes such as "Re:" in front of Subjects.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.text.phrases import one_of
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
_IN_ASCII = [(chr(old), new) for old, new in _BEAUTIFIED.items() if old < 128]  # noqa: PLR2004

# Mail servers add these in front of a Subject, or behind it.
_WARNING = re.compile(
    r"(?:^|\s)[\[({*]{1,5}\s?(?:ext|external|extern|externe|externo|spam|junk|bulk|suspected spam)"
    r"[^\])}*]{0,20}[\])}*]{1,5}(?=\s|$)",
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\s*+\[[^\]]{0,60}\]")


def plain(text: str) -> str:
    """The text with plain dashes, quotes and spaces, and without format characters."""
    if not text.isascii():
        return normalized(without_format(text).translate(_BEAUTIFIED))
    for old, new in _IN_ASCII:  # faster than `translate`, and most emails are in ASCII
        text = text.replace(old, new)
    return text


def plain_line(line: str) -> str:
    """`plain` for a line or a Subject; reads at most its first LONGEST_LINE characters."""
    return plain(line[:LONGEST_LINE])


def bare_subject(subject: str) -> str:
    """The Subject without reply prefixes, forward prefixes and list tags in front.

    Reads at most its first LONGEST_LINE characters.
    """
    text = _WARNING.sub(" ", plain_line(subject))
    while match := _reply_mark(text) or _LIST_TAG.match(text):
        text = text[match.end() :]
    return text.strip()


def _reply_mark(text: str) -> re.Match[str] | None:
    """Match a prefix such as "Re:", "Fwd:", "Re[2]:" or "RE :", in many languages ("AW:")."""
    return _reply_marks().match(text) if ":" in text or "：" in text else None


@cache
def _reply_marks() -> re.Pattern[str]:
    number = r"(?:(?:\[\d{1,3}\]|\(\d{1,3}\)|[*^]\d{1,3})\s*+)?"
    return re.compile(rf"\s*+(?:{one_of('subject_marks')})\s*+{number}[:：]", re.IGNORECASE)
