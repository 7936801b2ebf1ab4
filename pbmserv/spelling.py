"""Spelling: what a person wrote, without what mail programs make of it.

They beautify dashes and quotes, and put marks of their own in front of Subjects.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.languages import one_of
from pbmserv.normalization import normalized

LONGEST_LINE = 2000  # characters of a line that are read: no command needs more

_BEAUTIFIED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000\t", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"),
        **dict(zip("×＝＃", "x=#", strict=True)),
    }
)

# What mail servers add in front of a Subject, or behind it.
_WARNING = re.compile(
    r"(?:^|\s)[\[({*]{1,5}\s?(?:ext|external|extern|externe|externo|spam|junk|bulk|suspected spam)"
    r"[^\])}*]{0,20}[\])}*]{1,5}(?=\s|$)",
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\s*+\[[^\]]{0,60}\]")


def plain(text: str) -> str:
    """The text with the dashes, quotes and spaces that mail programs beautify made plain."""
    return normalized(text.translate(_BEAUTIFIED))


def plain_line(line: str) -> str:
    """The same of a line or a Subject, of which no more than LONGEST_LINE characters are read."""
    return plain(line[:LONGEST_LINE])


def bare_subject(subject: str) -> str:
    """The Subject without reply and forward marks and list tags in front, as far as it is read."""
    text = _WARNING.sub(" ", plain_line(subject))
    while match := _reply_mark(text) or _LIST_TAG.match(text):
        text = text[match.end() :]
    return text.strip()


def _reply_mark(text: str) -> re.Match[str] | None:
    """A mark in front: "Re:", "Fwd:", "AW:", "Re[2]:", "RE :" or a cousin in another language."""
    return _reply_marks().match(text) if ":" in text or "：" in text else None


@cache
def _reply_marks() -> re.Pattern[str]:
    number = r"(?:(?:\[\d{1,3}\]|\(\d{1,3}\)|[*^]\d{1,3})\s*+)?"
    return re.compile(rf"\s*+(?:{one_of('subject_marks')})\s*+{number}[:：]", re.IGNORECASE)
