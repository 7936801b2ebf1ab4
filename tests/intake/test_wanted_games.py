"""Somebody who asks for a game with players is told the line that begins it."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.intake.wanted_games import dice_in, opponents_in
from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import Town, town_at

CLEO = "cleo@example.org"


@each_row(
    ("text", "names"),
    [
        ("Can I play with Luc and Ivan please?", "Luc Ivan"),
        ("I'd like to challenge luc, ivan", "luc ivan"),
        ("play luc ivan", "luc ivan"),
        ("Puis-je jouer avec Luc et Ivan ?", "Luc Ivan"),
        ("¿Puedo jugar con Luc y conmigo?", "Luc"),
        ("Можно сыграть с luc?", "luc"),
        ("play with " + " ".join("abcdfghjklmnopqr"), "a b c d f g h j k l m n o p q"),
        ("lancer une partie avec 3 dés contre Luc et Zoé", "Luc"),
        ("Je défie Emma, Olga et Pablo", "Emma Olga Pablo"),
        *(("I challenge Luc", "Luc"), ("I challenge Luc's bid", "s bid")),
        ("Reto a luc", "luc"),
        ("Вызываю luc и olga", "luc olga"),
        *((f"{each} luc", "") for each in ("I don't want to play with", "I never play with")),
        *((f"{each} luc", "") for each in ("Je ne veux pas jouer avec", "No quiero jugar con")),
        *(("Не хочу играть с luc", ""), ("Why don't we play with luc?", "luc")),
        ("No, I want to play with luc", "luc"),
        ("I play. Luc too", ""),
        ("Hello Luc", ""),
        ("play with", ""),
        ("", ""),
    ],
)
def test_a_text_names_whom_its_writer_wants_to_play_with(text: str, names: str) -> None:
    assert " ".join(opponents_in(text)) == names


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Can I play with Ann and Bob please?", ""),
        ("Hello", "Hi,\ncan I play with bob, Ann and cleo?"),
        ("Je voudrais jouer avec Ann et Bob", ""),
    ],
)
def test_a_player_is_offered_the_line(town: Town, subject: str, text: str) -> None:
    town.sign_up("cleo")
    (told,) = town.write(CLEO, subject, text)
    names = "bob ann" if text else "ann bob"
    assert f"\n  perudo challenge cleo {names}\n" in told.text
    letters = town.write(CLEO, f"perudo challenge cleo {names}")
    assert "Board 2 has begun." in [each.text[:18] for each in letters if each.to == CLEO]


@each_row(
    "text",
    [
        "D'accord, et comment lancer une partie avec 3 dés contre Emma, Ann et Bob ?",
        "I challenge Emma, Ann and Bob to a 3 dice game. Let's go!",
        "Je défie Emma, Ann et Bob avec 3 dés",
        "Reto a emma, ann y bob con 3 dados, ¿vale?",
        "Вызываю emma, ann и bob на игру с 3 кубиками",
    ],
)
def test_all_whom_a_challenge_names_in_words_are_in_the_line(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "cleo", "emma")
        (told,) = town.write(CLEO, text, headers={"Content-Language": "en"})
        assert "\n  perudo challenge -dice=3 cleo emma ann bob\n" in told.text


def test_a_line_has_five_others_at_most(tmp_path: Path) -> None:
    with town_at(tmp_path / "home") as town:
        for userid in ("ann", "bob", "cleo", "dan", "emma", "fred", "gus"):
            town.sign_up(userid)
        (told,) = town.write(CLEO, "I challenge ann, bob, dan, emma, fred and gus")
        assert "\n  perudo challenge cleo ann bob dan emma fred\n" in told.text


def test_words_that_may_be_a_call_are_asked_about(town: Town) -> None:
    """A reply "I challenge ann" may doubt the bid of ann, and begins no other game."""
    town.move("ann", "2-2s")
    (told,) = town.reply(town.last_letter_to("bob@example.org"), "I challenge Ann")
    assert "Did you mean dudo?" in told.text
    assert "perudo challenge" not in told.text


def test_so_is_the_reader_of_a_game_letter(town: Town) -> None:
    (told,) = town.reply(town.last_letter_to("bob@example.org"), "Can I play with Ann alone?")
    assert "\n  perudo challenge bob ann\n" in told.text


def test_a_stranger_is_told_after_the_sign_up(town: Town) -> None:
    (told,) = town.write("zed@example.org", "Can I play with Ann and nobody.example please?")
    assert "For a game with ann:\n  perudo challenge USERID ann\n" in told.text
    assert "nobody.example" not in told.text


@pytest.mark.parametrize("name", ["Zoe", "Cleo"])
def test_nobody_else_is_offered(town: Town, name: str) -> None:
    """Neither who does not play here, nor the writer: such a friend can be invited."""
    town.sign_up("cleo")
    (told,) = town.write(CLEO, f"Can I play with {name} please?")
    lines = [line.strip() for line in told.text.split("\n") if "perudo challenge" in line]
    assert lines == ["perudo challenge cleo house", "perudo challenge cleo friend@example.com"]
    letters = town.reply(told, lines[1])
    assert "friend@example.com" in {each.to for each in letters}


ASKS = (
    *("how do I start a game with 3 dice?", "How can I play?", "I want to join", "what is this?"),
    *("comment commencer une partie avec 3 dés ?", "je veux jouer", "c'est quoi ?"),
    *("¿cómo empiezo una partida con 3 dados?", "¿con quién puedo jugar?", "¿es gratis?"),
    *("как начать игру с 3 кубиками?", "хочу сыграть", "сколько длится игра?", "Hello!"),
)


@each_row("text", ASKS)
def test_a_question_about_games_is_answered_with_the_line_of_a_challenge(
    tmp_path: Path, text: str
) -> None:
    """No word of it is shown as a possible password.  So it is as a Subject and as a text."""
    for subject, typed in ((text, ""), ("Hello", f"{text}\n\nThanks")):
        with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
            town.sign_up("cleo")
            (told,) = town.write(CLEO, subject, typed, headers={"Content-Language": "en"})
            dice = "-dice=3 " if dice_in(text) else ""
            assert told.subject == "How to begin a game"
            assert f"\n  perudo challenge {dice}cleo house\n" in told.text
            assert "***" not in told.text


@each_row("text", ASKS)
def test_a_stranger_who_asks_so_is_told_how_to_sign_up_and_begin(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        (told,) = town.write(CLEO, text, headers={"Content-Language": "en"})
        dice = "-dice=3 " if dice_in(text) else ""
        assert "signup USERID PASSWORD" in told.text
        assert f"\n  perudo challenge {dice}USERID house\n" in told.text


@each_row(
    ("text", "dice"),
    [
        *(("with 3 dice", 3), ("four dice each", 4), ("one die", 1), ("avec deux dés", 2)),
        *(("con tres dados", 3), ("с 3 костями", 3), ("три кубика", 3), ("5 dice", 0)),
        *(("99 dice", 0), ("0 dice", 0), ("3 players", 0), ("dice", 0), ("", 0)),
    ],
)
def test_a_text_may_name_a_number_of_dice(text: str, dice: int) -> None:
    assert dice_in(text) == dice


@each_row(
    ("text", "page"),
    [
        *(("what is palifico?", "PALIFICO"), ("What does dudo mean?", "DUDO")),
        *(("c'est quoi le palifico ?", "PALIFICO"), ("¿qué significa dudo?", "DUDO")),
    ],
)
def test_a_question_about_a_word_of_the_rules_brings_its_page(
    tmp_path: Path, text: str, page: str
) -> None:
    """To strangers, too: the manual is public."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("cleo")
        for sender in (CLEO, "zed@example.org"):
            (told,) = town.write(sender, text, headers={"Content-Language": "en"})
            assert told.text.startswith(page)


