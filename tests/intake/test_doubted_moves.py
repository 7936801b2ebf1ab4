"""A move is asked about if a line below it wonders, asks to wait, or corrects a part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.move_lines.replaced_moves import is_taken_back
from tests.intake.new_towns import town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, answering, town_at

ANN, BOB = "ann@example.org", "bob@example.org"
ASKED = "What did you mean?"
HELPED = "How to go on: Perudo board 1"
REFUSED = "The words below your command take it back, so it was not carried out."


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """Such a board, which no question changes."""
    with town_with_bid(tmp_path) as made:
        yield made


def played(town: Town, replies: Iterable[str]) -> list[str]:
    """The replies of bob's, one in three hours, that were neither asked about nor questions."""
    letter = town.last_letter_to(BOB)
    found: list[str] = []
    for words in replies:
        town.now += 3 * 3600  # ten answers of this kind leave in a day
        answers = [(each.to, each.subject) for each in town.reply(letter, words)]
        if answers not in ([(BOB, ASKED)], [(BOB, HELPED)]):
            found.append(words)
    return found


WONDERS = (
    *("4-3s?", "4-3s ?", "¿4-3s?", "and 4-3s?", "5 twos?", "what if I doubt", "can I doubt?"),
    *("What if I doubt?", "if I doubt, what happens?", "what happens if I call dudo?"),
    *("if that's too low, 5-2s", "otherwise 5-2s", "Or not", "...or maybe not", "(just asking)"),
    *("I was only thinking aloud", "Wait, let me think about it first", "but maybe not yet"),
    *("et si je doute ?", "que se passe-t-il si je doute ?", "puis-je dire dudo ?", "ou pas"),
    *("sinon cinq deux", "si c'est trop bas, cinq deux", "je réfléchis à voix haute"),
    *("¿y si no te creo?", "qué pasa si dudo", "¿puedo dudar?", "o no", "si no, cinco doses"),
    *("si es muy bajo, cinco doses", "pensaba en voz alta", "а если я не верю?", "или нет"),
    *("что будет, если я не верю?", "можно не верить?", "иначе пять двоек"),
    *("если этого мало, пять двоек", "это я думаю вслух", "if I call...", "should I doubt?"),
    *("Suppose I doubt", "may I call dudo", "¿Debería dudar?", "стоит ли не верить?"),
    *("Si je doute, je perds un dé ?", "что если я скажу дудо"),
)


def test_a_bid_above_words_that_wonder_is_asked_about(town: Town) -> None:
    assert played(town, (f"4-2s\n{words}" for words in WONDERS)) == []


def test_a_bid_above_words_that_ask_to_wait_with_it_is_asked_about(town: Town) -> None:
    waits = (
        *("please don't play this yet", "hold on, don't play that", "don't send this yet"),
        *("ask me again before you play it", "this is not my move yet"),
        *("before I play: how many dice does luc have?", "ne joue pas encore ce coup stp"),
        *("ne le joue pas tout de suite", "no lo juegues todavía", "пока не играй это"),
    )
    assert played(town, (f"4-2s\n{words}" for words in waits)) == []
    assert played(town, (f"resign\n{words}" for words in waits)) == []
    assert played(town, (f"queue 5-2s\n{words}" for words in waits)) == []


def test_a_bid_above_another_number_or_face_is_asked_about(town: Town) -> None:
    parts = (
        *("I mean threes", "threes, I mean", "sorry threes", "threes", "threes not twos"),
        *("not twos, threes", "5 I mean", "I mean five", "je veux dire trois", "plutôt des trois"),
        *("trois, pardon", "pas deux mais trois", "quiero decir treses", "perdón, treses"),
        *("no doses, treses", "тройки, извините", "то есть тройки", "не двойки, а тройки"),
        *("six", "sorry, three", "I meant 14", "pardon, six", "perdón, seis", "извините, шесть"),
        *("I mean 5s", "sorry, 5s", "no, 5s", "actually 5s", "not 2s", "5s", "5's", "sorry 5’s"),
        *("not 2s but 5s", "5s not 2s", "oops, 5s", "pardon, des 5", "je veux dire les 5"),
        *("non, 5s", "perdón, 5s", "quiero decir 5s", "no, los 5", "извините, 5с", "нет, 5-ки"),
        *("не 2s, а 5s", "то есть 5s"),
    )
    assert played(town, (f"4-2s\n{words}" for words in parts)) == []


def test_a_move_above_a_pass_is_asked_about(town: Town) -> None:
    passes = "I pass", "pass", "I'll pass", "je passe", "paso", "пас", "пропускаю ход"
    every = [f"{move}\n{words}" for move in ("4-2s", "dudo", "resign") for words in passes]
    assert played(town, [*every, "dudo / I pass", "4-2s / 4-3s?"]) == []


def test_a_resignation_beside_a_cry_is_asked_about(town: Town) -> None:
    cries = "oh no", "Oh non !", "¡Ay no!", "о нет", "no no no"
    assert played(town, (f"resign\n{words}" for words in cries)) == []
    assert played(town, (f"{words}\nresign" for words in cries)) == []


