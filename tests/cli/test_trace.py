"""`pbmserv trace`: the whole life of an email, as the operator reads it, and nothing secret."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.database.engine import reading, writing
from pbmserv.lobby import moderation
from pbmserv.mail.incoming import IncomingMail
from pbmserv.maintenance import traffic
from pbmserv.maintenance.message_trace import traced
from pbmserv.monitoring import action_log
from pbmserv.transports.sendmail_out import SendmailOut
from pbmserv.transports.smtp_out import SmtpRelay
from tests.cli.processes import invoked
from tests.deliverability.returned import REPORTS, report
from tests.fake_relay import FakeRelay
from tests.homes import home_with_tables
from tests.outbox.test_queue import relay
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, mail, town_at

__all__ = ["relay"]


def told(town: Town, what: str, most: int = 20) -> str:
    return "\n".join(traced(town.engine, what, most))


def test_the_life_of_a_move_from_email_to_mailboxes(town: Town) -> None:
    """By its Message-ID: the transport, the command, its letters, and where they are."""
    town.move("ann", "2-2s")
    assert told(town, f"<mail-{town.mails}@client.example>") == (
        "email in6  2023-11-14 22:13:20 UTC  <mail-6@client.example>\n"
        "  came by smtp from ann@example.org (envelope ann@example.org)\n"
        "  for perudo@localhost\n"
        "  read as: perudo move\n"
        "  letter out7  2023-11-14 22:13:20 UTC  perudo/moved to ann@example.org, board 1\n"
        "    sent 2023-11-14 22:13:20 UTC: stored in mail/ann@example.org/new/0000000007.pbmserv\n"
        "  letter out8  2023-11-14 22:13:20 UTC  perudo/moved to bob@example.org, board 1\n"
        "    sent 2023-11-14 22:13:20 UTC: stored in mail/bob@example.org/new/0000000008.pbmserv\n"
    )
    first, empty, email = told(town, "in6", 1).splitlines()[:3]
    assert (first, empty) == ("Not shown: 1 older letter. To see them: --most 2", "")
    assert email.startswith("email in6")
    assert "Not shown" not in told(town, "in6", 2)


def test_a_board_has_the_replies_that_nobody_could_read(town: Town) -> None:
    """The token of a reply names its board, and so does the Subject of one without a token."""
    letter = town.last_letter_to("ann@example.org")
    town.reply(letter, "what about fvie fives")
    town.write("ann@example.org", f"Re: {letter.subject}", "duddo")
    assert told(town, "1").count("read as: unknown command") == 2
    town.write("ann@example.org", "what about fvie fives")
    assert told(town, "1").count("read as: unknown command") == 2


def test_trace_shows_the_code_of_a_refusal(town: Town) -> None:
    town.move("bob", "2-2s")
    text = told(town, "in6")
    assert "read as: perudo move (refused: not_your_turn)" in text
    assert "refused to bob@example.org" in text


def test_trace_says_that_a_late_reply_was_not_played(town: Town) -> None:
    letter = town.last_letter_to("ann@example.org")
    town.reply(letter, "1-2s")
    town.reply(letter, "2-2s")
    assert "read as: perudo move (refused: already_played)" in told(town, "in7")


def test_trace_names_the_reason_for_a_held_reply(town: Town) -> None:
    """The state of emergency, or an account that may do nothing: not just too many letters."""
    settings = replace(town.settings, unproven_daily=0)
    with writing(town.engine) as connection:
        action_log.note(connection, action_log.EMERGENCY, town.now, about=action_log.ON)
    assert town.write("zoe@elsewhere.example", "help") == []
    assert "help; not answered: the state of emergency is on" in told(town, "in6")
    town.app.transactions.run(lambda context: moderation.suspend(context, "ann", None, ""))
    town.delivered()
    processor = replace(town.processor, settings=settings)
    asked = f"perudo showas ann {PASSWORD}"
    raw = mail("ann@example.org", asked, message_id=town.next_message_id())
    processor.accept([IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "smtp")])
    assert "perudo showas; not carried out: the account is suspended" in told(town, "in7")


def test_trace_begins_with_operator_actions_on_the_board_or_player(town: Town) -> None:
    """By the board's number, the userid, or an address of the player."""
    with writing(town.engine) as connection:
        action_log.note(connection, action_log.STOP, 1_700_000_000, board=1, why="asked for")
        action_log.note(connection, "close", 1_700_000_060, about="Bob")
    stopped = "act  2023-11-14 22:13:20 UTC  operator: stop, board 1 (asked for)"
    closed = "act  2023-11-14 22:14:20 UTC  operator: close bob"
    assert told(town, "1").splitlines()[:2] == [stopped, ""]
    assert told(town, "bob").splitlines()[:2] == [closed, ""]
    assert told(town, "bob@example.org").splitlines()[:2] == [closed, ""]
    assert "act " not in told(town, "ann@example.org")


