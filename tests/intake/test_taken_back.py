"""A command, and the reply to a letter, is not carried out if the words below take it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.shells import typed
from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, answering, town_at

ANN, BOB = "ann@example.org", "bob@example.org"
REFUSED = "The words below your command take it back, so it was not carried out."
ASKED = "What did you mean?"

COMMANDS = (
    *(f"perudo move 1 ann {PASSWORD} resign", f"perudo move 1 ann {PASSWORD} 2-2s"),
    *(f"perudo resign 1 ann {PASSWORD}", f"perudo move 1 ann {PASSWORD} propose"),
    *(f"perudo decline 1 ann {PASSWORD}", f"perudo accept ann {PASSWORD} 1"),
    *(f"perudo queue 1 ann {PASSWORD} 4-2s dudo", "perudo challenge ann bob"),
    *(f"set ann {PASSWORD} language=fr", f"signoff ann {PASSWORD}", f"perudo seek ann {PASSWORD}"),
    *(f"vacation ann {PASSWORD} 2023-12-01 2023-12-10", f"perudo mute ann {PASSWORD} 1"),
    *(f"perudo limit ann {PASSWORD} 2", f"block ann {PASSWORD} bob"),
)


def answers(letters: list[Letter]) -> list[str]:
    """The texts of the letters, which all go to ann."""
    assert {each.to for each in letters} == {ANN}
    return [" ".join(each.text.split()) for each in letters]


LONG = pytest.mark.long


@each_row("command", COMMANDS)
@pytest.mark.parametrize(
    "words", ["no wait", *(pytest.param(each, marks=LONG) for each in ("jk", "не надо, шучу"))]
)
def test_a_command_is_refused(tmp_path: Path, command: str, words: str) -> None:
    """So it is as a Subject, and as a line of the text, with and without a blank line below."""
    with new_town(tmp_path) as town:
        for subject, text in (
            (command, words),
            ("multiple", f"{command}\n{words}"),
            ("", f"{command}\n\n{words}"),
        ):
            (told,) = answers(town.write(ANN, subject, text))
            assert REFUSED in told
            assert PASSWORD not in told


def test_all_lines_above_the_words_are_refused_but_those_that_only_read(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        lines = ["perudo games", f"perudo move 1 ann {PASSWORD} resign", f"set ann {PASSWORD} a=b"]
        (told,) = answers(town.write(ANN, "multiple", "\n".join([*lines, "", "no wait"])))
        assert told.count(REFUSED) == 2
        assert "> perudo games NOT DONE" not in told


@pytest.mark.parametrize("behind", ["perudo move 1 ann {} dudo", "set ann {} letters=all"])
def test_words_between_two_commands_take_the_first_one_back(home: Path, behind: str) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        lines = f"perudo resign 1 ann {PASSWORD}", "no wait", behind.format(PASSWORD)
        (told,) = answers(town.write(ANN, "", "\n".join(lines)))
        assert told.count(REFUSED) == 2


@each_row(
    ("command", "words"),
    [
        (f"set ann {PASSWORD} language=en", "I don't want French letters"),
        (f"signoff ann {PASSWORD}", "I don't want to play any more"),
        (f"perudo resign 1 ann {PASSWORD}", "I don't want to play any more."),
        (f"perudo queue 1 ann {PASSWORD} 4-2s", "I don't want to miss my turn"),
    ],
)
def test_words_that_say_why_take_nothing_back(tmp_path: Path, command: str, words: str) -> None:
    with new_town(tmp_path) as town:
        letters = town.write(ANN, command, words)
        assert not [each for each in letters if REFUSED in " ".join(each.text.split())]


@each_row(
    "words",
    [
        *("I won't", "I'm not resigning", "don't!", "please don't", "STOP.", "just a test"),
        *("no I don't", "I'd rather stay", "Actually I'll play on", "No, I stay.", "let me play"),
        *("I want to stay", "Je veux rester !", "quiero quedarme", "хочу остаться"),
        *("je reste", "Finalement je continue", "Я остаюсь", "me quedo", "¡No, me quedo!"),
        *("let's keep playing", "should I?", "arrêtez", "alto", "es mentira", "не буду"),
    ],
)
def test_a_resignation_above_words_that_deny_it_is_asked_about(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), f"resign\n{words}")
        assert (told.to, told.subject) == (ANN, ASKED)


@each_row(
    "words",
    [
        *("queue 4-2s\njk", "queue 4-2s dudo\n\nno wait", "mute\njk", "block bob\njust kidding"),
        *("report\njust kidding", "Dudo. Sorry bob\n\nno wait", "2-2s\nGood luck!\nno wait"),
        *(
            "2-2s\nEDIT: 3-2s",
            "2-2s\nmake that 3-2s",
            "2-2s\n\nhmm, actually 3-2s",
            "2-2s\nmejor 3-2s",
        ),
        *("2-2s\nне, 3-2s", "2-2s\njust testing", "resign\nsorry, wrong window"),
        *("2-2s\nI meant 3-2s", "resign\ncancel that", "Yes, 2-2s\nno wait"),
        *("2-2s\ngood luck\n3-2s", "2-2s\ngood luck\ndudo", "2-2s\ngood luck, no wait"),
        *("2-2s\nbonne chance, non attends", "2-2s\nsuerte. no, espera"),
    ],
)
def test_the_reply_to_a_letter_is_asked_about(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), words)
        assert (told.to, told.subject) == (ANN, ASKED)


@each_row(
    ("words", "offered"),
    [
        ("2-2s\noops sorry, I meant 3-2s", "Did you mean 3-2s?"),
        ("2-2s\nno wait", ""),
        ("resign\nno wait", ""),
        ("resign\nsorry, wrong window: 3-2s", "Did you mean 3-2s?"),
    ],
)
def test_a_move_that_was_taken_back_is_not_offered(
    tmp_path: Path, words: str, offered: str
) -> None:
    """A yes in reply to the question would make the move that its writer did not want."""
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), words)
        asked = " ".join(told.text.split())
        assert offered in asked
        assert asked.count("Did you mean") == bool(offered)


@each_row(
    ("words", "offered"),
    [
        ("4-2s\ncorrection: four twos", "4-2s"),
        ("4-2s\nsorry, I meant four threes", "4-3s"),
        ("4-2s\nmake that 3 fours", "3-4s"),
        ("4-2s\nthat should be 4-3s", "4-3s"),
        ("4-2s\nHi all,\n\nwhat a game.\nSee you\nP.S. correction: four threes", "4-3s"),
        ("4-2s\nje corrige : quatre trois", "4-3s"),
        ("4-2s\nje voulais dire trois quatre", "3-4s"),
        ("4-2s\nпоправка: четыре тройки", "4-3s"),
        ("4-2s\nто есть четыре тройки", "4-3s"),
        ("4-2s\ncorrección: cuatro treses", "4-3s"),
        ("4-2s\ndisculpen, que sean cuatro treses", "4-3s"),
    ],
)
def test_a_bid_that_is_corrected_in_words_is_asked_about(
    tmp_path: Path, words: str, offered: str
) -> None:
    """The question offers the corrected bid; so it is below a command, which is refused."""
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), words)
        assert (told.to, told.subject) == (ANN, ASKED)
        assert f"Did you mean {offered}?" in " ".join(told.text.split())
        move, _, below = words.partition("\n")
        (refused,) = answers(town.move("ann", move, text=below))
        assert REFUSED in refused


@each_row(
    ("move", "below"),
    [
        ("4-2s", "Actually 5-2s dudo"),
        ("4-2s dudo", "make that 5-2s dudo"),
        ("4-2s", "en fait je doute"),
        ("4-2s", "Спасибо\nлучше пять двоек"),
        ("4-2s", "perdón, cinco doses"),
    ],
)
def test_a_queue_above_other_moves_is_asked_about(tmp_path: Path, move: str, below: str) -> None:
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(BOB), f"queue {move}\n{below}")
        assert (told.to, told.subject) == (BOB, ASKED)
        (refused,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} {move}", below)
        assert REFUSED in " ".join(refused.text.split())


def test_a_queue_above_words_about_its_own_moves_is_noted(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        words = "queue 4-2s dudo\nso dudo if 4-2s is too low"
        (told,) = town.reply(town.last_letter_to(BOB), words)
        assert told.opening == "Noted for board 1."


@each_row(
    "words",
    [
        "2-2s\nYou bid 3-2s, ann",
        "2-2s\nI really mean 2-2s",
        "2-2s\nGood luck!",
        "2-2s\nThe three of us should be there by four",
    ],
)
def test_words_about_bids_without_a_correction_go_to_the_others(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        letters = town.reply(town.last_letter_to(ANN), words)
        assert BOB in {each.to for each in letters}


@each_row(
    ("move", "words"),
    [
        ("resign", "no wait"),
        ("2-2s", "jk"),
        ("2-2s", "3-2s"),
        ("resign no wait", ""),
        ("2-2s jk", ""),
    ],
)
def test_a_move_in_the_subject_of_a_reply_is_asked_about(
    tmp_path: Path, move: str, words: str
) -> None:
    with new_town(tmp_path) as town:
        letter = town.last_letter_to(ANN)
        subject = f"Re: {letter.subject} {move}"
        (told,) = town.write(ANN, subject, words, to=letter.reply_to, headers=answering(letter))
        assert (told.to, told.subject) == (ANN, ASKED)


@each_row(
    "words",
    [
        *("No kidding!", "I'm not joking.", "Sans blague !", "je ne plaisante pas", "No es broma"),
        *("Без шуток", "не шучу"),
    ],
)
def test_words_that_stress_a_resignation_go_to_the_others(tmp_path: Path, words: str) -> None:
    """They say that the writer means it, in every language, so nobody needs to be asked."""
    with new_town(tmp_path) as town:
        letters = town.reply(town.last_letter_to(ANN), f"resign\n{words}")
        assert [each.opening for each in letters if each.to == BOB] == ["You win, bob!"]
        assert f"| {words}" in letters[-1].text


@pytest.mark.long
def test_a_text_at_a_shell_takes_a_move_back(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
    done = typed(home, f"perudo move 1 ann {PASSWORD} resign --message=jk")
    assert (done.exit_code, REFUSED in " ".join(done.stderr.split())) == (1, True)
    done = typed(home, f"perudo move 1 ann {PASSWORD} 2-2s --message=Ha!")
    assert done.exit_code == 0


@each_row(
    "words",
    [
        *("4-2s\nor dudo?", "4-2s\ndudo?", "4-2s\nfive twos would be better", "dudo\nor 4-2s"),
        *("4-2s\nor should I call?", "4-2s\nmaybe I doubt it", "calza\nperhaps dudo"),
        *("resign\nor dudo?", "resign\nmaybe 4-2s instead", "4-2s\nHi all!\n\nor five twos?"),
        *("4-2s\nou je doute ?", "4-2s\ncinq deux serait mieux", "4-2s\nou dudo ?"),
        *("4-2s\n¿o dudo?", "4-2s\ncinco doses sería mejor", "4-2s\no mejor no te creo"),
        *("4-2s\nили не верю?", "4-2s\nпять двоек было бы лучше", "4-2s\nможет, дудо?"),
    ],
)
def test_another_move_below_in_doubt_is_asked_about(tmp_path: Path, words: str) -> None:
    """A move that was wrongly played cannot be taken back; a question costs one more reply."""
    with new_town(tmp_path, moves=(("ann", "3-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), words)
        assert (told.to, told.subject) == (BOB, ASKED)


@each_row(
    "words",
    [
        *("dudo\ncorrection: I raise", "4-2s\ncorrection: bluff", "4-2s\noops, bluff"),
        *("dudo\nI raise", "dudo. Luc, I believe you", "dudo\nI believe you luc"),
        *("dudo\nyou're right, luc", "dudo\ncorrection : je monte", "dudo\nje te crois, luc"),
        *("4-2s\ncorrection : bluff", "4-2s\ncorrección: farol", "dudo\nte creo, luc"),
        *("dudo\ncorrección: subo", "dudo\nпоправка: повышаю", "4-2s\nпоправка: блеф"),
        *("не верю\nя тебе верю, люк", "дудо\nты прав"),
    ],
)
def test_words_below_that_contradict_the_move_are_asked_about(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path, moves=(("ann", "3-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), words)
        assert (told.to, told.subject) == (BOB, ASKED)


@each_row(
    "words",
    [
        *("dudo\nI believe you lie", "dudo\nI don't believe you, luc", "dudo\nI can't believe it"),
        *("dudo\nj'y crois pas", "dudo\nje ne te crois pas", "dudo\nno te creo", "дудо\nне верю"),
        *("4-2s\nor maybe we meet tomorrow", "4-2s\nbetter late than never", "4-2s\nwhy not?"),
        *("4-2s\nmejor tarde que nunca", "4-2s\nлучше поздно, чем никогда", "4-2s\nI raise"),
        *("4-2s\nmieux vaut tard que jamais", "4-2s\nI believe you, luc", "dudo\none more round"),
    ],
)
def test_words_below_that_agree_with_the_move_go_to_the_others(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path, moves=(("ann", "3-2s"),)) as town:
        assert ANN in {each.to for each in town.reply(town.last_letter_to(BOB), words)}


@each_row(
    "words",
    [
        *("5-2s\noops luc, I lost 3-2s", "5-2s\noops your turn 4-2s", "5-2s\nluc, or 4-2s"),
        *("5-2s\noops, bid was 3-2s", "5-2s\nedit: 4-2s, sorry all", "4-2s\nor 5-2s as luc said"),
        *("5-2s\ninstead of that please 4-2s your turn luc", "dudo\noops luc, your 4-2s it is"),
        *("5-2s\nups luc, quise decir 4-2s", "5-2s\nой люк, 4-2s", "5-2s\noups luc, plutôt 4-2s"),
        *("5-2s\noops luc lost it, typo, 4-2s", "4-2s\noops, finger slipped, bid 5-2s"),
        *("4-2s\nwhoops autocorrect did it: 5-2s", "5-2s\noops, your humble servant wanted 4-2s"),
        *("4-2s\noups, le doigt a glissé, dit 5-2s", "4-2s\nой, палец сорвался, сделал 5-2s"),
        *("dudo\noops, bob raised 4-2s", "4-2s\nuy, dedo gordo, dijo 5-2s"),
    ],
)
def test_a_bid_that_its_writer_may_mean_is_asked_about(tmp_path: Path, words: str) -> None:
    """Although it is lower than the move, or beside a name."""
    with new_town(tmp_path, moves=(("ann", "3-2s"),)) as town:
        (told,) = town.reply(town.last_letter_to(BOB), words)
        assert (told.to, told.subject) == (BOB, ASKED)


@each_row(
    "words",
    [
        *("I want to stay", "Sorry, I'd like to keep playing!", "I don't want to leave", "no wait"),
        *("Je veux rester", "désolé, je ne veux pas partir", "quiero quedarme", "no me quiero ir"),
        *("хочу остаться", "Извините, я не хочу уходить", "undo", "Undo!", "never mind"),
        *("I want to stay\nAnn", "oops\nI want to stay, sorry"),
    ],
)
def test_words_that_take_back_a_resignation_that_waits_are_told_how(
    tmp_path: Path, words: str
) -> None:
    with new_town(tmp_path) as town:
        (noted,) = town.reply(town.last_letter_to(BOB), "resign")
        (told,) = town.reply(noted, words)
        assert (told.to, told.subject) == (BOB, ASKED)
        assert "You have resigned: you leave the game when your turn comes." in told.text
        assert "reply again with just the word resign" in " ".join(told.text.split())
        (stays,) = town.reply(told, "resign")
        assert "your resignation is cancelled" in stays.opening


@each_row(
    "words", ["chat\nI want to stay", "My wife and I want to stay here until Friday, all of us."]
)
def test_other_words_after_a_resignation_that_waits_go_to_the_others(
    tmp_path: Path, words: str
) -> None:
    with new_town(tmp_path) as town:
        (noted,) = town.reply(town.last_letter_to(BOB), "resign")
        assert ANN in {each.to for each in town.reply(noted, words)}


@each_row("words", ["undo", "undo please"])
def test_undo_without_a_resignation_that_waits_is_refused(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(BOB), words)
        assert "Perudo has no undo" in told.text