PASSES = (
    *("I pass", "I'll pass", "I skip this turn", "skip my turn", "je passe mon tour"),
    *("paso turno", "Paso el turno.", "пропускаю ход", "я пас"),
)


@each_row("word", PASSES)
def test_a_pass_is_refused_in_every_form(word: str, town: Town) -> None:
    town.reply(town.last_letter_to(BOB), "accept")
    (told,) = town.reply(town.last_letter_to(BOB), word)
    said = " ".join(told.text.split())
    assert said.startswith(
        "Perudo has no pass: on your turn you raise the bid or call it. "
        "To leave the game, use resign."
    )


@each_row("word", PASSES)
def test_a_pass_to_a_challenge_offers_to_decline(word: str, town: Town) -> None:
    (told,) = town.reply(town.last_letter_to(BOB), word)
    assert "Reply with decline: you leave the game" in " ".join(told.text.split())


def test_a_command_above_words_that_wonder_is_refused(town: Town) -> None:
    for words in ("4-3s?", "please don't play this yet", "I mean threes"):
        (told,) = town.write(BOB, f"perudo move 1 bob {PASSWORD} 4-2s", words)
        assert REFUSED in " ".join(told.text.split())


TALK = (
    *("What if we meet on Friday?", "if you call me a liar I'll cry", "if luc doubts I am lost"),
    *("what if he believes me?", "three of us are going to the pub at 8", "see you at 5", "two!"),
    *("twos, always twos", "nice one", "there must be four", "One of us is lying", "can't wait"),
    *("would you like to come on Sunday?", "could be worse", "doubt it if you can", "oh no"),
    *("si tu doutes, tu perds", "si quieres dudar, adelante", "если не веришь, проверяй"),
    *("мне не верят", "si je perds, je paie", "si pierdo, pago", "I really mean twos"),
    *("don't play with fire", "it was hard to decide", "four!", "is this legal?"),
    *("wow, luc's 5-3s was bold", "your 3-2s was bold, ann", "I almost doubted"),
    *("if you call me a liar, I'll cry", "if you call, I'm dead", "If I call, I lose, that's all"),
    *("should you doubt me, think twice", "would you call that?", "can you bid higher than that?"),
    *("Si dudo, pierdo", "si subes, pierdes", "Si je dis dudo, je suis mort", "Tu doutes ?"),
    *("Si tu dis dudo, je pleure", "Если скажешь дудо, я пропал", "Если не поверю, проиграю"),
    *("42", "100%", "thirteen", "1000!", "50%", "5 %", "trente !", "100%, amigos", "тридцать!"),
    *("Sorry, 5 minutes late", "no 5s this time", "2s!", "2s, of course", "my iPhone 5s is dead"),
    *(
        "oops, 6 am already",
        "3-0 for us yesterday!",
        "see you on the 5th",
        "désolé, 2 enfants malades",
    ),
    *(
        "Perdón, 3 reuniones hoy",
        "no hay 2 sin 3",
        "Извините, 2 дня без интернета",
        "осталось 3 дня",
    ),
)
TALK_OF_CALLS = (
    *("if I'm wrong I buy the beer", "I pass the dice to you, luc", "3-2s? really?"),
    *("you can't have three", "three? never", "dudo if you like", "if you doubt, dudo"),
    *("If you have four 4s, wow", "si tienes tres cuatros me como el sombrero"),
    *("Si tu as trois 4, chapeau", "Если там три четвёрки, я удивлюсь", "What if I'm wrong?"),
    *(
        "if it's four 4s I'll eat my hat",
        "if that's 4-4s, I'm a monkey",
        "si c'est quatre 4, bravo",
    ),
    *("si son cuatro cuatros, me voy", "если это четыре четвёрки, я угощаю"),
)


def test_words_about_other_things_are_for_the_others() -> None:
    """This reads the rule itself: each of them would need a board of its own."""
    asked = [each for each in TALK if is_taken_back("4-2s", [each], reads_as_move)]
    asked += [each for each in TALK_OF_CALLS if is_taken_back("dudo", [each], reads_as_move)]
    assert asked == []


@each_row(
    "words",
    [
        *("4-2s\nif luc doubts I am lost", "4-2s\ntwo!", "dudo\n3-2s? really?", "4-2s\n100%"),
        *("4-2s\nif you call, I'm dead", "4-2s\nSi dudo, pierdo", "4-2s\n42", "4-2s\nthirteen"),
        *("4-2s\nif you call me a liar, I'll cry", "4-2s\nSi tu dis dudo, je pleure"),
        *("4-2s\nshould you doubt me, think twice", "dudo\nIf you have four 4s, wow"),
        *("4-2s\nЕсли скажешь дудо, я пропал", "4-2s\nwould you call that?"),
    ],
)
def test_such_words_reach_the_others_with_the_move(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), words)
        (to_ann,) = [each for each in letters if each.to == ANN]
        assert f"| {words.splitlines()[1]}" in to_ann.text


