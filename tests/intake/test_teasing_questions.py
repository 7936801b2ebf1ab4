"""A question to others about a bluff, below a bid, is for the table and doubts nothing."""

from __future__ import annotations

from pathlib import Path

from tests.intake.new_towns import new_town
from tests.intake.test_taken_back import ANN, ASKED, BOB
from tests.rows import each_row


@each_row(
    ("text", "told"),
    [
        ("Trois 4 !\n\nEt toi ann, tu bluffes ? ;)", "| Et toi ann, tu bluffes ? ;)"),
        ("Allez, trois 4 !\n\nEt toi olga, tu bluffes ? ;)", "| Et toi olga, tu bluffes ? ;)"),
        ("4-3s\n\n¿Y tú, Emma, vas de farol? jaja", "| ¿Y tú, Emma, vas de farol? jaja"),
        ("3-3s\n\nPablo, ты блефуешь?)", "| Pablo, ты блефуешь?)"),
        ("Три тройки!\n\nPablo, ты блефуешь?)", "| Pablo, ты блефуешь?)"),
        ("3-3s\nврёшь?", "| врёшь?"),
        ("five 3s\nAnn, you're bluffing?!", "| Ann, you're bluffing?!"),
        ("five 3s\n\nAnd you Luc, are you bluffing? ;)", "| And you Luc, are you bluffing? ;)"),
        ("4-3s\n¿Vas de farol, ann?", "| ¿Vas de farol, ann?"),
        ("4-3s\nVas de farol, ¿verdad, ann?", "| Vas de farol, ¿verdad, ann?"),
        ("4-3s\nTu bluffes, Ann ?", "| Tu bluffes, Ann ?"),
        ("4-3s\nAlors tu bluffes, mon cher ami ?", "| Alors tu bluffes, mon cher ami ?"),
        ("4-3s\nТы блефуешь, да?", "| Ты блефуешь, да?"),
        ("4-3s\nYou're lying, aren't you?", "| You're lying, aren't you?"),
        ("4-3s\nI can't wait, are you bluffing, ann?", "| I can't wait, are you bluffing, ann?"),
        ("4-3s\nSure, are you bluffing?", "| Sure, are you bluffing?"),
    ],
)
def test_a_bid_above_a_teasing_question_is_played(tmp_path: Path, text: str, told: str) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert {each.to for each in letters} == {ANN, BOB}
        assert all(told in each.text for each in letters)


@each_row(
    "text",
    [
        "Allez, deux 5 !\nEt toi emma, tu bluffes mieux que ça ? ;)",
        "deux cinq\n\nEt toi bob, tu bluffes ?",
    ],
)
def test_so_is_the_first_bid_of_a_round(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path) as town:
        letters = town.reply(town.last_letter_to(ANN), text)
        assert "You bid two 5s." in [each.opening for each in letters if each.to == ANN]


@each_row(
    ("text", "offered"),
    [
        ("4-2s\nou tu bluffes ?", ""),
        ("4-2s\nAre you bluffing? No wait, dudo", "dudo"),
        ("4-2s\ndudo, tu bluffes ?", "dudo"),
        ("4-2s\nand what if you lie?", ""),
        ("4-2s\nno wait\nAnn, are you bluffing?", ""),
        ("4-2s\nno wait\nВрёшь?", ""),
        ("4-2s\nyou bluff, dudo?", "dudo"),
        ("4-2s\nyou bluff, or?", "dudo"),
    ],
)
def test_a_bid_above_a_move_in_doubt_is_asked_about(
    tmp_path: Path, text: str, offered: str
) -> None:
    """The question alone offers no call there."""
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert (told.to, told.subject) == (BOB, ASKED)
        assert ("Did you mean dudo?" in told.text) == bool(offered)


