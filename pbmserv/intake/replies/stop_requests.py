"""Recognise an email that asks for no more letters, and nothing else, in many languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.subject_prefixes import bare_subject

_REQUESTS = frozenset(words_of("stop_requests"))
_POLITE = rf"(?:{one_of('thanks')}|please)"
_MANNERS = re.compile(rf"^{_POLITE}[ ,]++|(?<![ ,])[ ,]++{_POLITE}$")
_AROUND = " .,!*_\"'()[]-"


def asks_to_stop(subject: str, typed: Sequence[str]) -> bool:
    """Whether the Subject, or the only typed line, asks for no more letters.

    A Subject behind "Re:" is the one of an answered email.
    """
    lines = [line for line in typed if line.strip()]
    if len(lines) == 1 and _is_request(lines[0]):
        return True
    return _is_request(subject) and bare_subject(subject) == plain_line(subject).strip()


def _is_request(line: str) -> bool:
    text = plain_line(line).lower().strip(_AROUND)
    return _MANNERS.sub("", text).strip(_AROUND) in _REQUESTS
