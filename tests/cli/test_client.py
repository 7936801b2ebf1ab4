"""The client of a running server: what it hands over, to whom, and what it does by itself."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from pbmserv.cli import client
from pbmserv.home import SHELL_SOCKET_FILE, find_home
from tests.cli.processes import (
    typed,
    until,
)
from tests.stories.town import PASSWORD, mail

THROUGH = {client.IN_PLACE: ""}  # through the server
STRANGER = os.geteuid() + 1000
HELP = mail("zoe@example.org", "help", message_id="<1@x>")


@contextmanager
def answering(home: Path, *sent: bytes) -> Iterator[None]:
    """A server of shells that sends this: at once, then after it was asked something."""
    home.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / client.SOCKET_FILE))
        listening.listen()

        def serve() -> None:
            with listening.accept()[0] as call, suppress(BrokenPipeError):
                for number, each in enumerate(sent):
                    if number:
                        length = call.recv(client.LENGTH, socket.MSG_WAITALL)
                        call.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
                    call.sendall(each)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()
        (home / client.SOCKET_FILE).unlink()


@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        ((client.GREETING, b""), 75, client._CUT_OFF),
        ((client.GREETING, client.DONE), 75, client._CUT_OFF),
        ((client.GREETING, client.DONE + b"\x07"), 7, ""),
    ],
)
def test_without_an_exit_code_an_email_comes_again(
    tmp_path: Path, sent: tuple[bytes, ...], code: int, said: str
) -> None:
    """A mail server keeps an email for 75, so none is lost when the server ends."""
    home = tmp_path / "h"
    with answering(home, *sent):
        done = typed(home, "pbmserv", "receive", text=HELP, environ=THROUGH)
    assert done.returncode == code
    assert done.stderr == (f"pbmserv: try again later: {said}\n" if said else "")


@pytest.mark.parametrize(
    "sent", [(b"",), (b"9",), (client.BUSY,), (client.GREETING, client.NOT_MINE)]
)
def test_without_a_server_that_does_it_the_command_works_in_place(
    tmp_path: Path, sent: tuple[bytes, ...]
) -> None:
    home = tmp_path / "h"
    with answering(home, *sent):
        done = typed(home, "pbmserv", "receive", text=HELP, environ=THROUGH)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (home / "mail").is_dir()


@pytest.mark.parametrize(
    "environ", [{"HOME": "/h"}, {"HOME": "/h", "XDG_DATA_HOME": "/x"}, {"XDG_DATA_HOME": " "}]
)
def test_the_client_knows_the_home_without_our_modules(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, each in environ.items():
        monkeypatch.setenv(name, each)
    assert client.default_home(os.environ) == str(find_home(None, {}))


@pytest.mark.parametrize(
    ("words", "home", "rest"),
    [
        ("show 1", "/e", "show 1"),
        ("--home /x show 1", "/x", "show 1"),
        ("--home=/x show 1", "/x", "show 1"),
        ("--home /x --home=/y show --home z", "/y", "show --home z"),
        ("--home", "/e", "--home"),
    ],
)
def test_the_client_finds_the_home_in_the_words(words: str, home: str, rest: str) -> None:
    assert client._parted(words.split(), {"PBMSERV_HOME": "/e"}) == (home, rest.split())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("perudo", False),
        ("perudo --help", False),
        ("perudo show 1", True),
        ("pbmserv serve", False),
        ("pbmserv move-database x", False),
        ("pbmserv queue list", True),
        ("pbmserv signup ann", True),
    ],
)
def test_the_client_asks_the_server_only_for_what_it_does(line: str, expected: bool) -> None:
    program, *words = line.split()
    assert client._is_for_server(program, words) is expected


@pytest.mark.parametrize(("user", "is_own"), [(os.geteuid(), True), (STRANGER, False)])
def test_a_caller_knows_whose_home_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, is_own: bool
) -> None:
    home = tmp_path / "h"
    with answering(home, b""), socket.socket(socket.AF_UNIX) as call:
        monkeypatch.setattr(os, "geteuid", lambda: user)
        assert client._connect(call, str(home)) is is_own


def test_a_socket_that_is_not_of_the_homes_owner_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process would get what is typed, and the password."""
    home = tmp_path / "h"
    with answering(home, b""), socket.socket(socket.AF_UNIX) as call:
        monkeypatch.setattr(client, "_user_of", lambda _: STRANGER)
        with pytest.raises(PermissionError):
            client._connect(call, str(home))


