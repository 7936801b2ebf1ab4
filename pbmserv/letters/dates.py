"""Dates: full ones, with the reader's time zone, so that nobody has to count."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def is_timezone(name: str) -> bool:
    """Whether the name is one of the IANA database, such as Europe/Zurich."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # what is no file, or no zone's
        return False
    return True


@lru_cache(maxsize=1024)
def full_date(seconds: int, timezone: str = "UTC") -> str:
    """A moment (seconds since 1970): "Saturday 21 November 2026, 14:05 CET".

    A zone without letters of its own is told by its distance from UTC: "17:05 UTC+03".
    """
    moment = datetime.fromtimestamp(seconds, ZoneInfo(timezone))
    zone = moment.tzname() or ""
    zone = f"UTC{zone}" if zone[:1] in "+-" else zone
    day = f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    return f"{day}, {moment:%H:%M} {zone}"