def test_trace_says_how_many_older_actions_it_leaves_out(town: Town) -> None:
    with writing(town.engine) as connection:
        for why in ("first", "second", "third"):
            action_log.note(connection, "close", town.now, about="Bob", why=why)
    act, left_out, *_ = told(town, "bob", 1).splitlines()
    assert act.endswith("(third)")
    assert left_out.startswith("Not shown: 2 older acts")
    assert "older act" not in told(town, "bob", 3)


def test_trace_shows_actions_on_a_domain_for_each_of_its_addresses(town: Town) -> None:
    """By the address or the userid, for that is what the operator is asked about."""
    with writing(town.engine) as connection:
        for ban in ("example.org", "b*@example.org", "evil.example"):
            action_log.note(connection, moderation.BAN, 1_700_000_000, about=ban)
        action_log.note(connection, moderation.UNBAN, 1_700_000_060, about="example.org")
    for what, patterns in {
        "bob": 1,
        "bob@example.org": 1,
        "ann": 0,
        "x@sub.example.org": 0,
    }.items():
        text = told(town, what)
        assert text.count("operator: ban example.org\n") == 1
        assert text.count("operator: unban example.org\n") == 1
        assert text.count("operator: ban b*@example.org") == patterns
        assert "evil.example" not in text


def test_trace_finds_the_state_of_emergency_by_its_name(town: Town) -> None:
    for state in (action_log.ON, action_log.OFF):
        invoked(town.home, "pbmserv", "emergency", state, "--why=A flood")
    lines = told(town, "Emergency").splitlines()
    assert [line.partition("UTC  ")[2] for line in lines if line] == [
        "operator: emergency on (A flood)",
        "operator: emergency off (A flood)",
    ]


def test_trace_shows_that_an_email_is_automatic(town: Town) -> None:
    town.write("robot@example.org", "perudo show 1", headers={"Precedence": "bulk"})
    assert "read as: Precedence: bulk" in told(town, "robot@example.org")


def test_trace_shows_that_a_mailing_list_forwarded_an_email(town: Town) -> None:
    raw = (
        b"From: dan@example.org\nMessage-ID: <1@x>\nList-Id: <liars.example.org>\n\nperudo games\n"
    )
    town.carry(raw, "liars-bounces@lists.example.org", OUR_ADDRESS)
    for asked in ("dan@example.org", "liars-bounces@lists.example.org"):
        text = told(town, asked)
        assert "(envelope liars-bounces@lists.example.org)" in text
        assert "read as: List-Id: <liars.example.org> (a mailing list sent it)" in text


def test_an_email_with_only_the_bounce_address_of_a_list_is_answered(town: Town) -> None:
    """An alias forwarded it; trace names both addresses."""
    raw = b"From: dan@example.org\nMessage-ID: <1@x>\nSubject: help bids\n\n"
    letters = town.carry(raw, "liars-bounces@lists.example.org", OUR_ADDRESS)
    assert [each.to for each in letters] == ["dan@example.org"]
    text = told(town, "liars-bounces@lists.example.org")
    assert "from dan@example.org (envelope liars-bounces@lists.example.org)" in text
    assert "read as: help" in text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("verizon-picture", "No valid recipients for this MM"),
        ("verizon-text", "550 - Requested action not taken: no such user here"),
        ("fml-not-a-member", "You perudo@localhost are not member (liars ML)"),
        ("fml-old-not-a-member", "You perudo@localhost are not member (liars ML)"),
    ],
)
def test_trace_shows_what_a_machine_without_standard_reports_says(
    town: Town, name: str, reason: str
) -> None:
    """It is not answered, with the machine's own envelope and at our own address, either."""
    raw = (REPORTS / f"{name}.eml").read_bytes()
    sender = re.search(rb"(?m)^From: (.*)$", raw)
    assert sender is not None
    machine = sender[1].decode().lower()
    assert town.carry(raw, machine, OUR_ADDRESS) == []
    assert f"failed {reason}" in told(town, machine)


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "x; about out1"},
        {"Precedence": "bulk; about out1"},
        {"Subject": "Out of office; about out1"},
        {"Content-Type": 'message/delivery-status; x="; about out1"'},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_a_stranger_cannot_choose_the_letter_of_an_email_in_trace(
    town: Town, headers: dict[str, str]
) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    raw = f"From: zoe@elsewhere.example\r\nMessage-ID: <x@elsewhere.example>\r\n{head}\r\n"
    town.carry(raw.encode(), "zoe@elsewhere.example", OUR_ADDRESS)
    assert "elsewhere.example" not in told(town, "out1")
    assert "letter out1 " not in told(town, "zoe@elsewhere.example")
    assert "read as: " in told(town, "zoe@elsewhere.example")


