"""A running server carries out what shells ask for, as each process would do it by itself."""

from __future__ import annotations

import grp
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest

from pbmserv.cli import client, shell_server
from pbmserv.cli.client_terminals import Terminals
from pbmserv.cli.player_shell import RANDOM
from pbmserv.cli.shell_access import Caller, may
from pbmserv.cli.shell_log_budget import AT_ONCE, EVERY, LogBudget
from pbmserv.cli.shell_request import Asked, StandardFile, read
from pbmserv.cli.shell_server import ShellServer
from tests.cli.processes import (
    PATIENCE,
    PROGRAMS,
    Served,
    environment,
    served,
    started,
    typed,
    until,
)
from tests.forked import PIPE
from tests.forkserver import OF_PYTHON
from tests.rows import each_row
from tests.stories.town import PASSWORD, letters_in, mail, town_at

THROUGH = {client.IN_PLACE: ""}  # through the server
STRANGER = os.geteuid() + 1000
OURS = [str(PROGRAMS / "perudo")]
OF_OTHERS = [  # of a user who may use the socket, but does not own the home
    sys.executable,
    "-c",
    f"import os; os.geteuid = lambda: {STRANGER}; from pbmserv.cli.client import perudo; perudo()",
]
MASKED = re.compile(r"[A-Z2-7]{24,}|[0-9a-f]{64}|\b(?:an?|no|one|two|three|four|five)\b|\d+|[⚀-⚅]")
WITH_A_BUG = """
import socket, sys
from pathlib import Path
import click
from pbmserv.cli import shell_server
from pbmserv.monitoring import server_log

@click.command("games")
def broken():
    raise RuntimeError

shell_server._PROGRAMS = {"perudo": click.Group("perudo", [broken])}
server_log.begin("info", {})
listening = socket.socket(fileno=int(sys.argv[2]))
shell_server.ShellServer(Path(sys.argv[1]), listening, has_group=False).run()
"""
HELP = mail("zoe@example.org", "help", message_id="<1@x>")
OUR_GROUP = grp.getgrgid(os.getegid()).gr_name


@dataclass(frozen=True)
class Line:
    """What is typed at a shell."""

    words: str
    text: str | bytes = ""
    environ: dict[str, str] = field(default_factory=dict)
    after_delivery: bool = False  # typed when the server has sent the letters of earlier lines


LINES = [
    Line(f"pbmserv signup dan {PASSWORD} dan@example.org"),
    Line("pbmserv signup eve - eve@example.org", environ={"PBMSERV_PASSWORD": PASSWORD}),
    Line("pbmserv signup cleo - cleo@example.org"),  # no terminal
    Line("pbmserv receive --sender zoe@example.org", HELP),
    Line("pbmserv receive --sender", b""),
    Line("pbmserv receive", b"\xff\x00" * 9000),
    Line("perudo challenge -inorder ann nobody"),
    Line("perudo games --json"),
    Line("perudo show 1"),
    Line("perudo show 7", environ={"LC_ALL": "fr_FR.UTF-8"}),
    Line(f"perudo move 1 ann {PASSWORD} 1-2s --message=-", "Hello, bob: ż!\n"),
    Line(f"perudo move 1 ann wrong-{PASSWORD} 1-2s"),
    Line("perudo showas bob - 1", environ={"PBMSERV_PASSWORD": PASSWORD, "NO_COLOR": "1"}),
    Line(f"perudo showas bob {PASSWORD} 1", environ={"PYTHONIOENCODING": "latin-1"}),
    Line(f"perudo chat 1 bob {PASSWORD}", "First line\nSecond line\n"),
    Line("perudo mve 1 \udcff"),
    Line("perudo rules of the game"),
    Line("pbmserv perudo list"),
    Line("pbmserv help tutorial"),
    Line("pbmserv hepl"),
    Line("pbmserv multiple", f"perudo show 1\nperudo nothing\nperudo move 1 bob {PASSWORD} 2-2s\n"),
    Line("pbmserv queue list", after_delivery=True),
    Line("pbmserv queue show in1"),
    Line("pbmserv queue show in99"),
    Line("pbmserv trace zoe@example.org"),
    Line("pbmserv trace 1 --json"),
    Line("pbmserv player show ann"),
    Line("pbmserv player forget ann", "n\n"),
    Line("pbmserv player suspend nobody"),
    Line("pbmserv deliver"),
]  # fmt: skip


