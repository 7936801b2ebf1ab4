"""A yes or no in a reply to the first letter of a challenge, and words that may be a no."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Letter, Town, town_at

HOW = "Reply with decline: you leave the game, and it does not count for you."
TAKEN_ON_TURN = (
    "You have taken your seat at board 1. It is your turn. "
    "The game counts for ratings once cleo has answered, too. Your dice: "
)


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """ann has challenged bob and cleo; bob and cleo have not answered."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        yield town


def answer(town: Town, text: str) -> Letter:
    """The answer to bob's reply to his latest letter."""
    town.reply(town.last_letter_to("bob@example.org"), text)
    return town.last_letter_to("bob@example.org")


def line(letter: Letter) -> str:
    return " ".join(letter.text.split())


@pytest.mark.parametrize(
    "text",
    ["yes", "Oui, avec plaisir", "sí", "да", "Yes, count me in!", "vale, me apunto", "давайте"],
)
def test_a_yes_to_the_first_letter_takes_the_seat(town: Town, text: str) -> None:
    """So it does after a move of another player; the lines below it go to the others."""
    begun = town.last_letter_to("cleo@example.org")
    town.move("ann", "2-2s")
    letters = town.reply(begun, f"{text}\n\nSee you there!")
    assert "You have taken your seat at board 1." in line(letters[-1])
    assert "| See you there!" in letters[0].text


@pytest.mark.parametrize(
    "text", ["no thanks", "no", "non merci", "no gracias", "нет, спасибо", "No.\n\nSorry, no time."]
)
def test_no_thanks_to_the_first_letter_declines(town: Town, text: str) -> None:
    assert "You have declined board 1." in line(answer(town, text))
    assert "To play after all, reply with accept." in line(answer(town, "help"))
    assert "You have taken your seat at board 1." in line(answer(town, "accept"))


@pytest.mark.parametrize("text", ["yes", "ok", "Oui !", "vale", "да"])
def test_a_yes_of_a_player_on_turn_takes_the_seat_and_shows_dice_and_moves(
    town: Town, text: str
) -> None:
    """It answers the letter about another player's bid; a reply to the answer is a move."""
    town.move("ann", "2-2s")
    (taken,) = town.reply(town.last_letter_to("bob@example.org"), text)
    assert TAKEN_ON_TURN in line(taken)
    assert "The bid to beat is 2-2s, by ann." in line(taken)
    assert "These moves are legal now, for example: 3-2s dudo" in line(taken)
    assert "PASSWORD" not in taken.text
    assert "bob three 2s" in line(town.reply(taken, "3-2s")[-1])


def test_two_seats_taken_by_one_email_ask_for_no_reply(town: Town) -> None:
    """It would name no board."""
    town.challenge("ann", "bob", "cleo")
    for board in (1, 2):
        town.move("ann", "2-2s", board)
    lines = [f"perudo accept bob {PASSWORD} {board}" for board in (1, 2)]
    (told,) = town.write("bob@example.org", "multiple", "\n".join(lines))
    assert line(told).count("It is your turn.") == len(lines)
    assert "reply to this letter" not in line(told)


