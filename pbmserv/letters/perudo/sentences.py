"""The sentences of letters about a board: macros of a template, which read the values of a letter.

To prepare the hundred macros takes as long as to call those of a letter.  So prepared ones are kept
and get the values of one letter after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from pbmserv.letters.document import strong
from pbmserv.letters.templates import template
from pbmserv.letters.wrapping import one_line

Say: TypeAlias = Callable[..., str]
"""Calls a sentence by its name, with its arguments; returns it on one line."""


class _Sentences:
    """The macros of a language, for one letter at a time."""

    def __init__(self, language: str) -> None:
        words: Any = template("perudo/words", language).module
        sentences = template("perudo/sentences", language)
        self.labels: Mapping[str, str] = words.labels
        self._shared = {**sentences.globals, "strong": strong, "numbers": words.numbers}
        # A macro looks a value up when it is called; `shared` makes jinja keep this dictionary.
        self._values: dict[str, Any] = {}
        self._macros = sentences.make_module(self._values, shared=True)

    def set(self, values: Mapping[str, Any]) -> None:
        """Let the sentences be about these values alone."""
        self._values.clear()
        self._values.update(self._shared, **values)

    def say(self, name: str, *values: object) -> str:
        """The sentence of this name; raises jinja's UndefinedError for a value that is missing."""
        return one_line(str(getattr(self._macros, name)(*values)))


@contextmanager
def sentences_about(
    values: Mapping[str, Any], language: str
) -> Iterator[tuple[Say, Mapping[str, str]]]:
    """The sentences about these values, and the language's single words; valid within the block.

    Each block has macros of its own, in several threads and within another block, too.
    """
    free = _free(language)
    try:
        found = free.pop()
    except IndexError:
        found = _Sentences(language)
    found.set(values)
    try:
        yield found.say, found.labels
    finally:
        found.set({})
        free.append(found)


@cache
def _free(language: str) -> list[_Sentences]:
    """The prepared sentences of a language that no letter uses."""
    return []