def answer(home: Path, line: Line, way: dict[str, str]) -> tuple[int, str, str]:
    """The exit code and what is written, without what differs from game to game."""
    words, environ = line.words.split(), {**way, **line.environ}
    if any(name.startswith(OF_PYTHON) for name in environ):
        text = line.text.encode() if isinstance(line.text, str) else line.text
        done = subprocess.run(
            [PROGRAMS / words[0], *words[1:]],
            input=text,
            capture_output=True,
            env=environment(home, environ),
            timeout=PATIENCE,
            check=False,
        )
        found = done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")
    else:
        typing = typed(home, *words, text=line.text, environ=environ)
        found = typing.returncode, typing.stdout, typing.stderr
    return found[0], MASKED.sub("…", found[1]), MASKED.sub("…", found[2])


def _in_turn(home: Path, line: Line, way: dict[str, str]) -> tuple[int, str, str]:
    """The answer to a line, when the letters that its answer would list have been sent."""
    if line.after_delivery:
        until(lambda: "Nothing waits." in typed(home, "pbmserv", "queue", "list").stdout)
    return answer(home, line, way)


def said(server: Served) -> str:
    return server.log.read_text("utf-8")


@contextmanager
def served_shells(home: Path, settings: str = "") -> Iterator[Served]:
    """A server whose process for shells has begun."""
    with served(home, settings) as server:

        def has_begun() -> bool:
            typed(home, "perudo", "games", environ=THROUGH)
            return "INFO shell: " in said(server)

        until(has_begun)
        yield server


@pytest.mark.long
def test_every_command_has_the_same_answer_both_ways(tmp_path: Path) -> None:
    """The words, the exit code, and what is done with the standard files."""
    answers = {}
    for name, way in (("1", THROUGH), ("2", {})):  # masked as numbers
        home = tmp_path / name / "home"
        home.parent.mkdir()
        with town_at(home) as town:
            town.sign_up("ann", "bob")
            town.challenge("ann", "bob")  # with the same dice each time
        with served_shells(home) if way else served(home) as server:
            before = said(server).count("INFO shell: ")
            answers[name] = [answer(home, each, way) for each in LINES]
            carried_out = said(server).count("INFO shell: ") - before
            assert carried_out == (len(LINES) if way else 0)
            assert PASSWORD not in said(server)
    for line, *both in zip(LINES, *answers.values(), strict=True):
        assert both[0] == both[1], line.words


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a server whose process for shells has begun; ann and bob play there."""
    home = tmp_path_factory.mktemp("shells") / "home"
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
    with served_shells(home, "newcomers_daily = 100\n"):  # no answer tells of the limit
        yield home


@pytest.mark.long
def test_a_file_of_the_callers_stops_no_other_line(shells: Path) -> None:
    """The server reads no file for a caller, and has read the text by then: it says so."""
    text = f"perudo verify {shells / 'record.txt'}\nperudo list\n"
    done = typed(shells, "pbmserv", "multiple", text=text, environ=THROUGH)
    assert done.returncode == 1
    assert done.stderr.count("cannot be read.") == 1
    assert "> list\n" in done.stdout


@pytest.mark.long
def test_a_password_is_typed_at_the_callers_terminal(shells: Path) -> None:
    """The server has no terminal: it asks the caller's process, which shows nothing typed."""
    shown = []
    for perudo, way in ((OURS, THROUGH), (OURS, {}), (OF_OTHERS, THROUGH)):
        words = [*perudo, "showas", "ann", "-", "1"]
        shown.append(at_a_terminal(words, environment(shells, way), f"{PASSWORD}\n"))
    assert shown[0] == shown[1] == shown[2]
    assert "Password: \r\n" in shown[0]
    assert PASSWORD not in shown[0]
    assert "\x1b[1m" in shown[0]  # a terminal has colours


