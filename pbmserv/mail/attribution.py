"""The line with which a mail program introduces a quotation: `On DATE, NAME wrote:`.

Written in many languages, on up to four lines, and sometimes glued to the end of what the
person typed.  Every test looks at a bounded stretch of text, so that reading stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 400  # characters of an attribution, names and addresses included
MOST_LINES = 4
_LONGEST_WEEKDAY = len("пт, ")

_VERBS = (
    "wrote",  # English
    "writes",
    "a écrit",  # French
    "пишет",  # Russian
    "писал",
    "написал",
    "escribió",  # Spanish
    "schrieb",  # German
    "geschrieben",
    "ha scritto",  # Italian
    "schreef",  # Dutch
    "geschreven",
    "escreveu",  # Portuguese
    "napisał",  # Polish
    "pisze",
    "写道",  # Chinese
    "寫道",
    "書きました",  # Japanese
    "のメール",
    "작성",  # Korean
    "skrev",  # Danish, Norwegian, Swedish
    "kirjoitti",  # Finnish
    "napsal",  # Czech
    "írta",  # Hungarian
    "yazdı",  # Turkish
)

# An opening word with a date behind it.  Every repetition is bounded.
_OPENING = re.compile(
    r"(?:On|Am|Le|El|Il giorno|Il|Op|Em|W dniu|Dnia|Den|Dne|在)\s{1,3}"
    r"(?:[^\W\d_]{2,12}\.?,?\s{1,2}(?:[^\W\d_]{1,3}\s){0,1}){0,3}\d{1,4}"
)
_NUMERIC_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}")
_TIME_OR_YEAR = re.compile(r"\d{1,2}[:.h]\d{2}|\b20\d\d|20\d\d年")


def attribution(lines: Sequence[str], start: int) -> tuple[str, int] | None:
    """Whether an attribution begins in line `start`: what was typed before it, and its lines.

    None if there is none.  What was typed is "" unless the attribution is glued to it.
    """
    first = lines[start].rstrip()
    tail = first[-LONGEST:]
    if _ends(tail):
        begins = _beginning(tail)
        if begins is not None:
            return _typed(first, tail, begins), 1
    if _runs_on(first[:LONGEST]):
        return "", 1
    opening = _last_opening(tail)
    if opening is None and not _name_stands_alone(tail):
        return None
    joined = tail
    for further in range(1, MOST_LINES):
        if start + further >= len(lines):
            return None
        line = lines[start + further].strip()
        if not line or line.startswith(">") or len(joined) + len(line) > LONGEST:
            return None
        joined = f"{joined} {line}"
        if _ends(joined) and _beginning(joined) is not None:
            return _typed(first, tail, opening or 0), further + 1
        if opening is None:
            return None
    return None


def _runs_on(text: str) -> bool:
    """Whether the quotation stands in the same line, as Yahoo's telephone program writes it."""
    if not _OPENING.match(text.lstrip()):
        return False
    lowered = text.lower()
    ends = max(lowered.find(f"{verb}: ") for verb in _VERBS)
    return ends > 0 and _is_addressed(text[:ends])


def _typed(line: str, tail: str, begins: int) -> str:
    return line[: len(line) - len(tail) + begins].rstrip()


def _ends(text: str) -> bool:
    return text.endswith((":", "：", "︰"))


def _name_stands_alone(text: str) -> bool:
    """`NAME <address>`, perhaps with a date, or no more than `NAME <`: the rest follows below."""
    if text.endswith("<"):
        return True
    return _is_addressed(text) and (text.endswith(">") or bool(_TIME_OR_YEAR.search(text)))


def _is_addressed(text: str) -> bool:
    return "@" in text and "<" in text


def _last_opening(text: str) -> int | None:
    begins = None
    for found in _OPENING.finditer(text):
        begins = found.start()
    return begins


def _beginning(text: str) -> int | None:
    """Where in `text`, which ends in a colon, the attribution begins; None if it is none."""
    lowered = text.lower().replace("\xa0", " ")
    speaks = any(verb in lowered for verb in _VERBS)
    opening = _last_opening(text)
    if opening is not None and (speaks or _TIME_OR_YEAR.search(text, opening)):
        return opening
    date = _NUMERIC_DATE.search(text)
    addressed = _is_addressed(text)
    if speaks and date and not addressed:
        before = text[: date.start()].strip()
        return date.start() if len(before) > _LONGEST_WEEKDAY else 0
    if speaks and (addressed or _TIME_OR_YEAR.search(text)):
        return 0
    if addressed and _TIME_OR_YEAR.search(text):
        return 0
    return None
