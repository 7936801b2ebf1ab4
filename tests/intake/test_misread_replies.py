"""A reply to a game letter that no move is read from: its writer sees what was written."""

from __future__ import annotations

from itertools import count

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import perudo
from pbmserv.intake.answering.answer_limits import MOST_ALIKE
from pbmserv.mail.incoming import IncomingMail
from tests.processor_time import usual_seconds
from tests.stories.town import PASSWORD, Letter, Town, answering, mail


def answer(town: Town, text: str) -> Letter:
    """The answer to a reply of ann, who is on turn."""
    letter = town.last_letter_to("ann@example.org")
    (answer,) = town.reply(letter, text)
    return answer


@pytest.mark.parametrize("text", ["4-2x", "fvie fives", "duddo?", "fours of twos!", "4-2s-or-so"])
def test_a_misread_move_is_shown_with_two_moves_that_are_legal(town: Town, text: str) -> None:
    said = answer(town, text).text
    assert f"\nI couldn't read this line:\n  {text}\n" in said
    assert "These moves are legal now, for example:\n\n  2-1s  2-2s\n" in said
    assert "***" not in said


@pytest.mark.parametrize(
    "text", [PASSWORD, f"{PASSWORD}!", f"4-2x {PASSWORD}", f"*{PASSWORD}* 4-2x"]
)
def test_the_password_is_hidden_even_there(town: Town, text: str) -> None:
    said = answer(town, text.format(PASSWORD)).text
    assert PASSWORD not in said
    assert "\nI couldn't read this line (possible passwords are hidden):\n" in said


@pytest.mark.parametrize("text", ["Salmon-2000", "4-2s Salmon-2000", "Salmon-2000 dudo"])
def test_a_word_alone_or_beside_a_move_may_be_another_password(town: Town, text: str) -> None:
    """One of another server, or a mistyped one."""
    assert "Salmon" not in answer(town, text).text


EVERYDAY = (
    *("4-2x amigo", "4-2x sorry!", "4-2x thanks", "nope,", "Whatever", "peut-être"),
    *("Emma", "4-2x emma", "Attends", "quizás", "Espera!", "Подожди"),
)


@pytest.mark.parametrize("text", EVERYDAY)
def test_a_question_shows_everyday_words(town: Town, text: str) -> None:
    """They were compared with the password: nobody is told that they may be one."""
    said = answer(town, text).text
    assert f"\nI couldn't read this line:\n  {text}\n" in said


def test_an_everyday_word_that_is_the_password_is_hidden(town: Town) -> None:
    assert "banana" not in answer(town, "banana").text
    assert "aNYTHING" not in answer(town, "aNYTHING").text, "it is not spelled as a word"
    town.write("ann@example.org", f"change password ann {PASSWORD} amigo")
    assert "amigo" not in answer(town, "4-2x amigo").text
    assert "amigo" not in answer(town, "Amigo!\n\namigo").text.lower()
    (said,) = town.write("ann@example.org", "perudo move 1 ann amigo 4-2x amigo")
    assert "amigo" not in said.text
    (said,) = town.write("ann@example.org", "perudo move 1 ann amigo 4-2x amigos")
    assert "amigo" not in said.text


def test_a_call_is_an_example_where_there_is_a_bid(town: Town) -> None:
    town.reply(town.last_letter_to("ann@example.org"), "4-2s")
    (said,) = town.reply(town.last_letter_to("bob@example.org"), "4-2x")
    assert "legal now, for example:\n\n  5-2s  dudo\n" in said.text


def test_other_words_are_hidden_after_four_were_compared(town: Town) -> None:
    """A comparison takes as long as a login, so few words of an email are compared."""
    said = answer(town, "4-2x 5-3y 6-4z 7-5w 8-6v").text
    assert "\n  4-2x 5-3y 6-4z 7-5w ********\n" in said


def test_at_another_address_every_word_may_be_the_password(town: Town) -> None:
    """A person who has a letter of ann's must not learn which words are not her password."""
    letter = town.last_letter_to("ann@example.org")
    headers = {"In-Reply-To": str(letter.message["Message-ID"])}
    (said,) = town.write(
        "eve@example.net", "Re: x", "4-2x fvie", to=letter.reply_to, headers=headers
    )
    assert "******** ********" in said.text


