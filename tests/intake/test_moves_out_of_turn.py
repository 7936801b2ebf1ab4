"""A move of a player who is not on turn is told to nobody, nor are the words behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.intake.new_towns import new_town, town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, LUC = "ann@example.org", "bob@example.org", "luc@example.org"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """Board 1: ann has bid 3-2s, bob is on turn, and luc has a message of ann's."""
    with town_with_bid(tmp_path) as made:
        made.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello luc!")
        yield made


def message_of_ann(town: Town) -> Letter:
    letter = town.last_letter_to(LUC)
    assert letter.opening == "A message from ann."
    return letter


def told_to_others(
    town: Town, letter: Letter, replies: tuple[str, ...], turn: str = "bob"
) -> list[str]:
    """The replies of luc's, one in three hours, whose words or moves reach another player.

    The answer to each other one says whose turn it is, and that nothing was sent.
    """
    found: list[str] = []
    for words in replies:
        town.now += 3 * 3600  # ten answers of this kind leave in a day
        answers = town.reply(letter, words)
        if [each.to for each in answers] != [LUC]:
            found.append(words)
            continue
        said = " ".join(answers[0].text.split())
        assert f"It is not your turn: {turn} has to move first." in said, words
        assert "Your message was not sent. To send it all the same, reply to" in said, words
    return found


MOVES = (
    *("Three fives. I feel lucky", "three 4s and a beer", "Dudo! Show me those fours, Tom"),
    *("3 5s. I feel lucky tonight", "Three fives! Let's go", "4 fours, why not"),
    *("four 4s, really Tom?", "Nice one Ann! Three fives: your turn", "Ann, 4-4s. Ha"),
    *("Cinco doses. Me siento con suerte", "Cuatro seises. Buf", "mentiroso!! no me lo creo"),
    *("cuatro doses y a dormir", "cuatro doses, ya veréis", "deux quatre, allez"),
    *("Deux trois !!! À toi Tom", "Quatre cinq. On verra", "trois 6, et vous ?"),
    *("Menteur ! je n'y crois pas", "Три четвёрки. Я сегодня везучий :)"),
    *("Три шестёрки. Верю в удачу!", "3-2s. Dudo, luc says"),
)
POLITE = "Dudo. Sorry Ann", "Dudo. Lo siento Ann", "Deux six. Ha ha", "4-4s. Good luck!"


def test_a_move_at_the_beginning_of_a_message_is_told_to_nobody(town: Town) -> None:
    assert told_to_others(town, message_of_ann(town), (*MOVES, *POLITE)) == []


def test_so_it_is_in_reply_to_a_letter_of_the_game(tmp_path: Path) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc")) as town:
        letter = town.last_letter_to(LUC)
        replies = "Menteur ! je n'y crois pas", "Three fives. I feel lucky", *POLITE
        assert told_to_others(town, letter, replies, "ann") == []


def test_the_words_behind_a_move_that_comes_late_are_told_to_nobody(town: Town) -> None:
    begun = next(each for each in town.letters if each.to == LUC and "has begun" in each.opening)
    for words in ("mentiroso!! no me lo creo", *POLITE):
        (told,) = town.reply(begun, words)
        assert told.to == LUC
        assert "move 1 of board 1 was already made" in told.text
        assert "Your message was not sent" in " ".join(told.text.split())


