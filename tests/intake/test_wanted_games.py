"""Somebody who asks for a game with players is told the line that begins it."""

from __future__ import annotations

import pytest

from pbmserv.intake.wanted_games import opponents_in
from tests.rows import each_row
from tests.stories.town import Town

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
        ("play with " + " ".join("abcdfgh"), "a b c d f"),
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


def test_so_is_the_reader_of_a_game_letter(town: Town) -> None:
    (told,) = town.reply(town.last_letter_to("bob@example.org"), "Can I play with Ann alone?")
    assert "\n  perudo challenge bob ann\n" in told.text


def test_a_stranger_is_told_after_the_sign_up(town: Town) -> None:
    (told,) = town.write("zed@example.org", "Can I play with Ann and nobody.example please?")
    assert "For a game with ann:\n  perudo challenge USERID ann\n" in told.text
    assert "nobody.example" not in told.text


@pytest.mark.parametrize("name", ["Zoe", "Cleo"])
def test_nobody_else_is_offered(town: Town, name: str) -> None:
    """Neither who does not play here, nor the writer."""
    town.sign_up("cleo")
    (told,) = town.write(CLEO, f"Can I play with {name} please?")
    assert "perudo challenge" not in told.text


@pytest.mark.parametrize(
    "names", ["bob, Ann!", "(bob) ann.", "bob and ann please", "bob; ann !", "«bob» ann?"]
)
def test_marks_around_names_do_not_matter(town: Town, names: str) -> None:
    letters = town.write("ann@example.org", f"perudo challenge -inorder {names}")
    assert "Board 2" in {each.subject[-7:].title() for each in letters if each.to != CLEO}
