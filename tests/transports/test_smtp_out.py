"""The relay transport, against a scripted server and our own SMTP listener."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, BinaryIO

import pytest

from pbmserv.mail.transport import (
    Postponed,
    Transport,
    Unanswered,
    Undeliverable,
    Unreachable,
)
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.smtp_out import SmtpRelay
from tests.fake_relay import ScriptedRelay

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Listeners
from tests.transports.relays import ANN, BOB, LETTER, OWN, carry, coming


@pytest.fixture
def scripts() -> Iterator[list[ScriptedRelay]]:
    scripts: list[ScriptedRelay] = []
    yield scripts
    for script in scripts:
        script.close()


HELLO = "250-script\r\n250 8BITMIME"
PIPELINING = "250-script\r\n250 PIPELINING"
SENT = ["250 ok", "250 ok", "354 go", "250 taken"]


def relay(scripts: list[ScriptedRelay], *connections: list[str]) -> SmtpRelay:
    scripts.append(ScriptedRelay(*connections))
    return SmtpRelay("127.0.0.1", scripts[-1].port, timeout=60, hostname="us")


@pytest.mark.parametrize("hello", [HELLO, PIPELINING])
def test_letters_share_a_connection(scripts: list[ScriptedRelay], hello: str) -> None:
    transport = relay(scripts, [hello, *SENT, *SENT])
    carry(transport)
    carry(transport, "bob@example.org", "")
    transport.close()
    assert scripts[0].heard == [
        [
            b"ehlo us\r\n",
            b"MAIL FROM:<perudo@perudo.example>\r\n",
            b"RCPT TO:<ann@example.org>\r\n",
            b"DATA\r\n",
            b"Subject: x\r\n\r\n..dot\r\n5-5s\r\n.\r\n",
            b"MAIL FROM:<>\r\n",
            b"RCPT TO:<bob@example.org>\r\n",
            b"DATA\r\n",
            b"Subject: x\r\n\r\n..dot\r\n5-5s\r\n.\r\n",
        ]
    ]


@pytest.mark.parametrize("hello", [HELLO, PIPELINING])
@pytest.mark.parametrize(
    ("replies", "error"),
    [
        (["250 ok", "550 5.1.1 no such user"], Undeliverable),
        (["250 ok", "450 busy"], Postponed),
        (["451 not now"], Postponed),
        (["550 sender refused"], Postponed),
        (["530 log in first"], Postponed),
        (["250 ok", "250 ok", "554 no"], Undeliverable),
        (["250 ok", "250 ok", "451 no"], Postponed),
        (["250 ok", "250 ok", "354 go", "554 5.7.1 looks like spam"], Undeliverable),
        (["250 ok", "250 ok", "354 go", "452 disk full"], Postponed),
    ],
)
def test_permanent_and_temporary_refusals_are_distinguished(
    scripts: list[ScriptedRelay], hello: str, replies: list[str], error: type[Exception]
) -> None:
    """The first negative reply gives the reason. The connection stays usable."""
    rest = ["503 no"] * (3 - len(replies)) if hello == PIPELINING else []
    transport = relay(scripts, [hello, *replies, *rest, "250 reset", *SENT])
    with pytest.raises(error) as raised:
        carry(transport)
    assert str(raised.value) == replies[-1]
    assert raised.value.reason == replies[-1]  # type: ignore[attr-defined] # all of `error` have one
    carry(transport)
    transport.close()
    assert b"rset\r\n" in scripts[0].heard[0]


def test_the_next_letter_is_asked_for_together_with_this_one() -> None:
    """A relay that answers a letter only after it was asked for the next one gets both."""
    heard: list[bytes] = []

    def play(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rb") as file:
            connection.sendall(b"220 script\r\n")
            for lines, replies in (
                (1, [PIPELINING]),
                (3, SENT[:3]),
                (LETTER.count(b"\r\n") + 1 + 3, [SENT[3], *SENT[:3]]),
                (LETTER.count(b"\r\n") + 1, SENT[3:]),
            ):
                heard.extend(file.readline() for _ in range(lines))
                connection.sendall("".join(f"{reply}\r\n" for reply in replies).encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=play, args=(server,))
        thread.start()
        transport = SmtpRelay("127.0.0.1", server.getsockname()[1], timeout=60, hostname="us")
        carry(transport, following=BOB)
        carry(transport, BOB)
        thread.join(60)
        transport.close()
    assert heard.count(b"DATA\r\n") == heard.count(b"..dot\r\n") == 2


@contextmanager
def data_heard(server: socket.socket) -> Iterator[tuple[socket.socket, BinaryIO]]:
    """A connection to a relay that has the data of a letter, and has not answered it yet."""
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as file:
        connection.sendall(b"220 script\r\n")
        for reply in (HELLO, *SENT[:3]):
            file.readline()
            connection.sendall(f"{reply}\r\n".encode())
        while file.readline() != b".\r\n":
            pass
        yield connection, file


def test_the_next_letter_is_prepared_before_this_one_is_answered() -> None:
    """A relay that answers a letter only after the next one is rendered gets both."""
    prepared = threading.Event()

    def play(server: socket.socket) -> None:
        with data_heard(server) as (connection, _):
            prepared.wait(60)
            connection.sendall(f"{SENT[3]}\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=play, args=(server,))
        thread.start()
        transport = SmtpRelay("127.0.0.1", server.getsockname()[1], timeout=60, hostname="us")
        taken = transport.carry(1, OWN, ANN, LETTER, coming(BOB, prepared.set))
        thread.join(60)
        transport.close()
    assert taken == "250 taken"
    assert prepared.is_set()


@pytest.mark.parametrize("hello", [HELLO, PIPELINING])
def test_a_refused_letter_does_not_harm_the_next_one(
    scripts: list[ScriptedRelay], hello: str
) -> None:
    reset = ["250 reset"] if hello == HELLO else []  # what was asked already must not be
    transport = relay(scripts, [hello, *SENT[:3], "554 spam", *reset, *SENT])
    with pytest.raises(Undeliverable, match="554 spam"):
        carry(transport, following=BOB)
    carry(transport, BOB)
    transport.close()
    assert scripts[0].heard[0][-3] == b"RCPT TO:<bob@example.org>\r\n"


def test_a_pipelined_letter_is_sent_again_after_a_lost_connection(
    scripts: list[ScriptedRelay],
) -> None:
    transport = relay(scripts, [PIPELINING, *SENT, ""], [PIPELINING, *SENT])
    carry(transport, following=BOB)
    carry(transport, BOB)
    transport.close()
    assert [line for line in scripts[0].heard[1] if b"RCPT" in line] == [
        b"RCPT TO:<bob@example.org>\r\n"
    ]


def test_a_pipelined_recipient_without_a_letter_gets_nothing(
    scripts: list[ScriptedRelay],
) -> None:
    """If its text could not be rendered, the relay gets no data and no QUIT."""
    transport = relay(scripts, [PIPELINING, *SENT, *SENT], [PIPELINING, *SENT])
    carry(transport, following=BOB)
    carry(transport, "cleo@example.org")
    transport.close()
    asked = [
        b"MAIL FROM:<perudo@perudo.example>\r\n",
        b"RCPT TO:<bob@example.org>\r\n",
        b"DATA\r\n",
    ]
    rest = scripts[0].heard[0][
        5:
    ]  # all three, unless the connection was reset before they were read
    assert rest == asked[: len(rest)]
    assert b"RCPT TO:<cleo@example.org>\r\n" in scripts[0].heard[1]


def test_a_refused_pipelined_address_is_reported_in_its_turn(
    scripts: list[ScriptedRelay],
) -> None:
    transport = relay(scripts, [PIPELINING, *SENT, *SENT])
    carry(transport, following="bob @example.org")
    with pytest.raises(Undeliverable, match="not an address"):
        carry(transport, "bob @example.org")
    carry(transport)
    transport.close()


def test_a_relay_without_accepted_recipients_gets_no_data(scripts: list[ScriptedRelay]) -> None:
    """RFC 2920 allows 354 after all recipients were refused."""
    replies = ["250 ok", "550 no such user", "354 go", "554 no valid recipients", "250 reset"]
    transport = relay(scripts, [PIPELINING, *replies, *SENT])
    with pytest.raises(Undeliverable, match="550 no such user"):
        carry(transport)
    carry(transport)
    transport.close()
    assert scripts[0].heard[0][4] == b".\r\n"


@pytest.mark.parametrize(
    ("hello", "end"),
    [
        (HELLO, [""]),
        (HELLO, ["250 ok", ""]),
        (PIPELINING, [""]),
        (PIPELINING, ["250 ok", ""]),
        (PIPELINING, ["421 tired", ""]),  # without PIPELINING it is heard, see the next test
    ],
)
def test_an_abandoned_connection_is_opened_again(
    scripts: list[ScriptedRelay], hello: str, end: list[str]
) -> None:
    transport = relay(scripts, [hello, *SENT, *end], [hello, *SENT])
    carry(transport)
    carry(transport)
    transport.close()
    assert len(scripts[0].heard) == 2


def test_a_closing_relay_is_contacted_again_later(scripts: list[ScriptedRelay]) -> None:
    transport = relay(scripts, [HELLO, "421 closing"], [HELLO, *SENT])
    with pytest.raises(Postponed, match="421 closing"):
        carry(transport)
    carry(transport)
    transport.close()
    assert scripts[0].heard[0][1:] == [b"MAIL FROM:<perudo@perudo.example>\r\n"]


def test_a_relay_that_hangs_at_one_letter_postpones_no_other(scripts: list[ScriptedRelay]) -> None:
    """A recipient's domain can cause that, where the relay asks it about each recipient."""
    moment, is_over = [0.0], threading.Event()

    def until_the_second_letter() -> Iterator[str]:
        yield from (HELLO, *SENT, "250 ok")
        moment[0] = 61.0
        is_over.wait(60)

    scripts.append(ScriptedRelay(until_the_second_letter(), [HELLO, *SENT]))
    transport = SmtpRelay("127.0.0.1", scripts[0].port, clock=lambda: moment[0])
    carry(transport)
    with pytest.raises(Postponed, match="timed out") as caught:
        carry(transport)
    is_over.set()
    assert not isinstance(caught.value, Unreachable)
    carry(transport, BOB)
    transport.close()


