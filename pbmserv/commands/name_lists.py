"""Read a list of userids as people write it: joined by spaces, commas, `and` or `vs`.

Behind it they may say with how many dice they want to play.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pbmserv.games.perudo.move_words import words_of_numbers
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_MOST_DICE = 10  # of a player: the option `-dice`
_BEGINNINGS_OF_DICE = ("dice", "die", "des", "dado", "кубик", "кост")
_DICE = frozenset({"dice", "die", "des", "de", "dado", "dados", "кубик", "кубика", "кубиками"})
_MARKS = '!?;:()[]«»“”"…'  # around a userid; none has one of them
_JOINED_BY = frozenset({"and", "vs", "vs.", "versus", "&"})  # nobody may have such a userid


def named(words: list[str]) -> list[str]:
    """The userids in `ann, bob`, `ann and bob`, `ann vs bob` or `(ann), bob!`."""
    names = [name for word in words for each in word.split(",") if (name := each.strip(_MARKS))]
    return [name for name in names if name.lower() not in _JOINED_BY]


def number_of_dice(words: Sequence[str]) -> int:
    """The number in front of the word for dice: 3 in `with 3 dice`; 0 for none."""
    from pbmserv.games.perudo.move_parser import QUANTITIES

    numbers = {**words_of_numbers(), **QUANTITIES}
    for number, word in pairwise(unmarked(each.lower()) for each in words):
        dice = int(number) if number.isdecimal() else numbers.get(number, 0)
        if word.startswith(_BEGINNINGS_OF_DICE) and 1 <= dice <= _MOST_DICE:
            return dice
    return 0


def without_dice(names: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The names without `with 3 dice` at their end, and that number; 0 if they end otherwise.

    No userid begins with a digit.
    """
    said = names[-2:]
    is_number = len(said) > 1 and said[0].isdecimal() and unmarked(said[1].lower()) in _DICE
    dice = number_of_dice(said) if is_number else 0
    if not dice:
        return tuple(names), 0
    before = names[:-2]
    joins = bool(before) and before[-1].lower() in words_of("joins_names")
    return tuple(before[:-1] if joins else before), dice