@pytest.mark.parametrize("platform", ["darwin", "freebsd14"])
def test_a_system_that_does_not_tell_who_calls_has_no_server_of_shells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delattr(os, "O_PATH")
    assert client.handed_over("perudo", ["show", "1"], {"PBMSERV_HOME": str(tmp_path)}) is None


def test_the_client_and_the_server_mean_the_same_socket() -> None:
    assert client.SOCKET_FILE == SHELL_SOCKET_FILE


INTERRUPTED = """\
import sys
class Interrupted:
    def find_spec(name, *_):
        if name == MODULE:
            raise KeyboardInterrupt
MODULE = sys.argv.pop()
sys.meta_path.insert(0, Interrupted)
from pbmserv.cli.client import perudo
perudo()
"""


@pytest.mark.parametrize("module", ["pbmserv.cli.main", "pbmserv.settings", "pbmserv.server.app"])
def test_a_command_that_is_interrupted_while_it_starts_says_so_without_a_traceback(
    home: Path, module: str
) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "--home", str(home), "games", module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "\nAborted!\n")


def typed_interrupted(home: Path, module: str, *words: str, text: str = "") -> tuple[int, str]:
    """The exit code and standard error of a command that is interrupted when it loads a module."""
    program = INTERRUPTED.replace("perudo", "pbmserv") if words == ("multiple",) else INTERRUPTED
    command = [sys.executable, "-c", program, "--home", str(home), *words, module]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def words_at(home: Path) -> list[str]:
    """What was written to the players of the boards."""
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as database, database:
        return [text for (text,) in database.execute("select text from talk order by id")]


IN_DOUBT = "interrupted: the command may be done or not; check that before you type it again"
DONE = "interrupted, but the command was carried out"


@pytest.mark.parametrize(
    ("module", "said", "code"),
    [
        ("pbmserv.server.app", "Aborted!", 1),
        ("pbmserv.players.blocks", f"pbmserv: {IN_DOUBT}", 130),  # within its transaction
        ("pbmserv.cli.shell_form", f"pbmserv: {DONE}", 130),  # before its answer is printed
        ("pbmserv.outbox.delivery", f"pbmserv: {DONE}", 130),  # before letters are sent
    ],
)
def test_a_command_that_is_interrupted_says_whether_it_was_carried_out(
    playing: Path, module: str, said: str, code: int
) -> None:
    words = "chat", "1", "ann", PASSWORD, "--message=Hello, bob!"
    assert typed_interrupted(playing, module, *words) == (code, f"\n{said}\n")
    assert words_at(playing) == ["Hello, bob!"] * (DONE in said)


def test_a_question_that_is_interrupted_needs_no_such_words(playing: Path) -> None:
    assert typed_interrupted(playing, "pbmserv.cli.shell_form", "show", "1") == (1, "\nAborted!\n")


def test_lines_that_are_interrupted_may_be_done_in_part(playing: Path) -> None:
    text = f"perudo chat 1 ann {PASSWORD} -message=Hello\nperudo games\n"
    code, error = typed_interrupted(playing, "pbmserv.outbox.delivery", "multiple", text=text)
    said = "interrupted, but lines were carried out; check which before you type them again"
    assert (code, error) == (130, f"\npbmserv: {said}\n")
    assert words_at(playing) == ["Hello"]


def is_asleep(process: int) -> bool:
    """Whether Linux says that a process waits for something."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def test_a_command_that_is_interrupted_asks_for_no_password_any_more(home: Path) -> None:
    """The server may have asked before it heard of Ctrl-C."""
    home.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / client.SOCKET_FILE))
        listening.listen()
        # A test run in the background of a shell ignores the key, and so would this process.
        hears = "from signal import *; signal(SIGINT, default_int_handler)"
        program = f"{hears}; from pbmserv.cli.client import perudo; perudo()"
        words = ["--home", str(home), "showas", "ann", "-", "1"]
        process = subprocess.Popen(
            [sys.executable, "-c", program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process, listening.accept()[0] as call:
            call.sendall(client.GREETING)
            head, files, _, _ = socket.recv_fds(call, client.LENGTH, 3)
            for each in files:  # they would keep its output open
                os.close(each)
            assert call.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
            until(lambda: is_asleep(process.pid))  # it waits for the answer
            process.send_signal(signal.SIGINT)
            assert call.recv(1) == b""  # the client has left
            said = b"Password: "
            call.sendall(client.ASKS + len(said).to_bytes(client.LENGTH, "big") + said)
            call.sendall(client.DONE + b"\x01")
            assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 1
