"""A reply that says a move in everyday words is played, or it is asked about with its answer."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
PLAYED = (
    "2 de 2",
    "on va dire 2 deux",
    "van dos doses",
    "2двойки",
    "2-2s sorry for the delay",
    "2-2s, sorry for the delay",
    "Sorry for the delay, 2-2s",
    "Yes, 2-2",
    "Oui, 2-2",
    "Да, 2-2",
    "Sí: 2-2",
    "Si, 2-2",
    "Добрый день! Моя ставка — две двойки.",
    "начну с двух двоек, удачи всем",
)
ASKED = (
    "2 duex",
    "2-2s?",
    "yes 2-2",
    "2-2s because I feel brave today",
    "2-2s and good grief",
    "I think two twos",
    "creo que hay dos doses",
    "думаю, там две двойки",
    "je crois qu'il y a deux deux",
)


def one_line(letter: Letter) -> str:
    return " ".join(letter.text.split())


@pytest.mark.parametrize("text", PLAYED)
def test_a_bid_in_everyday_words_is_played(town: Town, text: str) -> None:
    letters = town.reply(town.last_letter_to(ANN), text)
    assert any("You bid two 2s" in each.text for each in letters)


@pytest.mark.parametrize("text", ASKED)
def test_a_bid_among_other_words_is_asked_about(town: Town, text: str) -> None:
    """The answer names it, and a reply with just that plays it."""
    (asked,) = town.reply(town.last_letter_to(ANN), text)
    assert "Did you mean 2-2s? If so, reply with just that." in one_line(asked)
    assert any("You bid two 2s" in each.text for each in town.reply(asked, "2-2s"))


@pytest.mark.parametrize(
    "text", ["Dudo, lo siento", "ok dudo then", "Yes, dudo", "Désolé, je doute"]
)
def test_a_call_in_everyday_words_is_played(town: Town, text: str) -> None:
    town.move("ann", "2-2s")
    letters = town.reply(town.last_letter_to(BOB), text)
    assert any("You called dudo" in one_line(each) for each in letters)


@pytest.mark.parametrize(
    "text",
    ["Je demande à voir", "on lève", "eso es mentira", "No creo", "Imposible!", "ni de broma"],
)
def test_words_that_may_be_a_call_do_not_go_to_the_table(town: Town, text: str) -> None:
    """They do where no call is legal, if they are a sentence.  The question teaches the word."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert "Did you mean dudo? If so, reply with just that." in one_line(asked)
    assert f"\n  {text}\n" in asked.text  # it is not hidden as a password
    town.reply(asked, "dudo")
    letters = town.reply(town.last_letter_to(BOB), "eso es mentira")
    assert any("| eso es mentira" in each.text for each in letters)


@pytest.mark.parametrize(
    "text",
    [
        *("I think he's lying", "I guess that's a bluff", "on ouvre et on voit"),
        *("je pense qu'il ment", "creo que es mentira", "eres un mentiroso"),
        *("думаю, он врёт", "мне кажется, что это блеф"),
    ],
)
def test_an_opinion_may_be_a_call_on_turn_and_is_talk_off_turn(town: Town, text: str) -> None:
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert "Did you mean dudo? If so, reply with just that." in one_line(asked)
    letters = town.reply(town.last_letter_to(ANN), text)
    assert any(f"| {text}" in each.text for each in letters)


def test_a_resignation_below_words_of_others_is_asked_about_until_the_end(town: Town) -> None:
    """The question has words that name the game.  After the end there is no question."""
    town.reply(town.last_letter_to(BOB), "Bonsoir")
    (asked,) = town.reply(town.last_letter_to(ANN), "j'abandonne")
    assert "Did you mean j'abandonne la partie? If so, reply with just that." in one_line(asked)
    ended = town.reply(asked, "resign")
    (said,) = town.reply(ended[0], "abandonner")
    assert "This game is over" in one_line(said)
    assert "Did you mean" not in said.text


@pytest.mark.parametrize(
    "text", ["just one more", "one more of them", "un dé de plus", "un dado más", "ещё один кубик"]
)
def test_a_bid_without_a_number_is_asked_about(town: Town, text: str) -> None:
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert asked.subject == "What did you mean?"


@pytest.mark.parametrize(
    "text", ["a pair of twos", "une paire de deux", "un par de doses", "пара двоек"]
)
def test_a_pair_is_two(town: Town, text: str) -> None:
    (asked,) = town.reply(town.last_letter_to(ANN), text)
    assert "Did you mean 2-2s?" in one_line(asked)


