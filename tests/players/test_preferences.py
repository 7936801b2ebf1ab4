"""What players may write to set a preference."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.commands.manual import payload_of
from pbmserv.database.engine import reading
from pbmserv.errors import Refused
from pbmserv.letters import render
from pbmserv.letters.catalogues import language_named, languages, with_own_name
from pbmserv.players import preferences
from pbmserv.text.phrases import by_language
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

UNDERSTOOD = [
    ("idioma=español", "es"),
    ("idioma=espanol", "es"),
    ("language=русский", "ru"),
    ("language=Русский", "ru"),
    ("язык=русский", "ru"),
    ("language=French", "fr"),
    ("langue=français", "fr"),
    ("Langue=Anglais", "en"),
    ("language=inglés", "en"),
    ("lang=ES", "es"),
    ("language=fr-CA", "fr"),
    ("language=es_419", "es"),
    ("language = russe", "ru"),
    ("language= Spanish", "es"),
    ("language =fr", "fr"),
    ("digest= language=ru", "en"),
    ('language="castellano"', "es"),
    ("language=«русский»", "ru"),
]


def test_a_language_is_set_by_its_name_or_code(tmp_path: Path) -> None:
    """The name of the preference, too, may be a word of another language."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann")
        for words, language in UNDERSTOOD:
            town.write("ann@example.org", f"set ann {PASSWORD} language=en")
            town.write("ann@example.org", f"set ann {PASSWORD} {words}")
            with reading(town.engine) as connection:
                assert preferences.read(connection, 1)["language"] == language, words


@each_row(
    ("words", "answer"),
    [
        ("language=Deutsch", 'There is no language "Deutsch"'),
        ("idioma=portugués", 'There is no language "portugués"'),
        ("language=", 'There is no language ""'),
    ],
)
def test_an_unknown_language_lists_those_there_are(tmp_path: Path, words: str, answer: str) -> None:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann")
        (letter,) = town.write("ann@example.org", f"set ann {PASSWORD} {words}")
    known = "en (English), es (español), fr (français) or ru (русский)"
    assert f"{answer} (available: {known})." in " ".join(letter.text.split())


def test_every_language_of_letters_has_its_names() -> None:
    """Its own name is the first, and each of the languages of letters has a name for it."""
    from babel import Locale

    for language in languages():
        names = {name.casefold() for name in by_language("language_names")[language]}
        for naming in languages():
            name = Locale.parse(language).get_language_name(naming)
            assert name is not None
            assert name.casefold() in names
            assert language_named(name) == language
    assert language_named("Deutsch") == language_named("e") == language_named("") == ""


@pytest.mark.parametrize("language", languages())
def test_the_help_lists_the_languages_with_their_codes(language: str) -> None:
    text = " ".join(render.word("help", payload_of("", ["set"]), language).text.split())
    for code in languages():
        assert with_own_name(code) in text


def test_a_preference_is_named_in_full(tmp_path: Path) -> None:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann")
        with reading(town.engine) as connection, pytest.raises(Refused) as refused:
            preferences.change(connection, 1, ["colour=blue", "digest"], town.now)
    problems = refused.value.facts["problems"]
    assert isinstance(problems, list)
    assert [each["kind"] for each in problems] == ["name", "name"]


def test_the_answer_says_what_was_set_and_what_it_was(tmp_path: Path) -> None:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann")
        ann = f"set ann {PASSWORD}"
        (letter,) = town.write("ann@example.org", f"{ann} format=text challenges=ask")
        assert "format is now text. It was both." in letter.text
        assert "challenges is now ask. It was start." in letter.text  # as the server's setting
        assert "\n  set ann PASSWORD format=both challenges=start\n" in letter.text
        assert "digest" not in letter.text
        (letter,) = town.write("ann@example.org", f"{ann} format=text")
        assert "format was text already." in letter.text
        assert "format=" not in letter.text
        (letter,) = town.write("ann@example.org", ann)
        assert "\n  digest=off    ✓ Each letter at once\n" in letter.text
