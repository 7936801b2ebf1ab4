"""Passwords that a player tells the server in a message, such as a new one.

No comparison finds them: the server knows only the hash of the password that is used now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.disclosure.redaction import bare as bare_of
from pbmserv.intake.likely_passwords import is_unknown, words_in
from pbmserv.intake.password_phrases import bare_line, one_of_phrases, tells_one
from pbmserv.intake.password_redaction import LONGEST_MESSAGE, MOST_LINES, is_bid
from pbmserv.security.credentials import SHORTEST_PASSWORD
from pbmserv.text.phrases import words_of

_LONGEST_END = 80  # characters of the end of a line
_MOST_WORDS, _FEW_WORDS = 12, 4  # of a line that names a word with digits, and any word
_VALUE = re.compile(r"\s?[:=]\s?\S")  # behind a word for passwords
_MEASURED = re.compile(r"[0-9]{1,4}[^\W\d_]{1,3}$|[0-9]{1,2}h[0-9]{2}$")  # 10th, 500km, 20h30
_MOST_READ = 2 * LONGEST_MESSAGE


def without_told_passwords(message: str, above: Sequence[str] = ()) -> str:
    """A message without the lines that tell a password: "my new password should be trout99".

    A line such as "I forgot my password" stays, and so does "the new password of our wiki".  Below
    a line that ends with such words, such as "My new password:", the password is in the next one.
    That line may be the last of those `above` the message.
    """
    left: list[str] = []
    lines = message.split("\n")
    last = next(filter(str.strip, reversed(above)), "")
    is_next = _tells(last) and _announces(last)
    read = 0
    for at, line in enumerate(lines):
        told = at < MOST_LINES and read <= _MOST_READ and _tells(line)
        read += len(line)
        if not told and not (is_next and line.strip()):
            left.append(line)
        is_next = _announces(line) if told else is_next and not line.strip()
    return message if len(left) == len(lines) else "\n".join(left).strip()


def _tells(line: str) -> bool:
    bare = bare_line(line)
    if tells_one(bare):
        return True
    if _names_or_labels().search(bare) is None:
        return False
    words = words_in(line)
    if len(words) <= _MOST_WORDS and any(map(_has_letters_and_digits, words)):
        return True
    if (named := _names().search(bare)) is None:
        return False
    if _VALUE.match(bare, named.end()) or named[0].endswith((":", "=")):
        return True
    unknown = [each for each in words if is_unknown(each) and not _names().search(bare_line(each))]
    is_short = len(words) <= _FEW_WORDS
    return len(unknown) == 1 and (is_short or _failing().search(bare) is not None)


def _has_letters_and_digits(word: str) -> bool:
    """Whether a word is like trout99, and not a bid, a link, or a number such as 20h30 or 10th."""
    inner = bare_of(word).lower()
    if len(inner) < SHORTEST_PASSWORD or is_bid(inner) or "://" in word or _MEASURED.match(inner):
        return False
    return any(map(str.isdigit, inner)) and any(map(str.isalpha, inner))


def _announces(line: str) -> bool:
    """Whether nothing is behind the words that tell a password."""
    return _announcing().search(bare_line(line)[-_LONGEST_END:]) is not None


@cache
def _names() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{one_of_phrases(words_of('password_names'))})")


@cache
def _names_or_labels() -> re.Pattern[str]:
    """Words such as "clave", too, which are passwords only beside one."""
    labels = (each.rstrip(":- ") for each in words_of("password_labels"))
    return re.compile(rf"(?<!\w)(?:{one_of_phrases((*words_of('password_names'), *labels))})")


@cache
def _failing() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{one_of_phrases(words_of('failing_passwords'))})")


@cache
def _announcing() -> re.Pattern[str]:
    either = one_of_phrases((*words_of("told_passwords"), *words_of("password_labels")))
    return re.compile(rf"(?<!\w)(?:{either})\W*$")