def test_a_refusal_counts_even_if_the_relay_hangs_up_upon_it(scripts: list[ScriptedRelay]) -> None:
    transport = relay(scripts, [HELLO, "250 ok", "550 no such user", ""], [HELLO, *SENT])
    with pytest.raises(Undeliverable, match="550 no such user"):
        carry(transport)
    carry(transport)
    transport.close()


def test_a_letter_that_begins_with_a_dot_arrives_with_it(listeners: Listeners) -> None:
    transport = SmtpRelay(*host_and_port(listeners.open("smtp").address), timeout=60)
    transport.carry(1, "", OWN, b".x\r\n")
    transport.close()
    assert listeners.arrived[0].raw == b".x\r\n"


def test_a_new_connection_that_breaks_postpones_the_letter(scripts: list[ScriptedRelay]) -> None:
    transport = relay(scripts, [HELLO, ""])
    with pytest.raises(Postponed, match=r"relay 127\.0\.0\.1"):
        carry(transport)


def test_a_letter_may_have_been_taken_when_the_last_answer_is_missing(
    scripts: list[ScriptedRelay],
) -> None:
    """So it is postponed, and sent again later with the same Message-ID."""
    transport = relay(scripts, [HELLO, *SENT, "250 ok", "250 ok", "354 go", ""])
    carry(transport)
    with pytest.raises(Postponed):
        carry(transport)
    transport.close()
    assert len(scripts[0].heard) == 1


