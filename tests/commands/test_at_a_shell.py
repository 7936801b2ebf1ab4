"""The same commands at a shell: answers to standard output, exit 0; others hear by email."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv, perudo
from tests.commands.shells import typed
from tests.stories.town import PASSWORD, letters_in, town_at

pytestmark = pytest.mark.long


def test_a_whole_game_is_played_at_a_shell(home: Path) -> None:
    """Accounts work at once there; every answer is the typist's own letter."""
    for name in ("ann", "bob"):
        done = typed(home, f"pbmserv signup {name} {PASSWORD} {name}@example.org")
        assert done.exit_code == 0
        assert done.stdout.startswith(f"The account {name}")
        assert "works" in done.stdout
    done = typed(home, "pbmserv perudo challenge -inorder -dice=1 ann bob")
    assert "Board 1 has begun" in done.stdout
    done = typed(home, f"perudo move 1 ann {PASSWORD} 1-2s --message=Ha!")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "You bid one 2." in done.stdout
    assert "reply to this letter" not in done.stdout
    done = typed(home, f"perudo move 1 bob {PASSWORD} dudo")
    assert "win" in done.stdout
    assert "proven" in typed(home, "perudo verify 1").stdout
    assert "won by" in typed(home, "perudo games all").stdout
    letters = [each.subject for each in letters_in(home) if each.to == "bob@example.org"]
    assert letters[0] == "Perudo board 1"
    assert letters[1] == "Your turn: Perudo board 1"
    assert letters[2] == "Perudo board 1"


BY_EMAIL = re.compile(r"send an email|\breply\b(?! yes)|with this Subject|new email", re.I)