@pytest.mark.long
def test_a_text_is_typed_at_the_callers_terminal(shells: Path) -> None:
    """Text typed behind its end is for the next command."""
    shown = []
    for perudo, way in ((OURS, THROUGH), (OURS, {}), (OF_OTHERS, THROUGH)):
        each = shlex.join(perudo)
        line = f"{each} games; {each} chat 1 ann {PASSWORD}; stty size; read x; echo got $x"
        typing = "Hello, bob!\n\x04next\n"
        shown.append(at_a_terminal(["sh", "-c", line], environment(shells, way), typing))
    assert shown[0] == shown[1] == shown[2]
    assert "got next" in shown[0]
    assert "Write the text" in shown[0]

    def chats() -> int:
        return sum("Hello, bob!" in each.text for each in letters_in(shells))

    until(lambda: chats() >= 3)
    assert chats() == 3


def test_a_server_of_another_user_gets_no_terminal() -> None:
    """It could read what is typed there later."""
    _, theirs = pty.openpty()
    kept = [os.dup(each) for each in range(3)]
    try:
        for each in range(3):
            os.dup2(theirs, each)
        handed = Terminals().handed
        are_terminals = [os.isatty(each) for each in handed]
    finally:
        for each, before in enumerate(kept):
            os.dup2(before, each)
    assert are_terminals == [False] * 3
    assert handed[1] == handed[2] != handed[0]


def at_a_terminal(words: list[str], environ: Mapping[str, str], typing: str) -> str:
    """All that a terminal shows while a program runs there and ends well."""
    number, terminal = pty.fork()
    if not number:
        os.execvpe(words[0], words, environ)  # noqa: S606 - a terminal alone
    shown = conversation(terminal, typing.encode())
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
    os.close(terminal)
    return shown


def conversation(terminal: int, typing: bytes) -> str:
    """All that a terminal shows; something is typed when it prompts."""
    shown = b""
    while True:
        try:
            more = os.read(terminal, 1000)
        except OSError:  # its program has ended
            return shown.decode()
        if not more:
            return shown.decode()
        shown += more
        if shown.endswith((b"Password: ", b"new line:\r\n")):
            os.write(terminal, typing)


