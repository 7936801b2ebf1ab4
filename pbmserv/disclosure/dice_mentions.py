"""Find dice of a player's cup in a text: as numbers, as pictures and as words.

The dice may be in any order; their digits may be apart or joined.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from itertools import groupby

from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.words import LARGEST_DIE, Words, die_of
from pbmserv.text.phrases import words_of

_FIELD = 5  # bits for each face in the number of a multiset
_GUARDS = sum(1 << (_FIELD * face + _FIELD - 1) for face in range(1, LARGEST_DIE + 1))
_WITHOUT_TALK = 3  # so many dice of a cup are secret even where the text does not mention dice
_WITH_WORDS_BETWEEN = 4  # the same where a word is between them
_ALIKE = 3  # letters that "pip" and "pips" have in common


class WriterCups:
    """The writer's cups, each encoded as one number: a field for each face holds its count."""

    def __init__(self, cups: Set[tuple[int, ...]]) -> None:
        self.numbers = {_number(cup) for cup in cups if cup}
        self.of_size: dict[int, set[int]] = {}
        for cup in cups:
            self.of_size.setdefault(len(cup), set()).add(_number(cup))

    def hold(self, words: Words, start: int, end: int) -> bool:
        """Whether a run of numbers tells dice of a cup."""
        found, dice = words.found[start:end], words.die[start:end]
        speaks = _speaks_of_dice(words, start, end)
        written = [word in fingerprint.FACES for word in found]
        for is_face, run in groupby(range(len(found)), written.__getitem__):
            if is_face and self.have([dice[place] for place in run]):
                return True
        if any(self._are_whole(dice, size, speaks, written) for size in self.of_size):
            return True
        # A translated letter names dice by words that are not known: "あなたのサイコロ：6 1".
        is_named = start > 0 and words.colon[start - 1] and len(dice) > 1
        if is_named and _number(dice) in self.of_size.get(len(dice), ()):
            return True
        glued = [digits for word in found if len(digits := _digits(word)) > 1]
        for digits in [*glued, [digit for word in found for digit in _digits(word)]]:
            is_whole = _number(digits) in self.of_size.get(len(digits), ())
            if is_whole and (speaks or len(digits) >= _WITHOUT_TALK):
                return True
        plain = [digit for word in found for digit in _digits(word)] if glued else dice
        in_digits = all(word.isdigit() for word in found)
        return speaks and in_digits and len(plain) > 1 and self.have(plain)

    def are_counted_up(self, words: Words, start: int, end: int) -> bool:
        """Whether numbers are a whole cup; the words between them are left out here."""
        dice = words.die[start:end]
        speaks = any(
            words.colon[place] and words.found[place] in _dice_words()
            for place in range(max(0, start - 2), start)
        )
        sizes = [size for size in self.of_size if size > 1]
        return any(
            self._are_whole(dice, size, speaks, [False] * len(dice))
            for size in sizes
            if speaks or size >= _WITH_WORDS_BETWEEN
        )

    def _are_whole(
        self, dice: Sequence[int], size: int, speaks: bool, written: Sequence[bool]
    ) -> bool:
        """Whether so many dice in a row are a cup; a few only count where the text means dice."""
        number = 0
        for place, die in enumerate(dice):
            number += 1 << (_FIELD * die)
            if place >= size:
                number -= 1 << (_FIELD * dice[place - size])
            if place + 1 < size or number not in self.of_size[size]:
                continue
            if speaks or size >= _WITHOUT_TALK or any(written[place - size + 1 : place + 1]):
                return True
        return False

    def have(self, dice: Sequence[int]) -> bool:
        """Whether a cup holds all these dice."""
        if len(dice) >= 1 << (_FIELD - 1) or not all(0 < die <= LARGEST_DIE for die in dice):
            return False
        number = _number(dice)
        return any(((cup | _GUARDS) - number) & _GUARDS == _GUARDS for cup in self.numbers)


def _number(dice: Sequence[int]) -> int:
    return sum([1 << (_FIELD * die) for die in dice])


def _digits(word: str) -> list[int]:
    """The digits of a number, or the one die that another word names."""
    return [unicodedata.digit(sign) for sign in word] if word.isdigit() else [die_of(word)]


@cache
def _dice_words() -> frozenset[str]:
    """The words for dice in all languages."""
    return _folded(words_of("dice"))


@cache
def _die_words() -> frozenset[str]:
    """The words for one die in all languages."""
    return _dice_words() | _folded(words_of("die"))


def _folded(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(
        word for words in phrases for word in fingerprint.words(fingerprint.folded(words))
    )


def _speaks_of_dice(words: Words, start: int, end: int) -> bool:
    """Whether the text mentions dice right before a run of numbers or right after it.

    One word may be between.  A single number counts only behind "die:" or "dice:", because "6 dice,
    5 players" is a count.
    """
    if end - start == 1:
        before = words.found[start - 1] if start and words.colon[start - 1] else ""
        return before in _die_words()
    beside = [*words.found[max(0, start - 2) : start], *words.found[end : end + 1]]
    return not _dice_words().isdisjoint(beside)


def between(words: Words) -> set[int]:
    """The places of the words between numbers, if it is always the same word: "1 and 2"."""
    found: set[int] = set()
    before, last = -2, ""
    for place in range(1, len(words.die) - 1):
        word = words.found[place]
        if words.die[place] or not (words.die[place - 1] and words.die[place + 1]):
            continue
        if word in _dice_words() or (before == place - 2 and last != word[:_ALIKE]):
            continue
        found.add(place)
        before, last = place, word[:_ALIKE]
    return found


def runs(dice: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The runs of adjacent dice: the place of the first, and the one behind the last."""
    for is_die, places in groupby(range(len(dice)), lambda place: dice[place] > 0):
        if is_die:
            found = list(places)
            yield found[0], found[-1] + 1
