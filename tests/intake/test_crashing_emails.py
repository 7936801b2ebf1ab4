"""An email that ends the process that opens it is noticed, taken alone, and set aside unopened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
from sqlalchemy import Engine, func, select

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.home import read_key
from pbmserv.intake.kept_emails import inbox
from pbmserv.intake.kept_emails.crashing_emails import DEATHS
from pbmserv.intake.kept_emails.quarantine import NOT_OPENED
from pbmserv.intake.kept_emails.watchdog import FOLDER, MOST_SECONDS, Watchdog, digest_of
from pbmserv.intake.processor import Processor
from pbmserv.mail.incoming import IncomingMail
from pbmserv.maintenance import mail_queue
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from tests.homes import home_with_tables
from tests.intake.inboxes import states

NOW = 1_800_000_000
HARMLESS = "help"
# A program that starts processes which open emails as the pipe would. Each is a fork, because
# importing everything takes long.  If the text of an email is a program in Python, opening the
# email runs it. So an email hangs or ends the process.  What hangs in spite of all ends by an
# alarm.
OPENS = """
import json, os, signal, sys, threading
from pathlib import Path
from pbmserv.intake.kept_emails import crashing_emails, watchdog
from pbmserv.server.app import opened
from pbmserv.mail import reading
from pbmserv.mail.incoming import IncomingMail
from tests.intake.test_crashing_emails import incoming

was = reading.read
def read(raw, **rest):
    text = raw.partition(b"\\r\\n\\r\\n")[2].decode()
    if text.startswith("__import__"):
        exec(text)
    return was(raw, **rest)
reading.read = read
for line in sys.stdin:
    home, seconds, *texts = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    signal.alarm(60)
    watchdog.Watchdog.__init__.__defaults__ = (seconds,)
    with opened(Path(home)) as app:
        app.accept([incoming(text) for text in texts])
    sys.exit()
