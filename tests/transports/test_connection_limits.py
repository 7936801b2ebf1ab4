"""Connection limits: many or endless connections of one client do not stop other clients."""

from __future__ import annotations

import errno
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbmserv.transports.connection_limits import USUAL, ConnectionLimits, caller_of
from pbmserv.transports.endpoint import host_and_port
from tests.cli.processes import until
from tests.rows import each_row

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Line, Listeners

OWN = "perudo@perudo.example"
BUSY = "421 4.7.0 Too many connections, try again later"
MAIL = b"From: ann@example.org\r\nSubject: help\r\n\r\n5-5s\r\n.\r\n"


def greeting(address: str, source: str = "127.0.0.1") -> tuple[socket.socket, str]:
    """A connection from a loopback address, and the greeting that it gets."""
    call = socket.create_connection(host_and_port(address), 5, (source, 0))
    return call, call.makefile("rb").readline().decode().rstrip("\r\n")


def mailed(line: Line, hello: str = "EHLO x") -> str:
    line.says(hello, "MAIL FROM:<ann@example.org>", f"RCPT TO:<{OWN}>", "DATA")
    line.sends(MAIL)
    return line.hears()


def test_the_default_limits_are_100_connections_and_20_an_address() -> None:
    assert (USUAL.conversations, USUAL.of_one) == (100, 20)


def test_one_address_has_twenty_conversations_and_others_still_come_in(
    listeners: Listeners, caplog: pytest.LogCaptureFixture
) -> None:
    listener = listeners.open("smtp")
    with ExitStack() as stack:
        heard = []
        for _ in range(22):
            call, said = greeting(listener.address)
            stack.enter_context(call)
            heard.append(said)
        assert [each[:3] for each in heard] == ["220"] * 20 + ["421"] * 2
        assert heard[-1] == BUSY
        call, said = greeting(listener.address, "127.0.0.2")
        stack.enter_context(call)
        assert said.startswith("220")
    until(lambda: not listener._listener_state.open)
    assert mailed(listeners.call(listener)).startswith("250")
    turned_away = [each for each in caplog.messages if "connections are refused" in each]
    assert len(set(turned_away)) == 1  # equal lines are one a minute in the server's log
    assert "with one address" in turned_away[0]


def test_a_listener_has_at_most_a_hundred_connections(listeners: Listeners) -> None:
    listener = listeners.open("smtp")
    with ExitStack() as stack:
        heard = []
        for number in range(102):
            call, said = greeting(listener.address, f"127.0.1.{number % 10 + 1}")
            stack.enter_context(call)
            heard.append(said[:3])
        assert heard == ["220"] * 100 + ["421"] * 2
    until(lambda: not listener._listener_state.open)
    assert mailed(listeners.call(listener)).startswith("250")


def test_a_mail_server_of_this_machine_counts_as_many_callers(
    listeners: Listeners, socket_path: Path
) -> None:
    """By LMTP it hands over the email of everybody."""
    for where in ("127.0.0.1:0", f"unix:{socket_path}"):
        listener = listeners.open("lmtp", where, bounds=ConnectionLimits(conversations=5, of_one=1))
        lines = [listeners.call(listener) for _ in range(5)]
        with pytest.raises(AssertionError):  # it does not hear 220
            listeners.call(listener)
        for line in lines:
            assert mailed(line, "LHLO x").startswith("250")


@each_row(
    ("peer", "is_lmtp", "caller"),
    [
        (("192.0.2.7", 1234), False, "192.0.2.7"),
        (("192.0.2.7", 1234), True, "192.0.2.7"),
        (("127.0.0.1", 1234), False, "127.0.0.1"),
        (("127.0.0.1", 1234), True, ""),
        (("::1", 1234, 0, 0), False, "::1"),
        (("::1", 1234, 0, 0), True, ""),
        (("::ffff:192.0.2.7", 1234, 0, 0), False, "192.0.2.7"),
        (("fe80::1%eth0", 1234, 0, 2), False, "fe80000000000000"),
        ("", True, ""),
        (b"", True, ""),
    ],
)
def test_callers_are_counted_by_network_address(peer: object, is_lmtp: bool, caller: str) -> None:
    assert caller_of(peer, is_lmtp=is_lmtp) == caller


def test_a_whole_site_of_ipv6_is_one_caller() -> None:
    one, same, other = ("2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1")
    callers = [caller_of((each, 1, 0, 0), is_lmtp=False) for each in (one, same, other)]
    assert callers[0] == callers[1] != callers[2]


