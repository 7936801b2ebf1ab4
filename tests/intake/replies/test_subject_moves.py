"""A move that is the Subject of a reply: it is asked about, unless the text is the same move."""

from __future__ import annotations

import pytest

from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, answering

BOB = "bob@example.org"


def sent(town: Town, subject: str, text: str) -> list[Letter]:
    """The letters that a reply of bob causes, who beats two 2s."""
    town.move("ann", "2-2s")
    letter = town.last_letter_to(BOB)
    return town.write(BOB, subject, text, to=letter.reply_to, headers=answering(letter))


@each_row(
    ("subject", "text", "said"),
    [
        ("4-2s", "dudo", "Which one do you mean?"),
        ("Re: 4-2s", "5-2s", "Which one do you mean?"),
        ("dudo", "cuatro treses", "Which one do you mean?"),
        ("je doute", "quatre trois", "Which one do you mean?"),
        ("4-2s", "не верю", "Which one do you mean?"),
        ("Dudo!", "resign", "Which one do you mean?"),
        ("4-2s", "Good luck all", "Did you mean 4-2s? If so, reply with just that."),
        ("2-1s", "Good luck all", "Which one do you mean?"),  # that bid is not legal
    ],
)
@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_text_that_contradicts_the_subject_is_asked_about(
    town: Town, subject: str, text: str, said: str, gap: str
) -> None:
    (asked,) = sent(town, subject, gap + text)
    told = " ".join(asked.text.split())
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")
    assert "but its text says something else. So nothing was done." in told
    assert said in told


def test_a_subject_above_nothing_is_offered(town: Town) -> None:
    (asked,) = sent(town, "4-2s", "")
    assert "Did you mean 4-2s? If so, reply with just that." in " ".join(asked.text.split())
    assert [each.opening for each in town.reply(asked, "yes")][-1] == "You bid four 2s."


@pytest.mark.parametrize("text", ["4-2s\nGood luck!", "four twos, please"])
def test_the_same_move_in_the_subject_and_the_text_is_played(town: Town, text: str) -> None:
    assert "You bid four 2s." in {each.opening for each in sent(town, "Re: 4-2s", text)}


@pytest.mark.parametrize("subject", ["Perudo", "Re: perudo", "Perudo game", "Perudo games"])
def test_a_move_below_the_name_of_the_game_is_played(town: Town, subject: str) -> None:
    """Somebody who writes a new email fills in a Subject: it asks for no page."""
    assert "You bid four 2s." in {each.opening for each in sent(town, subject, "4-2s\nHi!")}


@pytest.mark.parametrize("subject", ["Help", "rules", "Re: help", "aide"])
def test_a_move_below_a_request_for_help_is_asked_about(town: Town, subject: str) -> None:
    (asked,) = sent(town, subject, "4-2s")
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")
    told = " ".join(asked.text.split())
    assert "asks for help, but its text is the move 4-2s. So nothing was done." in told
    assert "To make this move, reply with just 4-2s." in told
    assert "couldn't read" not in told
    assert [each.opening for each in town.reply(asked, "yes")][-1] == "You bid four 2s."


@pytest.mark.parametrize("text", ["4-2s", "Hello all\n\n4-2s\n\nBob", "four twos\nGood luck!"])
@pytest.mark.parametrize("subject", ["stop", "Unsubscribe", "no more emails", "désabonner"])
def test_a_move_below_a_request_for_no_more_letters_is_asked_about(
    town: Town, subject: str, text: str
) -> None:
    """Nothing is paused; the answer says how to do the one and the other."""
    (asked,) = sent(town, subject, text)
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")
    told = " ".join(asked.text.split())
    assert "asks for no more letters, but its text is the move 4-2s. So nothing was done." in told
    assert "To make this move, reply with just 4-2s." in told
    assert "To get no more letters, reply with just stop." in told
    assert "couldn't read" not in told
    assert [each.opening for each in town.reply(asked, "yes")][-1] == "You bid four 2s."


def test_an_answer_to_that_question_ends_the_letters(town: Town) -> None:
    (asked,) = sent(town, "unsubscribe", "dudo")
    paused = town.reply(asked, "stop")
    assert "Your letters are paused, bob" in {each.subject for each in paused}


@pytest.mark.parametrize("text", ["", "Thanks", "Please do not email me any more"])
def test_a_request_for_no_more_letters_above_other_words_is_clear(town: Town, text: str) -> None:
    assert "Your letters are paused, bob" in {each.subject for each in sent(town, "stop", text)}


def test_a_move_below_a_request_for_help_that_is_not_possible_says_why(town: Town) -> None:
    (asked,) = sent(town, "Help", "two ones")
    told = " ".join(asked.text.split())
    assert "its text is the move 2-1s" in told
    assert "2-1s does not raise 2-2s." in told


@pytest.mark.parametrize(("subject", "page"), [("Perudo", "perudo"), ("Help", "board")])
def test_a_subject_above_other_words_brings_its_page(town: Town, subject: str, page: str) -> None:
    letters = sent(town, subject, "How does this work?")
    assert page in letters[0].subject.lower()


@pytest.mark.parametrize(
    ("subject", "text", "done"),
    [
        ("4-2s", "Hi all,\n4-2s", "You bid four 2s."),
        ("4-2s", "Bonjour à tous\n4-2s", "You bid four 2s."),
        ("dudo", "dudo. Sorry ann", "You called dudo"),
        ("dudo", "I doubt it", "You called dudo"),
        ("4-2s", f"perudo move 1 bob {PASSWORD} 4-2s", "You bid four 2s."),
        ("dudo", f"set bob {PASSWORD} format=text", "format is now text"),
        ("4-2s", "stop", "paused"),
        ("resign", "unsubscribe", "paused"),
    ],
)
def test_a_text_that_is_clear_counts_alone(town: Town, subject: str, text: str, done: str) -> None:
    """It is the same move, a whole command, or a request for no more letters."""
    letters = [each for each in sent(town, subject, text) if each.to == BOB]
    assert "What did you mean?" not in {each.subject for each in letters}
    assert done in letters[0].text + letters[0].subject