@pytest.mark.parametrize("language", ["en", "es", "fr", "ru"])
def test_no_answer_at_a_shell_asks_for_an_email(home: Path, language: str) -> None:
    """A shell is told what to type, in every language; the English words are looked for."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", options=("-inorder",))
        town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
        for name in ("ann", "bob", "cleo"):
            town.write(f"{name}@example.org", f"set {name} {PASSWORD} language={language}")
    answers = [
        typed(home, command, LC_ALL=f"{language}_XX.UTF-8").stdout
        for command in (
            "perudo show 1",
            f"perudo showas ann {PASSWORD} 1",
            f"perudo move 1 ann {PASSWORD} 2-2s --message=Hi",
            f"perudo move 1 ann {PASSWORD} 2-2s#1",
            f"perudo move 1 bob {PASSWORD} propose",
            f"perudo showas ann {PASSWORD} 1",
            f"perudo move 1 ann {PASSWORD} accept --message=Hi",
            f"perudo chat 1 ann {PASSWORD} --message=Hi",
            f"perudo challenge ann bob {PASSWORD}",
            "perudo show 2",
            f"perudo seek cleo {PASSWORD} 1",
            f"perudo seek cleo {PASSWORD} off",
            "pbmserv list perudo",
            f"pbmserv set ann {PASSWORD}",
            f"pbmserv vacation cleo {PASSWORD} 2026-12-24 2026-12-31",
            f"perudo resign 1 ann {PASSWORD}",
        )
    ]
    if language == "en":
        for answer in answers:
            assert BY_EMAIL.search(" ".join(answer.split())) is None, answer
    else:
        same = {"en": "", "es": "asunto", "fr": "objet", "ru": "темой"}[language]
        assert [each for each in answers if same in each] == []
    assert all("pbmserv help rules pbmserv" in each for each in answers[:3])


def test_an_invitation_is_sent_and_answered_at_a_shell(playing: Path) -> None:
    """It goes out by email, is answered at the shell, and the board begins there."""
    assert typed(playing, f"pbmserv set bob {PASSWORD} challenges=ask").exit_code == 0
    done = typed(playing, "perudo challenge -inorder ann bob --message=Well?")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "bob wants to be asked first" in done.stdout
    assert "To see it when it has begun" in done.stdout
    (letter,) = (each for each in letters_in(playing) if each.subject == "Perudo board 2")
    assert (letter.to, letter.token != "") == ("bob@example.org", True)
    assert "bob asked" in typed(playing, "perudo games").stdout
    assert "We wait for bob" in typed(playing, "perudo show 2").stdout
    assert "waits for an answer from bob" in " ".join(typed(playing, "pbmserv list").stdout.split())
    done = typed(playing, f"perudo accept bob {PASSWORD} 2")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "The players, in this order: ann and bob." in done.stdout
    assert "Your dice" in done.stdout


def test_words_with_a_challenge_at_a_shell_are_the_challengers(playing: Path) -> None:
    typed(playing, "perudo challenge ann bob --message=-", "Good luck to all!\n")
    last = [each for each in letters_in(playing) if each.to == "bob@example.org"][-1]
    assert "\nThe challenger writes:\n| Good luck to all!\n" in last.text


def test_an_answer_at_a_shell_has_no_digest(playing: Path) -> None:
    """`perudo record` and `perudo verify` have them for those who want them."""
    for command in (f"showas ann {PASSWORD} 1", "show 1", f"move 1 ann {PASSWORD} 1-2s"):
        done = typed(playing, f"perudo {command}")
        assert done.exit_code == 0
        assert re.search("[0-9a-f]{64}", done.stdout) is None
        assert "Proof of the dice" not in done.stdout


def test_a_board_named_in_two_ways_is_shown_once(playing: Path) -> None:
    done = typed(playing, "perudo show 1 ann bob")
    assert done.stdout.count("Board 1 as a spectator sees it.") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("games", "No board matches.\n\nFor a list of all boards, also finished ones:"),
        ("games ann", "No board matches.\n\nFor a list of all boards, also finished ones:"),
        ("games all", "There are no boards yet.\n\nTo play against a house player:"),
    ],
)
def test_a_list_without_boards_is_not_a_mistake(home: Path, words: str, said: str) -> None:
    typed(home, f"pbmserv signup ann {PASSWORD}")
    done = typed(home, f"perudo {words}")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{said}\n  perudo ")


def test_a_challenge_of_house_players_shows_the_next_commands(playing: Path) -> None:
    done = typed(playing, "perudo challenge -inorder house ann")
    assert re.search(r"house has bid \d+-\ds\.", done.stdout)
    assert "\n  perudo showas ann - 2\n" in done.stdout


def test_all_challenges_are_rejected_and_accepted_at_a_shell(playing: Path) -> None:
    assert "Nobody can challenge you now" in typed(playing, f"perudo reject bob {PASSWORD}").stdout
    assert typed(playing, "perudo challenge ann bob").exit_code == 1
    assert "start at once" in typed(playing, f"perudo accept bob {PASSWORD}").stdout
    assert typed(playing, "perudo challenge ann bob").exit_code == 0


def test_limits_are_set_and_games_sought_at_a_shell(playing: Path) -> None:
    """The last player to seek sees the board begin. The others get an email."""
    done = typed(playing, f"perudo limit ann {PASSWORD} 2")
    assert done.stdout == ("You now accept at most 2 boards at once. You play 1 board now.\n")
    assert "2 boards at once" in typed(playing, f"perudo limit ann {PASSWORD}").stdout
    done = typed(playing, f"perudo seek ann {PASSWORD} -players=2 -rules=bga -calza")
    assert re.search(r"\n +1 +2  bga +1\n +with calza\n", done.stdout)
    listed = typed(playing, "pbmserv list").stdout
    assert re.search(r"\n  ann +1 +2  bga\n +with calza\n", listed)
    done = typed(playing, f"perudo seek bob {PASSWORD} 1 -players=2 -rules=bga -calza")
    assert re.match("Board 2 has begun|Your turn, bob. You open the round", done.stdout)
    shown, answer = done.stdout.split("You seek no boards now.")
    assert shown.count("Your dice: ") == 1 and "Your game begins" not in shown
    assert answer == "\n\nTo see what others seek:\n  pbmserv list perudo\n"
    letter = [each for each in letters_in(playing) if each.to == "ann@example.org"][-1]
    assert letter.opening.startswith(("Board 2 has begun", "Your turn, ann. You open the round"))
    assert typed(playing, "perudo challenge ann bob").exit_code == 1


def test_an_account_without_an_address_gets_one_of_this_host(home: Path) -> None:
    assert typed(home, f"pbmserv signup ann {PASSWORD}").exit_code == 0
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    (row,) = connection.execute("select address, confirmed_at is not null from addresses")
    connection.close()
    assert row == ("ann@localhost", 1)


def test_each_of_many_lines_at_a_shell_is_answered_by_itself(playing: Path) -> None:
    """Each is answered by itself; one that is refused makes the exit code 1."""
    lines = f"perudo games\nperudo move 1 ann {PASSWORD} 2-2s\nperudo mofe 1\n"
    done = typed(playing, "pbmserv multiple", text=lines)
    assert done.exit_code == 1
    assert done.stdout.startswith("> perudo games\n")
    assert "> perudo move 1 ann ******** 2-2s\nYou bid two 2s." in done.stdout
    assert done.stderr.startswith('"mofe" is not a command. Did you mean move?')
    assert done.stderr.endswith("Some lines could not be carried out; the reasons are above.\n")
    done = typed(playing, "pbmserv multiple", text="perudo games\n")
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_password_is_asked_for(playing: Path) -> None:
    """`-` in its place: from PBMSERV_PASSWORD, else typed without an echo."""
    done = typed(playing, "perudo showas ann - 1", text=f"{PASSWORD}\n")
    assert done.exit_code == 0
    assert "as you see it, ann" in done.stdout
    assert PASSWORD not in done.output
    done = typed(playing, "perudo showas ann - 1", PBMSERV_PASSWORD=PASSWORD)
    assert done.exit_code == 0
    for word, shown in (("banana", "banana"), (PASSWORD, "********"), (f"x{PASSWORD}", "********")):
        done = typed(playing, f"perudo move 1 ann - {word}", PBMSERV_PASSWORD=PASSWORD)
        assert f'I couldn\'t read "{shown}" as a move.' in done.stderr
    done = typed(playing, f"perudo move 1 ann {PASSWORD} banana")
    assert 'I couldn\'t read "********" as a move.' in done.stderr


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (f"perudo chat 1 ann {PASSWORD}", "Hello!\n"),
        (f"perudo chat 1 ann {PASSWORD} --message=Hello!", "nothing of this"),
        (f"perudo chat 1 ann {PASSWORD} --message Hello!", "nothing of this"),
        (f"perudo move --message Hello! 1 ann {PASSWORD} 2-2s", "nothing of this"),
        (f"perudo move 1 ann {PASSWORD} 2-2s --message -", "Hello!"),
        (f"perudo move 1 ann {PASSWORD} 2-2s --message=-", "Hello!"),
    ],
)
def test_a_text_is_given_or_read(playing: Path, command: str, text: str) -> None:
    assert typed(playing, command, text=text).exit_code == 0
    letter = [each for each in letters_in(playing) if each.to == "bob@example.org"][-1]
    assert "ann writes:\n| Hello!\n" in letter.text


@pytest.mark.parametrize(
    "words",
    [
        f"chat 1 ann {PASSWORD} Hello, all!",
        f"chat 1 ann {PASSWORD} --message Hello, all!",
        f"chat 1 ann {PASSWORD} --message=Hello, all!",
        f"chat 1 ann {PASSWORD} --message",
        "challenge --message -inorder ann bob",
        f"move 1 ann {PASSWORD} 2-2s --message",
        f"move 1 ann {PASSWORD} 2-2s --message=",
    ],
)
def test_text_in_the_wrong_place_brings_an_explanation(playing: Path, words: str) -> None:
    """A shell has parted it into words; nothing is done, and nothing is taken for a move."""
    done = typed(playing, f"perudo {words}", text="not asked for")
    assert done.exit_code == 2
    assert done.stderr.count('Write a message to the others like this: --message="Hello') == 1
    assert "move 1" in typed(playing, "perudo show 1").stdout


def test_too_long_a_text_is_refused_from_every_source(playing: Path) -> None:
    done = typed(playing, f"perudo move 1 ann {PASSWORD} 2-2s --message={'x' * 10_001}")
    assert done.exit_code == 1
    assert "at most 10,000 characters" in done.stderr.replace("\n", " ")


def test_a_command_is_found_as_in_an_email(playing: Path) -> None:
    """By a prefix, in capitals, misspelt as COMMANDS allows, with its number, with dashes."""
    for command in (
        f"perudo MVOE#1 1 ann {PASSWORD} 2–2s",
        f"perudo mov#2 1 BOB {PASSWORD} bid 3 2",
        f"perudo board 1 ann {PASSWORD} 4x2 #3",
    ):
        assert typed(playing, command).exit_code == 0, command


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pbmserv challenge ann bob", "perudo challenge"),
        ("pbmserv move 1", "perudo move"),  # and not the operator's move-database
        ("perudo signup zoe secret", "pbmserv signup"),
        ("perudo doctor", "pbmserv doctor"),
        ("pbmserv boards", "perudo games"),  # a word of another server
        ("perudo register zoe", "pbmserv signup"),
    ],
)
def test_a_command_of_the_other_program_is_named(playing: Path, written: str, meant: str) -> None:
    done = typed(playing, written)
    assert done.exit_code == 2
    assert f"Did you mean {meant}?" in done.stderr


def test_a_home_must_be_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    done = typed(file, "perudo games")
    assert done.exit_code == 78
    assert done.stderr.startswith(f"pbmserv: {file}: cannot be the home")


def test_the_version_is_told() -> None:
    done = CliRunner().invoke(pbmserv, ["--version"])
    assert (done.exit_code, done.stdout) == (0, "pbmserv, version 0.1.0\n")


def test_help_needs_no_home(home: Path) -> None:
    """`--help` opens no home and makes none."""
    assert typed(home, "perudo move --help").exit_code == 0
    assert not home.exists()


@pytest.mark.parametrize("words", ["show \udcff", "chat 1 \udcff pw", "move 1 ann pw 4-\udcff2s"])
def test_invalid_utf_8_words_are_refused_like_others(playing: Path, words: str) -> None:
    done = typed(playing, f"perudo {words}")
    assert done.exit_code == 1
    assert "Traceback" not in done.stderr + str(done.exception)


def test_the_readable_characters_of_an_invalid_utf_8_text_are_sent(
    playing: Path,
) -> None:
    words = ["--home", str(playing), "chat", "1", "ann", PASSWORD]
    done = CliRunner().invoke(perudo, words, input=b"Hallo K\xe4the!\n")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Hallo K\ufffdthe!" in letters_in(playing)[-1].text


def test_a_new_password_is_shown_once(playing: Path) -> None:
    """The typist's own letter is printed, and goes out by email."""
    done = typed(playing, f"pbmserv change password ann {PASSWORD} herring")
    assert done.stdout.count("The password of the account ann was changed") == 1
    assert "Your password was changed, ann" in typed_letters(playing, "ann")


