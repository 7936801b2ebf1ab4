"""A late reply of a player who has left a board is told why that was, and when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import update

from pbmserv.database import models
from pbmserv.database.engine import writing
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

DAYS = 24  # hours
LATE = "3-2s"
ANN = "ann@example.org"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """ann, bob and cleo play; they have two days for each move."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo", options=["-inorder", "--nagtime=1", "--forfeittime=2"])
        yield town


def asked(town: Town, userid: str) -> Letter:
    """The latest letter that asks a player for a move."""
    turns = [each for each in town.letters if each.subject.startswith("Your turn")]
    return next(each for each in reversed(turns) if each.to.startswith(userid))


def answer(town: Town, letter: Letter) -> str:
    """What a late move in reply to a letter is answered with, in one line."""
    return " ".join(town.reply(letter, LATE)[-1].text.split())


def all_play(town: Town) -> None:
    """Each player makes a move, so that all have taken their seats."""
    for name, bid in (("ann", "1-2s"), ("bob", "1-3s"), ("cleo", "1-4s")):
        town.reply(asked(town, name), bid)


def test_after_the_time_to_move_the_answer_says_when_it_was_over(town: Town) -> None:
    all_play(town)
    letter = asked(town, "ann")
    town.waited(3 * DAYS)
    said = answer(town, letter)
    assert "Your move was not made: your time to move was over on " in said
    assert "so you left board 1 at move 4." in said and "resigned" not in said


def test_after_a_resignation_the_answer_says_when_that_was(town: Town) -> None:
    all_play(town)
    letter = asked(town, "ann")
    town.reply(letter, "resign")
    said = answer(town, letter)
    assert "Your move was not made: you resigned from board 1 at move 4, on " in said
    assert "time to move" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("decline", "Your move was not made: you declined board 1 on "),
        ("", "time to move was over"),
    ],
)
def test_a_player_who_declines_or_is_silent_is_told_so(town: Town, text: str, said: str) -> None:
    letter = asked(town, "ann")
    if text:
        town.reply(letter, text)
    else:
        town.waited(3 * DAYS)
    assert said in answer(town, letter)


def test_a_player_who_left_before_the_upgrade_is_told_both_reasons(town: Town) -> None:
    all_play(town)
    letter = asked(town, "ann")
    town.waited(3 * DAYS)
    with writing(town.engine) as connection:
        connection.execute(update(models.Seat).values(resigned_at=None, forfeited_at=None))
    assert "You resigned, or your time to move was over." in answer(town, letter)


def test_a_player_who_resigned_may_ask_for_a_rematch_with_the_last_letter(town: Town) -> None:
    """Nobody writes to that player when the game ends.  A letter from before it is too old."""
    all_play(town)
    earlier = asked(town, "ann")
    *_, last = [each for each in town.reply(earlier, "resign") if each.to == earlier.to]
    assert "Board 1 is not over" in town.reply(last, "rematch")[0].text
    town.move("bob", "resign")
    assert "You answered an earlier letter" in town.reply(earlier, "rematch")[0].text
    letters = town.reply(last, "rematch")
    assert any("This is the rematch of board 1." in one_line(each) for each in letters)


def test_such_a_letter_is_good_for_a_month(town: Town) -> None:
    all_play(town)
    *_, last = [each for each in town.reply(asked(town, "ann"), "resign") if "ann" in each.to]
    town.move("bob", "resign")
    town.now += 31 * DAYS * 3600
    assert "You answered an earlier letter" in town.reply(last, "rematch")[0].text


def one_line(letter: Letter) -> str:
    return " ".join(letter.text.split())


LEAVES = ["resign\nSorry, I have no time", "resign"]


@pytest.mark.parametrize("text", LEAVES)
def test_who_leaves_with_words_gets_the_answers(town: Town, text: str) -> None:
    """For a week after the last of them, also below moves.  Who leaves in silence gets none."""
    all_play(town)
    left = [each for each in town.reply(asked(town, "ann"), text) if each.to == ANN]
    hears = text != "resign"
    told = town.reply(asked(town, "bob"), "What a pity, take care!")
    assert (ANN in {each.to for each in told}) == hears
    assert any("Sent to ann and cleo" in each.text for each in told) == hears
    told = town.reply(asked(town, "bob"), "2-3s\nSee you soon, ann!")
    assert [each.opening for each in told if each.to == ANN] == ["A message from bob."] * hears
    assert all("You have left the game." in each.text for each in told if each.to == ANN)
    assert not [each for each in town.reply(asked(town, "cleo"), "2-4s") if each.to == ANN]
    town.reply(left[0], "Thank you, I will be back in the summer")
    town.now += 6 * 24 * 3600
    assert ANN in {each.to for each in town.reply(asked(town, "cleo"), "See you in the summer!")}
    town.now += 2 * 24 * 3600
    told = town.reply(asked(town, "cleo"), "This is for bob, I think")
    assert ANN not in {each.to for each in told}


@pytest.mark.parametrize("text", LEAVES)
@each_row(
    ("language", "with_words", "in_silence"),
    [
        (
            "en",
            "For a week you get the messages of the others, but no other letters",
            "You get no more letters about this board, unless you write to the others.",
        ),
        ("fr", "Pendant une semaine, vous recevez les messages des autres", "sauf si vous écrivez"),
        ("es", "Durante una semana recibes los mensajes de los demás", "salvo que escribas"),
        ("ru", "Неделю вы получаете сообщения остальных", "если вы не напишете остальным"),
    ],
)
def test_who_leaves_is_told_which_letters_come(
    language: str, with_words: str, in_silence: str, text: str, tmp_path: Path
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        town.write(ANN, f"set ann {PASSWORD} language={language}")
        letters = town.reply(asked(town, "ann"), text)
        said = one_line(next(each for each in letters if each.to == ANN))
        assert (with_words in said) == (text != "resign")
        assert (in_silence in said) == (text == "resign")