def test_a_board_has_the_emails_about_it_and_the_letters_of_the_clock(town: Town) -> None:
    town.move("bob", "2-2s")
    town.waited(24 * 8)
    text = told(town, "1", most=100)
    assert "(refused: not_your_turn)" in text
    assert "perudo/started to bob@example.org, board 1" in text
    assert re.search(r"perudo/nag to ann@.*, board 1\n.*\n  caused by time", text)
    assert "signup" not in text


def test_a_letter_is_found_by_its_number_with_the_email_it_follows_from(town: Town) -> None:
    """The number is copied from the reader's mail program. Its token is not repeated."""
    letter = town.move("ann", "2-2s")[1]
    number = str(letter.message["Message-ID"])
    assert letter.token in number
    text = told(town, number)
    assert "letter out8" in text
    assert "letter out7" not in text
    assert "email in6" in text
    assert letter.token not in text.upper()
    assert told(town, number.strip("<>")) == text == told(town, "out8")


def test_trace_shows_every_attempt_with_the_answer_of_the_relay(
    town: Town, relay: tuple[FakeRelay, int]
) -> None:
    town.app = replace(town.app, transport=SmtpRelay("127.0.0.1", 9, timeout=60))
    town.write("full@example.org", "help")
    for _ in range(3):
        town.now += 60 * 60
        town.app.deliver()
    town.app = replace(town.app, transport=SmtpRelay("127.0.0.1", relay[1], timeout=60))
    town.now += 60 * 60
    town.app.deliver()
    text = told(town, "full@example.org")
    assert re.search(
        r"not accepted 2023-11-14 22:13:20 UTC to 2023-11-15 01:13:20 UTC, 4 times: "
        r"relay 127.0.0.1: .*Connection refused\n"
        r"    not accepted 2023-11-15 02:13:20 UTC: 452 4.2.2 Mailbox full\n"
        r"    due 2023-11-15 03:13:20 UTC",
        text,
    ), text
    town.write("zoe@example.org", "help")
    assert "sent 2023-11-15 02:13:20 UTC: 250 OK" in told(town, "zoe@example.org")
    town.write("gone@example.org", "help")
    text = told(town, "gone@example.org")
    assert "not accepted 2023-11-15 02:13:20 UTC: 550 5.1.1 No such user" in text
    assert text.rstrip().endswith("failed")
    town.app.transport.close()


@pytest.mark.parametrize("by", ["address", "letter", "bounce"])
def test_trace_shows_a_letter_with_its_bounce(town: Town, by: str) -> None:
    """This holds for the address, the number of the letter and that of the bounce."""
    letter = town.last_letter_to("ann@example.org")
    town.now += 60
    town.carry(
        report(town, "postfix-user-unknown", letter), "", f"perudo+b-{letter.stamp}@localhost"
    )
    names = {"address": letter.to, "letter": f"out{letter.number}", "bounce": "in6"}
    text = told(town, names[by], most=100)
    assert f"letter out{letter.number} " in text
    assert "and bounced: 550 5.1.1" in text
    assert re.search(
        r"email in6  2023-11-14 22:14:20 UTC .*\n  came by smtp from .* \(the null sender\)\n"
        rf"  for .*\n  read as: null sender; failed 550 5\.1\.1 .*; about out{letter.number}\n",
        text,
    ), text


def no_seed() -> bytes:
    raise RuntimeError("a bug")


def test_trace_shows_why_an_email_is_quarantined(town: Town) -> None:
    raw = mail("ann@example.org", "perudo challenge ann bob", message_id="<odd@x>")
    ill = replace(town.processor, seed=no_seed)
    ill.accept([IncomingMail(raw, None, "", "imap")])
    assert "waits, tried 0 times: RuntimeError at " in told(town, "odd@x")
    for _ in range(3):
        ill.work()
    text = told(town, "<odd@x>")
    assert "came by imap from ann@example.org (no envelope)" in text
    assert "for an unknown recipient" in text
    assert "set aside, tried 3 times: RuntimeError at " in text
    assert "bug to ann@example.org" in text


def test_trace_shows_no_secrets(town: Town) -> None:
    """It shows neither passwords nor tokens."""
    tokens = {letter.token for letter in town.letters} - {""}
    letter = town.last_letter_to("ann@example.org")
    town.reply(letter, "2-2s")
    town.move("bob", "dudo nonsense")
    town.write("bob@example.org", "reset bob")
    tokens |= {letter.token for letter in town.letters} - {""}
    assert len(tokens) > 4
    text = "".join(told(town, f"{name}@example.org", 1000) for name in ("ann", "bob"))
    assert "for perudo+***@localhost" in text
    assert PASSWORD not in text
    assert not [token for token in tokens if token in text.upper()]


