"""Recognise a wish for another game in a reply to the last letter of one: "one more?".

"Another game?" says so as the word `rematch` does.  "Again?" may also be a sigh of who has lost, so
its writer is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from pbmserv.commands.good_wishes import is_wish
from pbmserv.commands.spelling import of_languages
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

REMATCH = "rematch"
_MOST_LINES = 4  # a greeting, wishes, the wish for a game, a name
_LONGEST = 80  # characters of a line
_PIECES = re.compile(r"[.,;:!?¿¡…()]+|\s-\s")


class Wish(NamedTuple):
    """A wish to play again, with the polite words beside it; `is_clear`: it means nothing else.

    `names` are the players whom it names: "rematch with cleo".
    """

    is_clear: bool
    polite: str
    names: tuple[str, ...]


def wish_in(typed: Sequence[str], names: Collection[str]) -> Wish | None:
    """The wish to play again that is a whole text, beside greetings, good wishes and names.

    `names` are the userids of the players in lower case.  None for any other text.
    """
    lines = [line.strip() for line in map(plain_line, typed[: 4 * _MOST_LINES]) if line.strip()]
    if not lines or len(lines) > _MOST_LINES or any(len(line) > _LONGEST for line in lines):
        return None
    pieces = [each.strip() for line in lines for each in _PIECES.split(line) if each.strip()]
    known = {*names, *words_of("first_names")}
    others = [each for each in pieces if not _is_polite(each, known)]
    if len(others) != 1:
        return None
    words = others[0].lower().split()
    called = tuple(each for each in words if each in names)
    joins = {*called, *(words_of("joins_names") if called else ())}
    said = _bare(" ".join(each for each in words if each not in joins))
    if said not in _clear() | _perhaps():
        return None
    is_clear = said in _clear() or bool(called)
    return Wish(is_clear, ", ".join(each for each in pieces if each not in others), called)


def _is_polite(piece: str, names: Collection[str]) -> bool:
    """Whether a piece is a wish, a greeting or a name, such as "Hi Ann"."""
    rest = " ".join(word for word in piece.split() if word.lower() not in names)
    return not rest or is_wish(rest) or is_greeting(rest)


@cache
def _clear() -> frozenset[str]:
    commands = (word for word, name in of_languages().items() if name == REMATCH)
    return _plain((REMATCH, *commands, *words_of("wants_rematch")))


@cache
def _perhaps() -> frozenset[str]:
    return _plain(words_of("may_want_rematch"))


def _plain(phrases: Sequence[str]) -> frozenset[str]:
    return frozenset(map(_bare, phrases))


def _bare(text: str) -> str:
    return " ".join(unmarked(spelled_plainly(text)).split())