@pytest.mark.parametrize("text", ["too many emails!", "How do I quit?", "I need more time"])
def test_questions_about_letters_time_and_leaving_are_not_about_games(
    town: Town, text: str
) -> None:
    (told,) = town.write("bob@example.org", text)
    assert told.subject == "What did you mean?"


def test_a_question_about_a_board_in_a_new_email_brings_the_writers_boards(town: Town) -> None:
    (told,) = town.write("bob@example.org", "Hi", "whose turn is it?")
    assert told.subject == "Perudo boards"
    assert "ann" in told.text


@pytest.mark.parametrize(
    "names", ["bob, Ann!", "(bob) ann.", "bob and ann please", "bob; ann !", "«bob» ann?"]
)
def test_marks_around_names_do_not_matter(town: Town, names: str) -> None:
    letters = town.write("ann@example.org", f"perudo challenge -inorder {names}")
    assert "Board 2" in {each.subject[-7:].title() for each in letters if each.to != CLEO}


@each_row(
    ("text", "line"),
    [
        ("I challenge ann with 3 dice", "perudo challenge -dice=3 cleo ann"),
        ("How do I begin a game?", "perudo challenge cleo house"),
    ],
)
def test_the_last_answer_of_a_day_has_the_line_for_a_reply_which_begins_the_game(
    tmp_path: Path, text: str, line: str
) -> None:
    """A new email with that Subject would get no game and no letter."""
    folder = Path(mkdtemp(dir=tmp_path)) / "home"
    with town_at(folder, settings="unproven_daily = 3\n", is_unhurried=False) as town:
        town.sign_up("ann", "cleo")
        (first,) = town.write(CLEO, text)
        assert f"\n  {line}\n" in first.text
        assert "reply to this letter" not in first.text.partition(line)[0]
        (last,) = town.write(CLEO, text)
        assert "so this is our last answer" in " ".join(last.text.split())
        above = last.text.partition(f"\n  {line}\n")[0]
        assert " ".join(above.split()).endswith("reply to this letter with this line:")
        html = last.message.get_body(("html",))
        assert html is None or "subject=perudo%20challenge" not in str(html.get_content())
        assert town.write(CLEO, line) == []
        begun = town.reply(last, line)
        assert CLEO in {each.to for each in begun if "has begun" in each.text}


