"""What the SMTP and LMTP listeners answer on real sockets."""

from __future__ import annotations

import asyncio
import smtplib
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.transports.connection_limits import ConnectionLimits
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.smtp_session import SECONDS_OF_SILENCE
from tests.rows import each_row

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Line, Listeners

OWN = "perudo@perudo.example"
PLUS = "perudo+TOKEN@perudo.example"
MAIL = b"From: ann@example.org\r\nSubject: help\r\n\r\n5-5s\r\n"
BOTH = pytest.mark.parametrize("protocol", ["smtp", "lmtp"])


def greeted(listeners: Listeners, protocol: str) -> Line:
    line = listeners.call(listeners.open(protocol))
    line.says("EHLO x" if protocol == "smtp" else "LHLO x")
    return line


def ready_for_data(line: Line, *recipients: str) -> None:
    line.says("MAIL FROM:<ann@example.org>")
    for recipient in recipients or (OWN,):
        assert line.says(f"RCPT TO:<{recipient}>").startswith("250")
    assert line.says("DATA").startswith("354")


def delivered(line: Line, mail: bytes = MAIL) -> str:
    ready_for_data(line)
    line.sends(mail + b".\r\n")
    return line.hears()


def that_raises(error: Exception) -> Callable[[IncomingMail], Awaitable[None]]:
    async def accept(incoming: IncomingMail) -> None:
        raise error

    return accept


@BOTH
def test_an_email_arrives_as_it_was_sent(listeners: Listeners, protocol: str) -> None:
    line = greeted(listeners, protocol)
    line.says("MAIL FROM:<ann@example.org> SIZE=100 BODY=8BITMIME")
    line.says(f"RCPT TO:<{PLUS}>", "DATA")
    line.sends(MAIL + b"..dot\r\n\xff\r\n.\r\n")
    assert line.hears() == "250 2.0.0 OK"
    assert listeners.arrived == [
        IncomingMail(MAIL + b".dot\r\n\xff\r\n", "ann@example.org", PLUS, protocol)
    ]
    assert line.says("QUIT").startswith("221")
    assert line.hears() == ""


def test_the_standard_library_can_send_to_the_smtp_listener(listeners: Listeners) -> None:
    host, port = host_and_port(listeners.open("smtp").address)
    with smtplib.SMTP(host, port) as client:
        for number in range(3):
            text = f"Subject: {number}\n\n.\n..\n5-5s"
            client.sendmail("ann@example.org", [OWN, PLUS, "bob@example.org"], text)
    assert [a.recipient for a in listeners.arrived] == [OWN, PLUS] * 3
    assert listeners.arrived[0].raw == b"Subject: 0\r\n\r\n.\r\n..\r\n5-5s\r\n"


@BOTH
def test_the_null_sender_arrives_as_an_empty_string(listeners: Listeners, protocol: str) -> None:
    line = greeted(listeners, protocol)
    assert line.says("MAIL FROM:<>").startswith("250")
    line.says(f"RCPT TO:<{OWN}>", "DATA")
    line.sends(MAIL + b".\r\n")
    assert line.hears() == "250 2.0.0 OK"
    assert listeners.arrived[0].envelope_sender == ""


@BOTH
def test_an_empty_email_is_an_email(listeners: Listeners, protocol: str) -> None:
    line = greeted(listeners, protocol)
    assert delivered(line, b"") == "250 2.0.0 OK"
    assert listeners.arrived[0].raw == b""