@pytest.mark.parametrize("text", ["Je passe.", "Paso"])
def test_a_pass_is_explained(town: Town, text: str) -> None:
    (told,) = town.reply(town.last_letter_to(ANN), text)
    assert "Perudo has no pass" in told.text
    assert told.subject == "Perudo board 1: not played"
    assert "Your dice: " in told.text
    letters = town.reply(town.last_letter_to(ANN), "Paso por aquí a saludar, mis amigos")
    assert letters[-1].opening == "Sent to bob; it is still your turn."


def test_a_move_that_is_not_legal_is_not_offered(town: Town) -> None:
    town.move("ann", "4-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), "I think 2-2s")
    assert "Did you mean 2-2s? That bid is not possible now." in asked.text
    assert "If so, reply" not in asked.text
    (asked,) = town.reply(town.last_letter_to(BOB), "4-2s is too high, 5-2s is not, or dudo")
    assert "Did you mean" not in asked.text  # he names two


def test_off_turn_the_answer_says_whose_turn_it_is(town: Town) -> None:
    (asked,) = town.reply(town.last_letter_to(BOB), "2 duex")
    assert "It is not your turn: ann has to move first." in one_line(asked)
    assert "To play, reply" not in asked.text
    (told,) = town.write(BOB, f"perudo move 1 bob {PASSWORD} duddo")
    assert "It is not your turn: ann has to move first." in one_line(told)
    assert "Did you mean" not in told.text


def test_a_call_is_not_proposed_where_there_is_no_bid(town: Town) -> None:
    (told,) = town.write(ANN, f"perudo move 1 ann {PASSWORD} dud")
    assert "Did you mean" not in told.text
    (told,) = town.write(ANN, f"perudo move 1 ann {PASSWORD} 2 duex")
    assert "Did you mean 2-2s?" in told.text
    town.move("ann", "2-2s")
    (told,) = town.write(BOB, f"perudo move 1 bob {PASSWORD} dud")
    assert "Did you mean dudo?" in told.text


def test_while_a_draw_is_on_offer_the_answer_says_how_to_answer_it(town_of_three: Town) -> None:
    town = town_of_three
    town.move("ann", "2-2s")
    town.move("cleo", "draw?")
    for words in ("Hm, perhaps", "Yes, 3-2s", "sure 3-2s"):  # a bid would end the offer
        (asked,) = town.reply(town.last_letter_to(BOB), words)
        text = one_line(asked)
        assert (
            "A draw is on offer. To answer it, reply to this letter with accept or reject" in text
        )
    assert "Did you mean 3-2s?" in text
    (told,) = town.write(BOB, f"perudo move 1 bob {PASSWORD} yes")
    assert "A draw is on offer. To answer it, write accept or reject as your move." in one_line(
        told
    )
    (asked,) = town.reply(town.last_letter_to(CLEO), "Hm, perhaps")
    assert "A draw is on offer" not in asked.text  # she offers it
    letters = town.reply(asked, "reject")
    assert any("no longer" in each.text for each in letters)


@pytest.mark.parametrize(
    ("text", "is_move"),
    [
        ("2-2s, sorry for the delay", True),
        ("2-2s and good luck", True),
        ("2-2s or good luck", False),
        ("Yes, 2-2", False),  # it may answer the words
        ("Ok, 2-2", False),
        ("Привет! 2-2", False),
    ],
)
def test_a_reply_to_a_chat_can_be_a_move(town: Town, text: str, is_move: bool) -> None:
    """It is asked about where it may be one; no words go to the table before."""
    (talk, _) = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "How are you, Ann?")
    letters = town.reply(talk, text)
    assert any("You bid two 2s" in each.text for each in letters) == is_move
    if not is_move:
        (asked,) = letters
        assert "Did you mean 2-2s? If so, reply with just that." in one_line(asked)
        assert any("You bid two 2s" in each.text for each in town.reply(asked, "2-2s"))


def test_a_reply_to_a_chat_that_is_not_a_move_goes_to_its_writer(town: Town) -> None:
    (talk, _) = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "How are you, Ann?")
    letters = town.reply(talk, "Fine, I have two cats now")
    assert "Sent to bob; it is still your turn." in letters[-1].text
    town.move("ann", "2-2s")
    (talk, _) = town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Do you have any, Bob?")
    letters = town.reply(talk, "2 dogs here")
    assert letters[-1].opening == "Sent to ann; it is still your turn."


