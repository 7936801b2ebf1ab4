"""Lists and numbers as a language writes them: "a, b and c", "1,5"; by CLDR."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from pbmserv.letters.catalogues import DEFAULT_LANGUAGE
from pbmserv.letters.wrapping import lined

# The word between the last two items changes if the last item begins with its sound. Babel leaves
# that part of CLDR out.
_I_SOUND = re.compile(r"\W*(?:i|hi(?![ae]))", re.IGNORECASE)
_O_SOUND = re.compile(r"\W*(?:h?o|8|11\b)", re.IGNORECASE)
_SPANISH = "es"


def listed(items: Iterable[object], language: str = DEFAULT_LANGUAGE) -> str:
    """The items as a list of all of them: "a, b and c"."""
    if language == DEFAULT_LANGUAGE:
        return lined(items, "and")
    return _listed(items, "standard", language)


def listed_or(items: Iterable[object], language: str = DEFAULT_LANGUAGE) -> str:
    """The items as a list to choose from: "a, b or c"."""
    if language == DEFAULT_LANGUAGE:
        return lined(items, "or")
    return _listed(items, "or", language)


def decimal(number: object, language: str = DEFAULT_LANGUAGE) -> str:
    """A number as it was written in English, with the decimal mark of the language."""
    text = str(number)
    if language == DEFAULT_LANGUAGE or "." not in text:
        return text
    return text.replace(".", _locale(language).number_symbols["latn"]["decimal"])


def thousands(number: int, language: str = DEFAULT_LANGUAGE) -> str:
    """A whole number with the language's sign between its thousands: 10,000."""
    sign = (
        "," if language == DEFAULT_LANGUAGE else _locale(language).number_symbols["latn"]["group"]
    )
    return f"{number:,}".replace(",", sign)


def _listed(items: Iterable[object], style: Literal["standard", "or"], language: str) -> str:
    from babel.lists import format_list  # noqa: PLC0415 - English letters do without it

    found = [str(item) for item in items]
    text: str = format_list(found, style, _locale(language))
    last = found[-1] if found else ""
    if language == _SPANISH and text.endswith(f" y {last}") and _I_SOUND.match(last):
        return f"{text.removesuffix(f' y {last}')} e {last}"
    if language == _SPANISH and text.endswith(f" o {last}") and _O_SOUND.match(last):
        return f"{text.removesuffix(f' o {last}')} u {last}"
    return text


@cache
def _locale(language: str) -> Any:
    from babel import Locale  # noqa: PLC0415 - English letters do without it

    return Locale.parse(language)
