"""Words that people and their mail programs write, in a file for each language.

An email does not name its language, so all are understood; our own texts are in `letters/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

_ALL_KINDS = "en"


@cache
def _languages() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The words of every kind, for each language."""
    # They are half of the cost of importing this package.
    import tomllib  # noqa: PLC0415 - `--help` needs no phrases
    from importlib.resources import files  # noqa: PLC0415 - the same

    found = [each for each in files(__name__).iterdir() if each.name.endswith(".toml")]
    return {
        each.name.removesuffix(".toml"): tomllib.loads(each.read_text("utf-8"))
        for each in sorted(found, key=lambda each: each.name)
    }


@cache
def words_of(kind: str) -> tuple[str, ...]:
    """The words of a kind in all languages; raises KeyError for a kind that `en.toml` lacks."""
    every = [_languages()[_ALL_KINDS][kind]]
    every += [language.get(kind, ()) for language in _languages().values()]
    return tuple(dict.fromkeys(word for some in every for word in some))


@cache
def by_language(kind: str) -> Mapping[str, Sequence[str]]:
    """The words of a kind for each language that has some."""
    return {name: words[kind] for name, words in _languages().items() if words.get(kind)}


@cache
def first_of(kind: str, language: str) -> str:
    """The first word of a kind in a language, or in English if the language has none."""
    every = _languages()
    return next(iter(every.get(language, {}).get(kind, ())), "") or every[_ALL_KINDS][kind][0]


@cache
def one_of(kind: str) -> str:
    """A regular expression that finds the words of a kind, the longest first."""
    return "|".join(map(re.escape, sorted(words_of(kind), key=len, reverse=True)))
