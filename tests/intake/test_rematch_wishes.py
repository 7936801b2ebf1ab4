"""A reply to the last letter of a game that wants another game, without the word `rematch`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
AGAIN = "This is the rematch of board 1."


@contextmanager
def ended(folder: Path) -> Iterator[tuple[Town, Letter]]:
    """A town, and the last letter to bob, who has won board 1."""
    with new_town(folder, moves=(("ann", "resign"),)) as town:
        yield town, town.last_letter_to(BOB)


def after_two_left(town: Town) -> Letter:
    """The last letter of board 1 to its winner: cleo has left it early, and then the second one."""
    town.move("ann", "2-2s")
    town.move("bob", "2-3s")
    letters = town.move("cleo", "resign")
    (turn,) = [each for each in letters if each.subject.startswith("Your turn")]
    town.reply(turn, "resign")
    return town.last_letter_to(BOB if turn.to == ANN else ANN)


def begins(letters: list[Letter]) -> bool:
    """Whether a rematch begins, and both players are told."""
    told = {each.to for each in letters if AGAIN in " ".join(each.text.split())}
    assert told in (set(), {ANN, BOB})
    return bool(told)


@each_row(
    "text",
    [
        *("one more?", "One more game?", "another one?", "Play again?", "let's play again!"),
        *("encore une ?", "Une autre ?", "on remet ça ?", "on rejoue ?", "encore une partie ?"),
        *("¿otra?", "¿Otra partida?", "una más", "¿jugamos otra?"),
        *("ещё партию?", "Ещё одну?", "давай ещё", "сыграем ещё?", "еще партию?"),
        *("One more, ann?", "Hi Ann,\n\nanother game?\n\nBob"),
        *("rematch please :)", "Rematch pls!", "revancha por favor :)", "Revancha ya!!"),
        *("revanche s'il vous plaît :)", "Реванш, друзья!", "реванш, пожалуйста :)"),
        *("Rematch! That was fun", "Revanche ! C'était serré.", "¡Revancha! Fue muy divertido."),
        *("Реванш! Было весело", "rematch with ann too", "revanche avec ann aussi"),
        *("gg rematch", "new game please", "can we play again?", "nouvelle partie ?"),
        *("on peut rejouer ?", "nueva partida", "новая партия?"),
    ],
)
def test_a_clear_wish_begins_the_rematch(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        letters = town.reply(last, text)
        assert begins(letters)
        assert not begins(town.reply(town.last_letter_to(BOB), text))


@each_row("text", ["gg, one more?", "Good game! Another one?", "Bien joué ! Encore une ?"])
def test_polite_words_beside_it_are_the_opening_message(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        letters = town.reply(last, text)
        assert begins(letters)
        polite = text.replace("!", ",").partition(",")[0].strip()
        assert f"| {polite}" in next(each.text for each in letters if each.to == ANN)


@each_row("text", ["again?", "Again!", "encore ?", "otra vez?", "ещё раз?", "Good game! Again?"])
def test_words_that_may_be_a_sigh_are_asked_about(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        (told,) = town.reply(last, text)
        assert told.to == BOB
        assert "Did you mean rematch? If so, reply with just that." in told.text
        assert begins(town.reply(told, "yes"))


@each_row(
    "text",
    [
        *("rematch next week", "rematch tomorrow?", "Rematch on Monday!", "rematch if bob wants"),
        *("rematch with everybody", "rematch with my brother", "rematch with calza"),
        *("revanche la semaine prochaine", "revancha el lunes", "реванш завтра"),
    ],
)
def test_the_word_rematch_with_other_words_is_asked_about(tmp_path: Path, text: str) -> None:
    """Nobody is told that a password is missing."""
    with ended(tmp_path) as (town, last):
        (told,) = town.reply(last, text)
        assert (told.to, told.subject) == (BOB, "What did you mean?")
        assert "Did you mean rematch? If so, reply with just that." in told.text


@each_row(
    "text",
    [
        *("one more time you lied", "Another game was better", "I want no more", "no more"),
        *("not again", "one more? no thanks", "another one bites the dust", "encore toi !"),
    ],
)
def test_other_words_begin_nothing(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        letters = town.reply(last, text)
        assert not begins(letters)
        assert not any("Did you mean rematch" in each.text for each in letters)


@each_row("text", ["one more?", "¿otra?", "again?"])
def test_during_the_game_and_below_words_of_others_it_is_as_before(
    tmp_path: Path, text: str
) -> None:
    with new_town(tmp_path) as town:
        letters = town.reply(town.last_letter_to(ANN), text)
        town.move("ann", "resign")
        town.reply(town.last_letter_to(BOB), "Well played indeed")
        letters += town.reply(town.last_letter_to(ANN), text)
        assert not begins(letters)
        assert not any("Did you mean rematch" in each.text for each in letters)


@each_row(
    "text",
    [
        *(
            "rematch cleo",
            "rematch with cleo",
            "Rematch with ann and cleo, please",
            "gg\n\nrematch cleo",
        ),
        *("revanche avec cleo", "revancha con cleo", "реванш с cleo", "one more with cleo?"),
        *("One more, cleo?", "Cleo, rematch?", "Rematch, Cleo!", "Une autre, cleo ?"),
        *("¿Otra, cleo?", "Ещё партию, cleo?", "Ann and cleo, one more?", "Rematch! Cleo too"),
        *("rematch with ann, bob, cleo", "encore une, ann et cleo ?", "¿Otra, ann y cleo?"),
    ],
)
def test_a_reply_can_name_who_left_early(tmp_path: Path, text: str) -> None:
    """The name alone is not a message to the others."""
    with new_town(tmp_path, ("ann", "bob", "cleo")) as town:
        last = after_two_left(town)
        letters = town.reply(last, text)
        assert {ANN, BOB, "cleo@example.org"} == {each.to for each in letters}
        assert all(AGAIN in " ".join(each.text.split()) for each in letters)
        assert not any("| cleo" in each.text.lower() for each in letters)


@each_row("text", ["Hi cleo, one more?", "gg cleo! rematch", "Well played Cleo, one more?"])
def test_who_left_early_and_is_spoken_to_gets_the_words_and_the_rematch(
    tmp_path: Path, text: str
) -> None:
    with new_town(tmp_path, ("ann", "bob", "cleo")) as town:
        letters = town.reply(after_two_left(town), text)
        (told,) = [each for each in letters if each.to == "cleo@example.org"]
        assert AGAIN in " ".join(told.text.split())
        assert f"| {text[: text.lower().index('cleo')]}" in told.text


@each_row("text", ["One more, Claire?", "Claire, rematch!", "Hi Claire,\n\none more?"])
def test_a_name_of_nobody_is_asked_about_if_a_player_left_early(tmp_path: Path, text: str) -> None:
    """It may be that player, who would not be invited; else it is one of those who are."""
    with new_town(tmp_path, ("ann", "bob", "cleo")) as town:
        last = after_two_left(town)
        (told,) = town.reply(last, text)
        assert "Did you mean rematch?" in told.text
        assert len(town.reply(last, "rematch\nClaire")) == 2
    with ended(tmp_path) as (town, last):
        assert begins(town.reply(last, text))


@each_row("text", ["rematch", "rematch please", "rematch with ann"])
def test_who_left_early_and_is_not_named_stays_out(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, ("ann", "bob", "cleo")) as town:
        last = after_two_left(town)
        assert {ANN, BOB} == {each.to for each in town.reply(last, text)}


@each_row(
    "text",
    [
        *(
            "Rematch! Just kidding",
            "Rematch! That was fun, but not today",
            "Rematch? That was fun?",
        ),
        *("Rematch! Great, but without ann", "Revanche ! C'était génial, plus tard peut-être"),
        *("Rematch? That was fun?", "Rematch! Great that we had so much time for all of it here"),
    ],
)
def test_other_sentences_beside_it_begin_nothing(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        assert not begins(town.reply(last, text))


def test_a_sentence_about_the_game_is_the_opening_message(tmp_path: Path) -> None:
    with ended(tmp_path) as (town, last):
        letters = town.reply(last, "Rematch! That was fun")
        assert "| That was fun" in next(each.text for each in letters if each.to == ANN)


@each_row(
    "text", ["advise please", "consejo, por favor", "conseil s'il vous plaît", "совет, пожалуйста"]
)
def test_polite_words_go_with_a_command_about_the_board(tmp_path: Path, text: str) -> None:
    with ended(tmp_path) as (town, last):
        (told,) = town.reply(last, text)
        assert told.to == BOB
        assert told.text.startswith("Round 1 of board 1.")
