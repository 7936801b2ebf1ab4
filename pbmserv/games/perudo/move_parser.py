"""Parse moves as players write them, leniently, after any change by a mail program.

Programs write the strict notation of `event_text`.
"""

from __future__ import annotations

import re

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Raise, Resign

_DOUBTS = "dudo dodo dudu call challenge doubt liar sleep"
_WORDS: dict[str, Action] = {
    **{word: Call("dudo") for word in _DOUBTS.split()},
    "calza": Call("calza"),
    "exact": Call("calza"),
    "pacao": Call("pacao"),
    "resign": Resign(),
}
_UP_TO_TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = _UP_TO_TWENTY.split()
_QUANTITIES = {word: number for number, word in enumerate(_NUMBERS, 1)} | {"a": 1, "an": 1}
_PLURALS = {word + ("es" if word.endswith("x") else "s"): word for word in _NUMBERS}
_ONES = ("paco", "pacos", "pasari", "ace", "aces")
_FACES = (
    _QUANTITIES
    | {plural: _QUANTITIES[word] for plural, word in _PLURALS.items()}
    | dict.fromkeys(_ONES, 1)
)
MOVE_WORDS = frozenset((*_WORDS, *_QUANTITIES, *_FACES, "bid", "raise"))
"""The words of moves, in lower case."""
_PLAIN = str.maketrans("–—‑−‐×’\u00a0\u202f", "-----x'  ")
_QUOTES = "\"'`‘’“”„‟«»"  # around a move that is quoted in a sentence
_BID = re.compile(
    r"(?:(?:bid|raise(?: to)?) )?(?:([0-9]{1,3})|([a-z]{1,9}))"
    r"(?:-| - ?| ?[x*] ?| )(?:([0-9]{1,2})(?:'?s)?|([a-z]{3,10}))"
)


def bare_move(text: str) -> str:
    """The text of a move without differences that do not matter.

    These are case, typographic dashes and blanks, quotes around it, and a final `.` or `!`.
    """
    plain = " ".join(text[:100].translate(_PLAIN).lower().split())
    return plain.lstrip(_QUOTES).rstrip(f"!. {_QUOTES}").lstrip()


def read_action(text: str) -> Action:
    """The move a player wrote: `4-2s`, `4x2`, `bid 4 2`, `five 5s`, `dudo`, `resign`, ...

    `bare_move` removes differences that do not matter.  Refused: `unreadable_move` (text).  `play`
    checks whether the move is legal.
    """
    plain = bare_move(text)
    action = _WORDS.get(plain)
    if action is not None:
        return action
    found = _BID.fullmatch(plain)
    if found:
        digits, word, face_digits, face_word = found.groups()
        quantity = int(digits) if digits else _QUANTITIES.get(word)
        face = int(face_digits) if face_digits else _FACES.get(face_word)
        if quantity is not None and face:
            return Raise(Bid(quantity, face))
    raise Refused("unreadable_move", text=text[:80])
