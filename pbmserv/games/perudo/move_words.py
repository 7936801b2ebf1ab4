"""The words of moves in other languages than English, as English: `je doute` is `dudo`.

`text/phrases/` has them, for each language.  A move counts only if the whole text is known.  It is
a phrase, or a bid of two numbers, in digits or in words of one language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from pbmserv.fast_dataclasses import dataclass
from pbmserv.text.phrases import by_language
from pbmserv.text.unicode_forms import unmarked

_SIGNS = "-x*\u0445"  # between the parts of a bid; the last one is the Russian x
_PARTS, _PARTS_AND_SIGN = 2, 3
_JOINED = re.compile(r"([0-9]+)([^\W\d_]{3,})")  # "4twos"; "4x2" has a sign
_LONGEST_FACE = 2  # digits
_LONGEST_QUANTITY = 3
_SIX, _TEN, _TWENTY = 6, 10, 20


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of bids in a language, without accents; the longest beginning comes first."""

    numbers: Mapping[str, int]
    faces: Mapping[str, int]
    openings: Mapping[str, str]  # each with the blank, colon or comma behind it, and without
    beginnings: tuple[str, ...]  # the same, without the words that they stand for
    times: frozenset[str]  # as x between the parts
    opened_times: frozenset[str]  # the same, but only in a bid with a word in front


@lru_cache(maxsize=1024)  # an email's line is read by several, and many are the same
def in_english(plain: str) -> str:
    """A move in lower case as English has it, a bid as `4-2`; "" if it is none, or English."""
    said = unmarked(plain)
    return _phrases().get(said) or next(filter(None, (_bid(said, each) for each in _words())), "")


def _bid(said: str, words: _Words) -> str:
    """A bid of which a part is in words of the language, or that has its word in front."""
    begun = words.beginnings if said.startswith(words.beginnings) else ()  # one look is fast
    opening = next((words.openings[each] for each in begun if said.startswith(each)), "")
    rest = said[len(opening) :].lstrip(" :,-" if opening else " :,")
    times = words.times | words.opened_times if opening else words.times
    parts = _parts(rest, times)
    is_foreign = opening or any(each[:1].isalpha() for each in parts)
    is_foreign = is_foreign or not times.isdisjoint(rest.split())
    if len(parts) != _PARTS or not is_foreign:
        return ""
    one, other = parts
    if _is_one_number(one, other, words):
        return ""
    quantity = _number(one, words.numbers, _LONGEST_QUANTITY)
    is_plural = other[:1].isdecimal() and other.endswith("s")
    face = _number(other[:-1] if is_plural else other, words.faces, _LONGEST_FACE)
    if quantity == face == 1 and not times.isdisjoint(rest.split()):
        return ""  # "uno por uno": people say so of other things, too
    return f"{quantity}-{face}" if quantity and face else ""


def _parts(said: str, times: frozenset[str]) -> list[str]:
    """The words before and behind the blank or the sign of a bid; others make no bid."""
    words = said.split()
    if len(words) == _PARTS_AND_SIGN and (words[1] in _SIGNS or words[1] in times):
        return [words[0], words[2]]
    if len(words) == 1 and (joined := _JOINED.fullmatch(said)):
        return list(joined.groups())
    if len(words) == 1:
        sign = max(_SIGNS, key=said.rfind)
        parts = [each for each in said.rpartition(sign) if each != sign]
        return parts if any(each[:1].isdecimal() for each in parts) else []  # "vingt-deux" is 22
    return words


def _is_one_number(one: str, other: str, words: _Words) -> bool:
    """Whether two words may be one number: "vingt deux" is 22, or twenty twos."""
    tens, units = words.numbers.get(one, 0), words.numbers.get(other, 0)
    return bool(units) and (tens == _TWENTY or (tens == _TEN and units > _SIX))


def _number(word: str, words: Mapping[str, int], most: int) -> int | None:
    if word.isascii() and word.isdecimal() and len(word) <= most:
        return int(word)
    return words.get(word)