def test_a_client_that_sends_no_email_is_disconnected(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp", bounds=ConnectionLimits(replies=30)))
    for _ in range(4):
        for _ in range(10):
            assert line.says("NOOP").startswith("250")
        assert mailed(line).startswith("250")
    replies = [line.says("NOOP")[:3] for _ in range(30)]
    assert replies == ["250"] * 29 + ["421"]  # one reply told that the email is stored
    assert line.hears() == ""


def test_invalid_commands_count_too(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp", bounds=ConnectionLimits(replies=30)))
    line.sends(b"\r\n" * 40)
    assert [line.hears()[:3] for _ in range(30)] == ["500"] * 29 + ["421"]


@pytest.mark.long
def test_a_conversation_ends_when_it_has_lasted_long_enough(listeners: Listeners) -> None:
    """Commands in between change nothing; an email that is being sent may be finished soon."""
    listener = listeners.open("smtp")
    idle, sending, dripping = (listeners.call(listener) for _ in range(3))
    for line in (sending, dripping):
        line.says("EHLO x", "MAIL FROM:<ann@example.org>", f"RCPT TO:<{OWN}>", "DATA")
    listener._listener_state.bounds = ConnectionLimits(seconds=2.0)
    for each in tuple(listener._listener_state.open):
        listeners.loop.call_soon_threadsafe(each._has_lasted)
    assert idle.hears().startswith("421")
    assert idle.hears() == ""
    sending.sends(MAIL)
    assert sending.hears().startswith("250")
    assert sending.hears().startswith("421")
    assert dripping.hears().startswith("421")
    assert dripping.hears() == ""
    assert len(listeners.arrived) == 1


def test_the_time_of_a_conversation_is_measured(listeners: Listeners) -> None:
    line = listeners.call(listeners.open("smtp", bounds=ConnectionLimits(seconds=0.1)))
    assert line.hears().startswith("421")


@pytest.mark.slow
def test_a_client_that_does_not_read_is_disconnected(listeners: Listeners) -> None:
    listener = listeners.open("smtp", bounds=ConnectionLimits(replies=10_000_000, seconds=0.3))
    with socket.create_connection(host_and_port(listener.address), 5) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.settimeout(0.1)
        with pytest.raises(OSError):
            while True:
                deaf.sendall(b"NOOP\r\n" * 10_000)
        until(lambda: not listener._listener_state.open)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("sock_accept", ConnectionAbortedError(errno.ECONNABORTED, "aborted")),
        ("connect_accepted_socket", OSError(errno.EINVAL, "hung up")),
    ],
)
def test_a_client_gone_before_the_greeting_delays_no_other(
    listeners: Listeners, monkeypatch: pytest.MonkeyPatch, step: str, said: OSError
) -> None:
    """BSD and macOS say so when a call is taken, or only when it is set up."""
    proper = getattr(listeners.loop, step)
    told = [said]

    async def fails_once(*arguments: Any) -> Any:
        result = await proper(*arguments) if step == "sock_accept" else None
        if told:
            raise told.pop()
        return result or await proper(*arguments)

    monkeypatch.setattr(listeners.loop, step, fails_once)
    monkeypatch.setattr("pbmserv.transports.listener.PAUSE", 60.0)
    listener = listeners.open("smtp")
    socket.create_connection(host_and_port(listener.address), 5).close()
    assert mailed(listeners.call(listener)).startswith("250")
    assert not told


FEW_DESCRIPTORS = """
import asyncio, logging, resource, sys
from pbmserv.transports import listener
from pbmserv.transports.smtp_in import SmtpIn

async def accept(incoming): pass

async def main():
    logging.basicConfig(format="%(message)s")
    listener.PAUSE = 0.2
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
    opened = await listener.listen(
        SmtpIn, "127.0.0.1:0", address="perudo@x", largest_mail=1000, accept=accept
    )
    print(opened.address, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(main())
"""


def test_a_listener_without_file_descriptors_pauses_and_goes_on() -> None:
    """In a process that has few of them: it neither spins nor fills its log."""
    words = (sys.executable, "-c", FEW_DESCRIPTORS)
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdin and child.stdout and child.stderr
        address = child.stdout.readline().strip()
        calls = [socket.create_connection(host_and_port(address), 5) for _ in range(40)]
        assert calls[0].recv(4) == b"220 "
        assert "no connection can be accepted: Too many open files" in child.stderr.readline()
        for each in calls:
            each.close()
        for _ in range(3):
            call, said = greeting(address)
            call.close()
            assert said.startswith("220")
        _, log = child.communicate()
    lines = log.splitlines()
    assert all(
        "no connection can be accepted" in each or "connections are refused" in each
        for each in lines
    )
    assert len(lines) < 40