@pytest.mark.long
@pytest.mark.usefixtures("hears_ctrl_c")
def test_callers_that_hang_or_talk_nonsense_delay_nobody(home: Path) -> None:
    with served_shells(home) as server, ExitStack() as calls:
        until(lambda: len(children_of_shells(server)) == 1)
        (waiting,) = children_of_shells(server)
        os.kill(int(waiting), signal.SIGKILL)  # the next call makes another
        until(lambda: not Path("/proc", waiting).exists())
        for sent in (b"", b"\0", b"\xff\xff\xff\xff", b"GET / HTTP/1.0\r\n\r\n"):
            call = calls.enter_context(socket.socket(socket.AF_UNIX))
            client._connect(call, str(home))
            assert call.recv(1) == client.GREETING
            call.sendall(sent)
            if len(sent) >= client.LENGTH:  # a client of another version then does it itself
                assert call.recv(1) == client.NOT_MINE
        waits = started(
            home, "perudo", "chat", "1", "ann", PASSWORD,
            environ=THROUGH, stdin=PIPE, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip
        with waits:
            done = typed(home, "perudo", "games", environ=THROUGH)
            assert (done.returncode, done.stderr) == (0, "")
            until(lambda: "perudo chat\n" in said(server))
            waits.send_signal(signal.SIGINT)
            assert waits.wait(PATIENCE) == 1  # its input is not at its end yet
            assert waits.communicate(b"", PATIENCE) == (b"", b"\nAborted!\n")
        calls.close()  # they have had their time, or leave
        until(lambda: len(children_of_shells(server)) == 1)
    assert not (home / client.SOCKET_FILE).exists()


@pytest.mark.long
def test_ctrl_c_before_a_command_runs_is_answered_as_in_place(shells: Path) -> None:
    """A caller who is interrupted at once hears an exit code; none is cut off."""
    request_ = client._encoded("perudo", ["chat", "1", "ann", PASSWORD], {})
    length = len(request_).to_bytes(client.LENGTH, "big")
    for _ in range(30):
        ours, theirs = socket.socketpair()
        with socket.socket(socket.AF_UNIX) as call, ours, theirs:
            call.settimeout(PATIENCE)
            client._connect(call, str(shells))
            assert call.recv(1) == client.GREETING
            socket.send_fds(call, [length + request_], [theirs.fileno()] * 3)
            call.shutdown(socket.SHUT_WR)  # as the client does at Ctrl-C
            assert call.recv(2, socket.MSG_WAITALL) == client.DONE + b"\1"
            theirs.close()
            ours.settimeout(PATIENCE)
            with ours.makefile(newline="") as told:  # it may come in several parts
                assert told.read() == "\nAborted!\n"


@pytest.mark.long
def test_a_command_in_a_home_that_was_moved_makes_no_new_home(home: Path) -> None:
    """Its own process carries it out, where the home is now."""
    moved = home.with_name("moved")
    with served_shells(home):
        home.rename(moved)
        done = typed(moved, "pbmserv", "signup", "ann", PASSWORD, "ann@x.org", environ=THROUGH)
        assert (done.returncode, done.stderr) == (0, "")
        assert not home.exists()
        moved.rename(home)
        assert "ann@x.org" in typed(home, "pbmserv", "player", "show", "ann").stdout


def children_of_shells(server: Served) -> list[str]:
    """The processes that carry out a command now, and the one that waits for a call."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = each.read_bytes().decode().split("\0")
            parent = (each.parent / "stat").read_text().rpartition(")")[2].split()[1]
            if str(server.home) in words and "pbmserv.cli.shell_server" in words:
                found.append((each.parent.name, parent))
    shells = {number for number, _ in found}
    return [number for number, parent in found if parent in shells]


@pytest.mark.long
@pytest.mark.parametrize("settings", ["", f'shell_group = "{OUR_GROUP}"\n'])
def test_the_socket_is_for_the_servers_user_and_a_group(home: Path, settings: str) -> None:
    place = home / client.SOCKET_FILE
    with served(home, settings):
        # It is there a moment after SMTP, and gets its mode a moment later.
        until(lambda: place.exists() and place.stat().st_mode & 0o777 == 0o660)
        status = place.stat()
        assert (status.st_uid, status.st_gid) == (os.geteuid(), os.getegid())


def asked(line: str, **variables: str) -> Asked:
    program, *words = line.split()
    return Asked(program, tuple(words), (StandardFile("utf-8", "strict", False),) * 3, variables)


@each_row(
    ("line", "is_for_operator", "is_for_all"),
    [
        ("perudo move 1 ann x 2-2s", True, True),
        ("pbmserv perudo list", True, True),
        ("pbmserv message ann", True, True),
        ("pbmserv broadc", True, True),  # a prefix of a player's command
        ("pbmserv nothing", True, True),  # only its refusal is shown
        ("pbmserv help queue", True, True),
        ("pbmserv receive", True, False),
        ("pbmserv queue drop in1", True, False),
        ("pbmserv player forget ann --yes", True, False),
        ("pbmserv QUEUE list", True, False),
        ("pbmserv deliver", True, False),
        ("pbmserv trace ann", True, False),
        ("pbmserv backup /tmp/x", False, False),
        ("pbmserv serve", False, False),
        ("pbmserv --home /tmp/x signup ann x a@b.c", False, False),
        ("pbmserv perudo --home /tmp/x show 1", False, False),
        ("pbmserv perudo --home=/tmp/x show 1", False, False),
    ],
)
def test_a_caller_may_do_no_more_than_in_place(
    line: str, is_for_operator: bool, is_for_all: bool
) -> None:
    """A user who may not use the home without the server gets players' commands alone."""
    for user in (0, os.geteuid()):
        for has_group in (False, True):
            assert may(Caller(1, user), asked(line), has_group=has_group) is is_for_operator
    assert may(Caller(1, STRANGER), asked(line), has_group=True) is is_for_all
    assert not may(Caller(1, STRANGER), asked(line), has_group=False)


@each_row(
    "request_",
    [
        b"",
        b"perudo",
        b"perudo\0x\0show",
        b"perudo\0002\0show",
        b"sh\0001\0-c\0" + b"utf-8\0strict\x000\0" * 3,
        b"perudo\0000\0" + b"utf-8\0strict\x000\0" * 3,
        b"perudo\0001\0show\0utf-8",
        b"perudo\0001\0show" + b"\0utf-8\0strict\x000" * 3 + b"\0PATH=/tmp",
        b"perudo\0001\0show" + b"\0utf-8\0strict\x000" * 3 + b"\0TERM",
        b"perudo\0001\0show" + b"\0utf-9\0strict\x000" * 3,
        b"perudo\0001\0show" + b"\0utf-8\0lenient\x000" * 3,
        b"perudo\0001\0show" + b"\0hex\0strict\x000" * 3,
        b"perudo\0001\0show" + b"\0undefined\0strict\x000" * 3,
        b"perudo\0001\0show" + b"\0idna\0strict\x000" * 3,
        b"perudo\0001\0show" + b"\0\xed\xb3\xbf\0strict\x000" * 3,
        b"perudo\0001\0\xed\xa0\x80" + b"\0utf-8\0strict\x000" * 3,  # U+D800
        b"perudo\0001\0\xed\xb1\xbf" + b"\0utf-8\0strict\x000" * 3,  # U+DC7F
        b"perudo\0001\0\xed\xb4\x80" + b"\0utf-8\0strict\x000" * 3,  # U+DD00
        b"perudo\0001\0show" + b"\0utf-8\0strict\x000" * 3 + b"\0TERM=\xed\xa0\x80",
        b"\xff",
    ],
)
def test_bytes_that_our_client_never_sends_are_refused(request_: bytes) -> None:
    with pytest.raises(ValueError, match="no request of a client"):
        read(request_)


def test_a_request_reads_back_as_the_client_wrote_it() -> None:
    words = ["show", "", "ż\udcff", "--message=a\nb"]
    environ = {"TERM": "dumb", "PATH": "/bin", "LANG": ""}
    found, again = (read(client._encoded("perudo", words, environ)) for _ in range(2))
    assert (found.program, found.words) == ("perudo", tuple(words))
    drawn = found.variables[RANDOM]  # the caller's part of the dice: the server may not draw it
    assert found.variables == {"TERM": "dumb", "LANG": "", RANDOM: drawn}
    assert len(drawn) == len(again.variables[RANDOM]) == 32
    assert drawn != again.variables[RANDOM]
    assert [each.encoding for each in found.files] == [
        each.encoding for each in (sys.stdin, sys.stdout, sys.stderr)
    ]


def test_calls_of_other_users_leave_room_for_those_of_the_servers_user(home: Path) -> None:
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        server = ShellServer(home, listening, has_group=True)
        mine, strangers = Caller(1, os.geteuid()), [Caller(1, STRANGER + n) for n in range(9)]
        running = server._running
        running.update(dict.fromkeys(range(shell_server.MOST_OF_ONE), strangers[0]))
        assert server._is_full_for(strangers[0])
        assert not server._is_full_for(strangers[1])
        running.update({n: strangers[n % 9] for n in range(shell_server.MOST_OF_OTHERS)})
        assert all(map(server._is_full_for, strangers))
        assert not server._is_full_for(mine)
        running.update({100 + n: mine for n in range(shell_server.MOST)})
        assert server._is_full_for(mine)


def test_a_caller_cannot_fill_the_log(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of a thousand calls at once a part is logged, then one in two seconds, with what is missing.

    The calls of another user have room of their own.
    """
    caplog.set_level("INFO", "pbmserv")
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        server = ShellServer(home, listening, has_group=True)
        logged = [server._is_logged(Caller(n, STRANGER)) for n in range(1000)]
        assert logged.count(True) < 100 and all(logged[:50])
        assert server._is_logged(Caller(1, STRANGER + 1))
    budget = LogBudget()
    at_once = [budget.left_out(STRANGER, 7.0) for _ in range(1000)]
    assert at_once == [0] * AT_ONCE + [None] * (1000 - AT_ONCE)
    assert budget.left_out(STRANGER, 7.0 + EVERY) == 1000 - AT_ONCE
    assert budget.left_out(STRANGER, 7.0 + EVERY) is None
    assert budget.left_out(STRANGER, 7.0 + 2 * EVERY) == 1


@pytest.mark.parametrize(
    ("problem", "code", "said_to_caller"),
    [
        (RuntimeError("a bug"), 1, f"perudo: {shell_server._BUG}\n"),
        (OSError(28, "No space left on device"), 1, "perudo: No space left on device\n"),
        (KeyboardInterrupt(), 1, "\nAborted!\n"),
    ],
)
def test_a_bug_is_told_without_a_traceback(
    home: Path,
    problem: BaseException,
    code: int,
    said_to_caller: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The server's log has its place, and none of the caller's words."""

    @click.command("games")
    def broken() -> None:
        raise problem

    monkeypatch.setitem(shell_server._PROGRAMS, "perudo", click.Group("perudo", [broken]))
    monkeypatch.setattr(sys, "argv", ["perudo", "games"])
    asked = Asked("perudo", ("games",), (), {})
    assert shell_server._run(asked, home, Caller(1, STRANGER)) == code
    assert capsys.readouterr().err == said_to_caller
    told = [each.getMessage() for each in caplog.records]
    assert [each for each in told if "RuntimeError at " in each] == (
        told if isinstance(problem, RuntimeError) else []
    )


def test_a_bug_is_in_the_servers_log_alone(tmp_path: Path) -> None:
    """The caller reads only that there is one; the request is sent at once."""
    log = tmp_path / "log"
    request_ = b"perudo\0001\0games" + b"\0utf-8\0strict\x000" * 3
    read_end, write_end = os.pipe()
    with ExitStack() as open_:
        shown = open_.enter_context(os.fdopen(read_end, encoding="utf-8"))
        listening = open_.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind("")  # the system finds an address
        listening.listen()
        call = open_.enter_context(socket.socket(socket.AF_UNIX))
        call.connect(listening.getsockname())
        length = len(request_).to_bytes(client.LENGTH, "big")
        socket.send_fds(call, [length + request_], [write_end] * 3)
        os.close(write_end)
        words = [sys.executable, "-c", WITH_A_BUG, str(tmp_path), str(listening.fileno())]
        server = open_.enter_context(
            subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stderr=open_.enter_context(log.open("wb")),
                pass_fds=[listening.fileno()],
            )
        )
        call.settimeout(PATIENCE)
        answered = open_.enter_context(call.makefile("rb"))
        assert answered.read(3) == client.GREETING + client.DONE + b"\1"
        assert shown.read() == f"perudo: {shell_server._BUG}\n"
    assert server.returncode == 0
    assert re.search(r" ERROR shell: .*: perudo games: RuntimeError at ", log.read_text("utf-8"))