GIVES_UP = (
    "OK, j'abandonne",
    "j'abandonne !",
    "Vale, me rindo",
    "Да, сдаюсь",
    "сдаюсь",
    "Ок, сдаюсь",
)


def state(town: Town) -> list[tuple[object, ...]]:
    """The state and the coming move of each seat's board, and what the player has agreed to."""
    board, seat = models.Board, models.Seat
    query = select(board.state, board.move, seat.agrees, seat.leaving, seat.queued)
    with reading(town.engine) as connection:
        rows = connection.execute(query.join(seat, seat.board_id == board.id).order_by(seat.seat))
        return [tuple(each) for each in rows]


def words_of_ann(town: Town) -> Letter:
    """A letter with words of ann's for bob, who is on turn."""
    town.move("ann", "1-2s")
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Can you guess it, bob?")
    return town.last_letter_to(BOB)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("Oui, exact !", "Yes, I doubt it.", "Ok, call", "Right, liar!", "Sure, sleep"),
        *(*GIVES_UP, "Yes, resign", "Vale, acepto", "J'accepte, merci", "принимаю"),
        *("Désolé, nulle", "Sí, empate", "Ага, врёшь", "Yes, 6-1"),
        *("I doubt it", "lo dudo", "J'en doute", "сомневаюсь", "Mentiroso", "Sleep", "I'll call!"),
    ],
)
def test_a_yes_or_a_doubt_about_words_of_others_plays_nothing(
    town_of_three: Town, text: str
) -> None:
    """ "Can you guess it?" - "Ок, сдаюсь!" is not an end of a game, nor "Oui, exact" a call."""
    town, talk = town_of_three, words_of_ann(town_of_three)
    town.now += 60
    town.move("ann", "propose")
    before = state(town)
    (asked,) = town.reply(talk, text)
    assert asked.subject == "What did you mean?"
    assert state(town) == before


@pytest.mark.parametrize("text", ["j'abandonne !", "сдаюсь"])
def test_the_same_words_in_reply_to_the_question_do_what_it_asks(
    town_of_three: Town, text: str
) -> None:
    (asked,) = town_of_three.reply(words_of_ann(town_of_three), text)
    assert "Did you mean" in asked.text
    letters = town_of_three.reply(asked, text)
    assert any("You leave the game" in each.text for each in letters)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        *((each, "You leave the game") for each in ("resign", "I resign", "resign, sorry")),
        *((each, "bob called dudo") for each in ("dudo", "I call dudo", "дудо!")),
    ],
)
def test_the_words_of_letters_are_moves_in_reply_to_words_as_well(
    town_of_three: Town, text: str, made: str
) -> None:
    letters = town_of_three.reply(words_of_ann(town_of_three), text)
    assert any(made in each.text for each in letters)


@pytest.mark.parametrize("text", ["Yes, resign", "Да, сдаюсь", "Oui, exact", "Yes, exact!"])
def test_behind_a_yes_nothing_ends_a_game(town: Town, text: str) -> None:
    """Words of others may be in a letter that asks for a move, too."""
    town.move("ann", "1-2s", text="Can you guess it, bob?")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert asked.subject == "What did you mean?"


@each_row(
    "words",
    [
        *("nice one Zed!", "Nice one, zed", "congrats Zed", "bravo zed !", "felicidades Zed"),
        *("молодец, Zed!", "luego juego", "mañana juego", "je joue demain", "сыграю позже"),
        *("I'll move tonight", "Quelle chance !"),
    ],
)
def test_a_remark_to_a_player_of_the_board_goes_to_the_others_on_turn(
    tmp_path: Path, words: str
) -> None:
    """The name may be one that no list has.  After one's move it is the same."""
    for has_moved in (False, True):
        with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
            town.sign_up_and_challenge("ann", "bob", "zed")
            letter = town.last_letter_to(ANN)
            if has_moved:
                town.move("ann", "2-2s")
            assert "zed@example.org" in {each.to for each in town.reply(letter, words)}


@each_row("words", ["nice one xyzzy", "congrats xyzzy", "nice one swordfish"])
def test_a_remark_beside_another_word_goes_to_nobody(tmp_path: Path, words: str) -> None:
    """The word may be a password."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "zed")
        town.move("ann", "2-2s")
        letters = town.reply(town.last_letter_to(BOB), words)
        assert {each.to for each in letters} == {BOB}
