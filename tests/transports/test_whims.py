"""The IMAP transport, against odd servers: each follows a script, or sends nonsense."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.transports.mailbox_poller import StopSignal
from tests.transports.mailboxes import FakeProcessor, drained, imap_settings

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")
from pbmserv.transports.imap_in import ImapMailbox
from tests.examples import examples

PASSWORD = "sesame"
GREETING = b"* OK [CAPABILITY IMAP4rev1] ready\r\n"
BODY = b"* 1 FETCH (UID 7 BODY[]<0> {5}\r\nhello)\r\n"
USUAL = {
    "CAPABILITY": b"* CAPABILITY IMAP4rev1 IDLE MOVE\r\nTAG OK done\r\n",
    "LIST": b'* LIST (\\Noselect) "/" ""\r\nTAG OK done\r\n',
    "SEARCH": b"* SEARCH 7\r\nTAG OK done\r\n",
    "FETCH": BODY + b"TAG OK done\r\n",
    "IDLE": b"+ idling\r\n",
    "DONE": b"",
}


class Whimsical:
    """An IMAP server with one email, number 7; it answers `script[command]` in place of OK.

    `pbmserv-done` is the command that sets this keyword.
    After the email was marked or moved, a search finds nothing, unless the script says so.
    """

    def __init__(
        self,
        script: Mapping[str, bytes],
        greeting: bytes = GREETING,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._script, self._greeting, self._context = {**USUAL, **script}, greeting, context
        self._marks_stick = "SEARCH" not in script
        self.heard: list[str] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                with connection, suppress(OSError):
                    self._talk(self._encrypted(connection))

    def _encrypted(self, connection: socket.socket) -> socket.socket:
        return (
            self._context.wrap_socket(connection, server_side=True) if self._context else connection
        )

    def _talk(self, connection: socket.socket) -> None:
        connection.settimeout(60)
        connection.sendall(self._greeting)
        with connection.makefile("rb") as lines:
            for line in lines:
                tag, *words = line.decode("utf-8", "replace").split()
                command = next((each for each in words if each != "UID"), tag)
                if "STORE" in words and "(pbmserv-done)" in words:
                    command = "pbmserv-done"
                self.heard.append(command)
                says = self._script.get(command, b"TAG OK done\r\n")
                if command == "SEARCH" and self._marks_stick and {"MOVE", "STORE"} & {*self.heard}:
                    says = b"* SEARCH\r\nTAG OK done\r\n"
                connection.sendall(says.replace(b"TAG", tag.encode()))
                if command == "LOGOUT":
                    return

    def mailbox(self, timeout: float = 60) -> ImapMailbox:
        chosen = imap_settings(self.port, "game", PASSWORD, imap_seconds=1)
        return ImapMailbox(chosen, timeout=timeout)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(60)
        assert not self._thread.is_alive()


Whims = Callable[..., Whimsical]


@pytest.fixture
def whims() -> Iterator[Whims]:
    started: list[Whimsical] = []

    def start(script: Mapping[str, bytes], greeting: bytes = GREETING) -> Whimsical:
        started.append(Whimsical(script, greeting))
        return started[-1]

    yield start
    for each in started:
        each.close()


def test_the_script_without_whims_gives_an_email(whims: Whims) -> None:
    processor = FakeProcessor()
    assert drained(whims({}).mailbox(), processor) == 1
    assert processor.texts == [b"hello"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            {"LOGIN": b"TAG NO [UNAVAILABLE] later\r\n"},
            "the login does not work now: [UNAVAILABLE] later",
        ),
        ({"LOGIN": b"* BYE\r\n"}, "the connection broke"),
        ({"SEARCH": b"TAG NO what\r\n"}, "what"),
        ({"SEARCH": b"* SEARCH seven\r\nTAG OK done\r\n"}, "seven"),
        ({"FETCH": b"TAG NO [INUSE] later\r\n"}, "email 7 stays new: [INUSE] later"),
        ({"FETCH": b"TAG BAD what\r\n"}, "what"),
        ({"STORE": b"TAG NO quota\r\n"}, "STORE is refused: quota"),
        ({"FETCH": b"* BYE [UNAVAILABLE] later\r\n"}, "email 7 stays new: the connection broke"),
        ({"MOVE": b"TAG NO [TRYCREATE] gone\r\n"}, "MOVE is refused: [TRYCREATE] gone"),
        ({"FETCH": b"* 1 FETCH (UID 7 BODY[] {5}\r\nhel"}, "timed out"),
        ({"SELECT": b"\r\n" * 3}, "the connection broke"),
    ],
)
def test_a_temporary_failure_of_a_server_is_tried_again(
    whims: Whims, script: Mapping[str, bytes], said: str
) -> None:
    patience = 2 if said == "timed out" else 60
    with pytest.raises(TryLater) as caught:
        drained(whims(script).mailbox(patience), FakeProcessor())
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ({"LOGIN": b"TAG NO who is sesame?\r\n"}, "the login is refused: who is ********?"),
        ({"LOGIN": b"TAG BAD LOGIN game sesame\r\n"}, "LOGIN game ********"),
        ({"SELECT": b"TAG OK [READ-ONLY] look\r\n"}, "the folder is read-only"),
        (
            {"STATUS": b"TAG NO no\r\n", "CREATE": b"TAG NO no\r\n"},
            "'pbmserv-odd' cannot be created",
        ),
    ],
)
def test_a_configuration_error_shows_no_password(
    whims: Whims, script: Mapping[str, bytes], said: str
) -> None:
    with pytest.raises(Misconfigured) as caught:
        drained(whims(script).mailbox(), FakeProcessor())
    assert said in str(caught.value)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (b"TAG NO damaged\r\n", "the server does not return it: damaged"),
        (b"* 1 FETCH (UID 7 BODY[]<0> NIL)\r\nTAG OK done\r\n", "gives it without its text"),
    ],
)
def test_an_unfetchable_email_is_quarantined_at_the_third_attempt(
    whims: Whims, says: bytes, why: str
) -> None:
    server, processor = whims({"FETCH": says}), FakeProcessor()
    assert drained(server.mailbox(), processor) == 0
    assert server.heard.count("FETCH") == 3
    assert server.heard.count("MOVE") == 1
    assert why in processor.told[0][1]


def test_an_email_gone_before_its_fetch_is_harmless(whims: Whims) -> None:
    server, processor = whims({"FETCH": b"TAG OK done\r\n"}), FakeProcessor()
    assert drained(server.mailbox(), processor) == 0
    assert processor.told == []
    assert "MOVE" not in server.heard


def test_a_server_that_drops_flags_causes_no_endless_loop(whims: Whims) -> None:
    server, processor = whims({"SEARCH": USUAL["SEARCH"]}), FakeProcessor()
    box = server.mailbox()
    for _ in range(2):
        server.heard.clear()
        assert drained(box, processor) == 1
        assert server.heard.count("FETCH") == 1
    box.close()


@pytest.mark.parametrize("says", [b"NO [LIMIT] too many", b"BAD flag"])
@pytest.mark.parametrize("flags", [rb"\Seen \*", rb"\Seen pbmserv-done"])
def test_a_server_that_takes_no_more_keywords_still_has_its_emails_moved(
    whims: Whims, flags: bytes, says: bytes
) -> None:
    """It claims to keep them, and refuses the first of two flags."""
    taken = b"* OK [PERMANENTFLAGS (" + flags + b")] kept\r\n* 1 EXISTS\r\nTAG OK done\r\n"
    server = whims({"SELECT": taken, "pbmserv-done": b"TAG " + says + b"\r\n"})
    assert drained(server.mailbox(), FakeProcessor()) == 1
    assert (server.heard.count("STORE"), server.heard.count("MOVE")) == (1, 1)


def test_a_refused_move_to_a_folder_delays_no_new_email(whims: Whims) -> None:
    """It is reported after all new emails are stored."""
    search = b"* SEARCH " + b" ".join(b"%d" % number for number in range(1, 131))
    server = whims({"SEARCH": search + b"\r\nTAG OK done\r\n", "MOVE": b"TAG NO full\r\n"})
    processor = FakeProcessor()
    with pytest.raises(TryLater, match="MOVE is refused: full"):
        drained(server.mailbox(), processor)
    assert len(processor.texts) == 130


@pytest.mark.long
def test_a_server_that_refuses_idle_is_polled_instead(whims: Whims) -> None:
    server, stop = whims({"IDLE": b"TAG NO not today\r\n"}), StopSignal()
    box = server.mailbox()
    box.new()
    for _ in range(2):
        box.wait(stop)
    assert server.heard.count("IDLE") == 1
    box.close()
    stop.close()


PIECES = st.sampled_from((
    b"TAG OK done\r\n", b"TAG NO no\r\n", b"TAG BAD x\r\n", b"* ", b"SEARCH", b" 7",
    b"\r\n", b"+ go\r\n",
    b"* BYE\r\n", BODY, b"{5}\r\n", b"{99999999}\r\n", b"* 1 FETCH (", b"UID 7", b"NIL", b")",
    b"* CAPABILITY IMAP4rev1 UIDPLUS\r\n", b"* 3 EXISTS\r\n", b"TAG OK [READ-ONLY]\r\n",
))  # fmt: skip
BABBLE = st.lists(PIECES | st.binary(max_size=8), max_size=6).map(b"".join)
COMMANDS = ("CAPABILITY", "LOGIN", "LIST", "STATUS", "SELECT", "SEARCH", "FETCH", "STORE", "MOVE")


@settings(max_examples=examples(60))
@given(
    st.dictionaries(
        st.sampled_from(COMMANDS), BABBLE.map(lambda said: said + b"\r\nTAG OK done\r\n")
    ),
    BABBLE | st.just(GREETING),
)
def test_nonsense_of_a_server_is_not_a_bug_of_ours(
    script: dict[str, bytes], greeting: bytes
) -> None:
    """It raises only TryLater and Misconfigured."""
    server = Whimsical(script, greeting + b"\r\n")
    try:
        with suppress(TryLater, Misconfigured):
            drained(server.mailbox(2), FakeProcessor())
    finally:
        server.close()
