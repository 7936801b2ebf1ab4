"""What the SMTP and LMTP doors say, heard on real sockets."""

from __future__ import annotations

import asyncio
import grp
import os
import smtplib
import socket
import stat
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.unix_sockets import bound

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Doors, Line

OWN = "perudo@perudo.example"
PLUS = "perudo+TOKEN@perudo.example"
MAIL = b"From: ann@example.org\r\nSubject: help\r\n\r\n5-5s\r\n"
BOTH = pytest.mark.parametrize("protocol", ["smtp", "lmtp"])


def greeted(doors: Doors, protocol: str) -> Line:
    line = doors.call(doors.open(protocol))
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
def test_a_mail_arrives_as_it_was_sent(doors: Doors, protocol: str) -> None:
    line = greeted(doors, protocol)
    line.says("MAIL FROM:<ann@example.org> SIZE=100 BODY=8BITMIME")
    line.says(f"RCPT TO:<{PLUS}>", "DATA")
    line.sends(MAIL + b"..dot\r\n\xff\r\n.\r\n")
    assert line.hears() == "250 2.0.0 OK"
    assert doors.arrived == [
        IncomingMail(MAIL + b".dot\r\n\xff\r\n", "ann@example.org", PLUS, protocol)
    ]
    assert line.says("QUIT").startswith("221")
    assert line.hears() == ""


def test_the_standard_library_can_send_to_the_smtp_door(doors: Doors) -> None:
    host, port = host_and_port(doors.open("smtp").address)
    with smtplib.SMTP(host, port) as client:
        for number in range(3):
            text = f"Subject: {number}\n\n.\n..\n5-5s"
            client.sendmail("ann@example.org", [OWN, PLUS, "bob@example.org"], text)
    assert [a.recipient for a in doors.arrived] == [OWN, PLUS] * 3
    assert doors.arrived[0].raw == b"Subject: 0\r\n\r\n.\r\n..\r\n5-5s\r\n"


@BOTH
def test_the_null_sender_arrives_as_an_empty_string(doors: Doors, protocol: str) -> None:
    line = greeted(doors, protocol)
    assert line.says("MAIL FROM:<>").startswith("250")
    line.says(f"RCPT TO:<{OWN}>", "DATA")
    line.sends(MAIL + b".\r\n")
    assert line.hears() == "250 2.0.0 OK"
    assert doors.arrived[0].envelope_sender == ""


@BOTH
def test_an_empty_mail_is_a_mail(doors: Doors, protocol: str) -> None:
    line = greeted(doors, protocol)
    assert delivered(line, b"") == "250 2.0.0 OK"
    assert doors.arrived[0].raw == b""


def test_recipients_are_ours_or_refused(doors: Doors) -> None:
    line = doors.call(doors.open("smtp"))
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
def test_what_is_no_address_is_refused(doors: Doors, text: str) -> None:
    line = greeted(doors, "smtp")
    assert line.says(f"MAIL FROM:{text}").startswith("553")