SHOWN = {
    "fvie-fives": "fvie-fives",
    "4-2x": "4-2x",
    "4-2s-or-so": "4-2s-or-so",
    "fours of twos": "fours of twos",
    "many fives now": "many fives now",
    "٤-٢x": "٤-٢x",
    "5-3z sorry": "5-3z sorry",
    "amigo!": "amigo!",
    PASSWORD: "********",
    f"{PASSWORD}!": "********",
    f"{PASSWORD}2000": "********",
    "swordfihs": "********",
    f"4-2x {PASSWORD}": "4-2x ********",
    f"*{PASSWORD}* 4-2x": "******** 4-2x",
    "Salmon-2000": "********",
    "my-pw-abc": "********",
    "4-2s Salmon-2000": "4-2s ********",
    "Salmon-2000 dudo": "******** dudo",
    f"now {'A2' * 16} now": "now ******** now",
}


def test_a_misread_move_in_a_subject_is_shown_without_any_password(town: Town) -> None:
    """So it is at a shell.  Its own password is right, so no other word is a mistyped one."""
    found: dict[str, str] = {}
    typed: dict[str, str] = {}
    run = CliRunner(env={"PBMSERV_HOME": str(town.home)})
    for words in SHOWN:
        (answer,) = town.write("ann@example.org", f"perudo move 1 ann {PASSWORD} {words}")
        for text, told in ((answer.text, found), (_at_a_shell(run, words), typed)):
            said = " ".join(text.split())
            told[words] = said.partition('read "')[2].partition('" as a move')[0]
            assert "These moves are legal now, for example: 2-1s 2-2s" in said
            assert PASSWORD not in said
    assert found == SHOWN
    assert typed == SHOWN


def _at_a_shell(run: CliRunner, words: str) -> str:
    return run.invoke(perudo, ["move", "1", "ann", PASSWORD, *words.split()]).output


def test_without_the_right_password_every_word_that_may_be_it_is_hidden(town: Town) -> None:
    """Also with a letter's token, which anybody may have whom the letter was forwarded to."""
    token = town.last_letter_to("ann@example.org").token
    (answer,) = town.write("ann@example.org", f"perudo move 1 ann wrong-one many {PASSWORD} now")
    assert PASSWORD not in answer.text
    assert "many" not in answer.text
    (answer,) = town.write("ann@example.org", f"perudo move 1 ann {token} many salmons now")
    assert 'read "******** ******** now" as a move' in " ".join(answer.text.split())


def test_moves_in_the_digits_of_another_script_are_made(town: Town) -> None:
    """In a reply, and with the numbers of the board and the move in a Subject."""
    (told, *_) = town.reply(town.last_letter_to("ann@example.org"), "١-٢ #١\n\nيلا")
    assert "You bid one 2." in told.text
    letters = town.write("bob@example.org", f"perudo move ۱ bob {PASSWORD} ۲-۲ #۲")
    assert any("You bid two 2s." in each.text for each in letters)


@pytest.mark.parametrize(
    "text",
    [
        *("dudo hmpf", "allez zou dudo", "dudo lol jk", "je doute hein", "ну не верю тебе же"),
        "calza then dudo",  # these rules have no calza
        *("Bluff!", "проверяю", "farol", "menteuuuur", "нет, не верю"),
    ],
)
def test_a_call_beside_other_words_is_asked_about(town: Town, text: str) -> None:
    """No other command is suggested, such as undo.  The question teaches our word for the call."""
    town.reply(town.last_letter_to("ann@example.org"), "2-2s")
    (said,) = town.reply(town.last_letter_to("bob@example.org"), text)
    assert "\nDid you mean dudo? If so, reply with just that.\n" in said.text


@pytest.mark.parametrize("text", ["dud", "dudo hmpf", "I call calza then"])
def test_no_call_is_suggested_where_there_is_no_bid(town: Town, text: str) -> None:
    assert "Did you mean" not in answer(town, text).text