"""
HANGS = "__import__('re').match('(a+)+b', 'a' * 50)"  # in C, with the interpreter's lock
CRASHES = "__import__('faulthandler')._sigsegv()"
IS_EXCUSED = """__import__("pbmserv"); crashing = app.processor.crashing
crashing.excuse()
other = threading.Thread(target=crashing.holding([incoming("another")]).__enter__, daemon=True)
other.start()
other.join(0.05)
os._exit(9)
"""


class Started(Protocol):
    def __call__(self, home: Path, *texts: str, seconds: float = ...) -> int: ...


def incoming(text: str) -> IncomingMail:
    head = f"From: zoe@x.org\r\nSubject: help\r\nMessage-ID: <{len(text)}@x>\r\n\r\n"
    return IncomingMail((head + text).encode(), "zoe@x.org", "perudo@localhost", "smtp")


@pytest.fixture(scope="module")
def started() -> Iterator[Started]:
    """Start a process that opens emails in a home; its exit code, negative for a signal."""
    with subprocess.Popen(
        [sys.executable, "-c", OPENS],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, ended = process.stdin, process.stdout

        def start(home: Path, *texts: str, seconds: float = MOST_SECONDS) -> int:
            print(json.dumps([str(home), seconds, *texts]), file=asked, flush=True)
            return int(ended.readline())

        yield start


def left_behind(home: Path, *held: IncomingMail) -> None:
    """Write the file of a process that was killed while it handled these emails."""
    folder = home / FOLDER
    folder.mkdir(exist_ok=True)
    digests = b"".join(bytes.fromhex(digest_of(each)) for each in held)
    (folder / "1-dead").write_bytes(bytes([len(held)]) + digests)


@pytest.fixture
def processor(engine: Engine, settings: Settings, passwords: Passwords) -> Processor:
    return Processor(engine, Tokens(read_key(settings.home)), passwords, settings, lambda: NOW)


def anew(processor: Processor) -> Processor:
    """The processor of a process that has just started."""
    return replace(processor)


def deaths(processor: Processor) -> list[int]:
    """The deaths of processes that are counted for emails."""
    row = models.Counter
    query = select(func.sum(row.count)).where(row.what == DEATHS).group_by(row.who)
    with reading(processor.engine) as connection:
        return list(connection.execute(query).scalars())


def test_an_email_that_hangs_is_set_aside_at_the_third_start(
    home: Path, processor: Processor, started: Started
) -> None:
    """The kernel ends the process in the middle of C code; the email behind it is answered."""
    for _ in range(2):
        assert started(home, HANGS, seconds=0.2) == -signal.SIGPROF
        assert states(processor) == []
    assert started(home, HANGS, HARMLESS) == 0
    assert states(processor) == [inbox.ASIDE, inbox.DONE]
    with reading(processor.engine) as connection:
        noted = connection.execute(
            select(models.OperatorAlert.kind, models.OperatorAlert.why)
        ).all()
        senders = connection.execute(select(models.InboxMail.sender).distinct()).all()
    assert noted == [("aside", NOT_OPENED)]
    assert senders == [("zoe@x.org",)]
    assert not list((home / FOLDER).iterdir())


def test_a_crash_says_where_it_was(home: Path, started: Started) -> None:
    home_with_tables(home)
    assert started(home, CRASHES) == -signal.SIGSEGV
    (left,) = Watchdog(home / FOLDER).left()
    assert left.digests == (digest_of(incoming(CRASHES)),)
    assert left.place.startswith("request_reader.py:")


def test_an_email_open_during_kills_is_quarantined_at_the_fourth_start(
    home: Path, processor: Processor
) -> None:
    """A kill may have come from outside, at a bad moment: so it takes one more."""
    for _ in range(3):
        left_behind(home, incoming(HARMLESS))
        assert deaths(processor) < [6]
        assert not anew(processor).crashing.is_deadly(incoming("another"))
    anew(processor).accept([incoming(HARMLESS)])
    anew(processor).accept([incoming(HARMLESS)])  # the sender has not heard the 250
    assert states(processor) == [inbox.ASIDE]


def test_an_email_open_when_the_supervisor_is_killed_is_not_suspect(
    home: Path, processor: Processor, started: Started
) -> None:
    """Its thread may begin the next email before the process ends: that one is not, either."""
    for _ in range(4):
        assert started(home, IS_EXCUSED) == 9
    assert deaths(processor) == []


def test_an_email_open_at_a_kill_is_no_longer_suspect_once_it_is_processed(
    home: Path, processor: Processor
) -> None:
    """It is processed alone, so that it shares no blame with another email."""
    left_behind(home, incoming(HARMLESS), incoming("another"))
    fresh = anew(processor)
    fresh.accept([incoming(HARMLESS), incoming("the third one")])
    assert deaths(processor) == [2]
    assert states(processor) == [inbox.DONE] * 2
    fresh.store([incoming("another")])
    fresh.work()
    assert deaths(processor) == []


def test_an_email_is_still_suspect_after_its_transaction_was_undone(
    home: Path, processor: Processor
) -> None:
    """The transaction in which it was dealt with was undone: it shares no batch with others."""
    left_behind(home, incoming(HARMLESS))
    crashing, mail = anew(processor).crashing, incoming(HARMLESS)
    assert crashing.parted([mail]) == ([], [mail], [])
    with pytest.raises(ValueError, match="undone"), writing(processor.engine) as connection:
        crashing.forget(connection, [mail])
        raise ValueError("undone")
    assert crashing.parted([mail]) == ([], [mail], [])
    with writing(processor.engine) as connection:
        crashing.forget(connection, [mail])
    assert crashing.parted([mail]) == ([], [], [mail])


def test_the_operator_has_a_deadly_email_opened_once_more_and_only_once(
    home: Path, processor: Processor
) -> None:
    for _ in range(3):
        left_behind(home, incoming(HARMLESS))
        anew(processor).crashing.is_deadly(incoming(HARMLESS))
    server = anew(processor)
    server.store([incoming(HARMLESS)])
    mail_queue.retry(processor.engine, ["in1"], NOW)
    left_behind(home, incoming(HARMLESS))  # it ended the process that tried it
    server = anew(processor)
    server.work()
    assert states(processor) == [inbox.ASIDE]
    mail_queue.retry(processor.engine, ["in1"], NOW)
    server.work()
    assert states(processor) == [inbox.DONE]


def test_a_deadly_email_is_opened_by_no_transport(home: Path, processor: Processor) -> None:
    """The pipe beside a running server does not open it, nor the answer for emails too large."""
    for _ in range(3):
        left_behind(home, incoming(HARMLESS), incoming("large"))
        anew(processor).crashing.is_deadly(incoming(HARMLESS))
    processor.store([incoming(HARMLESS)])
    processor.refuse_large(incoming("large"), 100)
    assert states(processor) == [inbox.ASIDE] * 2


def test_emails_of_a_running_process_are_not_suspect(home: Path) -> None:
    home.mkdir()
    with Watchdog(home / FOLDER).holding([incoming(HARMLESS)]):
        assert list(Watchdog(home / FOLDER).left()) == []
    assert list(Watchdog(home / FOLDER).left()) == []


def test_of_emails_in_turn_the_latest_is_recorded_until_the_end(home: Path) -> None:
    home.mkdir()
    with Watchdog(home / FOLDER).one_by_one() as turn_to:
        for each in (incoming(HARMLESS), incoming("another"), incoming(HARMLESS)):
            turn_to(each)
            assert recorded(home) == bytes([1]) + each.digest
    assert recorded(home)[0] == 0


def recorded(home: Path) -> bytes:
    """The beginning of the file of this process."""
    (file,) = (home / FOLDER).iterdir()
    return file.read_bytes()[:33]