@each_row("words", ["Well played\n4-4s", "Hello all, how are you?\nThree fives. I feel lucky"])
def test_a_move_in_a_line_below_is_asked_about(words: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello luc!")
        (asked,) = town.reply(message_of_ann(town), words)
        assert (asked.to, asked.subject) == (LUC, "What did you mean?")


@pytest.mark.parametrize(
    "words",
    [
        *("three twos? wow, bold", "3-2s, really ann?", "3-2s was bold", "Yes, 6-1 for us"),
        *("three of us are going to the pub at 8", "Good luck, bob!"),
    ],
)
def test_words_about_the_bid_that_stands_are_for_the_others(words: str, town: Town) -> None:
    letters = town.reply(message_of_ann(town), words)
    (to_bob,) = [each for each in letters if each.to == BOB]
    assert f"| {words}" in to_bob.text


@each_row(
    "words",
    [
        *("Menteur, tu étais à la plage", "Je n'y crois pas ! Tu étais à Rome ?"),
        *("¡No me lo creo! ¿Estuviste en Roma?", "Не верю! Ты был в Риме?", "Врёшь, ты был дома"),
        *("Liar! You were at the beach", "Doubt it. The weekend was rainy", "We won 4-2 yesterday"),
    ],
)
def test_a_doubt_about_what_was_said_is_for_the_others(words: str, tmp_path: Path) -> None:
    """It has words of its own behind it, and answers a message of ann's."""
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello luc!")
        letters = town.reply(message_of_ann(town), words)
        assert f"| {words}" in next(each for each in letters if each.to == BOB).text


@each_row(
    "words",
    [
        *("Liar! There are no three twos in here", "I don't believe you! I hold no twos here"),
        *("Liar! That bid is far too high, I have none", "Mentiroso! No hay tres dados de esos"),
        *("I'd say three fives", "I'll go three fives", "dudo ann", "Back from vacation. 3-5s"),
        *("It's my turn, right? 3-5s", "I think it's my turn: dudo"),
        *("je dirais trois cinq", "diría tres cincos", "я бы сказал три пятёрки"),
    ],
)
def test_words_of_dice_or_with_a_move_at_their_end_are_told_to_nobody(
    words: str, tmp_path: Path
) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello luc!")
        answers = town.reply(message_of_ann(town), words)
        assert [each.to for each in answers] == [LUC]


def test_below_the_word_chat_everything_is_for_the_others(town: Town) -> None:
    letters = town.reply(message_of_ann(town), "chat\nThree fives. I feel lucky")
    (to_bob,) = [each for each in letters if each.to == BOB]
    assert "| Three fives. I feel lucky" in to_bob.text


def test_words_below_the_line_of_a_move_out_of_turn_are_still_sent(town: Town) -> None:
    letters = town.reply(message_of_ann(town), "4-4s\nSee you on Friday")
    assert "| See you on Friday" in next(each for each in letters if each.to == BOB).text


COMING = (
    *("5-3s next", "5 threes from me", "Three fives it is", "I'd bid five twos now", "4x3"),
    *("When it's my turn I'll say dudo", "dudo if bob raises", "It was great.\nAnd I call dudo."),
    *("duddo", "(dudo)", "a\nb\nc\nd\n4-4s", "three fours here", "twos, five of them", "4⚁"),
    *("raise to five", "Five!", "5!", "I'm going to call you, ann", "5-3 after bob", "5-3 next"),
    *("dudo foo", "4-2s swordfsh", "swordfsh 4-2s", "dudo luc swordfsh", "luc swordfsh dudo"),
    *("à mon tour je dirai dudo", "5-3 après bob", "je vais douter", "je monte à cinq", "Cinq !"),
    *("quand c'est à moi je doute", "moi je dis menteur à bob", "cinq deux pour moi"),
    *("cuando me toque diré dudo", "5-3 después de bob", "subo a cinco", "en mi turno: mentiroso"),
    *("calzo luego", "diré que es mentira", "cinco doses para mí", "dudo cuando me toque"),
    *("в свой ход скажу дудо", "5-3 после bob", "подниму до пяти", "в мой ход: не верю"),
    *("пять двоек от меня", "дудо бобу", "буду сомневаться", "Пять!"),
)
ON_TURN = "raise to five", "Five!", "5!", "I'm going to call you, ann", "Cinq !", "subo a cinco"
TALK = (
    *(
        "I have two kids",
        "It was 3.5 hours",
        "I'll call you tomorrow",
        "One of you has all the luck",
    ),
    *("I'd say ten people came", "We saw two or three films", "We lost 4-2 on Sunday", "dude!"),
    *("dudo que llueva mañana", "no dudo que fue divertido", "Éramos cinco en casa"),
    *("On était cinq à table", "au dodo maintenant, les enfants", "Нас было пять человек"),
)


@each_row("words", COMING)
def test_words_that_name_a_move_to_come_or_a_part_of_it_are_told_to_nobody(
    words: str, tmp_path: Path
) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "How was your weekend, luc?")
        answers = town.reply(message_of_ann(town), words)
        assert [each.to for each in answers] == [LUC]


@each_row(
    "words",
    [
        *("It was great, I doubt it", "C'était super. Je doute.", "Отлично. Не верю."),
        *("voy a dudar", "в свой ход скажу дудо"),
    ],
)
def test_a_doubt_in_reply_to_a_letter_of_the_game_is_told_to_nobody(
    words: str, tmp_path: Path
) -> None:
    with town_with_bid(tmp_path) as town:
        answers = town.reply(town.last_letter_to(LUC), words)
        assert [each.to for each in answers] == [LUC]


@each_row("words", ON_TURN)
def test_a_part_of_a_move_is_asked_about_on_turn(words: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "How was your weekend?")
        (asked,) = town.reply(town.last_letter_to(BOB), words)
        assert (asked.to, asked.subject) == (BOB, "What did you mean?")


@each_row("words", TALK)
def test_talk_with_numbers_and_doubts_is_for_the_others(words: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "How was your weekend, luc?")
        letters = town.reply(message_of_ann(town), words)
        assert f"| {words}" in next(each for each in letters if each.to == BOB).text


def test_a_line_below_a_move_out_of_turn_that_names_another_waits_for_a_word(town: Town) -> None:
    (told,) = town.reply(message_of_ann(town), "4-4s\nand then dudo")
    assert told.to == LUC
    assert "Your message was not sent. To send it all the same, reply to" in told.text.replace(
        "\n", " "
    )


@each_row("move", [("4-2s", "4-2s"), ("dudo!", "dudo"), ("I bid 5-3s", "5-3s"), ("дудо", "dudo")])
def test_a_message_that_is_a_move_alone_is_refused(move: tuple[str, str], tmp_path: Path) -> None:
    """In a reply and by command, on turn and out of turn; the answer says how to play it."""
    words, played = move
    with town_with_bid(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(LUC), f"chat\n{words}")
        said = " ".join(told.text.split())
        assert told.to == LUC
        assert f'Your message "{words}" is a move. It was not played, and it was told to' in said
        assert f"reply to the latest letter about this board with queue {played}." in said
        (told,) = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", words)
        said = " ".join(told.text.split())
        assert told.to == BOB
        assert f"reply to the latest letter about this board with just {played}." in said


@each_row("words", ["3-2s", "I doubt it", "4-2s\nwhat a bid", "4-2s is too high", "exact"])
def test_below_the_word_chat_other_words_of_moves_are_sent(words: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(LUC), f"chat\n{words}")
        assert f"| {words}".replace("\n", "\n| ") in next(e for e in letters if e.to == BOB).text
