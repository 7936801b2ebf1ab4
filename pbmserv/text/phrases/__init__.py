"""Words that people and their mail programs write, in a file for each language.

An email does not name its language, so all are understood; our own texts are in `letters/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

_ALL_KINDS = "en"
_ENDING = ".toml"
EVERYDAY = (
    *("function_words", "frequent_words", "thanks", "greetings"),
    *("move_leads", "manners", "turn_manners", "farewells", "familiar_words"),
)
"""The kinds of words that any text may have: frequent and polite ones."""
OF_LETTERS = "en", "fr", "es", "ru"
"""The languages of our letters; their lists of words are the longest."""
_NAMES = {
    "zones",
    "language_names",
    "domains",
    "devices",
    "first_names",
}  # kinds of names and parts of words


@cache
def _languages() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The words of every kind, for each language."""
    from importlib.resources import files  # noqa: PLC0415 - `--help` needs no phrases

    found = sorted(each.name for each in files(__name__).iterdir())
    names = [name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)]
    return {name: _language(name) for name in names}


@cache
def _language(name: str) -> Mapping[str, Sequence[str]]:
    """The words of every kind in one language; none if there is no file for it."""
    # They are half of the cost of importing this package.
    import tomllib  # noqa: PLC0415 - `--help` needs no phrases
    from importlib.resources import files  # noqa: PLC0415 - the same

    file = files(__name__).joinpath(f"{name}{_ENDING}")
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


class Phrases(tuple[str, ...]):
    """Words in their order, with `known` as their set, which tells what is among them."""

    known: frozenset[str]

    def __contains__(self, word: object) -> bool:
        return word in self.known


@cache
def words_of(kind: str) -> Phrases:
    """The words of a kind in all languages; raises KeyError for a kind that `en.toml` lacks."""
    every = [_languages()[_ALL_KINDS][kind]]
    every += [language.get(kind, ()) for language in _languages().values()]
    found = Phrases(dict.fromkeys(word for some in every for word in some))
    found.known = frozenset(found)
    return found


@cache
def single_words(*kinds: str) -> frozenset[str]:
    """The words of these kinds in all languages, with phrases divided into their words."""
    return frozenset(word for kind in kinds for each in words_of(kind) for word in each.split())


@cache
def common_words(language: str) -> frozenset[str]:
    """All words of a language that are known, with phrases divided into their words."""
    kinds = _language(language).items()
    phrases = (each for kind, some in kinds if kind not in _NAMES for each in some)
    return frozenset(word for each in phrases for word in each.split())


@cache
def by_language(kind: str) -> Mapping[str, Sequence[str]]:
    """The words of a kind for each language that has some."""
    return {name: words[kind] for name, words in _languages().items() if words.get(kind)}


@cache
def first_of(kind: str, language: str) -> str:
    """The first word of a kind in a language, or in English if the language has none."""
    mine = _language(language).get(kind, ())
    return next(iter(mine), "") or _language(_ALL_KINDS)[kind][0]


@cache
def one_of(kind: str) -> str:
    """A regular expression that finds the words of a kind, the longest first."""
    return "|".join(map(re.escape, sorted(words_of(kind), key=len, reverse=True)))