def test_trace_refuses_an_unknown_subject_in_two_lines(home: Path) -> None:
    home_with_tables(home)
    for what in ("zoe@example.org", "<x@y>", "99", "in7", "out7", "1.2.3", "9" * 40, "%", ""):
        done = invoked(home, "pbmserv", "trace", what)
        assert (done.returncode, done.stdout) == (1, "")
        assert "I know nothing about" in done.stderr


def test_trace_at_a_shell_shows_the_requested_number_with_the_newest_last(town: Town) -> None:
    for _ in range(3):
        town.write("ann@example.org", "perudo games")
    done = invoked(town.home, "pbmserv", "trace", "ann@example.org", "--most", "2")
    assert done.returncode == 0
    assert done.stdout.count("came by") == 2
    assert done.stdout.count("sent ") == 2
    assert OUR_ADDRESS in done.stdout


def test_traffic_is_listed_by_sender_with_the_busiest_first(town: Town) -> None:
    """Letters count for who wrote the email that led to them, with the bytes that left."""
    town.write("eve@example.net", "Hello")
    town.move("ann", "2-2s")
    with reading(town.engine) as connection:
        rows = traffic.since(connection, town.now - 60, 20)
        assert [row.address for row in rows][:2] == ["ann@example.org", "bob@example.org"]
        assert sum(row.letters for row in rows) == len(town.letters)
        # As they left; in a mailbox lines end with one byte in place of two.
        left = sum(len(letter.raw) + letter.raw.count(b"\n") for letter in town.letters)
        assert sum(row.size for row in rows) == left
        assert [row.mails for row in rows if row.address == "eve@example.net"] == [1]
        assert traffic.since(connection, town.now - 60, 1) == rows[:1]
        assert traffic.since(connection, town.now, 20) == []


def test_bytes_are_whole_numbers_in_either_database(any_home: Path) -> None:
    """PostgreSQL sums up to decimals; `busy` would round kilobytes of them down, not up."""
    with town_at(any_home) as town:
        town.write("eve@example.net", "Hello")
        with reading(town.engine) as connection:
            (row,) = traffic.since(connection, town.now - 60, 20)
        assert type(row.size) is int


def test_letters_of_the_clock_are_counted_separately(town: Town) -> None:
    town.waited(8 * 24)
    with reading(town.engine) as connection:
        rows = traffic.since(connection, town.now - 2 * 24 * 60 * 60, 20)
    assert [(row.address, row.mails) for row in rows] == [("time, or a shell", 0)]


def test_the_operator_reads_it_as_a_table(town: Town) -> None:
    printed = invoked(town.home, "pbmserv", "busy").stdout.splitlines()
    assert printed == [" emails letters kilobytes  from"]  # the town lives in 2023


def test_trace_finds_emails_and_letters_by_userid(town: Town) -> None:
    """Newest last, and as many as were asked for; nothing of another player's email."""
    town.move("ann", "2-2s")
    town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Hello!")
    text = told(town, "Bob")
    assert "came by smtp from bob@example.org" in text
    assert "perudo/moved to bob@example.org, board 1" in text
    assert "perudo/chat to ann@example.org" in text  # his email led to it
    entries = [line for line in text.split("\n") if line.startswith("email in")]
    assert entries == sorted(entries, key=lambda line: int(line.split()[1].removeprefix("in")))
    assert told(town, "bob", 1).count("email in") < text.count("email in")


def test_trace_shows_which_letter_a_reply_answers(town: Town) -> None:
    """The reply is read as a move, but it is not one."""
    town.reply(town.last_letter_to("bob@example.org"), "decline")
    assert "  read as: perudo move decline\n" in told(town, "bob@example.org")


def test_trace_shows_the_first_words_of_the_sendmail_program(town: Town, tmp_path: Path) -> None:
    """Without what may be a token."""
    program = tmp_path / "sendmail"
    for code, words in ((75, "queue full"), (0, f"queued for perudo+{'a' * 52}@perudo.example")):
        program.write_text(
            f"#!/bin/sh\ncat > /dev/null\necho {words} >&2\necho more >&2\nexit {code}\n"
        )
        program.chmod(0o755)
        town.app = replace(town.app, transport=SendmailOut(program))
        town.write("zoe@example.org", "help") if code else town.app.deliver()
        town.now += 60 * 60
    text = told(town, "zoe@example.org")
    assert "not accepted 2023-11-14 22:13:20 UTC: sendmail: queue full (exit code 75)\n" in text
    assert "sent 2023-11-14 23:13:20 UTC: queued for perudo+***@perudo.example\n" in text