@each_row(
    "text",
    [
        "Can I play with Ann and Zoe?",
        "Je voudrais jouer avec Ann et Zoé",
        "¿Puedo jugar con Zoe y Ann?",
        "I'd like to challenge Zoe",
    ],
)
def test_who_names_somebody_without_an_account_is_told_how_to_invite(
    tmp_path: Path, text: str
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "cleo")
        (told,) = town.write(CLEO, text)
        assert "\n  perudo challenge cleo friend@example.com\n" in told.text
        assert ("\n  perudo challenge cleo ann\n" in told.text) == ("Ann" in text)
        assert "Zo" not in told.text.partition("perudo challenge")[2]


def test_who_names_players_alone_is_not_told_how_to_invite(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "cleo")
        (told,) = town.write(CLEO, "Can I play with Ann?")
        assert "friend@example.com" not in told.text


@each_row(
    "text",
    [
        *("Can I stop playing with luc?", "I hate to play with luc", "can I play without luc?"),
        *("I don't want to play with luc any more", "No quiero jugar más con luc"),
        *("je voudrais arrêter de jouer avec luc", "не хочу больше играть с luc"),
    ],
)
def test_who_wants_no_game_with_a_player_is_offered_none(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc")) as town:
        town.write("bob@example.org", "help")
        letters = town.reply(town.last_letter_to("bob@example.org"), text)
        assert "perudo challenge bob luc" not in "".join(each.text for each in letters)


def test_an_address_beside_a_player_brings_how_to_invite(tmp_path: Path) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc")) as town:
        (told,) = town.write("bob@example.org", "Can I play with luc and zoe@example.org?")
        said = " ".join(told.text.split())
        assert "perudo challenge bob luc" in said and "To invite a friend" in said
