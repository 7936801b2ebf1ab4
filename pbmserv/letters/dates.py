"""Write dates in full, with the reader's time zone, so that nobody has to convert them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

_NO_PLACES = {"Factory", "localtime"}  # names that some machines list among the zones


def timezone_named(text: str) -> str:
    """The zone of the IANA database with this name, such as Europe/Zurich; "" for none.

    Case does not matter.  Names that only this machine has, such as its own localtime, are no
    zones.
    """
    known = {name.lower(): name for name in available_timezones() - _NO_PLACES}
    return known.get(text.lower(), "")


@lru_cache(maxsize=1024)
def full_date(seconds: int, timezone: str = "UTC", language: str = "en") -> str:
    """A moment (seconds since 1970) as text: "Saturday 21 November 2026, 14:05 CET".

    A language's `dates.toml` says how it writes a date; without that file it is English.  A zone
    without an abbreviation is shown by its distance from UTC: "17:05 UTC+03".
    """
    moment = datetime.fromtimestamp(seconds, ZoneInfo(timezone))
    zone = moment.tzname() or ""
    zone = f"UTC{zone}" if zone[:1] in "+-" else zone
    words = _words(language)
    date: str = words["date"]
    return date.format(
        weekday=words["weekdays"][moment.weekday()],
        day=moment.day,
        month=words["months"][moment.month - 1],
        year=moment.year,
        time=f"{moment:%H:%M}",
        zone=zone,
    )


@lru_cache(maxsize=1024)
def day(seconds: int, timezone: str = "UTC", language: str = "en") -> str:
    """A moment soon after a letter, without its year: "Saturday 21 November, 14:05 CET"."""
    return full_date(seconds, timezone, language).replace(
        f" {datetime.fromtimestamp(seconds, ZoneInfo(timezone)).year},", ","
    )


@cache
def _words(language: str) -> Mapping[str, Any]:
    file = files("pbmserv") / "letters" / language / "dates.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else _words("en")
