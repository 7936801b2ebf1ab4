"""Questions about the language of the letters: "Pourquoi en anglais ?", "en español por favor".

Each word of the text must be one of such a question, in one language.  The words are in
`text/phrases/`.  Such a text is not a message for the table: its writer is told how to change the
language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.catalogues import languages
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import by_language, words_of
from pbmserv.text.subject_prefixes import bare_subject
from pbmserv.text.unicode_forms import unmarked

_MOST_LINES = 4
_MOST_WORDS = 16
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_DIGIT = re.compile(r"\d")
_POLITE = "greetings", "thanks", "thanked", "manners"
_AGREEING = "yes", "move_leads"  # in any language: "OK en français"


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one language, without accents."""

    named: Mapping[str, str]  # the languages that they name
    denied: frozenset[str]
    beside: frozenset[str]
    asking: frozenset[str]


def wanted(subject: str, typed: Sequence[str], *, at_table: bool = False) -> str:
    """The language that a text asks for; "" for a text that does not ask so.

    "Why in English?" and "no English" ask for the language in which they are written.  The Subject
    counts if nothing is typed.  `at_table`: it answers a letter about a board.  There it needs a
    word such as "in" or "please", because "do you speak French?" is for the other players.
    """
    lines = [line for line in map(plain_line, typed[: 4 * _MOST_LINES]) if line.strip()]
    if not lines:
        lines = [plain_line(bare_subject(subject))]
    text = unmarked(" ".join(lines).lower())
    words = _WORD.findall(text)
    if len(lines) > _MOST_LINES or not 0 < len(words) <= _MOST_WORDS or _DIGIT.search(text):
        return ""
    if _languages_named().isdisjoint(words):
        return ""
    found = (
        _asked(words, language, known)
        for language, known in _known().items()
        if not at_table or not (known.asking | known.denied).isdisjoint(words)
    )
    return next(filter(None, found), "")


def _asked(words: Sequence[str], language: str, known: _Words) -> str:
    """The language that these words of a language ask for; "" if they do not ask so."""
    named = {known.named[word] for word in words if word in known.named}
    if len(named) != 1 or any(
        word not in known.named and word not in known.denied and word not in known.beside
        for word in words
    ):
        return ""
    denials = sum(word in known.denied for word in words)
    return language if denials % 2 else named.pop()


@cache
def _languages_named() -> frozenset[str]:
    """The words for languages, in all languages."""
    return frozenset(word for known in _known().values() for word in known.named)


@cache
def _known() -> Mapping[str, _Words]:
    """The words of each language of letters in which people may ask."""
    said = by_language("languages_said")
    denied, beside = by_language("languages_denied"), by_language("languages_beside")
    asking = by_language("languages_asking")
    polite = [by_language(kind) for kind in _POLITE]
    agreeing = [word for kind in _AGREEING for word in words_of(kind)]
    return {
        language: _Words(
            {unmarked(word): code for word, code in map(str.split, said[language])},
            frozenset(map(unmarked, denied[language])),
            frozenset(
                unmarked(word)
                for kind in (beside, *polite)
                for each in (*kind.get(language, ()), *agreeing)
                for word in each.split()
            ),
            frozenset(map(unmarked, asking[language])),
        )
        for language in languages()
        if language in said
    }
