"""Dates as letters tell them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from babel.dates import format_datetime

from pbmserv.letters.dates import day, full_date, short_date, timezone_named, zone_of
from pbmserv.letters.wrapping import BOUND
from pbmserv.letters.zone_names import zone_meant
from tests.rows import each_row


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


@each_row(
    ("text", "zone"),
    [
        ("Paris", "Europe/Paris"),
        ("new_york", "America/New_York"),
        ("Nueva York", "America/New_York"),
        ("Moscou", "Europe/Moscow"),
        ("МОСКВА", "Europe/Moscow"),
        ("Londres", "Europe/London"),
        ("São Paulo", "America/Sao_Paulo"),
        ("zürich", "Europe/Zurich"),
        ("europe/ZURICH", "Europe/Zurich"),
        ("Grenada", "America/Grenada"),
        ("Granada", ""),  # in Spain or in the Caribbean, so its writer is asked
        ("Mérida", ""),
        ("Lyon", ""),
        ("Petersburg", ""),
        ("West", ""),
        ("Pacific", ""),
        ("", ""),
        ("x" * 300, ""),
    ],
)
def test_a_zone_is_known_by_its_city_in_each_language_of_our_letters(text: str, zone: str) -> None:
    """Of two cities with one name it is the known one: Petersburg is a small town in Indiana."""
    assert zone_meant(text) == zone


def test_english_dates_are_those_of_cldr() -> None:
    """They are written without Babel, which English letters need for nothing else."""
    for moment in range(1_767_200_000, 1_767_200_000 + 366 * 86400, 86400):
        utc = datetime.fromtimestamp(moment, UTC)
        british = format_datetime(utc, "EEEE d MMMM y, HH:mm", locale="en_GB")
        assert full_date(moment) == f"{british} UTC"
        british = format_datetime(utc, "EEEE d MMMM, HH:mm", locale="en_GB")
        assert day(moment) == f"{british} UTC"


@pytest.mark.parametrize(
    ("language", "full", "short"),
    [
        ("en", "Saturday 21 November 2026, 15:05 CET", "Saturday 21 November, 15:05 CET"),
        ("fr", "samedi 21~novembre 2026 à~15:05~CET", "samedi 21~novembre à~15:05~CET"),
        ("ru", "21~ноября 2026~г. (сб), 15:05~CET", "21~ноября (сб), 15:05~CET"),
        ("es", "sábado 21~de~noviembre de~2026, 15:05~CET", "sábado 21~de~noviembre, 15:05~CET"),
    ],
)
def test_a_date_is_written_as_each_language_does(language: str, full: str, short: str) -> None:
    """~ stands for a blank at which no line ends."""
    assert full_date(1_795_269_900, "Europe/Zurich", language) == full.replace("~", BOUND)
    assert day(1_795_269_900, "Europe/Zurich", language) == short.replace("~", BOUND)


def test_only_the_first_day_of_a_french_month_has_an_ending() -> None:
    first, second, last = (1_796_083_200 + each * 86400 for each in (0, 1, 30))
    assert full_date(first, "UTC", "fr").startswith(f"mardi 1er{BOUND}décembre 2026 à")
    assert day(first, "UTC", "fr").startswith(f"mardi 1er{BOUND}décembre à")
    assert short_date(first, "UTC", "fr") == "1er déc. 2026"
    assert short_date(second, "UTC", "fr") == "2 déc. 2026"
    assert day(last, "UTC", "fr").startswith(f"jeudi 31{BOUND}décembre à")
    assert [short_date(first, "UTC", each)[:2] for each in ("en", "es", "ru")] == ["1 "] * 3


def test_a_zone_that_the_machine_does_not_know_is_utc() -> None:
    """One such zone in the database keeps nobody's letters back."""
    for name in ("Etc/GMT+13", "../etc", ""):
        assert full_date(0, name) == full_date(0, "UTC")
        assert zone_of(name).key == "UTC"
