"""Dates: full ones, with the reader's time zone, so that nobody has to count."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

_NO_PLACES = {"Factory", "localtime"}  # that some machines list among the zones


def timezone_named(text: str) -> str:
    """The zone of the IANA database that is meant, such as Europe/Zurich; "" for none.

    Case does not matter.  What a machine has besides, such as its own localtime, is no zone.
    """
    known = {name.lower(): name for name in available_timezones() - _NO_PLACES}
    return known.get(text.lower(), "")


@lru_cache(maxsize=1024)
def full_date(seconds: int, timezone: str = "UTC", language: str = "en") -> str:
    """A moment (seconds since 1970): "Saturday 21 November 2026, 14:05 CET".

    A language says in its `dates.toml` how it writes one; where it has none that is English.
    A zone without letters of its own is told by its distance from UTC: "17:05 UTC+03".
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


@cache
def _words(language: str) -> Mapping[str, Any]:
    file = files("pbmserv") / "letters" / language / "dates.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else _words("en")
