"""The preferences that a new account begins with: the language and the time zone of its owner.

They are proposals, from the first email; the welcome letter tells how to change them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, spoken
from pbmserv.letters.dates import timezone_named
from pbmserv.mail.writer_facts import Writer
from pbmserv.text.phrases import by_language

_UTC = "UTC"
_HOUR = 60  # minutes


def for_writer(writer: Writer, now: int) -> dict[str, str]:
    """The language and time zone for the writer of an email or the user of a shell."""
    return proposed(writer.language, writer.offset, now)


def proposed(language: str, offset: int | None, now: int) -> dict[str, str]:
    """The language and time zone for a writer of a language, whose clock is `offset` from UTC.

    The offset is in minutes; None and "" are unknown.
    """
    return {"language": spoken(language), "timezone": _zone(language, offset, now)}


def _zone(language: str, offset: int | None, now: int) -> str:
    """A well-known zone whose clock shows this offset now, else one without a summer time."""
    if not offset:
        return _UTC
    for name in _well_known(language):
        if datetime.fromtimestamp(now, ZoneInfo(name)).utcoffset() == timedelta(minutes=offset):
            return name
    if offset % _HOUR:
        return _UTC
    # Their names count to the west, and end twelve hours from UTC there.
    return timezone_named(f"Etc/GMT{-offset // _HOUR:+d}") or _UTC


def _well_known(language: str) -> Iterator[str]:
    zones = by_language("zones")
    yield from zones.get(language, ())
    yield from zones[DEFAULT_LANGUAGE]
