"""Find the name in the line in which a guest says yes to an invitation.

The name becomes a userid, so it must be clear that a word is meant as one.  It is behind words such
as "call me".  Or it is the last word, and is behind the yes itself, or begins a clause: "yes mia",
"I'd love to. Mia".  A common word of the language of the yes is not a name: "yes exactly".
After an introductory word such as "ok", a word needs a comma in front to be one: "ok boomer" has
none.  The end of a letter, such as "regards", names nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.notation import is_action
from pbmserv.text.phrases import OF_LETTERS, by_language, common_words, single_words, words_of

_YES = frozenset((*words_of("yes"), "accept"))
_LEADING = _YES & single_words("move_leads")
_THANKS = frozenset((*words_of("thanks"), *words_of("thanked")))
_POLITE = frozenset(words_of("behind_yes"))
_BESIDE = _YES | {*words_of("beside_name"), *words_of("thanks")}
_BESIDE |= single_words("harmless_denials")
_INTRODUCING = frozenset(words_of("before_name"))
_BEFORE_THINGS = frozenset(words_of("before_things"))
_BEFORE_PEOPLE = frozenset((*words_of("thanks"), *words_of("greetings")))
_NO_NAMES = frozenset(words_of("no_names"))
_CLOSINGS = frozenset(words_of("closings"))
_AROUND = " .,!¡?*_\"'()[]:;-–—„“”«»<>"
# A dot may be in a name, and so may a dash.
_END_OF_CLAUSE = re.compile(r"[,;!?¡¿…:]+|(?<!\.)\.++(?=\s|$)|\s[-–—]+\s")


_GREETED = re.compile(r"[^\s,]+, ?[^\s,!]+ ?!")  # "Yes, Anna!"


def bare_words(line: str) -> list[str]:
    """The words of a line, without what stands around them."""
    return [word for each in line.split() if (word := each.strip(_AROUND))]


def clauses(line: str) -> list[list[str]]:
    """The words of a line, divided where a comma or another mark is."""
    return [words for each in _END_OF_CLAUSE.split(line) if (words := bare_words(each))]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that may be the name, with the words of its clause before it, and all behind it."""

    text: str
    before: tuple[str, ...]
    clause_before: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def is_introduced(self) -> bool:
        return bool(self.before) and self.before[-1] in _INTRODUCING

    @property
    def is_at_end(self) -> bool:
        """Whether only thanks are behind it, and it begins its clause or is behind the yes."""
        if not _THANKS.issuperset(self.behind):
            return False
        if not self.before:
            return _BEFORE_PEOPLE.isdisjoint(self.clause_before)
        return self.before[-1] in _YES - _LEADING | _POLITE


def names_in(line: str, *, is_named: bool) -> list[str] | None:
    """The name that a line with a yes gives, alone in a list; None if that is not clear.

    The list is empty if all words go with a yes.  `is_named`: the writer was asked for a name, so
    other words may be one.
    """
    found = _unknown_words(line)
    words = bare_words(line)
    if is_named and not found and len(words) == len(("yes", "mia")):  # as our question shows it
        is_own = words[1][0].isupper() or not _is_common(words[1], [words[0].lower()])
        return words[1:] if is_own and words[1].lower() not in _YES | _POLITE | _THANKS else []
    if len(found) != 1:
        return None if found else []
    (word,) = found
    if word.before and word.before[-1] in _BEFORE_THINGS:
        return None
    is_clear = word.is_introduced or word.is_at_end or (is_named and not word.behind)
    is_proper = is_named and word.text[0].isupper() and word.text.lower() not in _CLOSINGS
    is_name = is_proper or not _is_common(word.text, [each.lower() for each in words])
    return [word.text] if is_clear and is_name else None


def is_evident(name: str, line: str) -> bool:
    """Whether a word is surely meant as a name: others must be asked about.

    It is introduced, as in "call me dragonfly", or many people have it, or no other word has its
    form.  "Yes, Anna!" may greet the inviter.
    """
    words = [each.lower() for each in bare_words(line)]
    place = words.index(name.lower()) if name.lower() in words else 0
    if place and words[place - 1] in _INTRODUCING:
        return True
    if _GREETED.fullmatch(line.strip()):
        return False
    is_proper = name[0].isupper() and not line.isupper()
    return is_proper or not name.isalpha() or name.lower() in words_of("first_names")


def _unknown_words(line: str) -> list[_Word]:
    """The words of a line that do not go with a yes."""
    parts = clauses(line)
    found = []
    for place, words in enumerate(parts):
        low = [each.lower() for each in words]
        behind = [each.lower() for other in parts[place + 1 :] for each in other]
        above = [each.lower() for each in parts[place - 1]] if place else []
        for index, word in enumerate(words):
            if low[index] not in _BESIDE:
                here = tuple(low[:index]), tuple(above), (*low[index + 1 :], *behind)
                found.append(_Word(word, *here))
    return found


def name_below(typed: Sequence[str], agreeing: str) -> str:
    """The name that is alone in the text below the line with the yes, or "".

    `typed` are the lines below it.  Its writer was not asked for a name.  So these
    are not names: a word of any of our languages, one of two letters, and one with `!` or `?`.
    """
    text = " ".join(typed).strip()
    words = bare_words(text) if sum(map(bool, map(str.strip, typed))) == 1 else []
    if len(words) != 1 or words[0].lower() in _BESIDE | _THANKS or text.endswith(("!", "?")):
        return ""
    word = words[0]
    if len(word) < len("mia") or is_action(word) or _is_common(word, ()):
        return ""
    return "" if _is_common(word, bare_words(agreeing.lower())) else word


def _is_common(word: str, beside: Sequence[str]) -> bool:
    """Whether a word is common in a language of a yes `beside` it, so that it names nobody."""
    low = word.lower()
    if low in _NO_NAMES | _CLOSINGS:
        return True
    return any(low in common_words(each) for each in _languages_of(beside))


def _languages_of(words: Sequence[str]) -> Sequence[str]:
    """The languages in which one of the words is a yes; if there are none, those of our letters."""
    return [name for name, yes in _yes().items() if not yes.isdisjoint(words)] or OF_LETTERS


@cache
def _yes() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in by_language("yes").items()}
