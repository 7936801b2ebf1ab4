"""What a new account begins with."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.letters.dates import timezone_named
from pbmserv.players.first_preferences import proposed
from pbmserv.text.phrases import by_language
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

WINTER, SUMMER = 1_795_269_900, 1_782_000_000


@each_row(
    ("language", "hours", "now", "zone"),
    [
        ("fr", 1, WINTER, "Europe/Paris"),
        ("fr", 2, SUMMER, "Europe/Paris"),
        ("fr", -5, WINTER, "America/Toronto"),
        ("es", 1, WINTER, "Europe/Madrid"),
        ("es", -6, WINTER, "America/Mexico_City"),
        ("ru", 3, WINTER, "Europe/Moscow"),
        ("ru", 5, WINTER, "Asia/Yekaterinburg"),
        ("ru", 1, WINTER, "Europe/Berlin"),  # none of that language: one of another
        ("en", 0, WINTER, "UTC"),
        ("en", 1, SUMMER, "Europe/London"),
        ("", -5, WINTER, "America/New_York"),
        ("", 5.5, WINTER, "Asia/Kolkata"),
        ("", 13, SUMMER, "Etc/GMT-13"),
        ("", -12, WINTER, "Etc/GMT+12"),
        ("", -13, WINTER, "UTC"),  # there is no such zone
        ("", -14, WINTER, "UTC"),
        ("", 5.75, WINTER, "UTC"),
        ("", None, WINTER, "UTC"),
    ],
)
def test_a_zone_is_proposed_whose_clock_agrees(
    language: str, hours: float | None, now: int, zone: str
) -> None:
    minutes = None if hours is None else int(hours * 60)
    found = proposed(language, minutes, now)["timezone"]
    assert found == zone == timezone_named(found)


def test_every_proposed_zone_exists() -> None:
    assert all(
        timezone_named(zone) == zone for some in by_language("zones").values() for zone in some
    )


def test_a_language_that_we_do_not_write_is_english() -> None:
    assert proposed("de", None, WINTER)["language"] == "en"
    assert proposed("", None, WINTER)["language"] == "en"


@pytest.mark.parametrize(
    ("language", "said", "yes", "zone", "welcome"),
    [
        ("fr", "Bonjour, je voudrais jouer avec vous.", "oui", "Europe/Paris", "français"),
        ("ru", "Здравствуйте, я хочу играть с вами.", "да", "Europe/Berlin", "русск"),
        ("es", "Hola, quiero jugar con mis amigos.", "sí", "Europe/Madrid", "español"),
    ],
)
def test_a_new_player_is_answered_in_the_language_of_the_email(
    tmp_path: Path, language: str, said: str, yes: str, zone: str, welcome: str
) -> None:
    """From the first answer on, also where the next email has too few words to tell it."""
    told = {"Date": "Sat, 21 Nov 2026 14:05:00 +0100"}
    with town_at(tmp_path / "home") as town:
        (asking,) = town.write("zoe@example.org", f"signup zoe {PASSWORD}", said, headers=told)
        town.write("max@example.org", "help", said, headers=told)
        (letter,) = town.reply(asking, yes)
        with reading(town.engine) as connection:
            row = models.OutboxLetter
            written = connection.execute(select(row.kind, row.language)).all()
            known = models.Player
            player = connection.execute(select(known.language, known.timezone)).one()
    assert set(map(tuple, written)) == {
        ("confirm", language),
        ("stranger", language),
        ("confirmed", language),
    }
    assert tuple(player) == (language, zone)
    assert zone in letter.text
    assert welcome in letter.text


def test_the_welcome_letter_tells_what_can_be_changed(tmp_path: Path) -> None:
    told = {"Date": "Sat, 21 Nov 2026 14:05:00 -0500"}
    with town_at(tmp_path / "home") as town:
        (letter,) = town.write("zoe@example.org", f"signup zoe {PASSWORD}", headers=told)
        (welcome,) = town.reply(letter, "yes")
        assert "times are those of America/New_York" in " ".join(welcome.text.split())
        assert "set zoe PASSWORD language=en timezone=America/New_York format=both" in welcome.text
        command = f"set zoe {PASSWORD} language=en timezone=Europe/Zurich format=text"
        (changed,) = town.write("zoe@example.org", command)
    assert "Europe/Zurich" in changed.text
