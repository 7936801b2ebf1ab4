"""The log of a running server: a line for every email and letter, and no token in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.reading import read
from pbmserv.monitoring import server_log
from tests.cli.processes import served, typed, until
from tests.server.serving import letters_to
from tests.stories.town import OUR_ADDRESS, PASSWORD, letters_in, mail

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} "
OPENING = r"INFO {}: started: pbmserv \S+, home \S+"
MAIL = r"INFO intake: email by smtp from ann@example.org, <1@x>, \d{3} bytes"
KEPT = r"INFO intake: email by pipe from ann@example.org, <2@x>, \d{3} bytes"
LETTER = (
    r"INFO sending: letter out\d+, perudo/moved of board 1, to {}@example.org: stored in mail/\S+"
)


def logged(home: Path, *words: str) -> list[str]:
    """What a server logs while it plays a move, and is asked for help by the pipe."""
    move = f"perudo move 1 ann {PASSWORD} 2-2s"
    with served(home, words=words) as server:
        server.send(mail("ann@example.org", move, message_id="<1@x>"), "a@b.c", OUR_ADDRESS)
        until(lambda: letters_to(home, "bob@example.org").count("Your turn: Perudo board 1") == 1)
        help_asked = mail("ann@example.org", "help", message_id="<2@x>")
        typed(home, "pbmserv", "receive", "--sender", "a@b.c", text=help_asked)
        until(lambda: letters_to(home, "ann@example.org").count("Help: commands") == 1)
        server.stop()
    lines = server.log.read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("pbmserv: SMTP on ")]


def told(lines: list[str], form: str) -> int:
    return len([line for line in lines if re.fullmatch(form, line)])


def test_the_log_has_a_line_for_every_email_and_letter(playing: Path) -> None:
    """Each with its time; none holds a password, a die, or a token."""
    before = letters_in(playing)
    letter = next(each for each in before if each.subject == "Your turn: Perudo board 1")
    lines = logged(playing)
    for number, role in enumerate(("sending", "intake")):
        assert told(lines[number : number + 1], TIME + OPENING.format(role)) == 1
        own = [line for line in lines if f" {role}: " in line]  # the roles stop in any order
        assert told(own[-1:], TIME + f"INFO {role}: stopped") == 1
    assert told(lines, TIME + MAIL) == told(lines, TIME + KEPT) == 1
    for name in ("ann", "bob", "cleo"):
        assert told(lines, TIME + LETTER.format(name)) == 1
    assert told(lines, TIME + r"INFO sending: letter out\d+, help, to ann@example.org: .*") == 1
    assert len(lines) == len(letters_in(playing)) - len(before) + 6
    text = "\n".join(lines)
    assert PASSWORD not in text and letter.token.lower() not in text.lower()


def test_a_token_that_others_have_written_is_blanked(caplog: pytest.LogCaptureFixture) -> None:
    """An email that comes back under the Message-ID of a letter, and what a relay says of one."""
    token = "A" * 31 + "B"
    raw = mail("ann@example.org", "help", message_id=f"<1.2.{token}@localhost>")
    incoming = IncomingMail(raw, "", OUR_ADDRESS, "smtp")
    row = {"id": 1, "kind": "help", "board_id": None, "address": "ann@example.org"}
    with caplog.at_level("INFO"):
        server_log.received(incoming, read(raw, envelope_sender="", recipient="", own=OUR_ADDRESS))
        server_log.sent(row, f"250 queued\nas {token.lower()}")
    assert caplog.messages == [
        f"email by smtp from ann@example.org, <1.2.***@localhost>, {len(raw)} bytes",
        "letter out1, help, to ann@example.org: 250 queued as ***",
    ]


def test_a_quiet_server_logs_no_emails_and_letters(playing: Path) -> None:
    assert logged(playing, "--quiet") == []


def test_systemds_journal_has_a_time_for_each_line_already(
    playing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JOURNAL_STREAM says that standard error goes to the journal: systemd.exec(5)."""
    log = playing.parent / f"{playing.name}.log"
    log.touch()
    status = log.stat()
    monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
    lines = logged(playing)
    assert told(lines, MAIL) == 1
    for role in ("sending", "intake"):
        assert told(lines[:2], OPENING.format(role)) == told(lines[-2:], f"INFO {role}: stopped")


def test_the_log_says_of_a_letter_that_stays_why(playing: Path) -> None:
    """One line for each try; nobody listens where the relay should be."""
    settings = 'delivery = "smtp"\nrelay = "127.0.0.1:9"\n'
    with served(playing, settings) as server:
        server.send(mail("ann@example.org", "help", message_id="<1@x>"), "a@b.c", OUR_ADDRESS)
        form = (
            TIME
            + r"WARNING sending: letter out\d+, help, to ann@example.org: will be tried again: .+"
        )
        until(lambda: told(server.log.read_text("utf-8").splitlines(), form) == 1)
