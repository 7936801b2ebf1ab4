"""`pbmserv queue` and `deliver`: what waits is listed, shown, retried and dropped."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from tests.cli.processes import invoked
from tests.homes import changed
from tests.stories.town import PASSWORD, letters_in

HEADINGS = "NAME     STATE    KIND             ADDRESS  NEXT TRY; REASON"


def in_whole_lines(text: str) -> list[str]:
    """The lines of a table below its headings, each with those below it that begin with blanks."""
    first, _, rest = text.partition("\n")
    assert first == HEADINGS
    return re.sub(r"\n +", "  ", rest).splitlines()


def without_relay(home: Path) -> None:
    """From now on letters go to a relay that nobody runs."""
    (home / "pbmserv.toml").write_text('delivery = "smtp"\nrelay = "127.0.0.1:9"\n')


def test_letters_wait_for_a_failing_relay_and_can_be_retried(copied: Path) -> None:
    """`queue list`, `show` and `retry`; the answer at the shell does not wait."""
    without_relay(copied)
    done = invoked(copied, "perudo", "move", "1", "ann", PASSWORD, "2-2s")
    done = (
        done
        if done.returncode == 0
        else invoked(copied, "perudo", "move", "1", "bob", PASSWORD, "2-2s")
    )
    assert done.returncode == 0
    done = invoked(copied, "pbmserv", "queue", "list")
    assert done.stderr == ""
    listed = in_whole_lines(done.stdout)
    due = re.compile(r" next try ([0-9]+ \w+ )?[0-9]{2}:[0-9]{2} UTC; ")
    assert all(map(due.search, listed))
    assert [line.split()[1:4] for line in listed] == [
        ["due", "perudo/moved", "ann@example.org"],
        ["due", "perudo/moved", "bob@example.org"],
    ]
    assert all("relay 127.0.0.1" in line for line in listed)
    name = listed[0].split()[0]

    shown = invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert "kind: perudo/moved" in shown
    assert "text kept: " in shown
    assert "position" not in shown

    (copied / "pbmserv.toml").write_text('delivery = "maildir"\n')
    before = len(letters_in(copied))
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 0\n"  # not due yet
    done = invoked(copied, "pbmserv", "queue", "retry", name)
    assert (done.returncode, done.stdout) == (0, f"Tried again: {name}\n")
    assert len(letters_in(copied)) == before + 1
    assert len(in_whole_lines(invoked(copied, "pbmserv", "queue", "list").stdout)) == 1


def test_a_letter_can_be_dropped_and_its_text_is_gone(copied: Path) -> None:
    without_relay(copied)
    invoked(copied, "perudo", "challenge", "ann", "bob")
    listed = invoked(copied, "pbmserv", "queue", "list").stdout
    name, *_ = (line.split()[0] for line in in_whole_lines(listed))
    for word in ("retry", "drop"):  # one that is not there, and nothing happens to the others
        done = invoked(copied, "pbmserv", "queue", word, name, "in99")
        assert (done.returncode, done.stdout) == (1, "")
        assert name in invoked(copied, "pbmserv", "queue", "list").stdout
    assert invoked(copied, "pbmserv", "queue", "drop", name).stdout == f"Dropped: {name}\n"
    assert name not in invoked(copied, "pbmserv", "queue", "list").stdout
    assert "text kept: 0 bytes" in invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert name in invoked(copied, "pbmserv", "queue", "list", "--all").stdout
    for word in ("drop", "retry"):
        done = invoked(copied, "pbmserv", "queue", word, name)
        assert done.returncode == 1
        assert f'The queues have no entry "{name}"' in done.stderr


@pytest.mark.parametrize("name", ["out999", "in999", "nothing", "out", "out-1"])
def test_a_missing_entry_is_refused(copied: Path, name: str) -> None:
    done = invoked(copied, "pbmserv", "queue", "show", name)
    assert done.returncode == 1
    assert "The queues have no entry" in done.stderr


def test_a_token_and_a_password_are_never_shown(copied: Path) -> None:
    """A letter that asks for a confirmation, and an email that a bug set aside."""
    without_relay(copied)
    raw = f"From: dora@example.org\nMessage-ID: <1@x>\nSubject: signup dora {PASSWORD}\n\n"
    assert invoked(copied, "pbmserv", "receive", text=raw).returncode == 0
    changed(copied, "update boards set recent = '{'")  # what no program of ours writes
    raw = f"From: ann@example.org\nMessage-ID: <2@x>\nSubject: perudo showas ann {PASSWORD} 1\n\n"
    assert invoked(copied, "pbmserv", "receive", text=raw).returncode == 0
    for _ in range(3):
        assert invoked(copied, "pbmserv", "deliver").returncode == 0

    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (token,) = connection.execute(
        "select token from outbox where kind = 'confirm' order by id desc"
    ).fetchone()
    connection.close()
    listed = invoked(copied, "pbmserv", "queue", "list").stdout
    assert [line.split()[1:3] for line in in_whole_lines(listed)] == [
        ["aside", "pipe"],
        ["due", "confirm"],
        ["due", "bug"],
    ]
    assert "JSONDecodeError at " in " ".join(listed.split())
    for name in [line.split()[0] for line in in_whole_lines(listed)]:
        listed += invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert token not in listed
    assert PASSWORD not in listed


def test_the_token_of_a_waiting_email_is_not_shown(copied: Path) -> None:
    """It is in the recipient, and in the Message-ID of one of our letters that came back."""
    letter = letters_in(copied)[-1]
    assert letter.token.lower() in letter.reply_to
    changed(
        copied,
        "update inbox set state = 'waiting', recipient = ?, message_id = ? where id = 1",
        letter.reply_to,
        f"<7.1700000000.{letter.token}@localhost>",
    )
    shown = invoked(copied, "pbmserv", "queue", "show", "in1").stdout
    assert "state: waiting" in shown
    assert "recipient: perudo+***@localhost" in shown
    assert letter.token.lower() not in shown.lower()


def test_a_quarantined_email_can_be_retried(copied: Path) -> None:
    """After the bug is fixed, its command is carried out. The writer is told of both."""
    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (recent,) = connection.execute("select recent from boards").fetchone()
    connection.close()
    changed(copied, "update boards set recent = '{'")
    raw = f"From: ann@example.org\nMessage-ID: <2@x>\nSubject: perudo showas ann {PASSWORD} 1\n\n"
    invoked(copied, "pbmserv", "receive", text=raw)
    for _ in range(3):
        invoked(copied, "pbmserv", "deliver")
    bug = letters_in(copied)[-1]
    assert bug.to == "ann@example.org"
    assert PASSWORD not in bug.text
    changed(copied, "update boards set recent = ?", recent)
    listed = invoked(copied, "pbmserv", "queue", "list").stdout
    (name,) = [line.split()[0] for line in in_whole_lines(listed) if " aside " in line]
    assert invoked(copied, "pbmserv", "queue", "retry", name).returncode == 0
    assert "Board 1 as you see it, ann." in letters_in(copied)[-1].text
    assert invoked(copied, "pbmserv", "queue").stdout == "Nothing waits.\n"


def test_deliver_says_how_many_letters_left(copied: Path) -> None:
    changed(
        copied,
        "update outbox set state = 'due', kind = 'help', payload = ? where id = 1",
        '{"subject": "x", "page": "y"}',
    )
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 1\n"
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 0\n"
