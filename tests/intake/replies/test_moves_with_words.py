"""A move and words to the table on one line: it is played only if nothing takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.intake.replies.moves_with_words import move_and_words
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, answering

ANN, BOB = "ann@example.org", "bob@example.org"
NAMES = {"ann", "bob"}


def table() -> list[tuple[str, bool]]:
    """Every line of the table, and whether its move is played."""
    rows: list[tuple[str, bool]] = []
    heads = 0
    for line in (Path(__file__).parent / "moves_with_words.txt").read_text("utf-8").splitlines():
        heads += line.startswith("#")
        if line and not line.startswith("#"):
            rows.append((line, heads == 1))
    return rows


@each_row(("line", "is_played"), table)
def test_a_move_is_played_only_above_words_that_take_nothing_back(
    line: str, is_played: bool
) -> None:
    assert (move_and_words(line, NAMES) is not None) == is_played


PLAYED = [
    ("Dudo. Sorry ann :-)", "You lose a die.", "| Sorry ann :-)"),
    ("trois six ! Tu vas perdre", "You bid three 6s.", "| Tu vas perdre"),
    ("4 doses. ¡Suerte!\nHasta luego", "You bid four 2s.", "| ¡Suerte!\n| Hasta luego"),
    ("4-2s. Good luck!", "You bid four 2s.", "| Good luck!"),
    ("Hi\n4-2s, see you tomorrow\nBye!", "You bid four 2s.", "| see you tomorrow\n| Bye!"),
    ("Не верю! Ты блефуешь", "You lose a die.", "| Ты блефуешь"),
    ("Dudo, haha!!", "You lose a die.", "| haha!!"),
    ("4-2s good luck all!", "You bid four 2s.", "| good luck all!"),
    ("4-2s and good luck to all", "You bid four 2s.", "| good luck to all"),
    ("ok, 4-2s thanks all\nSee you", "You bid four 2s.", "| thanks all\n| See you"),
    ("je doute bonne année à tous", "You lose a die.", "| bonne année à tous"),
    ("Tres doses ¡suerte a todos!", "You bid three 2s.", "| ¡suerte a todos!"),
    ("4 doses suerte a todos", "You bid four 2s.", "| suerte a todos"),
    ("4-2 удачи всем", "You bid four 2s.", "| удачи всем"),
    ("I bid three fours, good luck ann", "You bid three 4s.", "| good luck ann"),
    ("three 5s your turn ann", "You bid three 5s.", "| your turn ann"),
    ("Three fives, here we go", "You bid three 5s.", "| here we go"),
    ("tres cincos, venga\nHola", "You bid three 5s.", "| venga\n| Hola"),
    ("tres cuatros y a dormir", "You bid three 4s.", "| a dormir"),
    ("Tres seises!! a ver quién se atreve", "You bid three 6s.", "| a ver quién se atreve"),
    ("три пятёрки пожалуй", "You bid three 5s.", "| пожалуй"),
    ("Dudo. Sorry ann, nothing personal!", "You lose a die.", "| Sorry ann, nothing personal!"),
    ("ха-ха, дудо! извини, Клэр", "You lose a die.", "| извини, Клэр"),
]


@pytest.mark.parametrize(("text", "done", "told"), PLAYED)
def test_the_words_behind_a_move_go_to_the_others(
    town: Town, text: str, done: str, told: str
) -> None:
    town.move("ann", "2-2s")
    letters = town.reply(town.last_letter_to(BOB), text)
    assert {each.to for each in letters} == {BOB, "ann@example.org"}
    assert [each.opening for each in letters if each.to == BOB] == [done]
    assert all(told in each.text.replace(" \n", "\n") for each in letters)


@pytest.mark.parametrize(
    "text", ["no te creo, dudo", "nah, no way. Dudo!", "2-6s, sorry for hesitating"]
)
def test_a_move_beside_words_that_say_no_more_goes_without_them(town: Town, text: str) -> None:
    town.move("ann", "2-2s")
    letters = town.reply(town.last_letter_to(BOB), text)
    assert {each.to for each in letters} == {BOB, "ann@example.org"}
    assert not any("\n| " in each.text for each in letters)


def test_polite_words_behind_the_move_of_a_command_go_to_the_others(town: Town) -> None:
    """In the Subject of a command, in the one of a reply, and in a line of the text."""
    assert "| good luck all" in town.move("ann", "2-2s good luck all!")[0].text
    letter = town.last_letter_to(BOB)
    subject = f"Re: {letter.subject} 3-2s see you tomorrow"
    letters = town.write(BOB, subject, to=letter.reply_to, headers=answering(letter))
    assert "| see you tomorrow" in letters[0].text
    line = f"perudo move 1 ann {PASSWORD} 4-2s bonne chance à tous\n\nMerci"
    told = town.write(ANN, "multiple", line)[0].text
    assert "| bonne chance à tous\n" in told
    assert "| Merci\n" in told


def test_polite_words_that_are_part_of_a_move_go_to_nobody(town: Town) -> None:
    userids = "ann", "bob"
    moves = (
        "1-2s, please",
        "2-2s 😀 haha",
        "3-2s. Please",
        "ok, 4-2s mate",
        "5-2s thanks",
        "6-2s lol",
    )
    for turn, line in enumerate(moves):
        letter = town.last_letter_to(f"{userids[turn % 2]}@example.org")
        letters = town.reply(letter, line)
        assert {each.to for each in letters} == {BOB, "ann@example.org"}
        assert not any("\n| " in each.text for each in letters)


def test_an_unclear_text_is_asked_about_and_changes_nothing(town: Town) -> None:
    town.move("ann", "2-2s")
    letter = town.last_letter_to(BOB)
    for text in (
        "Dudo? I don't think so",
        "Dudo. Or maybe not",
        "Dudo... sorry ann",
        "resign. Sorry ann",
    ):
        (asked,) = town.reply(letter, text)
        assert asked.subject == "What did you mean?"
    assert town.last_letter_to("ann@example.org").opening == "You bid two 2s."


def test_a_password_behind_a_move_goes_to_nobody(town: Town) -> None:
    town.move("ann", "2-2s")
    letter = town.last_letter_to(BOB)
    for text in (f"Dudo. {PASSWORD}", f"Dudo. Sorry {PASSWORD}", f"Dudo. You {PASSWORD}"):
        for each in town.reply(letter, text):
            assert PASSWORD not in each.text


@pytest.mark.parametrize("password", ["Marie", "zoe!"])
def test_a_password_that_is_a_name_goes_to_nobody(town: Town, password: str) -> None:
    town.move("ann", "2-2s")
    letter = town.last_letter_to(BOB)
    town.write(BOB, f"change password bob {PASSWORD} {password}")
    for text in ("Merci {}", "Thanks {}!", "{}, merci", "Dudo. Sorry {}!", "Dudo. Sorry {}"):
        for each in town.reply(letter, text.format(password)):
            assert each.to == BOB or password not in each.text


def test_an_illegal_bid_sends_no_words(town: Town) -> None:
    town.move("ann", "4-2s")
    (refused,) = town.reply(town.last_letter_to(BOB), "3-2s. Sorry ann")
    assert refused.to == BOB
    assert "Your message was not sent" in " ".join(refused.text.split())
