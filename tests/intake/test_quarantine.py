"""An email that our own code cannot deal with is kept, tried again, and set aside in the end."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from email import policy
from email.message import EmailMessage
from pathlib import Path
from unittest import mock

import pytest
from jinja2 import UndefinedError
from sqlalchemy import Connection, Engine, event, select

from pbmserv.commands.calls import prepared
from pbmserv.commands.parser import CommandCall
from pbmserv.database import models
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.fast_dataclasses import replace as copy
from pbmserv.home import open_home, read_key
from pbmserv.intake.answering.answer_limits import STRANGERS_DAILY
from pbmserv.intake.command_lines import Line
from pbmserv.intake.kept_emails import inbox
from pbmserv.intake.known_senders import KnownSender, SenderAddresses, known_senders
from pbmserv.intake.processor import Processor
from pbmserv.letters.templates import template
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.reading import Mail, read
from pbmserv.maintenance import mail_queue
from pbmserv.security.credentials import Credentials
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from tests.intake.inboxes import states
from tests.sql import heard

NOW = 1_800_000_000
ADDRESS = "perudo@localhost"


def mail(number: int, sender: str, subject: str, text: str = "", to: str = ADDRESS) -> IncomingMail:
    """An email as a transport hands it over."""
    lines = [f"From: {sender}", f"To: {to}", f"Subject: {subject}", f"Message-ID: <{number}@x>"]
    raw = "\r\n".join([*lines, "", text, ""]).encode()
    return IncomingMail(raw, sender, to, "smtp")


@pytest.fixture
def processor(engine: Engine, settings: Settings, passwords: Passwords) -> Processor:
    """A processor with accounts of ann and bob."""
    processor = Processor(engine, Tokens(read_key(settings.home)), passwords, settings, lambda: NOW)
    for name in ("ann", "bob"):
        context = prepared(CommandCall("", "signup", (name, f"{name}-pw", f"{name}@x.org")))
        credentials = Credentials()
        processor.request_reader.try_password(context, credentials, "", NOW)
        outcome, *_ = processor.carry_out(Line("", context), credentials, "")
        assert outcome.refusal is None
    return processor


def broken() -> bytes:
    """A source of chance that fails: the bug that these tests are about."""
    raise RuntimeError("no chance today")


def kinds(processor: Processor) -> list[str]:
    """The kinds of all letters, oldest first."""
    query = select(models.OutboxLetter.kind).order_by(models.OutboxLetter.id)
    with reading(processor.engine) as connection:
        return list(connection.execute(query).scalars())


CHALLENGE = "perudo challenge ann bob"


def test_an_unprocessable_email_does_not_delay_others(processor: Processor) -> None:
    """It is kept for another attempt, and the rest of its batch is processed."""
    ill = replace(processor, seed=broken)
    ill.accept([mail(1, "ann@x.org", CHALLENGE), mail(2, "bob@x.org", "help")])
    assert states(processor) == [inbox.WAITING, inbox.DONE]
    assert kinds(processor) == ["help"]


def test_a_kept_email_is_processed_after_the_failure_ends(processor: Processor) -> None:
    replace(processor, seed=broken).accept([mail(1, "ann@x.org", CHALLENGE)])
    assert processor.work() == 1
    assert states(processor) == [inbox.DONE]
    assert kinds(processor) == ["perudo/started", "perudo/started"]
    assert processor.work() == 0


def test_an_email_is_quarantined_after_three_failures_and_its_sender_told_once(
    processor: Processor,
) -> None:
    ill = replace(processor, seed=broken)
    ill.accept([mail(1, "ann@x.org", CHALLENGE)])
    while ill.work():
        pass
    assert states(processor) == [inbox.ASIDE]
    assert kinds(processor) == ["bug"]


def test_a_kept_or_stored_email_has_one_line_in_the_log(
    processor: Processor, caplog: pytest.LogCaptureFixture
) -> None:
    """The pipe's email when the server takes it up, any other when it came in."""
    with caplog.at_level("INFO"):
        replace(processor, seed=broken).accept([mail(1, "ann@x.org", CHALLENGE)])
        processor.store([replace(mail(2, "bob@x.org", "help"), transport="pipe")])
        assert processor.work() == 2
    mails = [line for line in caplog.messages if line.startswith("email by")]
    assert [line.split(", ")[:2] for line in mails] == [
        ["email by smtp from ann@x.org", "<1@x>"],
        ["email by pipe from bob@x.org", "<2@x>"],
    ]