@pytest.mark.parametrize(
    "text",
    [
        *("yes\n3-2s", "Oui !\n\ndudo", "ok\n3-2s\nGood luck", "accept\n3-2s", "Acepto\n\ndudo"),
        *("yes\n- 3-2s", "ok\nI'd say 3-2s", "accept\nmove 2: 3-2s", "accept\nDudo, of course"),
        *("yes\njk", "Oui !\n\nje plaisante", "accept\nno wait", "no\nwait", "resign\njk"),
    ],
)
def test_a_yes_above_a_move_or_its_retraction_is_asked_about(town: Town, text: str) -> None:
    """The others would read the move as words, and its player would think that it was played."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to("bob@example.org"), text)
    assert (asked.to, asked.subject) == ("bob@example.org", "What did you mean?")
    assert "with only your move on the first line" in line(asked)


def test_a_second_yes_is_told_that_the_seat_is_taken(town: Town) -> None:
    """If a move is below it, its player is told how to make that move."""
    begun = town.last_letter_to("bob@example.org")
    for _ in range(2):
        (said,) = [each for each in town.reply(begun, "yes") if each.to == "bob@example.org"]
    assert said.subject == "You play already: Perudo board 1"
    assert "You play at board 1 already: your yes changes nothing." in line(said)
    assert "It is not your turn: ann has to move first." in line(said)
    assert "couldn't read" not in said.text
    town.move("ann", "2-2s")
    turn = town.last_letter_to("bob@example.org")
    for text in ("yes\n3-2s", "accept\n3-2s", "yes\nno wait"):
        (said,) = town.reply(turn, text)
        assert "your yes changes nothing" not in line(said)
        assert "with only your move on the first line" in line(said)


def test_a_yes_to_words_of_another_player_takes_no_seat(town: Town) -> None:
    town.move("ann", "2-2s", text="Shall we meet on Friday?")
    letters = town.reply(town.last_letter_to("bob@example.org"), "yes")
    assert not any("You have taken your seat" in line(each) for each in letters)


def test_a_no_of_a_player_on_turn_or_to_a_bid_to_words_or_to_a_question_is_told_how_to_decline(
    town: Town,
) -> None:
    """A player on turn who says yes is told of the turn."""
    begun = town.last_letter_to("bob@example.org")
    (asked,) = town.reply(town.last_letter_to("ann@example.org"), "no thanks")  # she is on turn
    assert HOW in line(asked)
    (asked,) = town.reply(begun, "yes, but not now")
    assert "Want to play? Reply with accept. Don't want to play?" in line(asked)
    assert HOW in line(answer(town, "no"))
    town.move("ann", "2-2s", text="Shall we meet on Friday?")
    assert "It is your turn now" in line(town.reply(begun, "no thanks")[0])
    (asked,) = town.reply(town.last_letter_to("bob@example.org", back=2), "no thanks")
    assert HOW in line(asked)
    assert "Want to play? Reply with accept." not in line(asked)
    (taken,) = town.reply(begun, "yes")
    assert TAKEN_ON_TURN in line(taken)


@pytest.mark.parametrize("text", ["no thanks", "yes"])
def test_an_answer_to_a_draw_that_has_ended_does_not_answer_the_challenge(
    town: Town, text: str
) -> None:
    """The same holds for an answer to the letter that tells of its end."""
    town.reply(town.last_letter_to("bob@example.org"), "propose")
    offer = town.last_letter_to("cleo@example.org")
    town.reply(town.last_letter_to("ann@example.org"), "reject")
    for letter in (offer, town.last_letter_to("cleo@example.org")):
        assert [each.subject for each in town.reply(letter, text)] == ["What did you mean?"]


@pytest.mark.parametrize("below", ["Just kidding, I'm in!", "Je plaisante ! Avec plaisir."])
def test_a_no_that_is_taken_back_below_declines_nothing(town: Town, below: str) -> None:
    said = answer(town, f"No.\n\n{below}")
    assert HOW in line(said)
    assert "You have declined board 1." not in line(said)


@pytest.mark.parametrize(
    ("language", "how", "word", "declined"),
    [
        (
            "fr",
            "Envie de jouer ? Répondez « accepter ». Pas envie de jouer ? Répondez « {} »",
            "refuser la partie",
            "Vous refusez la partie 2.",
        ),
        (
            "es",
            "¿Quieres jugar? Responde «aceptar». ¿No quieres jugar? Responde «{}»",
            "rechazar la partida",
            "Has rechazado la partida 2.",
        ),
        (
            "ru",
            "Хотите играть? Ответьте «принять». Не хотите играть? Ответьте «{}»",
            "отказаться от игры",
            "Вы отказались от партии 2.",
        ),
    ],
)
def test_it_is_told_in_the_players_language(
    town: Town, language: str, how: str, word: str, declined: str
) -> None:
    town.write("bob@example.org", f"set bob {PASSWORD} language={language}")
    town.challenge("ann", "bob", "cleo")
    told = line(answer(town, "yes, but not now"))
    assert how.format(word) in told.replace("\u202f", " ").replace("\u00a0", " ")
    assert declined in line(answer(town, word)).replace("\u00a0", " ")


@pytest.mark.parametrize("text", ["no thanks", "No, gracias.", "annuler", "cancel"])
def test_a_player_who_has_taken_the_seat_is_told_how_to_resign(text: str, town: Town) -> None:
    """A player who plays can only resign."""
    town.reply(town.last_letter_to("bob@example.org"), "accept")
    town.move("ann", "2-2s")
    said = line(answer(town, text))
    assert "What did you mean?" in town.letters[-1].subject
    assert HOW not in said
    assert "To leave the game, reply with resign." in said
    assert "To leave the game" not in line(answer(town, "4-2x"))


def test_at_the_end_no_move_is_asked_for(town: Town) -> None:
    """A reply to an old letter, and to the last one, is told that the board is over."""
    old = town.last_letter_to("bob@example.org")
    for name, move in (("cleo", "resign"), ("ann", "resign"), ("bob", "2-2s")):
        town.move(name, move)
    for letter in (old, town.last_letter_to("bob@example.org")):
        (said,) = town.reply(letter, "annuler")
        assert "This game is over: bob has won. You can make no more moves here." in line(said)
        assert "your move on the first line" not in line(said)
        assert "To leave the game" not in said.text