def test_bytes_that_are_no_text_are_no_address(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    line.sends(b"MAIL FROM:<\xff@b>\r\n")
    assert line.hears().startswith("553")
    line.sends(b"VRFY \xff\r\n")
    assert line.hears().startswith("252")


def test_an_address_in_other_letters_arrives(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    line.says("MAIL FROM:<zoë@example.org> SMTPUTF8", f"RCPT TO:<{OWN}>", "DATA")
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("250")
    assert doors.arrived[0].envelope_sender == "zoë@example.org"


def test_one_mail_has_at_most_a_hundred_recipients(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    line.says("MAIL FROM:<a@b>")
    replies = [line.says(f"RCPT TO:<perudo+{n}@perudo.example>")[:3] for n in range(101)]
    assert replies == ["250"] * 100 + ["452"]


@BOTH
def test_too_large_a_mail_is_refused_once_for_each_recipient(doors: Doors, protocol: str) -> None:
    line = doors.call(doors.open(protocol, largest_mail=1000))
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
    assert len(doors.arrived) == 1


def test_lines_of_any_length_are_taken(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    mail = b"x" * 200_000 + b"\r\n"
    assert delivered(line, mail).startswith("250")
    assert doors.arrived[0].raw == mail


def test_an_overlong_command_is_refused_and_the_talk_goes_on(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    assert line.says("NOOP " + "x" * 2000).startswith("500")
    assert line.says("NOOP " + "x" * 200_000).startswith("500")
    assert delivered(line).startswith("250")


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n", b"\n.\r"]
)
def test_no_mail_is_smuggled_in_behind_a_false_end(doors: Doors, end: bytes) -> None:
    """Only CR LF . CR LF ends a mail; one that holds anything like it is refused whole."""
    line = greeted(doors, "smtp")
    smuggled = b"MAIL FROM:<evil@x>\r\nRCPT TO:<" + OWN.encode() + b">\r\nDATA\r\nhelp\r\n"
    assert delivered(line, b"Subject: a\r\n\r\nx" + end + smuggled).startswith("550 5.6.0")
    assert doors.arrived == []
    assert line.says("NOOP").startswith("250")


def test_other_bare_line_ends_are_the_readers_business(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    assert delivered(line, b"a\nb\rc\n.d\r\n").startswith("250")


def test_commands_may_be_pipelined(doors: Doors) -> None:
    line = doors.call(doors.open("lmtp"))
    assert "250-PIPELINING" in line.says("LHLO x")
    one = b"MAIL FROM:<a@b>\r\nRCPT TO:<no@x>\r\nRCPT TO:<" + OWN.encode() + b">\r\nDATA\r\n"
    line.sends(one)
    assert [line.hears()[:3] for _ in range(4)] == ["250", "550", "250", "354"]
    line.sends(MAIL + b".\r\n" + one)
    assert [line.hears()[:3] for _ in range(5)] == ["250", "250", "550", "250", "354"]
    line.sends(MAIL + b".\r\nQUIT\r\n")
    assert [line.hears()[:3] for _ in range(2)] == ["250", "221"]
    assert len(doors.arrived) == 2


def test_lmtp_answers_once_for_each_accepted_recipient_on_every_path(doors: Doors) -> None:
    async def picky(incoming: IncomingMail) -> None:
        if "later" in incoming.recipient:
            raise TryLater("secret words")
        if "bug" in incoming.recipient:
            raise RuntimeError("secret words")

    doors.accept = picky
    line = greeted(doors, "lmtp")
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
    assert sorted(a.recipient.partition("@")[0] for a in doors.arrived) == [
        "perudo+good",
        "perudo+good2",
    ]


@BOTH
@pytest.mark.parametrize("error", [TryLater("secret"), RuntimeError("secret"), KeyError("secret")])
def test_our_own_faults_are_temporary_and_tell_nothing(
    doors: Doors, protocol: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    line = greeted(doors, protocol)
    doors.accept = that_raises(error)
    reply = delivered(line)
    assert reply.startswith("451 4.3.0")
    assert "secret" not in reply + caplog.text
    doors.accept = None
    assert delivered(line).startswith("250")


def test_a_fault_in_the_talk_itself_is_temporary_too(doors: Doors) -> None:
    """aiosmtpd takes a raised two for a digit, and then fails to count with it."""
    line = greeted(doors, "smtp")
    assert line.says("MAIL FROM:<a@b> SIZE=²").startswith("451 4.3.0")
    assert delivered(line).startswith("250")


def test_smtp_says_250_only_if_all_recipients_have_the_mail(doors: Doors) -> None:
    async def picky(incoming: IncomingMail) -> None:
        if incoming.recipient == PLUS:
            raise TryLater

    doors.accept = picky
    line = greeted(doors, "smtp")
    ready_for_data(line, OWN, PLUS)
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("451")


@BOTH
def test_all_recipients_are_accepted_at_once(doors: Doors, protocol: str) -> None:
    """Each waits for the other, so one after the other would take for ever."""
    together = asyncio.Barrier(2)

    async def wait(incoming: IncomingMail) -> None:
        await together.wait()

    doors.accept = wait
    line = greeted(doors, protocol)
    ready_for_data(line, OWN, PLUS)
    line.sends(MAIL + b".\r\n")
    assert line.hears().startswith("250")


def test_a_mail_is_answered_only_when_it_is_stored(doors: Doors) -> None:
    stored = asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        await stored.wait()

    doors.accept = wait
    line = greeted(doors, "smtp")
    ready_for_data(line)
    line.sends(MAIL + b".\r\n")
    line.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        line.socket.recv(1)
    doors.loop.call_soon_threadsafe(stored.set)
    line.socket.settimeout(5)
    assert line.socket.recv(3) == b"250"


def test_storing_goes_on_when_the_sender_hangs_up(doors: Doors) -> None:
    begun, stored = threading.Event(), asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        begun.set()
        await stored.wait()

    doors.accept = wait
    line = greeted(doors, "smtp")
    ready_for_data(line)
    line.sends(MAIL + b".\r\n")
    assert begun.wait(5)
    line.close()
    doors.loop.call_soon_threadsafe(stored.set)
    doors.run(doors.listeners[0].close(5))
    assert len(doors.arrived) == 1


def test_a_mail_that_breaks_off_is_no_mail(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    ready_for_data(line)
    line.sends(MAIL)
    line.close()
    doors.run(doors.listeners[0].close(5))
    assert doors.arrived == []


@BOTH
def test_closing_tells_the_idle_and_lets_the_busy_finish(doors: Doors, protocol: str) -> None:
    listener = doors.open(protocol)
    hello = "EHLO x" if protocol == "smtp" else "LHLO x"
    idle, sending, storing = (doors.call(listener) for _ in range(3))
    begun, stored = threading.Event(), asyncio.Event()

    async def wait(incoming: IncomingMail) -> None:
        begun.set()
        await stored.wait()

    doors.accept = wait
    for line in (idle, sending, storing):
        line.says(hello)
    for line in (sending, storing):
        ready_for_data(line)
    sending.sends(MAIL)
    storing.sends(MAIL + b".\r\n")
    assert begun.wait(5)
    closing = asyncio.run_coroutine_threadsafe(listener.close(5), doors.loop)
    assert idle.hears().startswith("421 4.3.2")
    assert idle.hears() == ""
    sending.sends(b".\r\n")
    doors.loop.call_soon_threadsafe(stored.set)
    for line in (sending, storing):
        assert line.hears().startswith("250")
        assert line.hears().startswith("421")
        assert line.hears() == ""
    closing.result(5)
    assert len(doors.arrived) == 2
    with pytest.raises(OSError):
        doors.call(listener)


def test_closing_does_not_wait_for_ever(doors: Doors) -> None:
    line = greeted(doors, "smtp")
    ready_for_data(line)
    doors.run(doors.listeners[0].close(0.1))
    assert line.hears().startswith("421 4.3.2")
    assert line.hears() == ""


def test_who_says_nothing_for_too_long_is_told_to_call_again(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.transports.smtp_session.SECONDS_OF_SILENCE", 0.1)
    line = doors.call(doors.open("smtp"))
    assert line.hears().startswith("421 4.3.2")
    assert line.hears() == ""
    assert doors.arrived == []


def test_what_strangers_say_is_not_logged(doors: Doors, caplog: pytest.LogCaptureFixture) -> None:
    line = greeted(doors, "smtp")
    line.says("swordfish", "swordfish ahoy", "MAIL FROM:<swordfish")
    assert "swordfish" not in caplog.text.lower()


@BOTH
def test_a_mail_that_was_refused_as_too_large_stands_in_the_log(
    doors: Doors, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether it was announced or came: nothing else tells the operator of it."""
    caplog.set_level("INFO")
    line = doors.call(doors.open(protocol, largest_mail=1000))
    line.says("EHLO x" if protocol == "smtp" else "LHLO x")
    line.says("MAIL FROM:<ann@b> BODY=8BITMIME SIZE=1001")
    line.says("MAIL FROM:<bob@b> SIZE=1000")
    line.says("RSET")
    ready_for_data(line, OWN)
    line.sends(b"x" * 5000 + b"\r\n.\r\n")
    line.hears()
    said = [each for each in caplog.messages if "refused" in each]
    words = "mail by {} from {}, refused: more than 1000 bytes"
    assert said == [words.format(protocol, "ann@b"), words.format(protocol, "ann@example.org")]


@BOTH
def test_what_a_mail_server_may_say_of_a_mail_is_understood(doors: Doors, protocol: str) -> None:
    """SIZE (RFC 1870), 8BITMIME (RFC 6152) and SMTPUTF8 (RFC 6531), in any order."""
    line = doors.call(doors.open(protocol))
    hello = line.says("EHLO x" if protocol == "smtp" else "LHLO x").split("\n")
    assert {"250-PIPELINING", "250-SIZE 262144", "250-8BITMIME", "250-SMTPUTF8"} <= set(hello)
    for options in ("SIZE=262144", "BODY=7BIT SMTPUTF8", "SMTPUTF8 SIZE=1 BODY=8BITMIME"):
        assert line.says(f"MAIL FROM:<zoë@b> {options}").startswith("250"), options
        assert line.says("RCPT TO:<perudo+ё@perudo.example>").startswith("250")
        assert line.says("RSET").startswith("250")
    assert line.says("MAIL FROM:<a@b> SIZE=262145").startswith("552")
    assert line.says("MAIL FROM:<a@b> BODY=BINARYMIME").startswith("501")


def test_commands_out_of_order_are_refused(doors: Doors) -> None:
    line = doors.call(doors.open("smtp"))
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


def test_lmtp_is_greeted_with_lhlo_only(doors: Doors) -> None:
    line = doors.call(doors.open("lmtp"))
    assert line.says("MAIL FROM:<a@b>") == "503 Error: send LHLO first"
    assert line.says("EHLO x").startswith("500")
    assert line.says("HELO x").startswith("500")
    assert line.says("LHLO").startswith("501")
    assert "8BITMIME" in line.says("LHLO x")


def test_helo_will_do_for_smtp(doors: Doors) -> None:
    line = doors.call(doors.open("smtp"))
    assert line.says("HELO x").startswith("250")
    assert delivered(line).startswith("250")


def test_a_door_may_be_a_unix_socket(doors: Doors, socket_path: Path) -> None:
    where = f"unix:{socket_path}"
    listener = doors.open("lmtp", where)
    line = doors.call(listener)
    line.says("LHLO x")
    assert delivered(line).startswith("250")
    with pytest.raises(Misconfigured, match="somebody listens"):
        doors.open("lmtp", where)
    line.close()
    doors.run(listener.close(1))
    assert not socket_path.exists()


def test_a_socket_left_by_a_crash_is_replaced(doors: Doors, socket_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path))
    line = doors.call(doors.open("lmtp", f"unix:{socket_path}"))
    assert line.says("LHLO x").startswith("250")


def test_a_door_may_be_on_ipv6(doors: Doors) -> None:
    try:
        listener = doors.open("smtp", "[::1]:0")
    except Misconfigured as error:
        pytest.skip(str(error))
    assert listener.address.startswith("[::1]:")
    doors.call(listener)


@pytest.mark.parametrize(
    "where",
    ["", "8025", ":8025", "[]:8025", "[:8025", " :8025", "localhost:", "localhost:x", "h:70000"],
)
def test_what_is_no_place_is_misconfigured(doors: Doors, where: str) -> None:
    with pytest.raises(Misconfigured, match="is no place"):
        doors.open("smtp", where)


def test_a_place_that_is_taken_is_misconfigured(doors: Doors, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot listen"):
        doors.open("smtp", doors.open("smtp").address)
    with pytest.raises(Misconfigured, match="cannot listen"):
        doors.open("smtp", f"unix:{tmp_path}/no/such/folder")


def own_group() -> str:
    return grp.getgrgid(os.getgid()).gr_name


def modes(path: Path) -> tuple[str, int]:
    status = path.lstat()
    return f"{stat.S_IMODE(status.st_mode):o}", status.st_gid


def test_a_socket_without_a_group_is_for_everybody(doors: Doors, socket_path: Path) -> None:
    doors.open("lmtp", f"unix:{socket_path}")
    assert modes(socket_path)[0] == "666"


def test_a_socket_with_a_group_is_for_that_group_alone(doors: Doors, socket_path: Path) -> None:
    """Whatever the umask: and mails say that they came by it."""
    before = os.umask(0)
    try:
        line = doors.call(doors.open("lmtp", f"unix:{socket_path}", group=own_group()))
    finally:
        os.umask(before)
    assert modes(socket_path) == ("660", os.getgid())
    line.says("LHLO x")
    assert delivered(line).startswith("250")
    assert [each.door for each in doors.arrived] == ["socket"]


def test_a_socket_is_never_open_to_others_not_even_for_a_moment(socket_path: Path) -> None:
    """Nobody can connect before it has its mode: until then nobody listens."""
    before = os.umask(0)
    try:
        found = bound(str(socket_path), own_group())
    finally:
        os.umask(before)
    with found, socket.socket(socket.AF_UNIX) as early, pytest.raises(ConnectionRefusedError):
        early.connect(str(socket_path))
    assert modes(socket_path)[0] == "660"


def test_a_group_that_is_not_there_is_misconfigured(doors: Doors, socket_path: Path) -> None:
    with pytest.raises(Misconfigured, match="lmtp_group: there is no group 'nobodys'"):
        doors.open("lmtp", f"unix:{socket_path}", group="nobodys")


def test_a_socket_for_a_group_needs_a_folder_that_others_cannot_write_to(
    doors: Doors, socket_path: Path
) -> None:
    socket_path.parent.chmod(0o777)
    with pytest.raises(Misconfigured, match="everybody may write to"):
        doors.open("lmtp", f"unix:{socket_path}", group=own_group())
    socket_path.parent.chmod(0o1777)
    doors.open("lmtp", f"unix:{socket_path}", group=own_group())