def test_an_email_stored_for_the_server_acts_once(processor: Processor) -> None:
    """Stored twice, it has one effect; its text is gone afterwards."""
    processor.store([mail(1, "ann@x.org", CHALLENGE)])
    processor.store([mail(1, "ann@x.org", CHALLENGE)])
    assert processor.work() == 1
    with reading(processor.engine) as connection:
        assert connection.execute(select(models.InboxMail.raw)).scalars().all() == [b""]
    assert kinds(processor) == ["perudo/started", "perudo/started"]


def test_the_sender_of_too_large_an_email_is_told_once(processor: Processor) -> None:
    incoming = mail(1, "ann@x.org", "holiday pictures")
    processor.refuse_large(incoming, 100)
    processor.refuse_large(incoming, 100)
    assert kinds(processor) == ["refused"]


def test_a_stranger_gets_one_answer_a_day(processor: Processor) -> None:
    processor.accept([mail(number, "zed@x.org", "help") for number in range(5)])
    assert kinds(processor) == ["stranger"] * STRANGERS_DAILY


def test_an_email_without_a_sender_is_not_answered(processor: Processor) -> None:
    raw = b"Subject: help\r\nMessage-ID: <1@x>\r\n\r\n"
    processor.accept([IncomingMail(raw, None, ADDRESS, "smtp")])
    assert states(processor) == [inbox.DONE]
    assert kinds(processor) == []


@pytest.mark.parametrize("subject", ["help", "perudo showas ann wrong 1"])
def test_a_locked_database_asks_the_sender_to_try_later(processor: Processor, subject: str) -> None:
    """The email is not lost: it was never taken.  A password is tried before its transaction."""
    hurried = replace(processor, engine=engine_for(processor.settings))

    def hurry(driver: sqlite3.Connection, _record: object) -> None:
        driver.execute("PRAGMA busy_timeout = 20")

    event.listen(hurried.engine, "connect", hurry)
    with writing(processor.engine), pytest.raises(TryLater):
        hurried.accept([mail(1, "ann@x.org", subject)])
    close(hurried.engine)
    assert states(processor) == []


def test_a_token_of_another_board_opens_nothing(processor: Processor) -> None:
    for number in (1, 2):
        processor.accept([mail(number, "ann@x.org", CHALLENGE)])
    token = processor.tokens.letter(1, 1, 1)
    processor.accept([mail(3, "ann@x.org", f"perudo showas ann {token} 2")])
    assert kinds(processor)[-1] == "refused"


def test_a_bug_report_names_the_code_and_quotes_no_email() -> None:
    assert describe(ValueError("secret")) == "ValueError at ?"
    try:
        broken()
    except RuntimeError as problem:
        assert "test_quarantine.py:" in describe(problem)
        assert "no chance" not in describe(problem)


def test_a_bug_report_names_our_frames_up_to_the_last_and_those_of_the_cause() -> None:
    with pytest.raises(KeyError) as caught:
        try:
            open_home(Path("/dev/null/sesame"))
        except Misconfigured as problem:
            raise KeyError(problem.args[0]) from problem
    first, cause, earlier = describe(caught.value).split("; caused by ")
    assert re.fullmatch(r"KeyError at intake/test_quarantine\.py:\d+", first)
    assert re.fullmatch(r"Misconfigured at pbmserv/home\.py:\d+", cause)
    assert re.fullmatch(r"NotADirectoryError at \S+:\d+, called from pbmserv/home\.py:\d+", earlier)
    assert "sesame" not in describe(caught.value)


def test_a_bug_report_of_a_template_names_it_and_its_line() -> None:
    with pytest.raises(UndefinedError) as caught:
        template("bug", "en").render()
    assert re.fullmatch(
        r"UndefinedError at pbmserv/letters/templates/bug\.jinja:[1-9]", describe(caught.value)
    )


