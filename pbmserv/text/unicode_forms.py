"""Unicode forms of a text: NFC, compatible letters, and letters without marks.

`unicodedata.normalize` sorts the combining marks behind a letter.  It takes quadratic time where
thousands of them follow each other.  Unicode's stream-safe text (UAX 15, section 13) has at most 30
in a row.  No word of any language needs more.  So this module removes further marks first.  All
other code calls its functions; a test checks this.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, combining, decimal, normalize

MOST_MARKS = 30  # in a row (UAX 15, D4)
# Unicode counts these as letters, but each stands for two marks.
_TWO_MARKS = frozenset("\u0f73\u0f75\u0f81")
# No mark is ASCII or a letter, so only such a run can hold too many.  This search is fast.
_MAY_BE_MARKS = re.compile(rf"[^\x00-\x7f\w]{{{MOST_MARKS + 1},}}+")

_PICTURE = re.compile(r"[\u2600-\u267f\u2686-\u27bf\u2b50\u2b55\U0001f000-\U0001faff]")
# Signs with letters or numbers within, which may spell a word; "🆗" and the like are pictures.
_LETTERS = re.compile(
    r"[\u2460-\u24ff\u3200-\u33ff\U0001f100-\U0001f18d\U0001f18f\U0001f190\U0001f19b-\U0001f1e5]"
)
_JOINING = frozenset("\u200d\ufe0e\ufe0f")  # a joiner, and the choice between text and picture
DICE = frozenset("⚀⚁⚂⚃⚄⚅")


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


def plain_letters(text: str) -> str:
    """The text without capitals and accents, in which people and programs write a password again.

    Its letters are not wide ones, and each i has a dot.  Linear in its length.
    """
    small = compatible(text).casefold()
    return unmarked(small).replace("ı", "i") or small


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
    if text.isascii():
        return text
    # The marks are removed first, so that `normalize` has nothing to sort.
    return _seen(normalize("NFKD", _seen(text)))


def _seen(text: str) -> str:
    """The text without accents and invisible characters; each character is looked up but once."""
    unseen = [ord(each) for each in set(text) if not is_seen(each)]
    return text.translate(dict.fromkeys(unseen)) if unseen else text


@lru_cache(maxsize=4096)
def is_seen(character: str) -> bool:
    """False for accents and invisible characters."""
    return category(character) not in {"Mn", "Mc", "Me", "Cf"}


def is_pictures(text: str) -> bool:
    """Whether a text is pictures (emoji) alone, as "👍" or "😂 ❤️"; dice and letters are not."""
    signs = "".join(text.split())
    return bool(_PICTURE.search(signs)) and all(map(_is_of_pictures, signs))


def _is_of_pictures(sign: str) -> bool:
    """Whether it is a picture, or changes the one before it: its look, or its colour of skin."""
    is_picture = category(sign) == "So" and sign not in DICE and not _LETTERS.match(sign)
    return is_picture or sign in _JOINING or "🏻" <= sign <= "🏿"


def with_plain_digits(text: str) -> str:
    """The text with the decimal digits of every script as 0 to 9, such as Arabic or Devanagari.

    Unicode calls them Nd.  Raised and circled digits do not belong to them.
    """
    if text.isascii():
        return text
    return "".join(str(decimal(each)) if each.isdecimal() else each for each in text)


def without_format(text: str) -> str:
    """The text without format characters, such as the direction marks of Hebrew and Arabic."""
    if text.isascii() or text.replace("\n", " ").isprintable():  # they are not printable
        return text
    return "".join(each for each in text if category(each) != "Cf")
