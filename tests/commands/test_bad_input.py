"""Every mistake gets one clear answer, by email and at a shell, and changes nothing."""

from __future__ import annotations

import shlex
import smtplib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv, perudo
from pbmserv.commands.framework import commands_of, vocabulary
from pbmserv.commands.parser import CommandCall, read_line
from tests.commands.badinput import CASES, Case
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, answering, letters_in, mail, town_at

GOLDEN = Path(__file__).with_name("golden")
KEPT = ("players", "addresses", "confirmations", "boards", "seats", "happenings", "blocks")


def kept(home: Path) -> str:
    """All that must not change when a command is refused."""
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    try:
        tables = {name: connection.execute(f"select * from {name}").fetchall() for name in KEPT}
    finally:
        connection.close()
    return repr(tables)


def at_a_shell(home: Path, case: Case) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of the command at a shell."""
    words = shlex.split(case.command.replace("'", "\\'"))
    group = perudo if words[0] == "perudo" else pbmserv
    words = words[1:] if group is perudo else words
    done = CliRunner().invoke(group, ["--home", str(home), *words], input=case.text)
    return done.exit_code, done.stdout, done.stderr


def golden(case: Case, letter: Letter, shell: tuple[int, str, str]) -> str:
    code, _, said = shell
    return (
        f"$ {case.command}\n{said.rstrip()}\n[exit {code}]\n\n"
        f">> {case.sender}: {case.command}\n\n"
        f"<< {letter.to}: {letter.subject}\n{letter.text}"
    )


@each_row("case", CASES, ids=lambda case: case.name)
def test_a_mistake_gets_one_clear_answer(
    case: Case, another_home: Callable[[], Path], rewrites: bool
) -> None:
    """One letter to its writer, one text at a shell; both say what was wrong, nothing changed."""
    town_home = another_home()
    before = kept(town_home)
    with town_at(town_home) as town:
        (letter,) = town.write(case.sender, case.command, case.text)
    shell = at_a_shell(town_home, case)

    assert kept(town_home) == before
    assert letter.to == case.sender
    assert shell[0] == case.exit_code
    assert shell[1] == ""
    assert PASSWORD not in letter.raw.decode() + shell[2]

    file = GOLDEN / f"{case.name.replace(' ', '-').replace(',', '')}.txt"
    if rewrites:
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(golden(case, letter, shell), "utf-8")
    assert golden(case, letter, shell) == file.read_text("utf-8")


def test_every_command_has_a_case_of_bad_input() -> None:
    """The exception is `multiple`: tests/stories/multiple.txt has its errors."""
    made = {
        (order.game, order.name)
        for case in CASES
        if isinstance(order := read_line(case.command, vocabulary()), CommandCall)
    }
    known = {
        (game, name)
        for game in ("", "perudo")
        for name, command in commands_of(game).items()
        if command.by_mail
    }
    assert known - made == {("", "multiple")}


def test_a_wrong_password_and_an_unknown_userid_get_the_same_answer() -> None:
    """The answer does not reveal who plays here."""
    wrong, unknown = (
        (GOLDEN / name).read_text("utf-8").partition("<<")[2]
        for name in ("wrong-password.txt", "unknown-userid.txt")
    )
    assert wrong == unknown


def test_too_many_wrong_passwords_mean_waiting(town_home: Path) -> None:
    """After ten wrong passwords an hour for one userid, even the right one is not tried.

    Emails that answer a letter are limited in the same way.
    """
    right = f"perudo move 1 bob {PASSWORD} 4-3s"
    with town_at(town_home) as town:
        (letter,) = town.write("bob@example.org", "help")
        answers = answering(letter)
        for _ in range(10):
            (letter,) = town.write(
                "bob@example.org", "perudo move 1 bob wrong 4-3s", headers=answers
            )
            assert "Wrong user name or password" in letter.text
        (letter,) = town.write("bob@example.org", right, headers=answers)
        assert "Wait 60 minutes" in letter.text
        town.now += 3601
        assert len(town.write("bob@example.org", right, headers=answers)) == 3


def test_guesses_under_a_players_address_do_not_lock_the_player_out(town_home: Path) -> None:
    """Anybody can write that address: ten wrong passwords leave room for the right one."""
    with town_at(town_home) as town:
        for _ in range(10):
            (letter,) = town.write("bob@example.org", "perudo move 1 bob wrong 4-3s")
            assert "Wrong user name or password" in letter.text
        assert len(town.write("bob@example.org", f"perudo move 1 bob {PASSWORD} 4-3s")) == 3


def test_an_email_holds_few_passwords(town_home: Path) -> None:
    """Hashing one takes long; what comes after the fourth has to wait for another email."""
    moves = "\n".join(f"perudo move 1 bob wrong{number} 4-3s" for number in range(6))
    signups = "\n".join(f"signup finn{n} secret{n} finn{n}@example.org" for n in range(6))
    with town_at(town_home) as town:
        (letter,) = town.write("bob@example.org", "multiple", moves)
        assert letter.text.count("Wrong user name or password") == 4
        assert letter.text.count("can hold 4 different passwords") == 2
        town.now += 24 * 3600  # bob's own account counts among those of a day
        *_, letter = town.write("bob@example.org", "multiple", signups)
        assert letter.text.count("can hold 4 different passwords") == 2


def test_a_repeated_password_is_tried_once(town_home: Path) -> None:
    """Nine lines with the same mistake are one failure, and leave nine more to the hour."""
    lines = "perudo move 1 bob wrong 4-3s\n" * 9
    with town_at(town_home) as town:
        for _ in range(2):
            (letter,) = town.write("bob@example.org", "multiple", lines)
            assert letter.text.count("Wrong user name or password") == 9


def test_the_listener_refuses_too_large_an_email(town_home: Path) -> None:
    """The sending server gets 552 and tells its user. No email is kept."""
    refusal = pytest.raises(smtplib.SMTPSenderRefused)
    with town_at(town_home, by_smtp=True) as town, refusal as refused:
        town.write("bob@example.org", "perudo games", "x" * 300_000)
    assert refused.value.smtp_code == 552


def test_the_pipe_answers_too_large_an_email(town_home: Path) -> None:
    """A pipe cannot refuse an email, so the writer gets a letter; a stranger one a day."""
    raw = mail("zoe@example.org", "help", "x" * 300_000, message_id="<1@x>")
    again = raw.replace(b"<1@x>", b"<2@x>")
    receive = ["--home", str(town_home), "receive", "--sender", "zoe@example.org"]
    for each in (raw, raw, again):
        assert CliRunner().invoke(pbmserv, receive, input=each).exit_code == 0
    letters = [each for each in letters_in(town_home) if each.to == "zoe@example.org"]
    assert ["at most 256 KB" in each.text for each in letters] == [True]


def test_every_golden_text_has_its_case() -> None:
    names = {f"{case.name.replace(' ', '-').replace(',', '')}.txt" for case in CASES}
    assert {file.name for file in GOLDEN.iterdir()} == names