def test_a_copy_of_a_processor_counts_deaths_by_its_own_clock(processor: Processor) -> None:
    """Whichever `replace` makes it; nobody changes a processor or an application."""
    for copied in (replace(processor, clock=lambda: 1), copy(processor, clock=lambda: 1)):
        assert copied.crashing is not processor.crashing
        assert copied.crashing._clock() == 1
    with pytest.raises(FrozenInstanceError):
        processor.clock = lambda: 1  # type: ignore[misc] # the claim


def busy() -> bytes:
    """A source of chance behind a database that is busy."""
    raise TryLater("busy")


def test_a_waiting_email_keeps_waiting_while_the_database_is_busy(
    processor: Processor,
) -> None:
    """This is not an error of the email, so it is not counted as a failed attempt."""
    processor.store([mail(1, "ann@x.org", CHALLENGE)])
    with pytest.raises(TryLater):
        replace(processor, seed=busy).work()
    assert states(processor) == [inbox.WAITING]


def test_a_busy_database_is_reported_to_the_transport_of_a_single_email(
    processor: Processor,
) -> None:
    sources = iter([broken, busy])

    def first_broken_then_busy() -> bytes:
        source = next(sources)
        return source()

    ill = replace(processor, seed=first_broken_then_busy)
    with pytest.raises(TryLater):
        ill.accept([mail(1, "ann@x.org", CHALLENGE)])
    assert states(processor) == []


def test_a_large_email_without_a_sender_is_noted_and_not_answered(processor: Processor) -> None:
    processor.refuse_large(IncomingMail(b"Subject: x\r\n\r\n", None, ADDRESS, "pipe"), 4)
    assert states(processor) == [inbox.DONE]
    assert kinds(processor) == []


def test_a_text_may_be_given_in_the_command_itself(processor: Processor) -> None:
    processor.accept([mail(1, "ann@x.org", CHALLENGE)])
    token = processor.tokens.letter(1, 1, 1)
    processor.accept([mail(2, "ann@x.org", f"perudo chat 1 ann {token} --message=Hello")])
    assert sorted(kinds(processor))[:2] == ["chat_sent", "perudo/chat"]


class Forgetful(Passwords):
    """Passwords that cannot be hashed: a bug that occurs while an email is read."""

    def hash(self, password: str) -> str:
        raise RuntimeError("no hash today")


def test_an_email_that_breaks_the_parser_delays_no_other(processor: Processor) -> None:
    """The others of its batch are answered; it is kept, tried again, and set aside in the end."""
    ill = replace(processor, passwords=Forgetful())
    ill.accept([mail(1, "zoe@x.org", "signup zoe secret"), mail(2, "bob@x.org", "help")])
    assert states(processor) == [inbox.WAITING, inbox.DONE]
    for _ in range(3):
        assert ill.work() == 1
    assert states(processor) == [inbox.ASIDE, inbox.DONE]
    assert ill.work() == 0
    assert sorted(kinds(processor)) == ["bug", "help"]


