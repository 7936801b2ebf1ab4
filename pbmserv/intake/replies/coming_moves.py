"""Find words about a move that is not made yet: its bid, the name of its call, or a part of it.

Words to the others from a player who is not on turn would tell them what the player wants to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from difflib import get_close_matches
from functools import cache

from pbmserv.games.perudo.meant_moves import bids_in, has_call
from pbmserv.games.perudo.move_parser import QUANTITIES, spelled_plainly
from pbmserv.games.perudo.move_words import words_of_numbers
from pbmserv.intake.replies.prose import bare_word, uncounted
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import DICE, unmarked

_LONGEST = 160  # characters of a line that are read
_MOST_DIGITS = 2
_MOST_WORDS = 8  # of a line with a number and a face apart
_SHORT = 2  # letters of a word in front of a name: "à bob"
_LIKE = 0.85  # how similar a mistyped word must be to a call: with less, "dude" is one
_WORD = re.compile(r"[^\W_]+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")  # "dudooo"
# A score, a date or a time: in talk 4-2 is hardly a bid.
_SCORE = re.compile(r"(?<![\w-])[0-9]{1,2}\s?[-:.,/]\s?[0-9]{1,2}(?![\w'-])")
_CLAUSE_ENDS = re.compile(r"[.;:!?…]+|,\s|\s[-–—]\s")


def names_coming_move(line: str, told: Set[str], names: Collection[str]) -> bool:
    """Whether a line names a bid that is not `told`, such as `4-2s`, or a call, or a part of one.

    Such as "three fives from me", "dudo if bob raises", "5-3 after bob", "raise to five" and
    "je vais douter".  A score is not a bid, and "dudo que llueva" calls nothing.  `names` are the
    userids of the players in small letters.
    """
    read = uncounted(line[:_LONGEST])
    plain = _plain(read)
    found = set().union(*map(_coming_bids, _CLAUSE_ENDS.split(_SCORE.sub(" ", read))))
    if found - told or not DICE.isdisjoint(read) or (not found and _has_face_and_number(plain)):
        return True
    if _has_call(plain) or _is_bid_at_a_turn(plain, names):
        return True
    return (_tells_turn(plain) and has_call(read)) or is_part_of_move(line, names)


def _coming_bids(clause: str) -> set[str]:
    """The bids of a clause, without one that it calls past: "2-2s was bold"."""
    before = _past().split(unmarked(clause.lower()), maxsplit=1)
    return bids_in(clause) - (bids_in(before[0]) if len(before) > 1 else set())


def is_part_of_move(line: str, names: Collection[str]) -> bool:
    """Whether a line is a number alone, raises to one, or tells of a call: "Five!"."""
    plain = _plain(line[:_LONGEST])
    words = [bare for word in plain.split() if (bare := bare_word(word)) and bare not in names]
    if len(words) == 1 and _is_number(words[0]):
        return True
    raised = (each for each in _raising().finditer(plain) if _is_number(bare_word(each[1])))
    told = (*raised, *_calling().finditer(plain))
    return any(_ends_here(plain[each.end() :], names) for each in told)


def _plain(line: str) -> str:
    return " ".join(unmarked(spelled_plainly(line, _LONGEST)).split())


def _has_call(plain: str) -> bool:
    """Whether a word is the name of a call in this game, perhaps a mistyped one: "duddo"."""
    spelled = _DRAWN_OUT.sub(r"\1", _doubts_in_prose().sub(" ", plain))
    words = set(_WORD.findall(spelled))
    return any(get_close_matches(each, _calls(), 1, _LIKE) for each in words)


def _has_face_and_number(plain: str) -> bool:
    """Whether a line has a face in the plural, and a number: "twos, five of them"."""
    words = set(_WORD.findall(plain))
    if len(words) > _MOST_WORDS:
        return False
    return not _faces().isdisjoint(words) and any(map(_is_number, words - _faces()))


def _tells_turn(plain: str) -> bool:
    """Whether a line says when its writer moves, in some words or at its end: "calzo luego"."""
    turns = _turns().finditer(plain)
    return any(" " in each[0] or not plain[each.end() :].strip(" .!?") for each in turns)


def _is_bid_at_a_turn(plain: str, names: Collection[str]) -> bool:
    """Whether a line begins with numbers like a score, and says when: "5-3 after bob"."""
    if not (found := _SCORE.match(plain)):
        return False
    behind = plain[found.end() :]
    after = [bare_word(each[1]) for each in _after().finditer(behind)]
    return _turns().search(behind) is not None or not set(names).isdisjoint(after)


def _is_number(word: str) -> bool:
    if word.isdecimal():
        return len(word) <= _MOST_DIGITS
    return word in QUANTITIES or word in words_of_numbers()


def _ends_here(rest: str, names: Collection[str]) -> bool:
    """Whether a clause ends here, or only a player or a turn is named: "... you, ann"."""
    clause = _CLAUSE_ENDS.split(_turns().sub(" ", rest))[0]
    known = {*names, *words_of("second_person"), *words_of("manners")}
    words = [bare_word(each) for each in clause.split()]
    return all(each in known or len(each) <= _SHORT for each in words)


@cache
def _calls() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("game_calls")))


@cache
def _faces() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("plural_faces")))


@cache
def _doubts_in_prose() -> re.Pattern[str]:
    return re.compile(_one_of(words_of("doubts_in_prose")))


@cache
def _raising() -> re.Pattern[str]:
    return re.compile(rf"{_one_of(words_of('raising_to'))}\s+(\S+)")


@cache
def _calling() -> re.Pattern[str]:
    return re.compile(_one_of(words_of("coming_calls")))


@cache
def _turns() -> re.Pattern[str]:
    return re.compile(_one_of(words_of("coming_turns")))


@cache
def _past() -> re.Pattern[str]:
    return re.compile(_one_of(words_of("past_verbs")))


@cache
def _after() -> re.Pattern[str]:
    return re.compile(rf"{_one_of(words_of('after_turns'))}\s+(\S+)")


def _one_of(phrases: Collection[str]) -> str:
    """An expression that finds one of the phrases, without accents."""
    every = sorted(map(unmarked, phrases), key=len, reverse=True)
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)"