@pytest.mark.parametrize(("later", "is_heard"), [(599.0, True), (601.0, False)])
def test_the_answer_to_the_data_may_take_ten_minutes(later: float, is_heard: bool) -> None:
    """RFC 5321, 4.5.3.2.6.  A relay that we leave earlier would get the letter again and again."""
    prepared, is_later = threading.Event(), threading.Event()
    begun: list[bool] = []

    def clock() -> float:
        """0 until the wait for the answer begins, and later at every call after that."""
        if begun:
            is_later.set()
            return later
        if prepared.is_set():
            begun.append(True)
        return 0.0

    def play(server: socket.socket) -> None:
        with data_heard(server) as (connection, file):
            is_later.wait(60)
            if is_heard:
                connection.sendall(f"{SENT[3]}\r\n".encode())
            file.read()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=play, args=(server,))
        thread.start()
        transport = SmtpRelay("127.0.0.1", server.getsockname()[1], hostname="us", clock=clock)
        with nullcontext() if is_heard else pytest.raises(Unanswered):
            transport.carry(1, OWN, ANN, LETTER, coming(BOB, prepared.set))
        transport.close()
        thread.join(60)


def test_nonsense_postpones_the_letter(scripts: list[ScriptedRelay]) -> None:
    transport = relay(scripts, [HELLO, "hello?"])
    with pytest.raises(Postponed):
        carry(transport)


