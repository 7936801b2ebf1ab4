"""`help` below a move is answered, and no message to the others."""

from __future__ import annotations

from pathlib import Path

from tests.intake.new_towns import town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD

ANN, BOB, LUC = "ann@example.org", "bob@example.org", "luc@example.org"
SHORT, RULES = "HELP IN SHORT", "RULE SETS"


@each_row(
    ("below", "page", "message"),
    [
        *(("help", SHORT, ""), ("\nHelp me!\n\nBob", SHORT, ""), ("help please", SHORT, "")),
        *(
            ("help rules", RULES, ""),
            ("\nhelp rules.", RULES, ""),
            ("help rules bga", "RULES bga", ""),
        ),
        *(("aide", SHORT, ""), ("ayuda", SHORT, ""), ("помощь", SHORT, "")),
        *(("aide règles", RULES, ""), ("ayuda dudo", "DUDO", ""), ("help calza", "CALZA", "")),
        ("how do I change my password?", "YOUR ACCOUNT", ""),
        ("\nComment supprimer mon compte ?", "YOUR ACCOUNT", ""),
        ("¿Cómo cambio el idioma?", "LANGUAGES", ""),
        ("What is palifico?", "PALIFICO", ""),
        ("Good luck everybody!\nhelp rules", RULES, "| Good luck everybody!"),
        ("help\n\nGood luck everybody!", SHORT, "| Good luck everybody!"),
    ],
)
def test_help_below_a_move_brings_the_page(
    tmp_path: Path, below: str, page: str, message: str
) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), f"4-2s\n{below}")
        assert sorted({each.to for each in letters}) == [ANN, BOB, LUC]
        (mine,) = [each for each in letters if each.to == BOB]
        assert "You bid four 2s." in mine.text
        assert page in mine.text
        for other in (each for each in letters if each.to != BOB):
            assert page not in other.text
            assert ("bob writes:" in other.text) == bool(message)
            assert message in other.text


@each_row(
    "words", ["help yourself, ann", "Can anybody help?", "That helps", "Help me, ann, I am lost"]
)
def test_words_with_help_that_name_no_page_go_to_the_others(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), f"4-2s\n{words}")
        assert f"| {words}" in next(each.text for each in letters if each.to == ANN)


def test_help_below_a_command_with_a_password_is_answered_too(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.write(BOB, f"perudo move 1 bob {PASSWORD} 4-2s", "help rules")
        assert RULES in next(each.text for each in letters if each.to == BOB)
        assert not any("writes:" in each.text for each in letters)


def test_help_below_a_move_that_is_not_legal_is_answered(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(BOB), "3-2s\nhelp rules")
        assert told.to == BOB
        assert RULES in told.text
