"""Recognise a wish for another game in a reply to the last letter of one: "one more?".

"Another game?" says so as the word `rematch` does.  "Again?" may also be a sigh of who has lost, so
its writer is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from pbmserv.commands.move_lines.good_wishes import apart, is_wish
from pbmserv.commands.move_lines.retractions import take_back
from pbmserv.commands.spelling import of_languages
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import OF_LETTERS, by_language, words_of
from pbmserv.text.unicode_forms import unmarked

REMATCH = "rematch"
_MOST_LINES = 4  # a greeting, wishes, the wish for a game, a name
_LONGEST = 80  # characters of a line
_MOST_PRAISING = 8  # words of a sentence about the game, beside the wish
_PIECES = re.compile(r"[.,;:!?¿¡…()]+|\s-\s")


class Wish(NamedTuple):
    """A wish to play again, with the polite words beside it; `is_clear`: it means nothing else.

    `names` are the players whom it names, or speaks to: "rematch with cleo", "Hi Cleo, one more?"
    `has_unknown`: it speaks to somebody by a name that no player has.
    """

    is_clear: bool
    polite: str
    names: tuple[str, ...]
    has_unknown: bool


def wish_in(typed: Sequence[str], names: Collection[str]) -> Wish | None:
    """The wish to play again that is a whole text, beside greetings, good wishes and names.

    `names` are the userids of the players in lower case.  None for any other text, unless it begins
    with the command: "rematch next week" is an unclear wish.
    """
    lines = [line.strip() for line in map(plain_line, typed[: 4 * _MOST_LINES]) if line.strip()]
    if not lines or len(lines) > _MOST_LINES or any(len(line) > _LONGEST for line in lines):
        return None
    unclear = Wish(False, "", (), False) if _bare(lines[0].split()[0]) in _commands() else None
    pieces = [each.strip() for line in lines for each in _PIECES.split(line) if each.strip()]
    known = {*names, *words_of("first_names")}
    others = [each for each in pieces if not _is_polite(each, known)]
    is_asked = any("?" in line for line in lines)
    if len(others) != 1 and (is_asked or not all(map(_praises, others[1:]))):
        return unclear
    wish = next(iter(others), "")
    spoken = [word.lower() for each in pieces if each not in others[1:] for word in each.split()]
    called = tuple(dict.fromkeys(each for each in spoken if each in names))
    joins = {*called, *(words_of("joins_names") if called else ())}
    said = _said(" ".join(each for each in wish.lower().split() if each not in joins))
    if said not in _clear() | _perhaps():
        return unclear
    is_clear = said in _clear() or not {*wish.lower().split()}.isdisjoint(called)
    polite = ", ".join(each for each in pieces if each != wish and not _are_names(each, known))
    spoken = spoken[:-1] if len(lines) > 1 and _are_names(lines[-1], known) else spoken
    has_unknown = any(each in known and each not in names for each in spoken)
    return Wish(is_clear, polite, called, has_unknown)


def _said(words: str) -> str:
    """The words without polite ones at their end: "rematch please"."""
    said = _bare(words)
    return said if said in _clear() | _perhaps() else _bare(apart(words, ())[0])


def _praises(piece: str) -> bool:
    """Whether a piece behind the wish only tells of the game that is over: "That was fun"."""
    words = {*piece.lower().split()}
    return (
        len(words) <= _MOST_PRAISING
        and not words.isdisjoint(words_of("praises"))
        and words.isdisjoint(_hints())
        and not take_back([piece])
    )


@cache
def _hints() -> frozenset[str]:
    """Words of a sentence that may ask for another game than the rematch, or for none today."""
    kinds = map(by_language, ("doubts", "not_now", "joins_names"))
    return frozenset(word for each in kinds for name in OF_LETTERS for word in each[name])


def _is_polite(piece: str, names: Collection[str]) -> bool:
    """Whether a piece is a wish, a greeting or names, such as "Hi Ann"."""
    rest = " ".join(word for word in piece.split() if word.lower() not in names)
    return is_wish(rest) or is_greeting(rest) or _are_names(piece, names)


def _are_names(piece: str, names: Collection[str]) -> bool:
    """Whether a piece is names and words that join them: "Ann and Bob", "with Bob, too"."""
    words = {*piece.lower().split()}
    return not words.isdisjoint(names) and words <= {*names, *words_of("joins_names")}


@cache
def _commands() -> frozenset[str]:
    return _plain((REMATCH, *(word for word, name in of_languages().items() if name == REMATCH)))


@cache
def _clear() -> frozenset[str]:
    return _commands() | _plain(words_of("wants_rematch"))


@cache
def _perhaps() -> frozenset[str]:
    return _plain(words_of("may_want_rematch"))


def _plain(phrases: Sequence[str]) -> frozenset[str]:
    return frozenset(map(_bare, phrases))


def _bare(text: str) -> str:
    return " ".join(unmarked(spelled_plainly(text)).split())