@cache
def _phrases() -> Mapping[str, str]:
    """What every phrase that is a move by itself means."""
    kinds = {
        "dudo": by_language("doubt_moves"),
        "calza": by_language("calza_moves"),
        "pacao": by_language("pacao_moves"),
        "resign": by_language("resign_moves"),
        "propose": by_language("propose_moves"),
        "accept": by_language("accept_moves"),
        "reject": by_language("reject_moves"),
        "decline": by_language("decline_moves"),
    }
    return {
        unmarked(phrase): move
        for move, languages in kinds.items()
        for phrases in languages.values()
        for phrase in phrases
    }


@cache
def phrases_of_moves() -> Mapping[str, str]:
    """Every phrase that is a move by itself, without accents, with its spelling."""
    kinds = ("doubt", "calza", "pacao", "resign", "propose", "accept", "reject", "decline")
    every = (by_language(f"{kind}_moves").values() for kind in kinds)
    return {unmarked(each): each for languages in every for words in languages for each in words}


@cache
def perhaps_calls() -> Mapping[str, str]:
    """Every phrase that may be meant as a call, without accents, with that call in English."""
    return {
        **_perhaps("dudo", by_language("perhaps_doubt_moves"), {}),
        **_perhaps("calza", by_language("perhaps_calza_moves"), {}),
    }


@cache
def perhaps_ends() -> Mapping[str, str]:
    """Every phrase that may mean to leave the game, or to offer a draw, with one that is a move.

    That one is of the same language, if it has one.  It names the game: "me retiro" may mean
    something else.
    """
    resigns = by_language("resign_moves")
    return {
        **_perhaps("resign", by_language("perhaps_resign_moves"), resigns),
        **_perhaps("resign", resigns, resigns),
        **_perhaps("draw", by_language("perhaps_propose_moves"), by_language("propose_moves")),
    }


def _perhaps(
    move: str, perhaps: Mapping[str, Sequence[str]], certain: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    return {
        unmarked(phrase): next(iter(certain.get(language, ())), move)
        for language, phrases in perhaps.items()
        for phrase in phrases
    }


@cache
def salt_words() -> frozenset[str]:
    """The words, in each language, before the words that a player adds to the coming dice."""
    return frozenset(word for words in by_language("salt_words").values() for word in words)


@cache
def _words() -> tuple[_Words, ...]:
    numbers, faces = by_language("numbers"), by_language("faces")
    openings, times = by_language("raise_words"), by_language("times_words")
    everyday = by_language("everyday_raise_words")
    opened_times = by_language("opened_times_words")
    opening_bids = {
        language: _opening_bids((*openings[language], *everyday.get(language, ())))
        for language in openings
    }
    return tuple(
        _Words(
            _numbered(numbers.get(language, ())),
            _numbered(faces.get(language, ())) | _numbered(numbers.get(language, ())),
            opening_bids[language],
            tuple(opening_bids[language]),
            frozenset(map(unmarked, times.get(language, ()))),
            frozenset(map(unmarked, opened_times.get(language, ()))),
        )
        for language in openings
    )


def _opening_bids(phrases: Iterable[str]) -> dict[str, str]:
    longest_first = sorted(map(unmarked, phrases), key=len, reverse=True)
    return {each + end: each for each in longest_first for end in (" ", ":", ",")}


def _numbered(words: Iterable[str]) -> dict[str, int]:
    """Each word with its number: the first entry is one, and may have several words."""
    return {unmarked(word): number for number, each in enumerate(words, 1) for word in each.split()}


@cache
def words_of_numbers() -> Mapping[str, int]:
    """Every word for a number of dice, in all languages, without accents."""
    return {word: number for each in _words() for word, number in each.numbers.items()}


@cache
def words_of_faces() -> Mapping[str, int]:
    """Every word for a face, in all languages, without accents."""
    return {word: number for each in _words() for word, number in each.faces.items()}


@cache
def words_of_moves() -> frozenset[str]:
    """The single words of moves in these languages, in lower case, without accents.

    Words that any sentence may have are not among them.
    """
    numbers = (word for each in _words() for word in (*each.numbers, *each.faces))
    phrases = (phrase for phrase in _phrases() if " " not in phrase)
    every = (each for words in by_language("raise_words").values() for each in words)
    openings = (unmarked(each) for each in every if " " not in each)
    return frozenset((*numbers, *phrases, *openings))