def test_recipients_are_ours_or_refused(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp"))
    line.says("EHLO x", "MAIL FROM:<a@b>")
    ours = (OWN, "PERUDO@Perudo.Example", PLUS, "perudo+a+b@perudo.example", "@relay:" + OWN)
    for recipient in ours:
        assert line.says(f"RCPT TO:<{recipient}>").startswith("250"), recipient
    others = ["perud@perudo.example", "perudo@other.example", "perudo", "", "+x@perudo.example"]
    others += ["postmaster", "postmaster@perudo.example", "perudo@[127.0.0.1]"]
    for recipient in others:
        assert line.says(f"RCPT TO:<{recipient}>").startswith("550 5.1.1"), recipient
    assert line.says(f"RCPT TO:{OWN}").startswith("250")


@pytest.mark.parametrize("text", ["<a b@c>", "<a@b", "<" + "a" * 400 + "@b>"])
def test_an_invalid_address_is_refused(listeners: Listeners, text: str) -> None:
    line = greeted(listeners, "smtp")
    assert line.says(f"MAIL FROM:{text}").startswith("553")


def test_undecodable_bytes_are_not_an_address(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    line.sends(b"MAIL FROM:<\xff@b>\r\n")
    assert line.hears().startswith("553")
    line.sends(b"VRFY \xff\r\n")
    assert line.hears().startswith("252")


def test_an_address_in_other_letters_arrives(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    line.says("MAIL FROM:<zoë@example.org> SMTPUTF8", f"RCPT TO:<{OWN}>", "DATA")
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("250")
    assert listeners.arrived[0].envelope_sender == "zoë@example.org"


def test_one_email_has_at_most_a_hundred_recipients(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    line.says("MAIL FROM:<a@b>")
    replies = [line.says(f"RCPT TO:<perudo+{n}@perudo.example>")[:3] for n in range(101)]
    assert replies == ["250"] * 100 + ["452"]


@BOTH
def test_too_large_an_email_is_refused_once_for_each_recipient(
    listeners: Listeners, protocol: str
) -> None:
    line = listeners.call(listeners.open(protocol, largest_mail=1000))
    hello = line.says("EHLO x" if protocol == "smtp" else "LHLO x")
    assert "250-SIZE 1000" in hello
    assert line.says("MAIL FROM:<a@b> SIZE=1001").startswith("552")
    for size in (1001, 2500, 500_000):
        ready_for_data(line, OWN, PLUS)
        line.sends(b"x" * (size - 2) + b"\r\n.\r\n")
        for _ in range(2 if protocol == "lmtp" else 1):
            assert line.hears().startswith("552 5.3.4")
    ready_for_data(line)
    line.sends(b".." * 499 + b"\r\n.\r\n")
    assert line.hears().startswith("250")
    assert len(listeners.arrived) == 1


def test_lines_of_any_length_are_taken(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    mail = b"x" * 200_000 + b"\r\n"
    assert delivered(line, mail).startswith("250")
    assert listeners.arrived[0].raw == mail


def test_the_session_continues_after_an_overlong_command(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    assert line.says("NOOP " + "x" * 2000).startswith("500")
    assert line.says("NOOP " + "x" * 200_000).startswith("500")
    assert delivered(line).startswith("250")


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n", b"\n.\r"]
)
def test_no_email_is_smuggled_in_behind_a_false_end(listeners: Listeners, end: bytes) -> None:
    """Only CR LF . CR LF ends an email; one that holds anything like it is refused whole."""
    line = greeted(listeners, "smtp")
    smuggled = b"MAIL FROM:<evil@x>\r\nRCPT TO:<" + OWN.encode() + b">\r\nDATA\r\nhelp\r\n"
    assert delivered(line, b"Subject: a\r\n\r\nx" + end + smuggled).startswith("550 5.6.0")
    assert listeners.arrived == []
    assert line.says("NOOP").startswith("250")


@pytest.mark.parametrize(
    "text, reply",
    [
        (b"x\n.\r\n", "550 5.6.0"),  # its first line ends in LF alone
        (b".x.\r\n", "250"),
        (b"\r\n", "250"),
        (b"x.\rx\r\n", "250"),
    ],
)
def test_the_end_of_an_email_is_found_behind_other_dots(
    listeners: Listeners, text: bytes, reply: str
) -> None:
    line = greeted(listeners, "smtp")
    assert delivered(line, text).startswith(reply)
    assert line.says("NOOP").startswith("250")


def test_other_bare_line_ends_are_left_to_the_parser(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    assert delivered(line, b"a\nb\rc\n.d\r\n").startswith("250")


def test_commands_may_be_pipelined(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("lmtp"))
    assert "250-PIPELINING" in line.says("LHLO x")
    one = b"MAIL FROM:<a@b>\r\nRCPT TO:<no@x>\r\nRCPT TO:<" + OWN.encode() + b">\r\nDATA\r\n"
    line.sends(one)
    assert [line.hears()[:3] for _ in range(4)] == ["250", "550", "250", "354"]
    line.sends(MAIL + b".\r\n" + one)
    assert [line.hears()[:3] for _ in range(5)] == ["250", "250", "550", "250", "354"]
    line.sends(MAIL + b".\r\nQUIT\r\n")
    assert [line.hears()[:3] for _ in range(2)] == ["250", "221"]
    assert len(listeners.arrived) == 2


def test_lmtp_answers_once_for_each_accepted_recipient_on_every_path(listeners: Listeners) -> None:
    async def picky(incoming: IncomingMail) -> None:
        if "later" in incoming.recipient:
            raise TryLater("secret words")
        if "bug" in incoming.recipient:
            raise RuntimeError("secret words")

    listeners.accept = picky
    line = greeted(listeners, "lmtp")
    names = ("good", "later", "bug", "good", "good2")
    for mail, expected in (
        (MAIL, ["250", "451", "451", "250", "250"]),
        (b"a\n.\nb\r\n", ["550"] * 5),
        (b"x" * 300_000 + b"\r\n", ["552"] * 5),
    ):
        ready_for_data(line, *(f"perudo+{name}@perudo.example" for name in names))
        line.sends(mail + b".\r\n")
        replies = [line.hears() for _ in names]
        assert [reply[:3] for reply in replies] == expected
        assert not any("secret" in reply for reply in replies)
    assert line.says("NOOP").startswith("250")
    assert sorted(a.recipient.partition("@")[0] for a in listeners.arrived) == [
        "perudo+good",
        "perudo+good2",
    ]


@BOTH
@pytest.mark.parametrize("error", [TryLater("secret"), RuntimeError("secret"), KeyError("secret")])
def test_our_own_errors_are_temporary_and_reveal_nothing(
    listeners: Listeners, protocol: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    line = greeted(listeners, protocol)
    listeners.accept = that_raises(error)
    reply = delivered(line)
    assert reply.startswith("451 4.3.0")
    assert "secret" not in reply + caplog.text
    listeners.accept = None
    assert delivered(line).startswith("250")


def test_an_error_in_the_session_itself_is_temporary_too(listeners: Listeners) -> None:
    """aiosmtpd takes a raised two for a digit, and then fails to count with it."""
    line = greeted(listeners, "smtp")
    assert line.says("MAIL FROM:<a@b> SIZE=²").startswith("451 4.3.0")
    assert delivered(line).startswith("250")


def test_smtp_says_250_only_if_all_recipients_have_the_email(listeners: Listeners) -> None:
    async def picky(incoming: IncomingMail) -> None:
        if incoming.recipient == PLUS:
            raise TryLater

    listeners.accept = picky
    line = greeted(listeners, "smtp")
    ready_for_data(line, OWN, PLUS)
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("451")


@BOTH
def test_all_recipients_are_accepted_at_once(listeners: Listeners, protocol: str) -> None:
    """Each waits for the other, so one after the other would take for ever."""
    together = asyncio.Barrier(2)

    async def wait(incoming: IncomingMail) -> None:
        await together.wait()

    listeners.accept = wait
    line = greeted(listeners, protocol)
    ready_for_data(line, OWN, PLUS)
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("250")


def test_an_email_is_answered_only_when_it_is_stored(listeners: Listeners) -> None:
    stored = asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        await stored.wait()

    listeners.accept = wait
    line = greeted(listeners, "smtp")
    ready_for_data(line)
    line.sends(MAIL + b".\r\n")
    line.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        line.socket.recv(1)
    listeners.loop.call_soon_threadsafe(stored.set)
    line.socket.settimeout(60)
    assert line.socket.recv(3) == b"250"


def test_storing_goes_on_when_the_sender_hangs_up(listeners: Listeners) -> None:
    begun, stored = threading.Event(), asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        begun.set()
        await stored.wait()

    listeners.accept = wait
    line = greeted(listeners, "smtp")
    ready_for_data(line)
    line.sends(MAIL + b".\r\n")
    assert begun.wait(60)
    line.close()
    listeners.loop.call_soon_threadsafe(stored.set)
    listeners.run(listeners.opened[0].close(5))
    assert len(listeners.arrived) == 1


def test_an_incomplete_email_is_discarded(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    ready_for_data(line)
    line.sends(MAIL)
    line.close()
    listeners.run(listeners.opened[0].close(5))
    assert listeners.arrived == []


@BOTH
def test_closing_tells_the_idle_and_lets_the_busy_finish(
    listeners: Listeners, protocol: str
) -> None:
    listener = listeners.open(protocol)
    hello = "EHLO x" if protocol == "smtp" else "LHLO x"
    idle, sending, storing = (listeners.call(listener) for _ in range(3))
    begun, stored = threading.Event(), asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        begun.set()
        await stored.wait()

    listeners.accept = wait
    for line in (idle, sending, storing):
        line.says(hello)
    for line in (sending, storing):
        ready_for_data(line)
    sending.sends(MAIL)
    storing.sends(MAIL + b".\r\n")
    assert begun.wait(60)
    closing = asyncio.run_coroutine_threadsafe(listener.close(5), listeners.loop)
    assert idle.hears().startswith("421 4.3.2")
    assert idle.hears() == ""
    sending.sends(b".\r\n")
    listeners.loop.call_soon_threadsafe(stored.set)
    for line in (sending, storing):
        assert line.hears().startswith("250")
        assert line.hears().startswith("421")
        assert line.hears() == ""
    closing.result(60)
    assert len(listeners.arrived) == 2
    with pytest.raises(OSError):
        listeners.call(listener)


def test_closing_has_a_time_limit(listeners: Listeners) -> None:
    line = greeted(listeners, "smtp")
    ready_for_data(line)
    listeners.run(listeners.opened[0].close(0.1))
    assert line.hears().startswith("421 4.3.2")
    assert line.hears() == ""


def test_a_silent_client_is_told_to_try_again(
    listeners: Listeners, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.transports.smtp_session.SECONDS_OF_SILENCE", 0.1)
    line = listeners.call(listeners.open("smtp"))
    assert line.hears().startswith("421 4.3.2")
    assert line.hears() == ""
    assert listeners.arrived == []


def test_silence_is_measured_from_the_last_command(
    listeners: Listeners, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead, lasting = 0.0, ConnectionLimits(seconds=100 * SECONDS_OF_SILENCE)
    monkeypatch.setattr(listeners.loop, "time", lambda: time.monotonic() + ahead)
    line = listeners.call(listeners.open("smtp", bounds=lasting))
    line.says("EHLO x")
    for _ in range(3):
        ahead += SECONDS_OF_SILENCE - 60
        assert line.says("NOOP").startswith("250")
    ahead += SECONDS_OF_SILENCE + 60
    assert line.says("NOOP").startswith("421 4.3.2")


def test_a_strangers_commands_are_not_logged(
    listeners: Listeners, caplog: pytest.LogCaptureFixture
) -> None:
    line = greeted(listeners, "smtp")
    line.says("swordfish", "swordfish ahoy", "MAIL FROM:<swordfish")
    assert "swordfish" not in caplog.text.lower()


@BOTH
def test_a_too_large_email_is_logged(
    listeners: Listeners, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether it was announced or came: nothing else tells the operator of it."""
    caplog.set_level("INFO")
    line = listeners.call(listeners.open(protocol, largest_mail=1000))
    line.says("EHLO x" if protocol == "smtp" else "LHLO x")
    line.says("MAIL FROM:<ann@b> BODY=8BITMIME SIZE=1001")
    line.says("MAIL FROM:<bob@b> SIZE=1000")
    line.says("RSET")
    ready_for_data(line, OWN)
    line.sends(b"x" * 5000 + b"\r\n.\r\n")
    line.hears()
    said = [each for each in caplog.messages if "refused" in each]
    words = "email by {} from {}, refused: more than 1000 bytes"
    assert said == [words.format(protocol, "ann@b"), words.format(protocol, "ann@example.org")]


@BOTH
def test_the_parameters_of_a_mail_command_are_understood(
    listeners: Listeners, protocol: str
) -> None:
    """SIZE (RFC 1870), 8BITMIME (RFC 6152) and SMTPUTF8 (RFC 6531), in any order."""
    line = listeners.call(listeners.open(protocol))
    hello = line.says("EHLO x" if protocol == "smtp" else "LHLO x").split("\n")
    assert {"250-PIPELINING", "250-SIZE 262144", "250-8BITMIME", "250-SMTPUTF8"} <= set(hello)
    for options in ("SIZE=262144", "BODY=7BIT SMTPUTF8", "SMTPUTF8 SIZE=1 BODY=8BITMIME"):
        assert line.says(f"MAIL FROM:<zoë@b> {options}").startswith("250"), options
        assert line.says("RCPT TO:<perudo+ё@perudo.example>").startswith("250")
        assert line.says("RSET").startswith("250")
    assert line.says("MAIL FROM:<a@b> SIZE=262145").startswith("552")
    assert line.says("MAIL FROM:<a@b> BODY=BINARYMIME").startswith("501")


def test_commands_out_of_order_are_refused(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp"))
    assert line.says("MAIL FROM:<a@b>").startswith("503")
    assert line.says("DATA").startswith("503")
    line.says("EHLO x")
    assert line.says("DATA").startswith("503")
    line.says("MAIL FROM:<a@b>", "RCPT TO:<no@x>")
    assert line.says("DATA").startswith("503")
    line.says(f"RCPT TO:<{OWN}>")
    assert line.says("DATA now").startswith("501")
    assert line.says("RSET").startswith("250")
    assert line.says("DATA").startswith("503")


def test_lmtp_is_greeted_with_lhlo_only(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("lmtp"))
    assert line.says("MAIL FROM:<a@b>") == "503 Error: send LHLO first"
    assert line.says("EHLO x").startswith("500")
    assert line.says("HELO x").startswith("500")
    assert line.says("LHLO").startswith("501")
    assert "8BITMIME" in line.says("LHLO x")


def test_smtp_accepts_helo(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp"))
    assert line.says("HELO x").startswith("250")
    assert delivered(line).startswith("250")


def test_a_listener_may_be_on_ipv6(listeners: Listeners) -> None:
    try:
        listener = listeners.open("smtp", "[::1]:0")
    except Misconfigured as error:
        pytest.skip(str(error))
    assert listener.address.startswith("[::1]:")
    listeners.call(listener)


@each_row(
    "where",
    ["", "8025", ":8025", "[]:8025", "[:8025", " :8025", "localhost:", "localhost:x", "h:70000"],
)
def test_an_unreadable_listener_address_is_misconfigured(listeners: Listeners, where: str) -> None:
    with pytest.raises(Misconfigured, match="is no place"):
        listeners.open("smtp", where)


def test_a_port_in_use_is_misconfigured(listeners: Listeners, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"in use; end the .*, or set smtp to a free port"):
        listeners.open("smtp", listeners.open("smtp").address)
    with pytest.raises(Misconfigured, match="cannot listen"):
        listeners.open("smtp", f"unix:{tmp_path}/no/such/folder")
