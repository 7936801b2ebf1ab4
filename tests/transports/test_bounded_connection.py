"""Dialogues with hostile servers: each ends in time, and reads a bounded number of bytes.

The hostile servers use real sockets, and count the bytes that we have read.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.transport import Postponed
from pbmserv.transports import smtp_out
from pbmserv.transports.bounded_connection import BoundedConnection, SaidTooMuch, connected
from pbmserv.transports.mailbox_poller import MailboxPoller
from pbmserv.transports.smtp_out import SmtpRelay
from tests.cli.processes import until
from tests.transports.hostile import Hostile, Talk, provider
from tests.transports.mailboxes import OWN, FakeProcessor, drained, imap_settings

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")
from pbmserv.transports import imap_in
from pbmserv.transports.imap_in import ImapMailbox

ANN = "ann@example.org"


@pytest.fixture
def hostile() -> Iterator[Callable[[Talk], Hostile]]:
    started: list[Hostile] = []

    def start(talk: Talk) -> Hostile:
        started.append(Hostile(talk))
        return started[-1]

    yield start
    for each in started:
        each.close()


Start = Callable[[Talk], Hostile]


def carried(server: Hostile, timeout: float, security: str = "none") -> str:
    """The outcome of carrying a letter to this relay, in words."""
    transport = SmtpRelay("127.0.0.1", server.port, security, timeout=timeout, hostname="us")
    with pytest.raises(Postponed) as caught:
        transport.carry(1, OWN, ANN, b"Subject: x\r\n\r\n2-2s\r\n")
    transport.close()
    return caught.value.reason


def after_commands(number: int, says: Callable[[socket.socket], None]) -> Talk:
    """A relay that works until it has received so many commands."""

    def talk(call: socket.socket) -> None:
        call.sendall(b"220 relay\r\n")
        with call.makefile("rb") as lines:
            for heard, line in enumerate(lines, 1):
                if heard > number:
                    break
                call.sendall(b"354 go on\r\n" if line.startswith(b"DATA") else b"250 OK\r\n")
            says(call)

    return talk


@pytest.mark.parametrize("what", [b"220-more\r\n", b"2" * 1000, b"\0", b"\r\n"])
@pytest.mark.parametrize("commands", [-1, 0, 1, 3])
def test_reading_from_an_endless_relay_is_bounded(
    hostile: Start, what: bytes, commands: int
) -> None:
    """In its greeting, to EHLO, to MAIL, and after the data."""
    servers: list[Hostile] = []

    def pour(call: socket.socket) -> None:
        servers[0].pour(call, what)

    servers.append(hostile(pour if commands < 0 else after_commands(commands, pour)))
    taken: list[int] = []
    count = BoundedConnection.count

    def counted(self: BoundedConnection, heard: int) -> None:
        taken.append(heard)
        count(self, heard)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundedConnection, "count", counted)
        carried(servers[0], timeout=60)
    assert sum(taken) <= 2 * smtp_out.MOST_HEARD


@pytest.mark.parametrize("commands", [-1, 0, 1, 3])
def test_a_slow_relay_is_cut_off_at_the_deadline(hostile: Start, commands: int) -> None:
    """Each line comes long before the deadline, and there is always one more."""
    servers: list[Hostile] = []

    def drip(call: socket.socket) -> None:
        servers[0].drip(call, b"250-wait\r\n")

    servers.append(hostile(drip if commands < 0 else after_commands(commands, drip)))
    assert "timed out" in carried(servers[0], timeout=0.3)
    assert servers[0].said < 10_000


def test_a_relay_slow_in_its_encryption_is_cut_off_at_the_deadline(hostile: Start) -> None:
    servers: list[Hostile] = []
    servers.append(hostile(lambda call: servers[0].drip(call, b"\x16\x03\x01\x02\x00")))
    assert carried(servers[0], 0.3, "tls")


def test_a_relay_that_takes_no_data_ends_at_the_deadline(hostile: Start) -> None:
    """It accepts every command, and then reads nothing."""
    servers: list[Hostile] = []
    servers.append(hostile(after_commands(3, lambda call: void(servers[0].ends.wait(5)))))
    transport = SmtpRelay("127.0.0.1", servers[0].port, timeout=0.5, hostname="us")
    with pytest.raises(Postponed):
        transport.carry(1, OWN, ANN, b"x" * 70 * 1024 * 1024)
    transport.close()


def void(_: object) -> None:
    """Ignore the argument."""


def test_an_unfinished_delivery_is_dropped_when_the_server_stops(hostile: Start) -> None:
    """This holds for any deadline and any reply of the relay."""
    servers: list[Hostile] = []
    servers.append(hostile(lambda call: servers[0].drip(call, b"220-wait\r\n")))
    transport = SmtpRelay("127.0.0.1", servers[0].port, timeout=3600, hostname="us")
    problems: list[Exception] = []

    def carry() -> None:
        try:
            transport.carry(1, OWN, ANN, b"x\r\n")
        except Postponed as problem:
            problems.append(problem)

    thread = threading.Thread(target=carry)
    thread.start()
    until(lambda: bool(servers[0].said))
    transport.hurry(0.1)
    thread.join(60)
    assert not thread.is_alive()
    assert "timed out" in str(problems[0])
    with pytest.raises(Postponed, match="timed out"):  # nor is another begun
        transport.carry(2, OWN, ANN, b"x\r\n")


def test_a_relays_words_cannot_control_a_terminal(hostile: Start) -> None:
    says = "550 \x1b[2J\x1b]0;owned\x07 \u202egnorw\u2066 no\r\n".encode()

    def talk(call: socket.socket) -> None:
        call.sendall(says)

    said = carried(hostile(talk), timeout=60)
    assert said.isprintable()
    assert "?[2J?]0;owned? ?gnorw? no" in said


def test_every_step_of_a_dialogue_ends_at_its_deadline() -> None:
    now = [100.0]
    dialogue = BoundedConnection(lambda: now[0])
    dialogue.begin(10, 5)
    assert dialogue.seconds_left() == 10
    dialogue.hurry(3)
    dialogue.begin(10, 5)
    assert dialogue.seconds_left() == 3
    dialogue.count(5)
    with pytest.raises(SaidTooMuch):
        dialogue.count(1)
    now[0] += 3
    with pytest.raises(TimeoutError):
        dialogue.seconds_left()


def test_data_from_before_the_deadline_is_read_once_after_it() -> None:
    """The process may not have run meanwhile.  More than one read would have no end."""
    moments = [0.0]
    dialogue = BoundedConnection(clock=lambda: moments[-1])
    dialogue.begin(60, smtp_out.MOST_HEARD)
    with socket.create_server(("127.0.0.1", 0)) as server:
        wire = connected("127.0.0.1", server.getsockname()[1], dialogue)
        with server.accept()[0] as call:
            call.sendall(b"250 taken\r\n")
            assert select.select([wire.fileno()], [], [], 60)[0]
            moments.append(61.0)
            assert wire.recv(4) == b"250 "
            with pytest.raises(TimeoutError):
                wire.recv(4)
        wire.close()


def test_an_unanswered_host_is_an_error() -> None:
    dialogue = BoundedConnection()
    dialogue.begin(5, 5)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        connected("127.0.0.1", port, dialogue)


def test_a_host_that_never_answers_ends_at_the_deadline() -> None:
    """Its queue of calls is full, so the system waits for it."""
    with socket.socket() as full, socket.socket() as first:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        first.connect(full.getsockname())
        second = socket.socket()
        second.setblocking(False)
        with second, suppress(BlockingIOError):
            second.connect(full.getsockname())
            dialogue = BoundedConnection()
            dialogue.begin(0.3, 5)
            with pytest.raises(TimeoutError):
                connected("127.0.0.1", full.getsockname()[1], dialogue)


def mailbox_at(server: Hostile, timeout: float) -> ImapMailbox:
    return ImapMailbox(imap_settings(server.port, "game", "sesame"), timeout=timeout)


@pytest.mark.parametrize("command", ["", "LOGIN", "SEARCH", "FETCH"])
@pytest.mark.parametrize(
    "what", [b"* 5 EXISTS\r\n", b"* X " + b"x" * 5000 + b"\r\n", b"x" * 5000, b"+ go on\r\n"]
)
def test_reading_from_an_endless_provider_is_bounded(
    hostile: Start, monkeypatch: pytest.MonkeyPatch, command: str, what: bytes
) -> None:
    monkeypatch.setattr(imap_in, "MOST_HEARD", 100_000)
    servers: list[Hostile] = []
    servers.append(hostile(provider({command: lambda call: servers[0].pour(call, what)})))
    taken: list[int] = []
    count = BoundedConnection.count

    def counted(self: BoundedConnection, heard: int) -> None:
        taken.append(heard)
        count(self, heard)

    monkeypatch.setattr(BoundedConnection, "count", counted)
    with pytest.raises((TryLater, Misconfigured)):
        drained(mailbox_at(servers[0], 20), FakeProcessor())
    assert sum(taken) < 600_000


@pytest.mark.parametrize("size", [100_000_000_000_000, 9_000_000])
def test_an_announced_giant_email_allocates_no_memory(hostile: Start, size: int) -> None:
    def announce(call: socket.socket) -> None:
        call.sendall(b"* 1 FETCH (UID 7 BODY[]<0> {%d}\r\n" % size)

    server = hostile(provider({"FETCH": announce}))
    with pytest.raises(TryLater, match="announces"):
        drained(mailbox_at(server, 20), FakeProcessor())


@pytest.mark.long
@pytest.mark.parametrize("command", ["", "LOGIN", "SEARCH", "FETCH"])
def test_a_slow_provider_is_cut_off_at_the_deadline(hostile: Start, command: str) -> None:
    servers: list[Hostile] = []
    what = b"* 5 EXISTS\r\n" if command else b"* OK"  # a greeting is one line
    servers.append(hostile(provider({command: lambda call: servers[0].drip(call, what)})))
    with pytest.raises((TryLater, Misconfigured), match="timed out"):
        drained(mailbox_at(servers[0], 0.5), FakeProcessor())


def test_unsolicited_replies_of_a_provider_are_discarded(hostile: Start) -> None:
    """It says a little more to each command, for as long as the connection lasts."""
    server = hostile(
        provider({"SEARCH": lambda call: call.sendall(b"* X little\r\n* 5 EXISTS\r\n" * 100)})
    )
    box = mailbox_at(server, 5)
    for _ in range(3):
        box.new()
    assert box._box is not None
    kept = box._box.client.untagged_responses
    assert sum(len(each) for each in kept.values()) <= 1
    box.close()


def test_a_collector_stops_soon_beside_a_slow_provider(hostile: Start) -> None:
    servers: list[Hostile] = []
    servers.append(
        hostile(provider({"SEARCH": lambda call: servers[0].drip(call, b"* 5 EXISTS\r\n")}))
    )
    collector = MailboxPoller(mailbox_at(servers[0], 3600), FakeProcessor().receiver)
    collector.start()
    until(lambda: bool(servers[0].said))
    collector.stop(1.0)
    collector.join(60)  # much less than the provider's patience
    assert not collector.is_alive()


def test_a_providers_words_cannot_control_a_terminal(hostile: Start) -> None:
    def refuse(call: socket.socket) -> None:
        call.sendall("* BYE \x1b[2J\u202eno\r\n".encode())
        call.shutdown(socket.SHUT_RDWR)

    with pytest.raises((TryLater, Misconfigured)) as caught:
        drained(mailbox_at(hostile(provider({"LOGIN": refuse})), 5), FakeProcessor())
    assert str(caught.value).isprintable()


@pytest.fixture
def silent_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """A name server that gives no answer until the event; and the names that it was asked for."""
    speaks, asked = threading.Event(), list[str]()
    real = socket.getaddrinfo

    def asks(host: str, *words: Any, **more: Any) -> Any:
        if more.get("flags"):
            return real(host, *words, **more)
        asked.append(host)
        speaks.wait(60)
        if host == "nobody.example":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real("127.0.0.1", *words, **more)

    monkeypatch.setattr(socket, "getaddrinfo", asks)
    yield speaks, asked
    speaks.set()


@pytest.mark.long
def test_a_name_server_that_says_nothing_ends_with_the_dialogue(
    hostile: Start, silent_names: tuple[threading.Event, list[str]]
) -> None:
    """It is asked once for all attempts, and its late answer is used."""
    speaks, asked = silent_names
    server = hostile(lambda call: call.sendall(b"220 relay\r\n"))
    dialogue = BoundedConnection()
    for _ in range(3):
        dialogue.begin(0.3, 1000)
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            connected("relay.example", server.port, dialogue)
        assert time.monotonic() - begun < 30
    assert asked == ["relay.example"]
    threading.Timer(0.3, speaks.set).start()
    dialogue.begin(60, 1000)
    wire = connected("relay.example", server.port, dialogue)
    assert wire.recv(3) == b"220"
    wire.close()


def test_an_urgent_connection_does_not_wait_for_a_name_lookup(
    silent_names: tuple[threading.Event, list[str]],
) -> None:
    dialogue = BoundedConnection()
    dialogue.begin(60, 1000)
    threading.Timer(0.2, lambda: dialogue.hurry(0.2)).start()
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        connected("relay.example", 25, dialogue)
    assert time.monotonic() - begun < 30


def test_an_unknown_name_is_reported_and_looked_up_again(
    silent_names: tuple[threading.Event, list[str]],
) -> None:
    speaks, asked = silent_names
    speaks.set()
    dialogue = BoundedConnection()
    dialogue.begin(60, 1000)
    for _ in range(2):
        with pytest.raises(socket.gaierror, match="not known"):
            connected("nobody.example", 25, dialogue)
    assert asked == ["nobody.example"] * 2


def test_the_end_of_a_letter_is_sent_at_once() -> None:
    """TCP holds a short packet back until the one before is confirmed: by default for 40 ms."""
    dialogue = BoundedConnection()
    dialogue.begin(60, 0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wire = connected("127.0.0.1", listening.getsockname()[1], dialogue)
        with socket.socket(fileno=os.dup(wire.fileno())) as seen:
            assert seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        wire.close()
