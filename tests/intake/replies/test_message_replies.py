"""A plain reply to a message of another player goes to that player."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.text.message_subjects import of_message, writer_of
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
LANGUAGES = ["en", "fr", "es", "ru"]


@contextmanager
def written(
    folder: Path, language: str = "en", settings: str = ""
) -> Iterator[tuple[Town, Letter]]:
    """A new town, and the letter with ann's message to bob, in this language."""
    home = Path(mkdtemp(dir=folder)) / "home"
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text(settings)
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(BOB, f"set bob {PASSWORD} language={language}")
        town.write(ANN, f"message ann {PASSWORD} bob", "Are you coming on Friday?")
        yield town, town.last_letter_to(BOB)


def heard(letters: list[Letter]) -> dict[str, str]:
    """What these letters tell, by their readers."""
    return {each.to: " ".join(each.text.split()) for each in letters}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_goes_to_the_writer_in_every_language(tmp_path: Path, language: str) -> None:
    with written(tmp_path, language) as (town, letter):
        told = heard(town.reply(letter, "Yes, with pleasure!\nSee you there."))
        assert set(told) == {ANN, BOB}
        assert "| Yes, with pleasure! | See you there." in told[ANN]
        assert BOB not in told[ANN]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("to_all", [False, True])
def test_a_subject_of_ours_names_the_writer(language: str, *, to_all: bool) -> None:
    subject = of_message("zoe.b-2", language, to_all=to_all)
    assert writer_of(f"Re: {subject}") == "zoe.b-2"
    assert writer_of(f"{subject} about Friday") == ""


@each_row(
    "text",
    [
        *("I have two cats", "See you on Friday", "ok", "No", "Yes", "tomorrow?", "Thanks!"),
        *("Vendredi !", "volontiers", "нет", "hasta mañana"),
    ],
)
def test_short_answers_go_out(tmp_path: Path, text: str) -> None:
    """Their words are compared with the password, as in reply to a game letter."""
    with written(tmp_path) as (town, letter):
        assert f"| {text}" in heard(town.reply(letter, text))[ANN]


def test_it_does_so_without_plus_addresses(tmp_path: Path) -> None:
    with written(tmp_path, settings='replies = "plain"') as (town, letter):
        assert "+" not in letter.reply_to
        assert "| Yes, of course." in heard(town.reply(letter, "Yes, of course."))[ANN]


def test_the_two_can_go_on_writing(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        town.reply(letter, "I am not sure yet.")
        assert (
            "| It will be fun!"
            in heard(town.reply(town.last_letter_to(ANN), "It will be fun!"))[BOB]
        )
        assert "| Then I come." in heard(town.reply(town.last_letter_to(BOB), "Then I come."))[ANN]


@each_row(
    "text",
    [
        *("dudo", "4-2s", "three fives\nand more", "swordfsh", PASSWORD, ""),
        *("dudo if luc raises", "See you!\n4-2s from me", "4-2s swordfsh", "I'd say five"),
        *("I am out of the office until Monday", "help", f"set bob {PASSWORD} format=text"),
    ],
)
def test_other_texts_than_messages_go_to_nobody_else(tmp_path: Path, text: str) -> None:
    """A move, a word that may be a password, an answer of a machine, and a command."""
    with written(tmp_path) as (town, letter):
        letters = town.reply(letter, text)
        assert {each.to for each in letters} <= {BOB}
        assert {each.subject for each in letters} <= {
            "What did you mean?",
            "Help: basics",
            "The preferences of bob",
        }


def test_the_password_in_it_goes_to_nobody(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        told = heard(town.reply(letter, f"Yes, I will come.\n{PASSWORD}"))
        assert PASSWORD not in "".join(told.values())


@each_row("text", ["Friday is ok swordfish", "it is swordfish ok?", "please set bob swordfish now"])
def test_the_password_among_its_words_goes_to_nobody(tmp_path: Path, text: str) -> None:
    with written(tmp_path) as (town, letter):
        told = heard(town.reply(letter, text))
        assert ANN not in told or PASSWORD not in told[ANN]


def test_the_writers_own_dice_go_to_nobody(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        town.challenge("ann", "bob")
        (dice,) = re.findall(r"Your dice: ([1-6 ]+)", town.last_letter_to(BOB).text)
        told = heard(town.reply(letter, f"Friday is fine\nMy dice are {dice.replace(' ', '')}"))
        assert ANN not in told


def test_it_goes_to_the_writer_alone_if_it_names_a_game_letter_too(tmp_path: Path) -> None:
    """Some programs put the identifiers of other letters into References."""
    with written(tmp_path) as (town, letter):
        town.challenge("ann", "bob", "cleo")
        other = town.last_letter_to(BOB).message["Message-ID"]
        head = {"In-Reply-To": str(other), "References": str(other)}
        subject = f"Re: {letter.subject}"
        letters = town.write(BOB, subject, "See you there.", to=letter.reply_to, headers=head)
        assert {each.to for each in letters} == {ANN, BOB}


def test_from_another_address_it_goes_to_nobody(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        letters = town.write(
            CLEO,
            f"Re: {letter.subject}",
            "Yes, with pleasure!",
            to=letter.reply_to,
            headers=answering(letter),
        )
        assert {each.to for each in letters} <= {CLEO}


def test_of_one_letter_five_replies_go_out(tmp_path: Path) -> None:
    """Who has the letter can write no more in its reader's name, and nothing is sent twice."""
    with written(tmp_path) as (town, letter):
        assert ANN in heard(town.reply(letter, "This is my reply, ann a."))
        told = [heard(town.reply(letter, f"This is my reply, ann {at}.")) for at in "abcdef"]
        assert [ANN in each for each in told] == [False] + [True] * 4 + [False]


def test_an_old_message_is_answered_no_more(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        town.now += 32 * 86_400
        (told,) = town.reply(letter, "Yes, with pleasure!")
        assert "A message can be answered for 30 days." in " ".join(told.text.split())


def test_the_word_chat_may_be_above_it(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        told = heard(town.reply(letter, "chat\n\nYes, with pleasure!"))
        assert "| Yes, with pleasure!" in told[ANN]
        assert "chat" not in told[ANN]


def test_who_has_forgotten_the_password_may_say_so_below_it(tmp_path: Path) -> None:
    with written(tmp_path) as (town, letter):
        letters = town.reply(letter, "I forgot my password")
        assert "A new password, bob" in [each.subject for each in letters]