@pytest.mark.parametrize("text", ["no dudo", "je ne doute pas de toi", "не сомневаюсь", "not 4-2s"])
def test_the_opposite_of_what_was_said_is_not_suggested(town: Town, text: str) -> None:
    town.reply(town.last_letter_to("ann@example.org"), "2-2s")
    (said,) = town.reply(town.last_letter_to("bob@example.org"), text)
    assert f"\nI couldn't read this line:\n  {text}\n" in said.text
    assert "Did you mean" not in said.text


@pytest.mark.parametrize(
    "text",
    [
        "Не понимаю",
        "je double",
        "listo",
        "ese miente",
        "another nice one",
        "encore un tour",
        "завтра похожу",
        "raise",
    ],
)
def test_everyday_words_are_not_taken_for_a_mistyped_command_or_number(
    town: Town, text: str
) -> None:
    assert "Did you mean" not in answer(town, text).text


def test_outside_a_reply_to_a_game_letter_a_call_is_not_suggested(town: Town) -> None:
    (said,) = town.write("ann@example.org", "what is dudo lol")
    assert "Did you mean dudo" not in said.text


def test_the_last_question_of_a_day_says_so_and_moves_are_still_made(town: Town) -> None:
    letter = town.last_letter_to("ann@example.org")
    asked = [town.reply(letter, "fvie fives") for _ in range(MOST_ALIKE + 1)]
    assert [len(each) for each in asked] == [1] * MOST_ALIKE + [0]
    last = " ".join(asked[MOST_ALIKE - 1][0].text.split())
    assert "this is the last one today. Moves and commands are carried out as always." in last
    (other,) = town.reply(letter, "fuor threes")
    assert "Did you mean 4-3s?" in other.text, "each move is counted apart"
    assert "Beat ann's two 2s" in town.reply(letter, "2-2s")[-1].text


def test_the_finder_of_an_old_letter_uses_up_no_question_of_its_reader(town: Town) -> None:
    """Emails in her name, in answer to a letter that is not her newest, are counted apart."""
    old = town.last_letter_to("ann@example.org")
    for userid, move in (("ann", "1-2s"), ("bob", "2-2s")):
        town.move(userid, move)
    newest = town.last_letter_to("ann@example.org")
    for number in range(2 * MOST_ALIKE):
        subject, headers = f"fvie {number} fives", answering(old)
        town.write("ann@example.org", subject, headers=headers)
    (asked,) = town.reply(newest, "fvie fives")
    assert asked.subject == "What did you mean?"


@pytest.mark.parametrize("mark", ["// ", "▏", "=> ", "* ", "│ ", "~ ", "ann> ", ""])
def test_a_quoted_question_tells_the_others_no_word_that_was_not_understood(
    town: Town, mark: str
) -> None:
    """The same words above the quotation are meant for them."""
    asked = answer(town, "I have many low numbers, haven't I?!\nfvie fives")
    assert "fvie fives" in asked.text
    quoted = "\n".join(f"{mark}{line}" for line in asked.text.split("\n"))
    (told, *_) = town.reply(asked, f"chat\nI will wait.\nfvie fives\n\n{quoted}")
    assert told.to == "bob@example.org"
    assert "| I will wait.\n| fvie fives\n" in told.text.replace(" \n", "\n")
    assert told.text.count("fvie fives") == 1
    assert "low numbers" not in told.text


@pytest.mark.slow
@pytest.mark.parametrize("words", ["4-2s ", "2 of ", "yes, 2 #1 ", "é ", "4-2s\n", "my cat sat "])
def test_a_reply_of_256_kilobytes_takes_less_than_half_a_second(town: Town, words: str) -> None:
    """It is compared with no letters that a mail program may repeat below words."""
    letter = town.last_letter_to("ann@example.org")
    numbers = count()

    def reply() -> None:
        raw = mail(
            letter.to,
            f"Re: {letter.subject}",
            f"{next(numbers)} or {words * (256 * 1024 // len(words))}",
            message_id=town.next_message_id(),
            headers=answering(letter),
            encoding="base64",
        )
        town.processor.accept([IncomingMail(raw, letter.to, letter.reply_to, "smtp")])

    assert usual_seconds(reply, 0.5, tries=3) <= 0.5
    assert town.delivered()[0].subject == "What did you mean?"
