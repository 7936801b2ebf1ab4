"""Take off what mail programs put in front of a Subject: "Re:", "Fwd:", list tags, warnings."""

from __future__ import annotations

import re
from functools import cache

from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of

# Mail servers add these in front of a Subject, or behind it.
_WARNING = re.compile(
    r"(?:^|\s)[\[({*]{1,5}\s?(?:ext|external|extern|externe|externo|spam|junk|bulk|suspected spam)"
    r"[^\])}*]{0,20}[\])}*]{1,5}(?=\s|$)",
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\s*+\[[^\]]{0,60}\]")


def bare_subject(subject: str) -> str:
    """The Subject without reply prefixes, forward prefixes and list tags in front.

    Reads at most its first LONGEST_LINE characters.
    """
    text = plain_line(subject)
    if "[" in text or "(" in text or "{" in text or "*" in text:
        text = _WARNING.sub(" ", text)
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