def test_an_address_that_breaks_the_search_for_senders_delays_no_other(
    processor: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bans and addresses of all senders are searched in one statement."""
    asked = "pbmserv.intake.request_reader.known_senders"

    def stumbles(
        connection: Connection, senders: Sequence[SenderAddresses], now: int
    ) -> Sequence[KnownSender]:
        if any("zoe@x.org" in each for each in senders):
            raise RuntimeError("no senders today")
        return known_senders(connection, senders, now)

    monkeypatch.setattr(asked, stumbles)
    processor.accept([mail(1, "zoe@x.org", "help"), mail(2, "bob@x.org", "help")])
    assert states(processor) == [inbox.WAITING, inbox.DONE]
    monkeypatch.setattr(asked, mock.Mock(side_effect=TryLater("busy")))
    with pytest.raises(TryLater):
        processor.accept([mail(3, "zoe@x.org", "help"), mail(4, "bob@x.org", "help")])


def test_an_email_that_fails_a_retry_is_quarantined_without_another_letter(
    processor: Processor,
) -> None:
    """Once the bug is gone its writer gets the answer."""
    ill = replace(processor, passwords=Forgetful())
    ill.accept([mail(1, "zoe@x.org", "signup zoe secret")])
    for _ in range(3):
        ill.work()
    for _ in range(2):
        mail_queue.retry(processor.engine, ["in1"], NOW)
        assert [ill.work() for _ in range(3)] == [1, 0, 0]
        assert states(processor) == [inbox.ASIDE]
    assert kinds(processor) == ["bug"]
    mail_queue.retry(processor.engine, ["in1"], NOW)
    processor.work()
    assert states(processor) == [inbox.DONE]
    assert kinds(processor)[1:] != []


def test_an_unreadable_email_is_kept_for_the_operator(
    processor: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By every transport; the emails that wait behind it are dealt with, and nobody is answered."""

    def stumbles(raw: bytes, **rest: object) -> Mail:
        if b"Subject: poison" in raw:
            raise RecursionError
        return read(raw, **rest)  # type: ignore[arg-type] # the same words

    monkeypatch.setattr("pbmserv.mail.reading.read", stumbles)
    processor.accept([mail(1, "zoe@x.org", "poison"), mail(2, "bob@x.org", "help")])
    processor.store([mail(3, "zoe@x.org", "poison"), mail(4, "ann@x.org", "help")])
    processor.refuse_large(mail(5, "zoe@x.org", "poison"), 4)
    for _ in range(3):
        processor.work()
    assert sorted(states(processor)) == ["aside", "aside", "done", "done", "done"]
    assert kinds(processor) == ["help", "help"]
    monkeypatch.undo()
    mail_queue.retry(processor.engine, ["in1"], NOW)
    processor.work()
    assert states(processor).count(inbox.ASIDE) == 1


def no_letters(sql: str, _: object) -> None:
    """A database that takes no letters, so that every command is undone."""
    if sql.startswith("INSERT INTO outbox"):
        raise RuntimeError("no letters today")


KEPT = [  # what is written, and what is left of it: the letters, when all is well again
    ("perudo move 1 ann ann-pw 2-2s", "", "perudo/moved"),
    ("Re: a game", "perudo move 1 ann ann-pw 2-2s\n\nGood luck with that", "perudo/moved"),
    ("signup zoe zoe-pw zoe@x.org", "", "confirm"),
    ("multiple", "set ann ann-pw timezone=Europe/Zurich\nperudo resign 1 ann ann-pw", "lines"),
    ("change password ann ann-pw other-pw", "", "password_changed"),
    ("perudo move 1 ann wrong-pw 2-2s", "", "refused"),
]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["7bit", "base64"])
@pytest.mark.parametrize(("subject", "text", "kind"), KEPT)
def test_a_quarantined_email_holds_no_passwords_and_can_still_be_retried(
    processor: Processor, subject: str, text: str, kind: str, encoding: str
) -> None:
    """They were tried already: marks replace them, and only the marks of this email count."""
    processor.accept([mail(1, "ann@x.org", "perudo challenge -inorder ann bob")])
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = "ann@x.org", ADDRESS, subject
    message["Message-ID"] = "<2@x>"
    message.set_content(text, cte=encoding)
    incoming = IncomingMail(message.as_bytes(), "ann@x.org", ADDRESS, "smtp")

    with heard(processor.engine, no_letters):
        processor.store([incoming])
        for _ in range(3):
            processor.work()
    with reading(processor.engine) as connection:
        row = connection.execute(
            select(models.InboxMail).where(models.InboxMail.id == 2)
        ).mappings()
        kept = "".join(str(value) for value in row.one().values())
    assert inbox.ASIDE in kept
    assert not [each for each in ("ann-pw", "zoe-pw", "other-pw", "wrong-pw") if each in kept]
    assert "kept-password-1" in kept
    assert "Good luck" in kept or "Good luck" not in text
    mail_queue.retry(processor.engine, ["in2"], NOW)
    processor.work()
    assert states(processor) == [inbox.DONE, inbox.DONE]
    assert kind in kinds(processor)[2:]
    assert ("refused" in kinds(processor)) == (kind == "refused")
    with reading(processor.engine) as connection:
        assert connection.execute(
            select(models.InboxMail.credentials).distinct()
        ).scalars().all() == [""]


def test_a_password_mark_of_another_email_is_invalid(processor: Processor) -> None:
    processor.accept([mail(1, "ann@x.org", "perudo challenge -inorder ann bob")])
    processor.accept([mail(2, "bob@x.org", "perudo move 1 ann kept-password-1 2-2s")])
    assert kinds(processor)[-1] == "refused"
