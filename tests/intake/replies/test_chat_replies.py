"""Replies that are plainly words for the table are a chat; what may be meant as more is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.boards.chat_log import MOST_DAILY
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import read_call
from pbmserv.games.perudo.notation import may_begin_with_move, named_move, nearest_word
from pbmserv.intake.replies.prose import MOST_LINES, are_late_words, is_prose, speaks_like_a_machine
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
PROSE = (
    "See you in 2 weeks, my friends",
    "Good luck to all of you!",
    "You are right, Bob!",
    "Hello everybody,\nsorry for the delay, I was ill. :-)",
    "So that is it!\n\nThat was the last thing that I expected from him.\nBest regards,\nCleo",
    "Das war aber knapp 😀",
    "Let's go on tonight\nthanks",
    "हम सब बहुत खुश हैं",
    "Bonne chance à tous !",
    "Vous êtes trop forts",
    "Thanks!",
    "Haha, nice one",
    "Merci, bonne chance à tous !",
    "¡Qué suerte tienes!\nSuerte",
    "Спасибо за игру! Удачи",
)
ASKED_ABOUT = (
    "",
    "Hm.",
    "OK, thanks",
    "Gracias, no",
    "нет, спасибо",
    "Merci swordfish",
    "Thanks\n" * 5,
    f"Thanks!{' ' * 100}4-2s",
    "j'ai des as et rien de plus",
    *("j ai des as et rien de plus", "je possède des as et rien de plus"),
    *("poseo unos buenos ases, amigos", "ну что, имею одни тузы"),
    "oui, mais j'ai beaucoup d'as",
    "yo tengo unos buenos ases, amigos",
    "у меня одни тузы и всё",
    "с моими тузами я спокоен",
    "Good game!",
    "swordfish",
    "Ann swordfish for me",
    "perdo caht to swordfish me",
    "Well played indeed everybody",
    "You are right, Bob!\n\nBest Swordfish\nAnn",
    "Well played indeed everybody\nSwordfish-9",
    "Sorry for the delay\nswordfish\nAnn",
    "Here is my password then",
    "my passwrd is SwordFish today",
    "I think that there are fvie fives",
    "I think that I call him a liar",
    "I doubt it very much",
    "I think that you are bluffing.",
    "I do not believe it",
    "duddo my dear friend",
    "fo ur fives now",
    "Sorry for the delay\n\n4-2s",
    "It is ⚂⚂ for me now",
    "I have nine lives",
    "four of twos!",
    "exactly rihgt now",
    "Yes, with pleasure, my friend",
    "No, I would rather play on",
    "Please remove me from this list",
    "log me in with swordfish please",
    "kick me from it",
    "I want to leave this game now",
    "Je veux quitter la partie",
    "Il faut que je puisse arreter de jouer",
    "quiero abandonar esta partida",
    "я хочу выйти из этой партии",
    "I propse that we end it here",
    "shwo the board",
    "I am out of office until Monday",
    "Hello,\nyour message has been received and will be read soon.",
    "See https://example.org for more of it",
    "So it is\n" * (MOST_LINES + 1),
    "so it goes on and on " * 100,
)


def test_prose_is_told_from_what_may_be_a_move_a_password_or_a_request() -> None:
    def passes(text: str) -> bool:
        lines = text.split("\n")
        return is_prose(lines, "ann", vocabulary()) and not speaks_like_a_machine(lines)

    assert [text for text in PROSE if not passes(text)] == []
    assert [text for text in ASKED_ABOUT if passes(text)] == []


@each_row(
    ("line", "is_chat"),
    [
        ("Bob, I think you have no fives", True),
        ("Клер, я думаю, у тебя нет пятёрок", True),
        ("Bob, je pense que tu n'as pas de cinq", True),
        ("Luz, creo que no tienes cincos", True),
        ("Bob, how many fives do you have?", True),
        ("I doubt you have three fives, Zoe", True),
        ("Je pense que tu as trois six, Léa !", True),
        ("Creo que tienes muchos doses, Luz", True),
        ("I have three fives as you do, Zoe", False),
        ("three fives for you, Zoe", False),
        ("I bid three fives for you, Zoe", False),
        ("I think you have no fives", False),
        ("Bob, I think there are no fives", False),
        ("Bob, three fives for you", False),
        ("Bob, I bid three fives, as you did", False),
        ("Bob, j'ai deux cinq comme toi", False),
        ("Bob, I call you a dudo", False),
        ("Dudo, you have no fives, my friend", False),
        ("Well, you have no fives at all", False),
        ("Bob, will you accept a draw with five dice", False),
    ],
)
def test_in_the_turn_of_others_words_to_somebody_may_be_about_bids(
    line: str, is_chat: bool
) -> None:
    """They begin or end with a name, and speak to its bearer; on turn they are asked about."""
    is_words = is_prose([line], "ann", vocabulary(), may_doubt=True, may_bid=False)
    assert is_words is is_chat
    assert not is_prose([line], "ann", vocabulary(), may_doubt=True)


def may_be_chat(line: str, legal: frozenset[str]) -> bool:
    """Whether a line is words for the table, where these moves are legal."""
    if reads_as_move(line) or read_call(line, vocabulary()):
        return False
    is_words = is_prose([line], "ann", vocabulary(), may_doubt=not legal)
    named = legal and (named_move(line, legal) or nearest_word(line, legal))
    return is_words and not named and not may_begin_with_move(line, legal)


def test_chat_goes_to_the_table_and_what_may_be_a_move_does_not() -> None:
    """On turn, where bids and dudo are legal, and in the turn of others."""
    text = (Path(__file__).parent / "words_for_the_table.txt").read_text("utf-8")
    _, words, _, moves = text.strip().split("\n\n")
    bids = {f"{number}-{face}s" for number in range(2, 16) for face in range(1, 7)}
    on_turn, off_turn = frozenset({*bids, "dudo"}), frozenset[str]()
    for legal in (on_turn, off_turn):
        assert [line for line in words.split("\n") if not may_be_chat(line, legal)] == []
    assert [line for line in moves.split("\n") if may_be_chat(line, on_turn)] == []


DOUBTS = (
    "I think he's lying",
    "You are bluffing, I believe",
    "je ne doute pas de toi",
    "eres un mentiroso",
    "ну ты врун, как и я",
)


@pytest.mark.parametrize("text", DOUBTS)
def test_a_sentence_that_doubts_is_chat_where_no_call_is_legal(text: str) -> None:
    assert not is_prose([text], "ann", vocabulary())
    assert is_prose([text], "ann", vocabulary(), may_doubt=True)


@pytest.mark.parametrize(
    "text", ["nice bluff", "Haha, nice bluff Ivan!", "Joli bluff !", "Buen farol", "отличный блеф!"]
)
def test_a_remark_about_a_bluff_is_chat_where_no_call_is_legal(town: Town, text: str) -> None:
    """On turn it may be a call.  In reply to a letter whose move is made it was called late."""
    town.move("ann", "2-2s")
    begun = town.last_letter_to(BOB)
    (asked,) = town.reply(begun, text)
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")
    town.move("bob", "3-2s")
    assert {each.to for each in town.reply(begun, text)} == {ANN, BOB}
    assert are_late_words([text], "bob", vocabulary())
    assert not is_prose([f"{text} 4-2s"], "bob", vocabulary(), may_doubt=True)


def test_after_the_end_a_few_words_are_enough() -> None:
    words = ("Good game!", "gg", "Thanks!", "Congratulations", "See you on 24 December, friends!")
    asked = (
        "",
        "4-2x swordfish",
        "duddo",
        "my password",
        "rematsh",
        "unsubscribe me",
        "dudo 5 swd",
    )
    assert [text for text in words if not are_late_words([text], "ann", vocabulary())] == []
    assert [text for text in asked if are_late_words([text], "ann", vocabulary())] == []


def says(letters: list[Letter], words: str) -> list[str]:
    """The players who get these words of a writer."""
    return [each.to for each in letters if f"| {words}" in each.text]


def test_prose_goes_to_the_table_and_its_writer_is_told_that_it_made_no_move(town: Town) -> None:
    words = "Good luck to you, my friend!"
    first = town.last_letter_to(ANN)
    letters = town.reply(first, words)
    assert says(letters, words) == [BOB]
    assert "Sent to bob; it is still your turn." in letters[-1].text
    (asked,) = town.reply(first, "Good game!")
    assert "I couldn't read this line" in asked.text
    letters = town.reply(asked, "chat\nGood game!")
    assert says(letters, "Good game!") == [BOB]
    letters = town.reply(town.last_letter_to(BOB), words)
    assert says(letters, words) == [ANN]
    assert "still your turn" not in letters[-1].text


@pytest.mark.parametrize(
    "words", ["Je me rends", "Больше не играю.", "Lo dejo para siempre", "Je lis un livre ce soir"]
)
def test_words_that_may_leave_the_game_are_asked_about_in_the_turn_of_others(
    town: Town, words: str
) -> None:
    """Those that tell of something else are passed on.  What is all of a text is offered."""
    letters = town.reply(town.last_letter_to(BOB), words)
    assert says(letters, words) == ([ANN] if "livre" in words else [])
    is_offered = "livre" not in words and "siempre" not in words
    assert ("Did you mean" in letters[-1].text) is is_offered


@pytest.mark.parametrize(
    "words", ["Thanks!", "Merci !", "gracias", "Спасибо", "Good luck, everyone", "Bien joué ! Mdr"]
)
def test_a_short_remark_goes_to_the_table_as_often_as_it_is_said(town: Town, words: str) -> None:
    for _ in range(2):
        letters = town.reply(town.last_letter_to(ANN), words)
        assert says(letters, words) == [BOB]
        assert letters[-1].opening == "Sent to bob; it is still your turn."
    town.move("ann", "2-2s")
    assert says(town.reply(town.last_letter_to(ANN), words), words) == [BOB]


def test_a_remark_that_is_the_password_goes_to_nobody(town: Town) -> None:
    first = town.last_letter_to(ANN)
    town.write(ANN, f"change password ann {PASSWORD} gracias")
    letters = town.reply(first, "gracias\nBuena suerte")
    assert says(letters, "Buena suerte") == [BOB]
    assert "gracias" not in "".join(each.text for each in letters)


def test_prose_from_elsewhere_or_with_a_spent_token_goes_to_nobody(town: Town) -> None:
    words = "Good luck to you, my friend!"
    first = town.last_letter_to(ANN)
    for sender in ("eve@example.net", BOB):
        letters = town.write(sender, f"Re: {first.subject}", words, to=first.reply_to)
        assert says(letters, words) == []
    town.reply(first, "2-2s")
    town.move("bob", "3-2s")  # now ann has a newer letter
    (told,) = town.reply(first, words)
    assert "write it again in a reply to this letter" in " ".join(told.text.split())
    assert says(town.reply(told, words), words) == [BOB]


def test_a_token_from_elsewhere_says_nothing_out_of_turn_or_after_the_end(town: Town) -> None:
    """A person who got the letter forwarded may make its move, and speak with it, but no more."""
    eve, words = "eve@example.net", "Good luck to you, my friend!"
    waiting = town.last_letter_to(BOB)
    assert "It is your turn" not in waiting.text
    letters = town.write(eve, f"perudo chat 1 bob {waiting.token}", words)
    assert [each.to for each in letters] == [eve]
    town.reply(town.last_letter_to(ANN), "resign")
    over = town.last_letter_to(ANN)
    letters = town.write(eve, f"perudo chat 1 ann {over.token}", words)
    assert [each.to for each in letters] == [eve]
    assert says(town.reply(over, words), words) == [BOB]


def test_words_that_may_decline_a_challenge_are_asked_about(town: Town) -> None:
    """Any other words take the seat, and what was asked about can be said again."""
    first = town.last_letter_to(BOB)
    for words in ("I am not here until June, sorry", "I don't know how to do it"):
        (asked,) = town.reply(first, words)
        assert asked.to == BOB
    assert says(town.reply(asked, f"chat\n{words}"), words) == [ANN]
    words = "I don't know that at all"
    assert says(town.reply(first, words), words) == [ANN]


def test_the_same_words_once_more_may_be_a_machines(town: Town) -> None:
    words = "We will read your words on Monday"
    first = town.last_letter_to(ANN)
    assert says(town.reply(first, words), words) == [BOB]
    assert says(town.reply(town.last_letter_to(ANN), words), words) == []


@pytest.mark.slow
def test_who_writes_too_often_is_told_the_limit_and_when_it_ends(town: Town) -> None:
    first = town.last_letter_to(ANN)
    for number in range(MOST_DAILY):
        words = f"This is my message {number} of today"
        assert says(town.write(ANN, f"perudo chat 1 ann {PASSWORD}", words), words) == [BOB]
        town.now += 60
    words = "Good luck to you, my friend!"
    (told,) = town.reply(first, words)
    said = " ".join(told.text.split())
    assert "you have written 30 messages at this board in 24 hours." in said
    assert "From Wednesday 15 November 2023, 22:13 UTC a message needs no command again." in said
    assert "To write to the others, reply with the word chat on the first line" in said
    assert "couldn't read" not in said
    town.now += 86_400 - MOST_DAILY * 60 - 1
    assert says(town.reply(first, words), words) == []
    town.now += 1
    assert says(town.reply(first, words), words) == [BOB]


@pytest.mark.slow
def test_two_programs_that_answer_every_letter_do_not_talk_for_ever(town: Town) -> None:
    """Nothing in their emails says that programs wrote them, and no two are alike."""
    letters = [town.last_letter_to(ANN)]
    said = 0
    while letters and said < 100:
        said += 1
        words = " ".join("abcdefghij"[int(digit)] * 2 for digit in str(said))
        letters += town.reply(letters.pop(0), f"You get a note of us soon {words}")
    told = [each for each in town.letters if each.opening.startswith("A message from ")]
    assert len(told) == 2 * MOST_DAILY
    message = next(each for each in reversed(town.letters) if each.opening == "A message from bob.")
    assert says(town.reply(message, "chat\nI am a person"), "I am a person") == [BOB]


def test_a_machines_answer_to_a_chat_is_not_passed_on(town: Town) -> None:
    """To such a letter any words are a chat; a program does not know that."""
    (message, _) = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "How are you, Ann?")
    for words in ("I am out of the office until Monday.", "Your mail could not be delivered"):
        assert says(town.reply(message, words), words) == []
    assert says(town.reply(message, "Fine"), "Fine") == [BOB]


def test_an_automatic_answer_is_never_passed_on(town: Town) -> None:
    first = town.last_letter_to(ANN)
    headers = {"Auto-Submitted": "auto-replied"}
    words = "I will read your message soon, dear sender"
    assert town.write(ANN, "Re: x", words, to=first.reply_to, headers=headers) == []
    (asked,) = town.reply(first, "So I am out of office until June")
    assert asked.to == ANN


def test_a_plain_yes_or_no_answers_an_invitation(town: Town) -> None:
    """It must be all that the line says, and come from an address of the invited player."""
    for number, (words, answered) in enumerate(
        (("Si", "Your turn"), ("no, gracias", "You have rejected the invitation")), 2
    ):
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob")
        invitation = town.last_letter_to(BOB)
        assert f"Perudo board {number}" in invitation.subject
        for sender in ("eve@example.net", ANN):
            letters = town.write(sender, "Re: x", words, to=invitation.reply_to)
            assert [each.to for each in letters] == [sender]
            assert f"board {number}" not in letters[0].opening
        letters = town.reply(invitation, f"{words}\n\nUntil tomorrow!")
        assert any(answered in each.opening for each in letters)
        assert says(letters, "Until tomorrow!") == [ANN]


def test_a_reply_to_an_invitation_is_asked_about(town: Town) -> None:
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob")
    (letter,) = town.reply(town.last_letter_to(BOB), "What a nice idea that is!")
    assert "What did you mean?" in letter.subject


@pytest.mark.parametrize("text", ["well played bob", "Nice one, Bob!"])
def test_a_remark_to_a_player_may_be_said_again(town: Town, text: str) -> None:
    """Other words that are said again may be a machine's, so they are asked about."""
    town.move("ann", "2-2s")
    for _ in range(2):
        letters = town.reply(town.last_letter_to(ANN), text)
        assert any(f"| {text}" in each.text for each in letters if each.to == BOB)


@pytest.mark.parametrize("text", ["show me", "montre-moi !", "enséñame los dados", "покажи кости"])
def test_show_me_may_be_a_call_on_turn(town: Town, text: str) -> None:
    """It is not the command `show`, to which "me" would be a player."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert "Did you mean dudo?" in asked.text