def test_a_password_is_reset_at_a_shell(playing: Path) -> None:
    """A user with the token of the letter is told the outcome."""
    typed(playing, "pbmserv reset ann")
    (asked,) = [each for each in letters_in(playing) if each.subject.startswith("A new pass")]
    token = asked.text.partition("reset ann ")[2].split()[0]
    done = typed(playing, f"pbmserv reset ann {token} herring")
    assert done.stdout.count("The password of the account ann was changed") == 1
    assert "Your password was changed, ann" in typed_letters(playing, "ann")


def typed_letters(home: Path, name: str) -> list[str]:
    return [each.subject for each in letters_in(home) if each.to == f"{name}@example.org"]


def test_a_new_password_is_asked_for_too(playing: Path) -> None:
    done = typed(
        playing,
        "pbmserv change password ann - -",
        PBMSERV_PASSWORD=PASSWORD,
        PBMSERV_NEW_PASSWORD="better-one",
    )
    assert done.exit_code == 0
    assert typed(playing, "perudo showas ann better-one 1").exit_code == 0


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("pbmserv help pasta", "  pbmserv help"),
        (f"perudo limit ann {PASSWORD} many", "  perudo limit ann - 5"),
        ("pbmserv reset ann NOTOKEN herring", "  pbmserv reset ann"),
        ("pbmserv confirm NOTOKEN", "  pbmserv signup USERID -"),
        ("perudo record x", "  perudo games USERID"),
    ],
)
def test_a_refusal_shows_a_command_that_can_be_typed(playing: Path, words: str, shown: str) -> None:
    """Letters show commands as they are mailed; a shell needs the name of the program before."""
    done = typed(playing, words)
    assert done.exit_code == 1
    assert shown in done.stderr.split("\n")
    commands = [line.split()[0] for line in done.stderr.split("\n") if line.startswith("  ")]
    assert {*commands} <= {"pbmserv", "perudo"}


