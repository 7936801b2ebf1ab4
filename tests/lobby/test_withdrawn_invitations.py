"""What is left to do when an invitation waits for proof, for an answer, or is rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
CHALLENGE = "perudo challenge -rules=bga -dice=3 --nagtime=12h -inorder"


def invited(town: Town, names: str = "ann bob cleo") -> list[Letter]:
    """The letters of ann's invitation, which bob has to answer."""
    town.sign_up("ann", "bob", "cleo")
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    return town.write(ANN, f"{CHALLENGE} {names}", "Be nice!")


@pytest.mark.parametrize("words", ["accept", "Accepter", "Aceptar", "Принять"])
def test_the_reply_accept_sends_the_opening_message_that_waits(home: Path, words: str) -> None:
    with town_at(home) as town:
        invited(town)
        waiting = town.last_letter_to(ANN)
        said = "To send it, reply to this letter with the word accept."
        assert said in " ".join(waiting.text.split())
        letters = town.reply(waiting, words)
        assert [each.to for each in letters if "| Be nice!" in each.text] == [BOB, CLEO]


def test_a_player_who_is_not_asked_reads_that_there_is_nothing_to_do(home: Path) -> None:
    with town_at(home) as town:
        invited(town)
        town.reply(town.last_letter_to(ANN), "accept")
        said = " ".join(town.last_letter_to(CLEO).text.split())
        assert "The game begins when bob has accepted, too. You need not do anything." in said


def test_a_no_tells_the_others_how_to_play_without_its_writer(home: Path) -> None:
    """The command has all options of the invitation."""
    with town_at(home) as town:
        invited(town)
        letters = town.reply(town.last_letter_to(BOB), "no thanks")
        line = f"{CHALLENGE} ann cleo"
        for each in letters:
            is_told = "To play without bob" in each.text and line in " ".join(each.text.split())
            assert is_told is (each.to != BOB)
        begun = [each.opening for each in town.write(CLEO, line)]
        assert "Board 2 has begun." in begun


@pytest.mark.parametrize("option", ["-rated ", ""])
def test_the_command_says_whether_a_board_with_a_house_player_is_rated(
    home: Path, option: str
) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.write(ANN, f"perudo challenge {option}ann bob cleo house")
        letters = town.reply(town.last_letter_to(BOB), "no thanks")
        (to_ann,) = [each for each in letters if each.to == ANN]
        assert f"perudo challenge {option}ann cleo house" in to_ann.text


@pytest.mark.parametrize("names", ["ann bob", "bob house house"])
def test_a_no_has_no_such_line_if_no_game_of_people_is_left(home: Path, names: str) -> None:
    with town_at(home) as town:
        invited(town, names)
        letters = town.reply(town.last_letter_to(BOB), "no thanks")
        assert not any("To play without" in each.text for each in letters)
