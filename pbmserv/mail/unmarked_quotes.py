"""Find an answered email that Outlook or a phone repeats below a reply without quote marks.

It begins with a dividing line, or with the headers of the answered email: `From: … Sent: … To: …`.
The lookahead is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.text.phrases import words_of

# Lines of our own letters.  A mail program may repeat a letter without any marks.  Then its
# reader's dice must not become a message to the others.
OUR_LETTERS = (
    *words_of("our_letters"),
    # Lines of letters that were of an older wording, which are still answered.
    "to answer, reply to this letter", "sha-256 of the seed of round",
    "you need no password. what you write", "or send a new email with this subject",
    "without this letter, by mail", "no password is needed; what you write",
    "проверка костей, ход",
)  # fmt: skip
PEOPLE_WRITE_TOO = (*words_of("our_titles"), "please move before")
"""Lines of our letters that count only above another such line."""
_ORIGINAL = words_of("original")
_FORWARDED = frozenset(words_of("forwarded"))
_FROM = frozenset(words_of("head_from"))
_BESIDE_FROM = frozenset(words_of("head_beside"))
_LONGEST_DIVIDER = 100
_FEWEST_DASHES = 8
_FEWEST_DASHES_WITH_WORDS = 2
_ODD_MARKS = "|:}#%*_ \t"  # some people have their programs quote with these
_RULES = "-_–—=*"

_LONGEST_OPENING = 90  # characters
_LETTER_LINES = 12  # within which a letter of ours is recognised
_HEAD_LINES = 6  # within which the other headers are searched, wrapped values included
_LONGEST_HEADING = 24
_LONGEST_VALUE = 200
_TIME_OR_YEAR = re.compile(r"\d{1,2}[:.]\d{2}|\b20\d\d|20\d\d[年년]")


def repeated_mail(lines: Sequence[str], position: int) -> int:
    """The number of lines that divide a reply from the email repeated below; 0 if they do not.

    The line is not empty.
    """
    text = lines[position].strip()
    if _is_ours(text, OUR_LETTERS) or (
        _is_ours(text, PEOPLE_WRITE_TOO) and _letter_follows(lines, position + 1)
    ):
        return 1
    if text[:60].rstrip(":： ").lower() in _FORWARDED:
        return 1
    return int(_is_divider(text, lines, position) or _is_head(lines, position))


def _is_ours(text: str, openings: tuple[str, ...]) -> bool:
    opening = text.strip()[:_LONGEST_OPENING].replace("\xa0", " ")
    return opening.lstrip(_ODD_MARKS).lower().startswith(openings)


def _letter_follows(lines: Sequence[str], position: int) -> bool:
    """True if lines below are found only in our letters."""
    below = lines[position : position + _LETTER_LINES]
    return any(_is_ours(each, OUR_LETTERS) for each in below)


def opens_unmarked(line: str) -> bool:
    """True for `>>> NAME DATE >>>`, below which GroupWise repeats an email without marks."""
    text = line.strip()
    return text.startswith(">>> ") and text.endswith(" >>>")


def _is_divider(text: str, lines: Sequence[str], position: int) -> bool:
    if len(text) > _LONGEST_DIVIDER or text[0] not in _RULES:
        return False
    inside = text.strip(_RULES + " \xa0")
    dashes = len(text) - len(inside) - text.count(" ") + inside.count(" ")
    if not inside:
        if text[0] == "_" and dashes >= _FEWEST_DASHES:
            return True
        return dashes > _FEWEST_DASHES_WITH_WORDS and _head_follows(lines, position + 1)
    if text[-1] not in _RULES or dashes < _FEWEST_DASHES_WITH_WORDS:
        return False
    if inside.lower().startswith(_ORIGINAL):
        return True
    return dashes >= _FEWEST_DASHES and text[0] == "-" and any(c.isalpha() for c in inside)


def _head_follows(lines: Sequence[str], position: int) -> bool:
    while position < len(lines) and not lines[position].strip():
        position += 1
    return position < len(lines) and _is_head(lines, position)


def _is_head(lines: Sequence[str], position: int) -> bool:
    """True where the headers of an email begin: who wrote it, and two more headers."""
    first = _heading(lines[position])
    if first is None:
        return False
    below = lines[position + 1 : position + 1 + _HEAD_LINES]
    return _is_known_head(first, below) or _is_certain_head(first, below)


def _is_known_head(first: tuple[str, str], below: Sequence[str]) -> bool:
    """True for headers whose names are known."""
    known = _FROM | _BESIDE_FROM
    if first[0] not in known:
        return False
    found = [first, *(each for line in below if (each := _heading(line)) and each[0] in known)]
    names = {name for name, _ in found}
    if not names & _FROM:
        return False
    is_told = any("@" in value or _TIME_OR_YEAR.search(value) for _, value in found)
    return len(names) > len(("from", "date")) or (len(names) > 1 and is_told)


def _is_certain_head(first: tuple[str, str], below: Sequence[str]) -> bool:
    """True for headers in a language whose words are not known; the form must be certain."""
    if "@" not in first[1]:
        return False
    names, dated = {first[0]}, bool(_TIME_OR_YEAR.search(first[1]))
    for line in below:
        found = _heading(line)
        if not found or found[0] in names:
            break  # an email never repeats a header
        names.add(found[0])
        dated = dated or bool(_TIME_OR_YEAR.search(found[1]))
    return dated and len(names) > len(("from", "date"))


def _heading(line: str) -> tuple[str, str] | None:
    """`*From:* Ann` as `("from", "Ann")`; None where the line has no such form."""
    name, colon, value = line[:_LONGEST_VALUE].partition(":")
    if not colon or "：" in name:
        name, colon, value = line[:_LONGEST_VALUE].partition("：")
    name = name.strip("*_ \t\xa0").lower()
    if not colon or not 0 < len(name) <= _LONGEST_HEADING or not name[0].isalpha():
        return None
    return name, value
