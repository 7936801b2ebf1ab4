"""Commands that only read are carried out before an email's transaction, and hold up nobody."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, select

from pbmserv.commands.framework import GAMES, PlayerCommand, Secret, commands_of
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.errors import Refused
from pbmserv.intake import execution
from pbmserv.intake.kept_emails import inbox
from tests.rows import each_row
from tests.stories.town import Town, town_at

READING = [
    command for game in ("", *GAMES) for command in commands_of(game).values() if command.reads
]


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where ann and bob play on board 1, and ann is on turn."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=("-inorder", "-dice=2"))
        yield town


@each_row("command", READING, ids=lambda each: each.name)
def test_a_command_that_reads_takes_no_secret(command: PlayerCommand) -> None:
    """It needs no proof, and no player is told who asked."""
    assert not [each for each in command.params if isinstance(each, Secret)]


LINES = [
    *(
        each.example.removesuffix(" next").replace("12", "1").replace("4-2s", "1-2s")
        for each in READING
        if each.by_mail
    ),
    *("perudo stats", "perudo games ann", "perudo history", "perudo standings", "help move"),
]


def statements(town: Town) -> list[tuple[bool, str]]:
    """The statements of the transactions from now on; True for those that may write."""
    found: list[tuple[bool, str]] = []
    may_write = False

    def note(statement: str) -> None:
        nonlocal may_write
        if statement.startswith("BEGIN"):
            may_write = statement == "BEGIN IMMEDIATE"
        else:
            found.append((may_write, statement))

    def trace(driver: sqlite3.Connection, *_: object) -> None:
        driver.set_trace_callback(note)

    event.listen(town.engine, "checkout", trace)
    return found


def test_reading_commands_do_not_run_in_the_write_transaction(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records of boards are read before, and what is read is not written."""
    monkeypatch.setattr(execution, "MOST_SECONDS", 60.0)  # however busy this machine is
    town.move("ann", "1-2s")
    town.move("bob", "dudo")
    found = statements(town)
    (letter,) = town.write("ann@example.org", "multiple", "\n".join(LINES))
    assert [each for each in LINES if f"> {each}" not in letter.text] == []
    assert "NOT DONE" not in letter.text
    assert any("happenings" in each for writes, each in found if not writes)
    assert not any("happenings" in each for writes, each in found if writes)
    changing = [writes for writes, each in found if each.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert changing and all(changing)


def test_a_command_that_writes_and_says_that_it_reads_fails(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are not lost without a word: the email is tried again, and its reason says where."""
    command = commands_of("perudo")["move"]
    monkeypatch.setattr(command, "reads", True)
    with pytest.raises(AssertionError):  # the town finds an email that waits
        town.move("ann", "1-2s")
    with reading(town.engine) as connection:
        row = models.InboxMail
        (reason,) = connection.scalars(select(row.reason).where(row.state == inbox.WAITING))
    assert reason.startswith("RuntimeError at pbmserv/database/engine.py:")
    monkeypatch.undo()
    town.processor.work()
    assert "Your turn: Perudo board 1" in {each.subject for each in town.delivered()}


def test_a_line_behind_a_move_shows_the_board_after_it(town: Town) -> None:
    """A question before the move shows the board before it."""
    move = "perudo move 1 ann swordfish 1-2s"
    letters = town.write("ann@example.org", "multiple", f"perudo show 1\n{move}\nperudo show 1")
    answer = next(each for each in letters if each.text.count("> perudo show 1") == 2)
    _, before, after = answer.text.split("> perudo show 1")
    assert "ann: 1-2s" not in before.partition("> perudo move")[0]
    assert before.partition("> perudo move")[0] != after


def test_an_email_with_too_many_questions_is_refused_line_by_line(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line is answered, and every line that writes is carried out."""
    monkeypatch.setattr(execution, "MOST_SECONDS", 0.0)
    move = "perudo move 1 ann swordfish 1-2s"
    letters = town.write(
        "ann@example.org", "multiple", f"perudo stats\nperudo stats\n{move}\nperudo show 1"
    )
    answer = next(each for each in letters if "> perudo stats" in each.text)
    assert answer.text.count("This email asks for too much at once") == 2
    assert any(each.subject == "Your turn: Perudo board 1" for each in letters)


def test_a_bug_in_a_command_that_reads_keeps_the_email(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("a bug")

    monkeypatch.setattr("pbmserv.lobby.standings.statistics", broken)
    with pytest.raises(AssertionError):  # the town finds an email that waits
        town.write("ann@example.org", "perudo stats")
    monkeypatch.undo()
    town.processor.work()
    assert [each.subject for each in town.delivered()] != []


def test_a_reading_shell_command_does_not_wait_for_a_writer(town: Town) -> None:
    from pbmserv.commands.calls import prepared
    from pbmserv.commands.parser import CommandCall
    from pbmserv.database.engine import writing
    from pbmserv.intake.command_lines import Line
    from pbmserv.security.credentials import Credentials

    with writing(town.engine):
        line = Line("", prepared(CommandCall("perudo", "show", ("1",))))
        outcome, mine, _ = town.processor.carry_out(line, Credentials(), "")
    assert (outcome.refusal, len(mine)) == (None, 1)
    assert not execution.reads_only(Line("", Refused("unknown_command", word="x", nearest="")))
