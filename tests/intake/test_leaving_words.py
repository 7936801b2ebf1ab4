"""Words that may mean to leave a game are asked about; the words that our letters offer are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbmserv.letters import manual_pages
from pbmserv.letters.document import Definition, Definitions, Paragraph
from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
NO_RETURN = "Then you leave this game, and cannot come back."
LEFT = "You leave the game."


def one_line(letter: Letter) -> str:
    """The text of a letter in one line."""
    return " ".join(letter.text.split())


@contextmanager
def begun(folder: Path) -> Iterator[Town]:
    """Board 1, where all three have moved and ann is on turn; a new one for each row."""
    moves = ("ann", "1-2s"), ("bob", "2-2s"), ("cleo", "3-2s")
    with new_town(folder, ("ann", "bob", "cleo"), moves) as town:
        yield town


@each_row(
    ("words", "offered"),
    [
        *(("me retiro", "abandono la partida"), ("Me rindo!", "abandono la partida")),
        *(("abandono", "abandono la partida"), ("je me retire", "j'abandonne la partie")),
        *(("j'abandonne", "j'abandonne la partie"), ("сдаюсь", "выхожу из игры")),
        *(("Я сдаюсь.", "выхожу из игры"), ("I give up", "resign"), ("OK, сдаюсь", "resign")),
    ],
)
def test_words_that_may_mean_to_leave_are_asked_about(
    tmp_path: Path, words: str, offered: str
) -> None:
    """So they are on turn and off turn; a yes, or the word of the question, leaves the game."""
    with begun(tmp_path) as town:
        for address in (ANN, CLEO):
            (asked,) = town.reply(town.last_letter_to(address), words)
            question = f"Did you mean {offered}? If so, reply with just that. {NO_RETURN}"
            assert question in one_line(asked)
        (noted,) = town.reply(asked, "yes")
        assert "You will leave board 1 as soon as it is your turn" in noted.text
        left = town.reply(town.last_letter_to(ANN), offered)
        assert [each.to for each in left if each.opening == LEFT] == [ANN]


@each_row(
    ("words", "offered"),
    [
        ("Всё, сдаюсь, спасибо за игру!", "выхожу из игры"),
        ("Chicos, me tengo que ir, me retiro. ¡Gracias por la partida!", "abandono la partida"),
        ("ok I give up, thanks for the game everyone", "resign"),
        ("Pfff j'ai plus le temps, je me retire désolé les amis", "j'abandonne la partie"),
        *(("I quit guys", "resign"), ("I give up on this riddle, nice one", "")),
        *(("me retiro a dormir, buenas noches", ""), ("OK, 4-2s, or I give up", "")),
    ],
)
def test_among_other_words_they_are_asked_about_if_they_are_a_clause(
    tmp_path: Path, words: str, offered: str
) -> None:
    """What goes on behind them, other than politely, is something else: nothing is offered."""
    with begun(tmp_path) as town:
        for address in (ANN, CLEO):
            (asked,) = town.reply(town.last_letter_to(address), words)
            assert (NO_RETURN in one_line(asked)) is bool(offered)
            assert not offered or f"Did you mean {offered}?" in one_line(asked)
        left = town.reply(town.last_letter_to(ANN), "resign")
        assert [each.to for each in left if each.opening == LEFT] == [ANN]


@each_row(
    "words",
    [
        *("resign", "I resign", "Resign!", "resign, sorry", "abandono la partida"),
        *("dejo la partida", "j'abandonne la partie", "je quitte la partie", "выхожу из игры"),
    ],
)
def test_words_that_name_the_game_leave_it_at_once(tmp_path: Path, words: str) -> None:
    with begun(tmp_path) as town:
        letters = town.reply(town.last_letter_to(ANN), words)
        assert [each.to for each in letters if each.opening == LEFT] == [ANN]


@each_row("words", ["me rindo", "сдаюсь"])
def test_the_command_with_a_password_leaves_at_once_in_any_words(
    tmp_path: Path, words: str
) -> None:
    with begun(tmp_path) as town:
        assert any(each.opening == LEFT for each in town.move("ann", words))


@each_row("words", ["me rindo", "I give up", "j'abandonne"])
def test_who_has_resigned_is_not_asked_to_resign(tmp_path: Path, words: str) -> None:
    """A yes, or the word `resign`, would cancel what they want."""
    with begun(tmp_path) as town:
        letter = town.last_letter_to(BOB)
        town.reply(letter, "resign")
        (told,) = town.reply(letter, words)
        assert "Did you mean" not in told.text
        assert "You have resigned: you leave the game when your turn comes." in told.text


@each_row(("language", "word"), [("fr", "j'abandonne la partie"), ("ru", "выхожу из игры")])
def test_the_letter_about_a_resignation_that_waits_says_a_word_that_cancels_it(
    tmp_path: Path, language: str, word: str
) -> None:
    with begun(tmp_path) as town:
        letter = town.last_letter_to(BOB)
        town.write(BOB, f"set bob {PASSWORD} language={language}")
        (noted,) = town.reply(letter, "resign")
        assert word in one_line(noted)
        town.reply(noted, word)
        town.move("ann", "4-2s")
        assert "5-2s" in town.last_letter_to(BOB).text  # he stays, and is on turn


@each_row("language", ["es", "fr", "ru"])
def test_the_words_for_leaving_on_the_page_about_perudo_are_carried_out(
    tmp_path: Path, language: str
) -> None:
    (row,) = [each for each in rows_of_page("perudo", language) if each.term == "resign"]
    said = " ".join(each.text for each in row.body if isinstance(each, Paragraph))
    words = re.findall("«([^»]+)»", said)
    assert words
    for each in words:
        with begun(tmp_path) as town:
            letters = town.reply(town.last_letter_to(ANN), each.strip())
            assert LEFT in [each.opening for each in letters if each.to == ANN]


def rows_of_page(subject: str, language: str) -> list[Definition]:
    blocks = manual_pages.page(subject, language)
    return [row for each in blocks if isinstance(each, Definitions) for row in each.rows]
