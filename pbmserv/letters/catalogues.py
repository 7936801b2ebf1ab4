"""The languages of letters, and their catalogues: every marked sentence with its translation.

A language is a folder: `letters/LANGUAGE/messages.po`, which `scripts/messages` keeps up to date,
and `letters/LANGUAGE/help/`.  English needs no catalogue.  A language is offered once it has all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import NoReturn

from pbmserv.text.phrases import by_language, first_of
from pbmserv.text.unicode_forms import unmarked

DEFAULT_LANGUAGE = "en"
CATALOGUE = "messages.po"
_UNFINISHED = re.compile(r'^(?:msgstr(?:\[\d\])? ""\n(?!")|#, [^\n]*fuzzy)', re.MULTILINE)


class Untranslated(LookupError):
    """A language lacks a sentence or a page; the letter is then written in English, all of it."""


class _Missing(NullTranslations):
    """What a catalogue answers for a sentence that it lacks: it raises `Untranslated`."""

    def gettext(self, message: str) -> NoReturn:
        raise Untranslated(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> NoReturn:
        raise Untranslated(msgid1)


def folder(language: str) -> Traversable:
    """The folder of the server's words in a language."""
    return files("pbmserv") / "letters" / language


@cache
def languages() -> tuple[str, ...]:
    """The languages that players may choose: English, and those that are complete."""
    every = (each.name for each in (files("pbmserv") / "letters").iterdir() if each.is_dir())
    return tuple(sorted(filter(is_offered, every)))


@cache
def is_offered(language: str) -> bool:
    """Whether letters are written in a language, given by its code: it is English, or complete."""
    return language == DEFAULT_LANGUAGE or (language.isalpha() and _is_complete(language))


def language_named(word: str) -> str:
    """The language that a code (`fr`, `fr-CA`) or a name (`français`, `French`) means; "" for none.

    The name may be in any of the languages, with or without its accents.
    """
    code = word.lower().replace("_", "-").partition("-")[0]
    return code if code in languages() else _by_name().get(unmarked(word).casefold(), "")


@cache
def _by_name() -> Mapping[str, str]:
    known = by_language("language_names")
    return {
        unmarked(name).casefold(): language
        for language in languages()
        for name in known.get(language, ())
    }


def with_own_name(language: str) -> str:
    """A language's code and its own name: `fr (français)`."""
    return f"{language} ({first_of('language_names', language)})"


def own_name(language: str) -> str:
    """A language's own name, as a title: `Français`."""
    name = first_of("language_names", language)
    return name[:1].upper() + name[1:]


def spoken(language: str) -> str:
    """The language if letters are written in it, else English."""
    if language == DEFAULT_LANGUAGE:
        return language
    return language if language in languages() else DEFAULT_LANGUAGE


def _is_complete(language: str) -> bool:
    """Whether no sentence of the catalogue is empty or a guess, and no page of help is missing.

    It trusts that the catalogue has all sentences: `scripts/messages` adds those that are new.
    """
    file = folder(language) / CATALOGUE
    if not file.is_file() or _UNFINISHED.search(file.read_text("utf-8")):
        return False
    return pages(DEFAULT_LANGUAGE) <= pages(language)


def pages(language: str) -> frozenset[str]:
    """The names of the files in a language's folder of help pages."""
    found = folder(language) / "help"
    return frozenset(each.name for each in found.iterdir()) if found.is_dir() else frozenset()


@cache
def catalogue(language: str) -> NullTranslations:
    """The catalogue of a language; it raises `Untranslated` for a sentence that it lacks."""
    if language == DEFAULT_LANGUAGE:
        return NullTranslations()
    return read(folder(language).joinpath(CATALOGUE).read_bytes(), language)


def read(written: bytes, language: str) -> NullTranslations:
    """A catalogue from its file."""
    # Babel takes 25 ms.
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - English letters do without it
    from babel.messages.pofile import read_po  # noqa: PLC0415 - the same

    found = read_po(BytesIO(written), locale=language)
    for message in list(found):
        if message.id and not _is_translated(message.string):
            found.delete(message.id)  # a form that is missing would be in English
    file = BytesIO()
    write_mo(file, found)
    file.seek(0)
    translations = GNUTranslations(file)
    translations.add_fallback(_Missing())
    return translations


def _is_translated(forms: object) -> bool:
    return all(forms) if isinstance(forms, tuple) else bool(forms)
