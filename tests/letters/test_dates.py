"""Dates as letters tell them."""

from __future__ import annotations

import pytest

from pbmserv.letters.dates import full_date, timezone_named


@pytest.mark.parametrize(
    ("seconds", "zone", "told"),
    [
        (1_795_269_900, "UTC", "Saturday 21 November 2026, 14:05 UTC"),
        (1_795_269_900, "Europe/Zurich", "Saturday 21 November 2026, 15:05 CET"),
        (1_782_000_000, "Europe/Zurich", "Sunday 21 June 2026, 02:00 CEST"),
        (1_795_269_900, "Asia/Kolkata", "Saturday 21 November 2026, 19:35 IST"),
        (1_795_269_900, "Asia/Kathmandu", "Saturday 21 November 2026, 19:50 UTC+0545"),
        (1_795_269_900, "Pacific/Auckland", "Sunday 22 November 2026, 03:05 NZDT"),
    ],
)
def test_a_date_is_told_in_full_with_its_zone(seconds: int, zone: str, told: str) -> None:
    assert full_date(seconds, zone) == told


def test_names_of_zones_are_known_from_others() -> None:
    assert timezone_named("America/New_York") == "America/New_York"
    assert timezone_named("europe/ZURICH") == "Europe/Zurich"
    for wrong in (
        "Mars/Olympus",
        "",
        "../etc/passwd",
        "/etc/localtime",
        "Europe",
        "x" * 300,
        "localtime",
    ):
        assert timezone_named(wrong) == "", wrong