@each_row(
    "words",
    [
        *("wait you bluff?", "no wait are you bluffing?", "forget that are you lying?"),
        *("scrap that you're lying?", "wait wait are you lying ann?", "jk are you bluffing?"),
        *("hmm no wait, are you bluffing, ann?", "attends tu bluffes ?", "non attends tu mens ?"),
        *("laisse tomber tu bluffes, Ann ?", "espera ¿vas de farol?", "olvida eso mientes?"),
        *("no espera ¿mientes, ann?", "подожди ты блефуешь?", "погоди ты врёшь, Энн?"),
        "нет стой врёшь?",
    ],
)
def test_a_bid_above_such_a_question_behind_words_that_take_it_back_is_asked_about(
    tmp_path: Path, words: str
) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), f"4-2s\n{words}")
        assert (told.to, told.subject) == (BOB, ASKED)


@each_row("text", ["I don't believe you", "I do not believe you!", "I don’t believe you."])
def test_i_do_not_believe_you_is_a_call_in_english_too(tmp_path: Path, text: str) -> None:
    """So are its like in the other languages; "I don't believe it" is also what people exclaim."""
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        turn = town.last_letter_to(BOB)
        (told,) = town.reply(turn, "I don't believe it")
        assert (told.to, told.subject) == (BOB, ASKED)
        letters = town.reply(turn, text)
        assert [each.opening for each in letters if each.to == BOB] == ["You lose a die."]


def test_below_a_move_that_was_already_made_the_question_is_sent(tmp_path: Path) -> None:
    with new_town(tmp_path) as town:
        turn = town.last_letter_to(ANN)
        town.reply(turn, "deux cinq")
        question = "Et toi emma, tu bluffes mieux que ça ? ;)"
        letters = town.reply(turn, f"deux cinq\n\n{question}")
        assert [each.to for each in letters if f"| {question}" in each.text] == [BOB]
        (told,) = (" ".join(each.text.split()) for each in letters if each.to == ANN)
        assert "Your message was sent to the others." in told


@each_row(
    ("text", "question"),
    [
        ("3-2s. Are you bluffing?", "Are you bluffing?"),
        ("trois 2. Tu bluffes ?", "Tu bluffes ?"),
        ("3-2s, tu bluffes ?", "tu bluffes ?"),
        ("3-2s! Et toi ann, tu bluffes ?", "Et toi ann, tu bluffes ?"),
        ("3-2s. ¿Estás mintiendo?", "¿Estás mintiendo?"),
        ("3-2s. ¿Vas de farol?", "¿Vas de farol?"),
        ("3-2s. Блефуешь?", "Блефуешь?"),
        ("три двойки. И ты, ann, блефуешь?", "И ты, ann, блефуешь?"),
    ],
)
def test_so_is_such_a_question_on_the_line_of_a_bid(
    tmp_path: Path, text: str, question: str
) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert [each.opening for each in letters if each.to == BOB] == ["You bid three 2s."]
        (turn,) = [each for each in letters if each.to == ANN]
        assert f"| {question}" in turn.text


@each_row(
    "text",
    [
        *("3-2s. Are you bluffing? I call you then", "dudo. Or are you bluffing?"),
        *("3-2s. Should I?", "3-2s. Are you bluffing? 4-2s", "3-2s or are you bluffing?"),
        *("3-2s, and if you bluff?", "3-2s. My password, are you bluffing?", "3-2s. And you?"),
    ],
)
def test_a_bid_with_another_question_is_asked_about(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert (told.to, told.subject) == (BOB, ASKED)


@each_row(
    "text",
    [
        *("dudo, you're bluffing!", "dudo, tu bluffes !", "Dudo, liar!", "dudo, you are lying ann"),
        *("дудо, блефуешь!", "dudo, menteur !", "dudo! You're lying"),
    ],
)
def test_a_call_that_says_so_again_is_made(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert {each.to for each in letters} == {ANN, BOB}
        assert "called dudo" in " ".join("".join(each.text for each in letters).split())


@each_row("text", ["dudo, are you bluffing?", "dudo, no you're not bluffing", "dudo, or not"])
def test_a_call_with_words_in_doubt_is_asked_about(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, moves=(("ann", "2-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert (told.to, told.subject) == (BOB, ASKED)
