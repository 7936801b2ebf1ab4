"""The sentences of letters about a board: macros of a template, which read the values of a letter.

Preparing the hundred macros takes as long as calling those of one letter.  So the prepared macros
are kept, and get the values of each letter in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from types import FunctionType
from typing import Any, TypeAlias

from jinja2 import Template
from jinja2.utils import missing

from pbmserv.letters.document import strong
from pbmserv.letters.perudo.context import ByAll, ByOne
from pbmserv.letters.templates import Names, template
from pbmserv.letters.wrapping import one_line

Say: TypeAlias = Callable[..., str]
"""Calls a sentence by its name, with its arguments; returns it on one line."""
Wording: TypeAlias = dict[str, str]
"""Sentences that a letter has said already, by their names."""
_OF_ALL, _OF_READER = "perudo/sentences", "perudo/reader_sentences"
_BIDS = 1024  # bids whose words are kept
_NOTHING = dict.fromkeys((*ByAll.__annotations__, *ByOne.__annotations__), missing)


class _Sentences:
    """The macros of a language, for one letter at a time."""

    def __init__(self, language: str) -> None:
        words: Any = template("perudo/words", language).module
        for_all, for_reader = template(_OF_ALL, language), template(_OF_READER, language)
        self.labels: Mapping[str, str] = words.labels
        self._own = {"number": words.number, "bid_words": lru_cache(_BIDS)(words.bid_words)}
        # A macro looks a value up when it is called; `shared` makes jinja keep this dictionary.
        self._values = Names()
        self._of_all = _macros(for_all, self._values)
        self._macros = {**self._own, **self._of_all, **_macros(for_reader, self._values)}
        self._values.update({**for_all.globals, "strong": strong, **self._own, **self._of_all})
        self._said: Wording = {}

    def set(self, all_see: ByAll, mine: ByOne, said: Wording) -> None:
        """Let the sentences be about these values; `said` is of the same public values."""
        self._values.update(all_see)
        self._values.update(mine)
        self._said = said

    def forget(self) -> None:
        """Let the sentences be about nothing, so that no letter reads values of another one."""
        self._values.update(_NOTHING)
        self._said = {}

    def say(self, name: str, *values: object) -> str:
        """The sentence of this name; raises jinja's UndefinedError for a value that is missing."""
        if values or name not in self._of_all:
            return one_line(self._macros[name](*values))
        if name not in self._said:
            self._said[name] = one_line(self._macros[name]())
        return self._said[name]


def _macros(sentences: Template, values: Names) -> Mapping[str, Callable[..., str]]:
    """The macros of a template by name, which read these values."""
    module = vars(sentences.make_module(values, shared=True))
    return {name: each for name, each in module.items() if isinstance(each, FunctionType)}


@contextmanager
def sentences_about(
    all_see: ByAll, mine: ByOne, language: str, said: Wording
) -> Iterator[tuple[Say, Mapping[str, str]]]:
    """The sentences about these values, and the language's single words; valid within the block.

    `said` are those that other letters about the same public values, in the language, have said.

    Each block has macros of its own, in several threads and within another block, too.
    """
    free = _free(language)
    try:
        found = free.pop()
    except IndexError:
        found = _Sentences(language)
    found.set(all_see, mine, said)
    try:
        yield found.say, found.labels
    finally:
        found.forget()
        free.append(found)


@cache
def _free(language: str) -> list[_Sentences]:
    """The prepared sentences of a language that no letter uses."""
    return []