def test_the_lines_of_a_multiple_are_read_as_in_an_email(playing: Path) -> None:
    words = ["--home", str(playing), "multiple"]
    done = CliRunner().invoke(pbmserv, words, input="help pasta\n")
    assert "\n  help\n" in done.stderr


def test_a_refused_line_of_a_multiple_is_not_told_of_subjects(playing: Path) -> None:
    words = ["--home", str(playing), "multiple"]
    done = CliRunner().invoke(pbmserv, words, input="multiple\n")
    assert "The word multiple is only for the command itself." in " ".join(done.stderr.split())
    assert "Subject" not in done.stderr


def test_a_refused_move_at_a_shell_shows_the_dice_of_whom_the_password_names(
    playing: Path,
) -> None:
    """The dice are the writer's own; a wrong password, or another player's, shows none."""
    assert typed(playing, "perudo challenge -inorder ann bob").exit_code == 0
    shown = typed(playing, f"perudo showas ann {PASSWORD} 1").stdout
    dice = re.search(r"^Your dice: [1-6 ]+$", shown, re.MULTILINE)
    assert dice
    for move in ("99-2s", "zzz", "dudo"):
        refused = typed(playing, f"perudo move 1 ann {PASSWORD} {move}")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert dice[0] in refused.stderr.split("\n")
        assert "type the command again, with another move." in refused.stderr
        assert "reply" not in refused.stderr
    for command in (
        "perudo move 1 ann wrongword 99-2s",
        f"perudo move 1 bob {PASSWORD} 99-2s",
        "perudo preview 1 99-2s",
    ):
        answer = typed(playing, command)
        assert "Your di" not in answer.output
