"""Texts of people are read as the commands that they mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.email_parser import (
    MOST_LINES,
    MOST_UNKNOWN,
    AnsweredBoard,
    ParsedText,
    read_mail,
)
from pbmserv.commands.framework import commands_of, vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.options import parted
from pbmserv.commands.parser import CommandCall, Unknown, read_line
from pbmserv.commands.spelling import CORRECTED
from pbmserv.errors import Refused
from pbmserv.text.phrases import words_of
from pbmserv.text.subject_prefixes import bare_subject
from tests.rows import each_row

HERE = Path(__file__).parent
SUBJECTS = [
    tuple(part.strip() for part in line.split("=>"))
    for line in (HERE / "subjects.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
REPLY = AnsweredBoard(12, "T" * 32)


def written(read: CommandCall | Unknown | None) -> str:
    """The order in the notation of subjects.txt."""
    match read:
        case CommandCall(game, name, words):
            return f"{game} {name} | {' '.join(words)}".strip()
        case Unknown(word, nearest):
            return f"? {word} {nearest}".strip()
        case None:
            return "-"


@each_row(
    "word",
    [
        *("Signup:", "Sign up", "Sign-up:", "Register", "Inscription :", "Perudo sign up"),
        *("Perudo: sign up", "pbmserv: signup", "Perudo\uff1aregister", "Sign up\uff1a"),
    ],
)
def test_a_subject_may_say_sign_up_in_other_words(word: str) -> None:
    """ "Help: rules" is not a command: it is the Subject of our page."""
    read = read_line(f"{word} ann secret", vocabulary(), is_subject=True)
    assert written(read) == "signup | ann secret"
    assert written(read_line("Help: rules", vocabulary(), is_subject=True)).startswith("?")


def test_our_name_and_a_colon_may_be_in_front_of_a_sign_up() -> None:
    """In a Subject and in a text.  In front of other words they are prose."""
    for asked in (mail("Perudo: sign up ann secret"), mail("Hi", "Perudo: sign up ann secret")):
        assert [written(line) for line in asked.lines] == ["signup | ann secret"]
    assert written(read_line("Perudo: see you tomorrow", vocabulary())).startswith("?")


@each_row(("subject", "expected"), SUBJECTS)
def test_a_subject_is_read_as_the_command_it_means(subject: str, expected: str) -> None:
    assert written(read_line(bare_subject(subject), vocabulary())) == expected


def mail(subject: str, text: str = "", reply: AnsweredBoard | None = None) -> ParsedText:
    return read_mail(subject, text.split("\n"), reply, vocabulary(), reads_as_move)


def test_the_body_is_the_message_of_a_command_in_the_subject() -> None:
    read = mail("perudo chat 12 ann secret", "Hello,\n\nwell played!\n")
    assert [written(line) for line in read.lines] == ["perudo chat | 12 ann secret"]
    assert read.message == "Hello,\n\nwell played!"


@pytest.mark.parametrize("subject", ["Sign up", "Register:", "signup"])
def test_a_sign_up_may_be_below_a_subject_that_only_names_it(subject: str) -> None:
    read = mail(subject, "signup ann secret\n\nHello")
    assert [written(line) for line in read.lines] == ["signup | ann secret"]
    assert mail(subject, "Hello there").lines == (CommandCall("", "signup", ()),)


def test_a_reply_with_a_token_is_a_bare_move_and_the_rest_a_message() -> None:
    read = mail("Re: Perudo Board 12 ann **", "\n 4-2s \n\nTake that.", REPLY)
    assert read.lines == (CommandCall("perudo", "move", ("12", "*", "T" * 32, "4-2s")),)
    assert read.message == "Take that."


@pytest.mark.parametrize(
    "words",
    [
        *("accept\n3-2s", "reject\n\ndudo", "accept\n- 3-2s", "accept\nDudo, of course"),
        *(
            "resign\n4-2s",
            "accept\nno wait",
            "reject\njk",
            "resign\n\nLol, only joking",
            "decline\njk",
        ),
        *(
            "accept\nreject",
            "resign\naccept",
            "me rindo\nes broma",
            "сдаюсь\nшучу",
            "draw?\nno, wait",
        ),
    ],
)
def test_an_answer_above_a_move_or_its_retraction_is_neither(words: str) -> None:
    read = mail("Re: Perudo Board 12", words, REPLY)
    assert read == ParsedText((Unknown("", ""),), "")


def test_commands_know_that_the_words_below_take_them_back() -> None:
    for words in ("no wait", "jk"):
        (call,) = mail("perudo move 12 ann secret resign", words).lines
        assert isinstance(call, CommandCall)
        assert call.is_taken_back
    calls = mail("", "perudo move 12 ann secret resign\nno wait\nset ann secret letters=all").lines
    assert [each.is_taken_back for each in calls if isinstance(each, CommandCall)] == [True, True]


def test_a_move_in_the_subject_of_a_letter_with_other_words_behind_it_is_unclear() -> None:
    for words in ("resign no wait", "4-2s or maybe 4-3s"):
        read = mail(f"Re: perudo move 12 {words}", "", REPLY)
        assert read == ParsedText((Unknown("", ""),), "")


@pytest.mark.parametrize(
    "words",
    [
        *("3-2s\nno wait", "dudo\n\njk", "3-2s\n4-2s", "4-2s\ndudo"),
        *("3-2s\nno, 5-3s", "dudo\nno: 5-3", "4-2s\nno, dudo", "dudo\nno dudo", "4-2s\nnot dudo"),
        *("4-2s\nI mean 5-3s", "dudo\n5-3s instead", "4-2s\nhi all\noops, no, 5-3s"),
        *("4-2s\nactually five threes", "4-2s\ncorrection: 5-3s", "4-2s\nno, resign"),
        *(
            "4-2s\nnon, 5-3",
            "je doute\nnon, cinq trois",
            "4 doses\nno, mejor 5-3s",
            "4-2s\nнет, 5-3s",
        ),
    ],
)
def test_a_bid_or_a_call_above_its_retraction_or_another_move_is_neither(words: str) -> None:
    assert mail("Re: Perudo Board 12", words, REPLY) == ParsedText((Unknown("", ""),), "")


@pytest.mark.parametrize(
    "words",
    [
        *("dudo\nNo!", "4-2s\nfour 2s", "liar\ndudo", "dudo\nje doute"),
        *("4-2s\nI mean four 2s", "dudo\nI said dudo", "4-2s\nyour call"),
        *("4-2s\nbob bid 5-3s", "dudo\nno way", "4-2s\nNo te creo nada, bob", "dudo\nno problem"),
    ],
)
def test_the_same_move_again_or_an_exclamation_changes_nothing(words: str) -> None:
    (call,) = mail("Re: Perudo Board 12", words, REPLY).lines
    assert isinstance(call, CommandCall)
    assert call.name == "move"


@pytest.mark.parametrize(
    "words",
    [
        "accept lol",
        "resign, mate",
        "reject jaja",
        "accept (joking)",
        "resign - no wait",
        "accept not",
    ],
)
def test_an_answer_beside_laughter_or_a_retraction_is_not_a_command_that_lacks_words(
    words: str,
) -> None:
    assert mail("Re: Perudo Board 12", words, REPLY) == ParsedText((Unknown("", ""),), "")


def test_a_template_sent_back_with_a_move_but_no_password_uses_the_token() -> None:
    read = mail("Re: Perudo Board 12 ann ** dudo", "", REPLY)
    assert read.lines == (CommandCall("perudo", "move", ("12", "*", "T" * 32, "dudo")),)


def test_a_template_of_another_board_does_not_use_the_token() -> None:
    read = mail("Re: Perudo Board 13 ann ** dudo", "", REPLY)
    assert read.lines == (CommandCall("perudo", "move", ("13", "ann", "**", "dudo")),)


def test_a_password_in_the_template_is_used_as_written() -> None:
    read = mail("Re: Perudo Board 12 ann ** secret dudo", "", REPLY)
    assert read.lines == (CommandCall("perudo", "move", ("12", "ann", "**", "secret", "dudo")),)


def test_prose_in_reply_to_a_chat_letter_is_chat() -> None:
    read = mail("Re: Perudo chat 12 bob", "Same to you, Bob!", REPLY)
    assert read.lines == (CommandCall("perudo", "chat", ("12", "*", "T" * 32)),)
    assert read.message == "Same to you, Bob!"


def test_a_move_in_reply_to_a_chat_letter_is_a_move() -> None:
    read = mail("Re: Perudo chat 12 bob", "dudo", REPLY)
    assert written(read.lines[0]).startswith("perudo move")


@pytest.mark.parametrize("subject", ["perudo chat 12 bob", "Re: Perudo chat 12 bob"])
@pytest.mark.parametrize("text", ["Same to you, Bob!", ""])
def test_a_chat_without_password_and_token_lacks_its_text(subject: str, text: str) -> None:
    """Its writer is told which word is missing, not that there was no command."""
    assert mail(subject, text) == ParsedText((CommandCall("perudo", "chat", ("12", "bob")),), text)


def test_a_command_below_the_subject_of_a_chat_letter_is_carried_out() -> None:
    read = mail("Re: Perudo chat 12 bob", "perudo show 12")
    assert [written(line) for line in read.lines] == ["perudo show | 12"]


@each_row(
    ("line", "words"),
    [
        ("chat hello everybody", "hello everybody"),
        ("чат привет", "привет"),
        ("чат: где вы?", "где вы?"),
        ("charla hola a todos", "hola a todos"),
    ],
)
def test_words_may_be_behind_the_word_chat_in_a_reply(line: str, words: str) -> None:
    reply = AnsweredBoard(12, "TOKEN")
    call = CommandCall("perudo", "chat", ("12", "*", "TOKEN"))
    assert mail("Re: Perudo board 12", f"{line}\nbye", reply) == ParsedText(
        (call,), f"{words}\nbye"
    )


@each_row("line", ["chat 12 ann secret", "chat noir", "чат сегодня тихий"])
def test_other_words_behind_it_stay_as_they_are(line: str) -> None:
    found = mail("Re: Perudo board 12", line, AnsweredBoard(12, "TOKEN"))
    assert found.message == ""


@each_row(
    ("line", "moves"),
    [
        ("очередь 4-5s", ("4-5s",)),
        ("В очередь: 4-5s dudo", ("4-5s", "dudo")),
        ("file 4-5s, dudo", ("4-5s", "dudo")),
        ("cola off", ("off",)),
    ],
)
def test_a_reply_may_name_the_queue_in_another_language(line: str, moves: tuple[str, ...]) -> None:
    found = mail("Re: Perudo board 12", line, AnsweredBoard(12, "TOKEN"))
    assert found.lines == (CommandCall("perudo", "queue", ("12", "*", "TOKEN", *moves)),)


@each_row("line", ["очередь", "очередь за хлебом", "file vite", "cola de pescado"])
def test_without_moves_such_a_word_is_not_a_queue(line: str) -> None:
    found = mail("Re: Perudo board 12", line, AnsweredBoard(12, "TOKEN"))
    assert all(isinstance(each, Unknown) for each in found.lines)


SLIPS = {
    "perudo mvoe 12 ann secret 4-2s": "move",
    "perudo moev 12 ann secret 4-2s": "move",
    "mofe 12 ann secret je doute": "move",
    "perudo queu 12 ann secret 4-2s dudo": "queue",
    "perudo queu 12 ann secret off": "queue",
    "mofe 12 ann secret 4 2s salt my words #17": "move",
    "perudo shwo 12": "show",
    "pbmserv shwo 12": "show",
    "pbmserv hlep": "help",
    "perudo aidde": "help",
    "perudo vérifer 12": "verify",
    "perudo lsit": "list",
    "perudo standigs": "standings",
    "perudo mov 12 ann secret resign": "move",  # an abbreviation
}
ASKED = """
perudo resgn 12 ann secret | mvoe 12 ann secret resign | perudo mvoe 12 ann secret j'abandonne
perudo moev 12 ann secret accept | perudo queeu 12 ann secret сдаюсь | pbmserv sginoff ann secret
perudo moev 12 ann | perudo chalenge ann bob | perudo umute 12 ann secret | perudo acceptre ann
perudo rejcet ann secret | pbmserv signpu ann secret | shwo 12 | perudo mooove 12 ann secret 4-2s
pbmserv stpo | pbmserv rset ann | perudo caht 12 ann secret | perudo takeovr 12 ann secret
perudo call 1 ann secret | perudo call | more 5 dice for me please | movie 3 at the cinema
moves 3 times a day
"""


@each_row(("line", "name"), [*SLIPS.items()])
def test_one_slip_in_a_command_that_only_shows_or_moves_is_corrected(line: str, name: str) -> None:
    for is_subject in (True, False):
        found = read_line(line, vocabulary(), is_subject=is_subject)
        assert isinstance(found, CommandCall) and found.name == name


MEANT = {
    "Règles ?": ("help", "rules"),
    "reglas": ("help", "rules"),
    "Правила!": ("help", "rules"),
    "Supprimer mon compte": ("signoff",),
    "borrar mi cuenta": ("signoff",),
    "забыла пароль": ("reset",),
    "Помогите!": ("help",),
}


@each_row(("line", "command"), [*MEANT.items()])
def test_a_newcomers_question_brings_the_page_or_the_usage(
    line: str, command: tuple[str, ...]
) -> None:
    """Signing off still needs a name and a password."""
    found = read_line(line, vocabulary())
    assert isinstance(found, CommandCall) and (found.name, *found.words) == command


@each_row("line", ["¿Cuándo me toca?", "Borrar esto"])
def test_everyday_words_are_not_taken_for_a_mistyped_command(line: str) -> None:
    found = read_line(line, vocabulary())
    assert isinstance(found, Unknown) and found.nearest == ""


@each_row("line", [each.strip() for each in ASKED.replace("\n", "|").split("|") if each.strip()])
def test_every_other_mistyped_command_is_asked_about(line: str) -> None:
    """So it is where a game would end, where words are missing, and where it may be prose."""
    assert isinstance(read_line(line, vocabulary(), is_subject=True), Unknown)


def test_the_corrected_commands_are_those_that_only_read_and_moves() -> None:
    reading = {
        name for game in vocabulary() for name, each in commands_of(game).items() if each.reads
    }
    assert reading | {"move", "queue"} == CORRECTED


def test_words_directly_below_a_challenge_go_to_the_others() -> None:
    found = mail("multiple", "perudo défi ann bob\nLet's play again, friends\nann")
    assert found == ParsedText(
        (CommandCall("perudo", "challenge", ("ann", "bob")),), "Let's play again, friends\nann"
    )


@each_row("line", ["hello you", "resgn 12 ann secret", "room 7 at the inn"])
def test_what_may_be_a_mistyped_line_below_it_does_not(line: str) -> None:
    """The same is true of words above another command, or below one without a message."""
    found = mail("multiple", f"perudo challenge ann bob\n{line}")
    assert [isinstance(each, Unknown) for each in found.lines] == [False, True]
    assert isinstance(found.lines[1], Unknown) and found.lines[1].is_below
    assert found.message == ""
    words = "see you all soon"
    found = mail("multiple", f"perudo challenge ann bob\n{words}\nperudo challenge ann cleo")
    assert [isinstance(each, Unknown) for each in found.lines] == [False, True, False]
    assert mail("multiple", f"perudo show 1\n{words}").message == ""


def test_an_empty_reply_to_a_chat_letter_asks_for_nothing() -> None:
    assert mail("Re: Perudo chat 12 bob", "\n\n", REPLY) == ParsedText((), "")


@pytest.mark.parametrize(
    "subject",
    [
        "Re: Perudo Board 12 won by ann",
        "AW: Perudo Board 12 stopped by the operator",
        "Re: Perudo Board 12 refused",
        "Re: Perudo Board 12 ann",
    ],
)
def test_our_own_subjects_sent_back_are_not_commands(subject: str) -> None:
    assert mail(subject, "").lines == ()


def test_commands_are_one_a_line_and_end_at_prose_after_a_blank_line() -> None:
    text = "perudo show 1\n\nperudo show 2\n\nThat was all, thank you\nperudo show 3"
    read = mail("multiple", text)
    assert [line.words for line in read.lines if isinstance(line, CommandCall)] == [("1",), ("2",)]
    assert read.message == "That was all, thank you\nperudo show 3"


def test_end_ends_the_commands() -> None:
    read = mail("Two things", "perudo show 1\nend\nperudo show 2")
    assert [written(line) for line in read.lines] == ["perudo show | 1"]
    assert read.message == "perudo show 2"


def test_at_most_twenty_lines_are_read() -> None:
    read = mail("multiple", "perudo show 1\n" * (MOST_LINES + 1))
    assert len(read.lines) == MOST_LINES
    assert read.cut == "too_many_lines"


def test_after_five_unknown_lines_reading_stops() -> None:
    read = mail("Hello", "a\nb\nc\nd\ne\nperudo show 1")
    assert len(read.lines) == MOST_UNKNOWN
    assert read.cut == "stopped_after_unknown"


def test_parameters_may_be_anywhere_and_the_number_is_removed() -> None:
    words = ["ann", "-Rules=BGA", "bob", "-calza", "--message=Hi", "**", "#17"]
    assert parted(words) == (["-rules=BGA", "-calza=", "--message=Hi"], ["ann", "bob"], 17)


def test_a_dash_before_a_digit_is_read_as_a_mistyped_move() -> None:
    assert parted(["12", "ann", "secret", "-4-2s"])[1] == ["12", "ann", "secret", "-4-2s"]


@pytest.mark.parametrize("word", ["#", "#x", "#-1", "#1234567890", "#③"])
def test_an_invalid_move_number_is_refused(word: str) -> None:
    with pytest.raises(Refused, match="unreadable_number"):
        parted(["12", word])


@pytest.mark.slow
@given(st.text(), st.text(), st.booleans())
def test_the_grammar_reads_any_text(subject: str, text: str, has_token: bool) -> None:
    read = mail(subject, text, REPLY if has_token else None)
    assert len(read.lines) <= MOST_LINES


@each_row(
    ("line", "name"),
    [
        ("aide", "help"),
        ("ayuda rules", "help"),
        ("Помощь", "help"),
        ("Aide !", "help"),
        ("¡Ayuda!", "help"),
        ("¡Revancha!", "rematch"),
        ("«charla»", "chat"),
        ("«\u00a0revanche\u00a0»", "rematch"),
        ("Je veux ma revanche !", "rematch"),
        ("Хочу реванш!", "rematch"),
        ("подтвердить ABCDEFGH", "confirm"),
        ("confirmer ABCDEFGH", "confirm"),
        ("perudo aceptar ann secret 12", "accept"),
        ("perudo refuser ann secret 12", "reject"),
        ("реванш 12 ann secret", "rematch"),
        ("perudo défi ann bob", "challenge"),
        ("conseil 12", "advise"),
        ("perudo consejo 12#3", "advise"),
        ("совет 12", "advise"),
        ("vérifier", "verify"),
        ("Vérifier 12", "verify"),
        ("perudo verificar 12", "verify"),
        ("проверить 12", "verify"),
    ],
)
def test_a_command_is_understood_in_each_language(line: str, name: str) -> None:
    read = read_line(line, vocabulary(), is_subject=True)
    assert isinstance(read, CommandCall)
    assert read.name == name


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Aide règles !", "règles"),
        ("aide rules bga", "rules bga"),
        ("ayuda reglas bga", "reglas bga"),
        ("справка правила", "правила"),
        ("помощь banana", "banana"),
    ],
)
def test_help_in_another_language_has_its_subject_in_any_line(line: str, words: str) -> None:
    assert read_line(line, vocabulary()) == CommandCall("", "help", tuple(words.split()))


@pytest.mark.parametrize(
    "line",
    [
        "Aide moi",
        "Aide moi à jouer",
        "ayuda por favor",
        "Registro bueno este",
        "Liste de mes excuses",
        "Реванш будет мой",
        "Défi relevé mon ami",
    ],
)
def test_prose_that_begins_with_an_everyday_word_of_another_language_is_not_a_command(
    line: str,
) -> None:
    assert not isinstance(read_line(line, vocabulary()), CommandCall)


@each_row("line", ["Aide Bob", "Ayuda Luz", "Помощь Ивану", "Help Anna"])
def test_help_with_a_name_in_the_text_is_prose(line: str) -> None:
    assert isinstance(read_line(line, vocabulary()), Unknown)
    assert isinstance(read_line(line, vocabulary(), is_subject=True), CommandCall)


@each_row("line", ["Aide Perudo", "Help Challenge", "Ayuda Reglas", "help anna", "Help Rules"])
def test_help_with_a_subject_or_without_a_capital_is_the_command(line: str) -> None:
    read = read_line(line, vocabulary())
    assert isinstance(read, CommandCall) and read.name == "help"


def test_a_command_of_another_language_without_the_games_word_is_named() -> None:
    """Prose may begin with it, so the sender is told to write both words."""
    assert read_line("défi claire ivan", vocabulary()) == Unknown("défi", "perudo challenge")


def test_a_frequent_word_abbreviates_a_command_only_in_a_subject() -> None:
    sent = read_line("mes ann secret bob", vocabulary(), is_subject=True)
    assert sent == CommandCall("", "message", ("ann", "secret", "bob"))
    assert not isinstance(read_line("mes ann secret bob", vocabulary()), CommandCall)


def test_command_words_of_languages_name_commands_and_take_no_prefix_away() -> None:
    """They are understood as a whole only, so an abbreviation means what it meant."""
    spelled = {spelling: name for each in vocabulary().values() for spelling, name in each.items()}
    words = [each.rsplit(" ", 1) for each in words_of("command_words")]
    assert {name for _, name in words} <= {*spelled.values()}
    assert {word for word, _ in words}.isdisjoint(spelled)
    assert len({word for word, _ in words}) == len(words)
    assert isinstance(read_line("ayud", vocabulary()), Unknown)


@pytest.mark.parametrize("line", ["Je passe.", "je passe mon tour", "passe", "perudo je passe"])
def test_several_words_of_another_language_name_a_command_as_a_whole(line: str) -> None:
    assert read_line(line, vocabulary()) == CommandCall("perudo", "pass", ())


@pytest.mark.parametrize(
    "line", ["je passe à table", "je passe mon tour, merci", "pas ce soir", "mes dés ?"]
)
def test_they_name_none_among_others_and_a_frequent_word_is_not_a_mistyped_command(
    line: str,
) -> None:
    assert read_line(line, vocabulary()) == Unknown(line.split(maxsplit=1)[0], "")
