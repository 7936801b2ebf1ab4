"""An email that asks for help above a move says that the move was not made only if that is so."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

from tests.intake.new_towns import town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter

ANN, BOB = "ann@example.org", "bob@example.org"
UNMADE = "so the move was not made."


def replied(folder: Path, text: str) -> list[Letter]:
    """The letters that a reply of bob's brings, to the letter of his turn."""
    with town_with_bid(Path(mkdtemp(dir=folder))) as town:
        return town.reply(town.last_letter_to(BOB), text.replace("PASSWORD", PASSWORD))


def told_of(letters: list[Letter]) -> str:
    (told,) = [each for each in letters if each.to == BOB]
    return " ".join(told.text.split())


@each_row(
    "text",
    [
        "help\n4-4s\nmove 1 bob PASSWORD 4-4s",
        "help\nmove 1 bob PASSWORD 4-4s\n4-4s",
        "help\n4-4s\nqueue 1 bob PASSWORD 4-4s",
        "help bids\nfour 4s\nperudo move 1 bob PASSWORD 4x4",
        "help bids\n4-4s\nperudo move 1 bob - 4-4s",
        "help dudo\ndudo\nperudo move 1 bob PASSWORD dudo",
        "help rules\n4-4s\nmove 1 bob PASSWORD 4-4s salt any words",
        "aide\nquatre 4\nmove 1 bob PASSWORD 4-4s",
        "ayuda\ncuatro 4\nmove 1 bob PASSWORD 4-4s",
        "помощь\nчетыре 4\nmove 1 bob PASSWORD 4-4s",
    ],
)
def test_a_move_that_a_command_makes_is_not_said_to_be_unmade(text: str, tmp_path: Path) -> None:
    letters = replied(tmp_path, text)
    assert any(each.to == ANN for each in letters)
    assert UNMADE not in told_of(letters)


@each_row(
    "text",
    [
        "help bids\n4-4s",
        "help bids\n\n4-4s",
        "aide règles\n\nquatre 4",
        "help bids\n4-4s\nshow 1",
        "help bids\n4-4s\npreview 1 4-4s",
        "help bids\n4-4s\nmove 1 bob PASSWORD 4-5s",
        "help bids\n4-4s\nqueue 1 bob PASSWORD dudo",
        "help bids\n4-4s\nresign 1 bob PASSWORD",
        "aide\n4-4s\nshow 1",
        "ayuda\n4-4s\nshow 1",
        "помощь\n4-4s\nshow 1",
    ],
)
def test_a_move_that_no_command_makes_is_said_to_be_unmade(text: str, tmp_path: Path) -> None:
    said = told_of(replied(tmp_path, text))
    assert f"Your email asks for help above the move 4-4s, {UNMADE}" in said


@each_row(
    "text",
    [
        *("show 1\n4-4s", "stats bob\n4-4s", "list\nfour 4s", "games bob\n\n4-4s"),
        *("set bob PASSWORD letters=all\n4-4s", "show 1\nlist\n4-4s", "show 1\n\nquatre 4"),
        *("stats bob\n\ncuatro 4", "list\n\nчетыре 4", "games bob\n\n4-4s\n\nbob"),
    ],
)
def test_a_move_below_another_command_is_said_to_be_unmade(text: str, tmp_path: Path) -> None:
    letters = replied(tmp_path, text)
    assert {each.to for each in letters} == {BOB}
    said = told_of(letters)
    assert "The move 4-4s is below another command in your email, so it was not made." in said
    assert "no such command" not in said


def test_other_words_below_a_command_are_not_called_a_move(tmp_path: Path) -> None:
    for text in (
        "show 1\n\nWhat a lovely game",
        "show 1\n\n4-4s would be brave",
        "show 1\nfoo bar\n4-4s",
        "4-4s\nlist\nfoo bar",
    ):
        assert "is below another command" not in told_of(replied(tmp_path, text))


@each_row(
    "text",
    [
        "help\nI accept\naccept bob PASSWORD 1",
        "aide\nj'accepte\naccept bob PASSWORD 1",
        "ayuda\nacepto\naccept bob PASSWORD 1",
        "помощь\nпринимаю\naccept bob PASSWORD 1",
        "help\nI resign\nresign 1 bob PASSWORD",
        "aide\nj'abandonne\nresign 1 bob PASSWORD",
        "ayuda\nme retiro\nresign 1 bob PASSWORD",
        "помощь\nсдаюсь\nperudo move 1 bob PASSWORD resign",
    ],
)
def test_an_answer_to_a_draw_and_a_resignation_by_a_command_are_not_said_to_be_unmade(
    text: str, tmp_path: Path
) -> None:
    with town_with_bid(Path(mkdtemp(dir=tmp_path))) as town:
        town.reply(town.last_letter_to(ANN), "propose")
        letters = town.reply(town.last_letter_to(BOB), text.replace("PASSWORD", PASSWORD))
        assert any(each.to == ANN for each in letters)
        assert UNMADE not in told_of(letters)