@each_row(
    "words",
    [
        *("what a game\nresign", "great\naccept", "I'm sorry, I have to go.\n\nresign"),
        *("wow\nrematch", "wow\nqueue 4-2s", "hello bob\nchat\nhow are you?", "Ay no\nreject"),
    ],
)
def test_a_reply_with_words_above_a_command_of_replies_is_asked_about(
    words: str, town: Town
) -> None:
    """No answer says that a board, a userid and a password are missing: the letter tells them."""
    assert played(town, [words]) == []


def test_words_above_an_answer_offer_it(town: Town) -> None:
    (told,) = town.reply(town.last_letter_to(BOB), "no time\ndecline")
    assert "Did you mean decline? If so, reply with just that." in told.text
    (done,) = [each for each in town.reply(told, "yes") if each.to == BOB]
    assert done.opening == "You leave the game."


@each_row("move", ["dudo", "4-2s", "resign"])
def test_a_move_below_words_to_another_player_is_asked_about(move: str, town: Town) -> None:
    """It is neither played nor told to the others."""
    letters = town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Are you coming on Friday?")
    (letter,) = [each for each in letters if each.to == BOB]
    for words in ("Haha good one ann!\n\n", "yes, I am coming, see you there.\n"):
        (told,) = town.reply(letter, f"{words}{move}")
        assert (told.to, told.subject) == (BOB, ASKED)
        assert move == "resign" or f"Did you mean {move}?" in told.text


@contextmanager
def challenged(folder: Path) -> Iterator[Town]:
    """Board 1, for which ann has challenged bob, who has not answered; a new one for each row."""
    with town_at(Path(mkdtemp(dir=folder)) / "home") as made:
        made.sign_up("ann", "bob", "luc")
        made.challenge("ann", "bob", "luc")
        yield made


@each_row(
    "words",
    [
        *("accept of course!", "accept with pleasure", "accept the challenge"),
        *("accept your invitation", "accept why not", "accept and good luck to everybody"),
    ],
)
def test_an_acceptance_with_everyday_words_takes_the_seat(tmp_path: Path, words: str) -> None:
    """The words are neither a userid nor a password."""
    with challenged(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), words)
        assert "You have taken your seat at board 1." in {each.opening for each in letters}


@each_row(
    "words",
    [
        *("accept good luck?", "accept that is fine", "accept sounds good to me", "accept draw"),
        *("decline sorry no time", "resign sorry all", "resign I have no time"),
        *("resign the game is lost", "accept?"),
    ],
)
def test_an_answer_with_other_everyday_words_is_asked_about(tmp_path: Path, words: str) -> None:
    """No answer says that a password is wrong or missing."""
    with challenged(tmp_path) as town:
        assert played(town, [words]) == []


def test_an_answer_with_a_userid_and_a_password_is_a_command(tmp_path: Path) -> None:
    with challenged(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(BOB), f"accept bob {PASSWORD} 1")
        assert told.opening == "You have taken your seat at board 1."


@each_row("subject", ["Help", "help please", "Re: help rules", "Aide", "Ayuda", "помощь"])
def test_an_acceptance_below_a_subject_that_asks_for_help_takes_no_seat(
    tmp_path: Path, subject: str
) -> None:
    """As a bid there, it is asked about: who asks for help may not know what it does."""
    with challenged(tmp_path) as town:
        letter = town.last_letter_to(BOB)
        headers = answering(letter)
        (told,) = town.write(BOB, subject, "accept", to=letter.reply_to, headers=headers)
        assert told.subject == ASKED
        assert "asks for help, but its text is the move accept." in " ".join(told.text.split())


@each_row(
    ("words", "unmade"),
    [
        ("what does wild mean?\n\n4-2s", "Did you mean 4-2s?"),
        ("How do I play?\n4-2s", "Did you mean 4-2s?"),
        ("what are my dice?\ndudo", "Did you mean dudo?"),
        ("how do I quit?\nresign", "Reply with decline: you leave the game"),
        ("comment quitter la partie ?\nj'abandonne la partie", "Reply with decline"),
    ],
)
def test_the_answer_to_a_question_above_a_move_says_that_no_move_was_made(
    words: str, unmade: str, town: Town
) -> None:
    town.now += 3 * 3600  # as in `played`
    (told,) = town.reply(town.last_letter_to(BOB), words)
    said = " ".join(told.text.split())
    assert "You asked for help at board 1." in said
    assert "No move was made." in said
    assert unmade in said


def test_a_page_of_help_above_a_move_says_that_it_was_not_made(town: Town) -> None:
    letter = town.last_letter_to(BOB)
    for line in ("help rules", "help", "help dudo"):
        (told,) = town.reply(letter, f"{line}\n4-2s")
        said = " ".join(told.text.split())
        assert "Your email asks for help above the move 4-2s, so the move was not made." in said
        assert "is not a command" not in said
        assert "There is no such command" not in said


def test_no_other_answer_says_that_no_move_was_made(town: Town) -> None:
    letter = town.last_letter_to(BOB)
    for words in ("What are my dice?", "help rules", "help rules\nThank you!"):
        (told,) = town.reply(letter, words)
        assert "No move was made." not in told.text
        assert "so the move was not made." not in told.text
