"""Write dates in full, with the reader's time zone, so that nobody has to convert them."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, catalogue
from pbmserv.letters.wrapping import BOUND

_NO_PLACES = {"Factory", "localtime"}  # names that some machines list among the zones
_FIRST_DAYS = {"fr": "er"}  # what follows the number of a month's first day: 1er décembre
_DAY = re.compile(r"\bd\b")  # the day in a pattern of CLDR
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_FIRST_MONTHS = ["January", "February", "March", "April", "May", "June"]
_MONTHS = [*_FIRST_MONTHS, "July", "August", "September", "October", "November", "December"]


def timezone_named(text: str) -> str:
    """The zone of the IANA database with this name, such as Europe/Zurich; "" for none.

    Case does not matter.  Names that only this machine has, such as its own localtime, are not
    zones.
    """
    known = {name.lower(): name for name in available_timezones() - _NO_PLACES}
    return known.get(text.lower(), "")


@cache
def zone_of(name: str) -> ZoneInfo:
    """A zone by its name; UTC if this machine does not know it any more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


@lru_cache(maxsize=1024)
def full_date(seconds: int, timezone: str = "UTC", language: str = DEFAULT_LANGUAGE) -> str:
    """A moment (seconds since 1970) as text: "Saturday 21 November 2026, 14:05 CET".

    A zone without an abbreviation is shown by its distance from UTC: "17:05 UTC+03".  Raises
    `Untranslated`.
    """
    moment = datetime.fromtimestamp(seconds, zone_of(timezone))
    if language == DEFAULT_LANGUAGE:
        return f"{_english(moment)} {moment.year}, {moment:%H:%M} {_zone(moment)}"
    _ = catalogue(language).gettext
    # Translators: a date in the letters of CLDR: EEEE is the weekday, EEE its short form, d the
    # day, MMMM the month, y the year. It must read well behind "until".
    return _translated(moment, _("EEEE d MMMM y, HH:mm"), language)


@lru_cache(maxsize=1024)
def day(seconds: int, timezone: str = "UTC", language: str = DEFAULT_LANGUAGE) -> str:
    """A moment soon after a letter, without its year: "Saturday 21 November, 14:05 CET"."""
    moment = datetime.fromtimestamp(seconds, zone_of(timezone))
    if language == DEFAULT_LANGUAGE:
        return f"{_english(moment)}, {moment:%H:%M} {_zone(moment)}"
    _ = catalogue(language).gettext
    # Translators: the same without the year.
    return _translated(moment, _("EEEE d MMMM, HH:mm"), language)


@lru_cache(maxsize=1024)
def short_date(seconds: int, timezone: str = "UTC", language: str = DEFAULT_LANGUAGE) -> str:
    """The day of a moment, for tables: "21 Nov 2026"."""
    moment = datetime.fromtimestamp(seconds, zone_of(timezone))
    if language == DEFAULT_LANGUAGE:
        return f"{moment.day} {_MONTHS[moment.month - 1][:3]} {moment.year}"
    from babel.dates import format_date  # noqa: PLC0415 - English letters do without it

    return format_date(moment, _of_day("d MMM y", moment, language), locale=language)


def _english(moment: datetime) -> str:
    """The day in English, without Babel: most letters tell a date, and it takes 15 ms to import."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"


def _translated(moment: datetime, pattern: str, language: str) -> str:
    """The moment in the words that CLDR has for a language; no line ends before its zone."""
    from babel.dates import format_datetime  # noqa: PLC0415 - English letters do without it

    told = format_datetime(moment, _of_day(pattern, moment, language), locale=language)
    return f"{told}{BOUND}{_zone(moment)}"


def _of_day(pattern: str, moment: datetime, language: str) -> str:
    """The pattern for this day: CLDR has no letter for the ending of a month's first day."""
    ending = _FIRST_DAYS.get(language, "") if moment.day == 1 else ""
    return _DAY.sub(f"d'{ending}'", pattern) if ending else pattern


def _zone(moment: datetime) -> str:
    zone = moment.tzname() or ""
    return f"UTC{zone}" if zone[:1] in "+-" else zone
