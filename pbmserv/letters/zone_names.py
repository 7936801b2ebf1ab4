"""Find a time zone by its name, or by the city that its name ends with: Paris, Moscou, Нью-Йорк."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from zoneinfo import available_timezones

from pbmserv.letters.dates import timezone_named
from pbmserv.text.phrases import OF_LETTERS
from pbmserv.text.unicode_forms import unmarked

_AREAS = {
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia"),
    *("Europe", "Indian", "Pacific"),
}
_NO_CITIES = {"Australia/North", "Australia/South", "Australia/West"}
_NAMESAKES = {
    "granada": ("Europe/Madrid", "America/Grenada"),
    "merida": ("Europe/Madrid", "America/Merida"),
}
"""Cities of the same plain name in several zones: a player who writes one is asked which."""
_BETWEEN = str.maketrans("_-", "  ")


def zone_meant(text: str) -> str:
    """The zone with this name, or of this city in a language of our letters; "" for none.

    Case, accents and dashes do not matter.  The city must be one by which a zone is named.
    """
    if zones_of_namesakes(text):
        return ""
    return timezone_named(text) or _zones_of_cities().get(_plain(text), "")


def zones_of_namesakes(text: str) -> Sequence[str]:
    """The zones of the cities with this name, if there are several; else none."""
    return _NAMESAKES.get(_plain(text), ())


@cache
def _zones_of_cities() -> Mapping[str, str]:
    """The zone of each city, by its plain name; of two zones the one in Europe."""
    known = sorted(name for name in available_timezones() if _is_of_city(name))
    english = {_plain(name.rpartition("/")[2]): name for name in known}
    others = {_plain(city): name for city, name in _translated() if name in known}
    return {**others, **english}


def _is_of_city(name: str) -> bool:
    """Whether it has one area, as Europe/Paris: the town of a county has better known namesakes."""
    area, _, city = name.partition("/")
    return area in _AREAS and "/" not in city and name not in _NO_CITIES


def _translated() -> Iterator[tuple[str, str]]:
    """The names of cities that CLDR has in the languages of our letters, with their zones."""
    from babel import Locale  # noqa: PLC0415 - few people write a city

    for language in OF_LETTERS:
        for zone, names in Locale.parse(language).time_zones.items():
            if city := names.get("city"):
                yield str(city), zone


def _plain(text: str) -> str:
    return " ".join(unmarked(text).lower().translate(_BETWEEN).split())
