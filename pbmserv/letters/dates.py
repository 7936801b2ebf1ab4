"""Dates: full ones, with the reader's time zone, so that nobody has to count."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NO_PLACES = {"Factory", "localtime"}  # that some machines list among the zones
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def timezone_named(text: str) -> str:
    """The zone of the IANA database that is meant, such as Europe/Zurich; "" for none.

    Case does not matter.  What a machine has besides, such as its own localtime, is no zone.
    """
    known = {name.lower(): name for name in available_timezones() - _NO_PLACES}
    return known.get(text.lower(), "")


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
