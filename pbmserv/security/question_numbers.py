"""Numbers of questions such as "Did you mean dudo?", by the move or command that each asks about.

The token of such an answer carries the number, so that a reply of "yes" means that very word.
"""

from __future__ import annotations

import re

BITS = 11
# Tokens in letters that were sent have the numbers: add words at the end alone.
_WORDS = (
    *("dudo", "calza", "pacao", "resign", "propose", "accept", "reject", "decline"),
    *("help", "rematch", "mute", "unmute", "advise", "record", "verify"),
)
_MOST_FACES = 20
_BID = re.compile(r"([1-9][0-9]?)-([1-9][0-9]?)s?")


def number_of(asked: str) -> int:
    """The number of a word or a bid such as `4-2s`, from 1 to 2^BITS - 1; 0 if it has none."""
    if asked in _WORDS:
        return 1 + _WORDS.index(asked)
    found = _BID.fullmatch(asked)
    if not found or int(found[2]) > _MOST_FACES:
        return 0
    number = int(found[1]) * (_MOST_FACES + 1) + int(found[2])
    return number if number < 1 << BITS else 0


def word_of(number: int) -> str:
    """The word or the bid with this number; "" for none."""
    quantity, face = divmod(number, _MOST_FACES + 1)
    if quantity and face:
        return f"{quantity}-{face}s"
    return _WORDS[number - 1] if 0 < number <= len(_WORDS) else ""
