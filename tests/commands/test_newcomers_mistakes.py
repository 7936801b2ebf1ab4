"""What newcomers stumble over: each mistake gets one answer that shows what works."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from pbmserv.commands.manual import payload_of
from pbmserv.letters import render
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"
HINT = "To send a command above, write it as the Subject of an email."


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        yield town


def answer(letters: list[Letter], to: str = ANN) -> str:
    """The text of the one answer to a player, without its line ends."""
    (letter,) = [each for each in letters if each.to == to]
    return " ".join(letter.text.split())


def test_a_mistyped_move_is_answered_with_the_move_that_may_be_meant(town: Town) -> None:
    """A reply with a token shows the word.  Without one the word may be a password."""
    town.move("ann", "2-2s")
    letter = town.last_letter_to(BOB)
    assert "Did you mean dudo?" in answer(town.reply(letter, "duddo"), BOB)
    unproven = answer(town.write(BOB, f"Re: {letter.subject}", "duddo"), BOB)
    assert "Did you mean dudo?" in unproven
    assert "duddo" not in unproven
    assert "Did you mean" not in answer(town.reply(letter, "swordfish1"), BOB)


def test_a_move_in_the_place_of_a_userid_is_shown(town: Town) -> None:
    told = answer(town.write(ANN, "perudo mvoe 1 4-2s"))
    assert "I read BOARD 1 and USERID 4-2s." in told
    assert "USERID ****" in answer(town.write(ANN, "perudo move 1 herring9"))


@each_row("pair", ["language=ru", "lang=RU", "digest=daily"])
def test_a_preference_in_the_place_of_a_userid_is_shown(town: Town, pair: str) -> None:
    told = answer(town.reply(town.last_letter_to(ANN), f"set {pair}"))
    assert f"PASSWORD is missing in your command set. I read USERID {pair}." in told


@each_row("word", ["language=herring", "herring=ru", "timezone=Europe/Zurich", "language"])
def test_a_word_that_is_not_a_listed_preference_may_be_a_password(town: Town, word: str) -> None:
    assert "I read USERID ****" in answer(town.reply(town.last_letter_to(ANN), f"set {word}"))


def test_no_refusal_says_that_a_reply_needs_no_password(town: Town) -> None:
    """A reply to a game letter opens its board, and no account."""
    told = answer(town.reply(town.last_letter_to(ANN), "set ann language=ru"))
    assert "Wrong user name or password" in told
    assert "A move in reply to a game letter needs no password." in told
    assert "reply to a game letter." not in told


def test_the_examples_in_a_refusal_are_bids_that_are_likely_true(town: Town) -> None:
    told = answer(town.reply(town.last_letter_to(ANN), "1000"))
    assert "1-1s" not in told


def test_a_preference_written_with_a_blank_gets_one_complaint(town: Town) -> None:
    told = answer(town.write(ANN, f"set ann {PASSWORD} language es"))
    assert "language es: write it with =, as language=es." in told
    assert told.count(" - ") == 1


def test_an_answer_says_that_passwords_are_hidden_only_where_a_word_is(town: Town) -> None:
    """So it is where no password is expected."""
    told = answer(town.write(ANN, "perudo challenge bob swordfist cleo"))
    assert "Nothing was changed. Your command: perudo challenge bob swordfist cleo" in told
    told = answer(town.write(ANN, f"perudo challenge bob {PASSWORD} cleo"))
    assert "Your command, with passwords hidden: perudo challenge bob ******** cleo" in told
    told = answer(town.write(ANN, f"set ann {PASSWORD} {PASSWORD}=1"))
    assert "- ********: write name=value" in told
    assert "Your command, with passwords hidden: set ann ******** ********=1" in told


def test_all_missing_words_are_named_and_none_that_nobody_wrote(town: Town) -> None:
    told = answer(town.reply(town.last_letter_to(ANN), "queue"))
    assert "MOVE is missing in your command perudo queue. I read BOARD 1. It is" in told
    told = answer(town.write(ANN, "showas"))
    assert "USERID and PASSWORD are missing in your command perudo showas." in told


def test_a_pass_in_reply_to_a_finished_game_is_told_that_it_is_over(town: Town) -> None:
    town.move("ann", "resign")
    told = answer(town.reply(town.last_letter_to(BOB), "passe"), BOB)
    assert "This game is over: bob has won." in told


def test_words_below_a_challenge_that_were_not_sent_are_told_why(town: Town) -> None:
    *_, told = town.write(ANN, "multiple", "perudo challenge ann bob\nhello")
    assert "because it needs a blank line above it" in answer([told])


def test_a_challenge_in_another_language_is_told_how_to_begin(town: Town) -> None:
    told = answer(town.reply(town.last_letter_to(ANN), "défi ann bob\nÀ bientôt"))
    assert "Did you mean perudo challenge? If so, begin your line with these words." in told


def test_a_city_of_several_words_is_a_time_zone(town: Town) -> None:
    told = answer(town.write(ANN, f"set ann {PASSWORD} timezone=New York format=text"))
    assert "timezone is now America/New_York." in told
    assert "format is now text." in told


def test_a_page_that_is_not_found_is_named(town: Town) -> None:
    assert 'The manual has no page "pasta".' in answer(town.write(ANN, "help pasta"))
    for words in ("help !", "Help ?", "help!", "HELP !!!", "help «commands» !"):
        assert town.write(ANN, words)[0].subject == "Help: commands", words


def test_a_player_without_games_gets_a_sentence_and_no_table(town: Town) -> None:
    told = answer(town.write(ANN, "perudo stats bob"))
    assert "No cups of bob have been opened yet." in told
    assert "Player" not in told
    assert "standard deviations" not in told


def test_help_does_not_show_mistyped_names() -> None:
    page = render.word("help", payload_of("perudo", ["move"]), "en")
    assert "Also written: board\n" in page.text
    assert "mvoe" not in page.text


def test_the_list_of_commands_names_those_with_json() -> None:
    page = render.word("help", payload_of("", ["commands"]), "en")
    told = " ".join(page.text.split())
    assert "--json prints the answers of advise, games, history, show, standings and" in told


def test_consecutive_proven_rounds_are_one_line() -> None:
    """What differs between them is told below the line."""
    rounds = [
        {"round": 1, "proven": True, "why": "", "alone": True},
        {"round": 2, "last": 22, "proven": True, "why": ""},
        {"round": 23, "proven": False, "why": "running"},
    ]
    facts = {"board": 1, "rounds": rounds, "over": False, "zone": "UTC"}
    text = render.word("verified", facts, "en").text
    assert "  Rounds 1-22: proven\n  Round 23: still running" in text
    assert "round 1 were fixed before the round" in " ".join(text.split())


def test_a_letter_with_a_command_says_how_to_send_it(town: Town) -> None:
    """Once: a sentence above the command may say it, else the foot does."""
    blocked, settings = (
        town.write(ANN, f"block ann {PASSWORD} bob"),
        town.write(ANN, f"set ann {PASSWORD}"),
    )
    assert HINT in blocked[0].body
    assert HINT not in settings[0].body
    assert "with a Subject like this:" in settings[0].body


@each_row(
    ("subject", "text"),
    [
        (
            "Inscription",
            "Bonjour,\n\nJe voudrais jouer, comment m'inscrire s'il vous plaît ?\n\nClaire",
        ),
        ("Sign up", "Hello,\nhow does one join here?"),
        ("Registro", "Hola, me gustaría jugar con mis amigos."),
        ("Регистрация", "Здравствуйте! Как мне начать играть?"),
    ],
)
def test_a_word_for_signing_up_above_a_question_brings_the_welcome(
    tmp_path: Path, subject: str, text: str
) -> None:
    """A mistaken sign-up is answered on the same day, too."""
    with town_at(tmp_path / subject) as town:
        (welcome,) = town.write("claire@example.org", subject, text)
        assert "signup USERID PASSWORD" in welcome.text
        assert "ann7" in welcome.text
        assert "USERID and PASSWORD are missing" not in " ".join(welcome.text.split())
        (refused,) = town.write("claire@example.org", "Signup Claire Dubois petit-poisson")
        assert "petit-poisson" not in refused.text


@each_row("text", ["", "claire swordfish", "Claire\nswordfish"])
def test_a_word_for_signing_up_above_no_sentence_lacks_its_words(tmp_path: Path, text: str) -> None:
    with town_at(tmp_path / sha256(text.encode()).hexdigest()) as town:
        (refused,) = town.write("claire@example.org", "Sign up", text)
        assert "USERID and PASSWORD are missing" in " ".join(refused.text.split())
        assert PASSWORD not in refused.text


def test_a_player_who_asks_below_that_word_is_shown_no_password(town: Town) -> None:
    told = answer(town.write(ANN, "Sign up", f"How do I sign up? My password is {PASSWORD}"))
    assert PASSWORD not in told
