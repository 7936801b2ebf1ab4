"""Normalise text that a person wrote: Unicode, dashes, quotes and Subject prefixes.

Mail programs replace dashes and quotes, and put prefixes such as "Re:" in front of Subjects.

`unicodedata.normalize` sorts the combining marks behind a letter.  It takes quadratic time where
thousands of them follow each other.  Unicode's stream-safe text (UAX 15, section 13) has at most 30
in a row; no word of any language needs more.  So this module removes further marks first.  All
other code calls `normalized`; a test checks this.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from unicodedata import category, combining, normalize

from pbmserv.text.phrases import one_of

MOST_MARKS = 30  # in a row (UAX 15, D4)
# Unicode counts these as letters, but each stands for two marks.
_TWO_MARKS = frozenset("\u0f73\u0f75\u0f81")
# No mark is ASCII or a letter, so only such a run can hold too many.  This search is fast.
_MAY_BE_MARKS = re.compile(rf"[^\x00-\x7f\w]{{{MOST_MARKS + 1},}}+")


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

# Mail servers add these in front of a Subject, or behind it.
_WARNING = re.compile(
    r"(?:^|\s)[\[({*]{1,5}\s?(?:ext|external|extern|externe|externo|spam|junk|bulk|suspected spam)"
    r"[^\])}*]{0,20}[\])}*]{1,5}(?=\s|$)",
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\s*+\[[^\]]{0,60}\]")


def plain(text: str) -> str:
    """The text with plain dashes, quotes and spaces in place of typographic ones."""
    return normalized(text.translate(_BEAUTIFIED))


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


def normalized(text: str) -> str:
    """The text in NFC, with at most MOST_MARKS combining marks in a row; linear in its length."""
    if text.isascii():
        return text
    return normalize("NFC", _MAY_BE_MARKS.sub(lambda run: _stream_safe(run[0]), text))


def compatible(text: str) -> str:
    """The text in NFKC, with at most MOST_MARKS combining marks in a row; linear in its length.

    NFKC replaces wide letters, for example, by plain ones.
    """
    if text.isascii():
        return text
    return normalize("NFKC", _MAY_BE_MARKS.sub(lambda run: _stream_safe(run[0]), text))


def _stream_safe(run: str) -> str:
    """The run of marks without those that follow MOST_MARKS others."""
    kept: list[str] = []
    marks = 0
    for character in run:
        marks = marks + 1 if combining(character) or character in _TWO_MARKS else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def unmarked(text: str) -> str:
    """The text without accents and invisible characters, for comparisons; linear in its length."""
    # The marks are removed first, so that `normalize` has nothing to sort.
    return "".join(filter(is_seen, normalize("NFKD", "".join(filter(is_seen, text)))))


@lru_cache(maxsize=4096)
def is_seen(character: str) -> bool:
    """False for accents and invisible characters."""
    return category(character) not in {"Mn", "Mc", "Me", "Cf"}
