"""A reply to the answer to a command about a board is understood, like one to a game letter."""

from __future__ import annotations

import pytest

from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.net"
READING = ("show 1", "show 1#1", "record 1", "verify 1", "advise 1", "preview 1 9-3s")
PROSE = "That was a good game, thank you all for it."


def answer(town: Town, letter: Letter, text: str, sender: str = "") -> Letter:
    """The answer to the writer of a reply; `sender` is another address than the letter's."""
    to = sender or letter.to
    letters = town.write(to, f"Re: {letter.subject}", f"{text}\n", to=letter.reply_to)
    return next(each for each in letters if each.to == to)


def a_round_on(town: Town) -> Letter:
    """Bob has lost round 1 and has bid in round 2; the letter of ann, who is on turn."""
    town.move("ann", "4-2s")
    town.move("bob", "dudo")
    town.move("bob", "1-3s")
    letter = town.last_letter_to(ANN)
    assert letter.subject == "Your turn: Perudo board 1"
    return letter


def at_the_end(town: Town) -> Letter:
    """Round 1 is over, and bob has resigned; his letter about the end."""
    town.move("ann", "4-2s")
    town.move("bob", "dudo")
    for name in ("bob", "ann"):
        town.move(name, "resign")
    return next(each for each in reversed(town.letters) if each.to == BOB and each.token)


@pytest.mark.parametrize("command", READING)
def test_a_move_in_reply_to_an_answer_is_made(town: Town, command: str) -> None:
    told = answer(town, a_round_on(town), f"perudo {command}")
    assert any("called dudo" in each.text for each in town.reply(told, "dudo"))


@pytest.mark.slow
@pytest.mark.parametrize("command", READING)
def test_prose_in_reply_to_an_answer_goes_to_the_others(town: Town, command: str) -> None:
    told = answer(town, a_round_on(town), f"perudo {command}")
    assert f"| {PROSE}" in next(each for each in town.reply(told, PROSE) if each.to == BOB).text


@pytest.mark.slow
@pytest.mark.parametrize("command", READING[:-1])
def test_after_the_end_rematch_and_prose_in_reply_to_an_answer_work(
    town: Town, command: str
) -> None:
    told = answer(town, at_the_end(town), f"perudo {command}")
    assert f"| {PROSE}" in next(each for each in town.reply(told, PROSE) if each.to == ANN).text
    assert "board 1" in answer(town, told, "advise").subject
    letters = town.reply(told, "rematch")
    assert any(each.to == ANN and "board 2" in each.subject for each in letters)


def test_a_reply_to_the_answer_to_a_late_move_is_understood(town: Town) -> None:
    """A token of the next move comes to the player's own address, as with words below a move."""
    old = town.last_letter_to(ANN)
    town.reply(old, "2-2s")
    late = answer(town, old, "3-2s")
    assert late.opening.startswith("You have already made move 1 of board 1")
    assert f"| {PROSE}" in town.reply(late, PROSE)[0].text
    town.move("bob", "3-2s")
    late = answer(town, old, "3-2s")
    assert any("called dudo" in each.text for each in town.reply(late, "dudo"))


def test_words_of_any_form_in_reply_to_the_answer_to_a_late_move_are_sent(town: Town) -> None:
    old = town.last_letter_to(ANN)
    town.reply(old, "2-2s")
    late = answer(town, old, "3-2s")
    assert "| Oh well!" in town.reply(late, "Oh well!")[0].text


def test_the_answer_to_a_late_move_has_no_valid_token_after_the_next_one(town: Town) -> None:
    old = town.last_letter_to(ANN)
    town.reply(old, "2-2s")
    late = answer(town, old, "3-2s")
    town.move("bob", "3-2s")
    (told,) = town.reply(late, "dudo")
    assert "Your move was not made: move 2 of board 1 was already made" in told.text


def test_an_answer_to_a_strange_address_or_about_another_board_has_no_token(town: Town) -> None:
    town.challenge("ann", "bob")
    letter = a_round_on(town)
    for command in READING:
        assert answer(town, letter, f"perudo {command}", EVE).token == ""
    assert answer(town, letter, "perudo show 2").token == ""


def test_an_answer_to_an_email_without_a_token_has_none(town: Town) -> None:
    """A sender's address alone proves nothing."""
    for sender in (BOB, EVE):
        (told,) = town.write(sender, "perudo show 1")
        assert told.token == ""


def test_a_spectator_gets_no_token(town: Town) -> None:
    town.sign_up("dan")
    town.write("dan@example.org", f"perudo watch dan {PASSWORD} 1")
    town.move("ann", "4-2s")
    seen = town.last_letter_to("dan@example.org")
    assert (seen.token, answer(town, seen, "perudo show 1").token) == ("", "")