def data_of(script: ScriptedRelay) -> list[bytes]:
    """What a relay took for the data of letters."""
    commands = (b"ehlo", b"MAIL", b"RCPT", b"DATA", b"rset", b"QUIT")
    lines = (line for heard in script.heard for line in heard)
    return [line for line in lines if not line.startswith(commands) or b"\n5-5s" in line]


@pytest.mark.parametrize("following", ["", BOB])
@pytest.mark.parametrize("hello", [HELLO, PIPELINING])
@pytest.mark.parametrize(
    ("replies", "left"),
    [
        (["250 ok", "250 ok", "250 instead of 354"], 1),
        ([*SENT[:3], "354 is no end"], 1),
        ([*SENT[:3], "999 is no code"], 1),
        ([*SENT[:3], "250 taken\r\n250 taken", *SENT], 2),
        ([*SENT[:3], "250 taken\r\n550 refused", *SENT], 2),
        ([*SENT[:3], "250 taken\r\n250 a\r\n250 b\r\n354 c", *SENT], 2),
    ],
)
def test_replies_out_of_step_never_mix_two_letters(
    scripts: list[ScriptedRelay], replies: list[str], left: int, hello: str, following: str
) -> None:
    """The relay may be in the data of a letter, so the next one takes another connection.

    `left` counts the letters before which, or at which, that is noticed.
    """
    transport = relay(scripts, [hello, *replies], [hello, *SENT, *SENT, *SENT])
    for place in range(4):
        with nullcontext() if place < left - 1 else suppress(Postponed, Unanswered):
            carry(transport, f"player{place}@example.org", following=next_of(following, place))
    transport.close()
    assert set(data_of(scripts[0])) == {b"Subject: x\r\n\r\n..dot\r\n5-5s\r\n.\r\n"}
    assert len(scripts[0].heard) == 2


def next_of(following: str, place: int) -> str:
    """The address of the letter behind one of four, if it is asked for together with that."""
    return f"player{place + 1}@example.org" if following and place < 3 else ""


@pytest.mark.parametrize("hello", [HELLO, PIPELINING])
def test_a_relay_that_says_farewell_unasked_is_contacted_again_at_once(
    scripts: list[ScriptedRelay], hello: str
) -> None:
    transport = relay(scripts, [hello, *SENT[:3], "250 taken\r\n421 idle"], [hello, *SENT])
    carry(transport)
    carry(transport)
    transport.close()
    assert len(data_of(scripts[0])) == 2


def test_an_unreachable_relay_postpones_the_letter() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Postponed, match="refused"):
        carry(SmtpRelay("127.0.0.1", port))


@pytest.mark.parametrize("address", ["a@b>\r\nDATA", "a b@c", "a" * 400, "<a@b", "a@b\n"])
def test_no_address_can_hold_a_command(scripts: list[ScriptedRelay], address: str) -> None:
    transport = relay(scripts, [HELLO])
    with pytest.raises(Undeliverable, match="not an address"):
        carry(transport, address)
    transport.close()


def test_an_address_in_other_letters_needs_a_relay_that_knows_them(
    scripts: list[ScriptedRelay], listeners: Listeners
) -> None:
    transport = relay(scripts, [HELLO])
    with pytest.raises(Undeliverable, match="ASCII"):
        carry(transport, "zoë@example.org")
    transport.close()
    transport = SmtpRelay(*host_and_port(listeners.open("smtp", address="zoë@x").address))
    carry(transport, "zoë@x")
    transport.close()
    assert listeners.arrived[0].recipient == "zoë@x"


def test_a_hundred_letters_reach_a_real_server_unchanged(listeners: Listeners) -> None:
    transport: Transport = SmtpRelay(*host_and_port(listeners.open("smtp").address), timeout=60)
    letters = [b"Subject: %d\r\n\r\n.\r\n..\r\n\r\n.x" % n for n in range(100)]
    for number, letter in enumerate(letters):
        transport.carry(number, "", OWN, letter)
    transport.close()
    assert [incoming.raw for incoming in listeners.arrived] == [
        letter + b"\r\n" for letter in letters
    ]


def test_bare_line_ends_never_go_out(listeners: Listeners) -> None:
    transport = SmtpRelay(*host_and_port(listeners.open("smtp").address), timeout=60)
    transport.carry(1, "", OWN, b"a\n.\nb\r.\rc\r\n")
    transport.close()
    assert listeners.arrived[0].raw == b"a\r\n.\r\nb\r\n.\r\nc\r\n"
