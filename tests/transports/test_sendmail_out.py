"""The sendmail transport, with a script instead of the program."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pbmserv.home import open_home
from pbmserv.mail.transport import Postponed, Talking, Transport, Undeliverable, Unreachable
from pbmserv.server.chosen_transports import transport_for
from pbmserv.settings import SETTINGS_FILE
from pbmserv.transports import sendmail_out
from pbmserv.transports.sendmail_out import MOST_KEPT, SendmailOut

ANN, OWN = "ann@example.org", "perudo+b-stamp@perudo.example"
LETTER = b"Subject: x\r\n\r\n.\r\n.dot\r\n5-5s\r\n"
TOKEN = "perudo+" + "a" * 52 + "@perudo.example"

Program = Callable[[str], Path]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Write a Python script as the `sendmail` of a temporary folder."""

    def written(text: str) -> Path:
        path = tmp_path / "sendmail"
        path.write_text(f"#!{sys.executable} -IS\nimport os, sys, time\n{text}\n")
        path.chmod(0o755)
        return path

    return written


def carried(path: Path, address: str = ANN, sender: str = OWN, timeout: float = 20) -> str:
    transport: Transport = SendmailOut(path, timeout)
    try:
        return transport.carry(7, sender, address, LETTER)
    finally:
        transport.close()


KEEPS = """
place = os.path.dirname(os.path.abspath(sys.argv[0]))
open(f"{place}/words", "w").write("\\n".join(sys.argv[1:]))
open(f"{place}/letter", "wb").write(sys.stdin.buffer.read())
open(f"{place}/variables", "w").write("\\n".join(os.environ))
"""


def test_the_program_gets_the_letter_and_one_recipient(program: Program, tmp_path: Path) -> None:
    """With LF line ends; a line with a lone dot does not end it."""
    assert carried(program(KEEPS)) == "taken by sendmail"
    assert (tmp_path / "words").read_text().split("\n") == ["-i", "-f", OWN, "--", ANN]
    assert (tmp_path / "letter").read_bytes() == LETTER.replace(b"\r\n", b"\n")


def test_a_letter_that_must_not_bounce_has_an_empty_sender(
    program: Program, tmp_path: Path
) -> None:
    carried(program(KEEPS), sender="")
    assert (tmp_path / "words").read_text().split("\n") == ["-i", "-f", "", "--", ANN]


def test_the_program_learns_no_password_of_ours(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_PASSWORD", "swordfish")
    carried(program(KEEPS))
    assert "PATH" in (tmp_path / "variables").read_text().split("\n")
    assert "PBMSERV" not in (tmp_path / "variables").read_text()


@pytest.mark.parametrize(
    "address",
    [
        "ann@example.org,bob@example.org",
        "ann bob@example.org",
        "ann@example.org\nbob@example.org",
        "<ann@example.org>",
        '"ann"@example.org',
        "group:ann@example.org;",
        "ann(eve)@example.org",
        "|/bin/sh@example.org",
        "/etc/passwd@example.org",
        "ann",
        "",
        "a" * 2000 + "@example.org",
    ],
)
def test_an_ambiguous_recipient_is_refused(program: Program, tmp_path: Path, address: str) -> None:
    """A sendmail reads a recipient like a header, and could see two, a file or a program."""
    path = program(KEEPS)
    with pytest.raises(Undeliverable, match="not an address"):
        carried(path, address)
    if address:
        with pytest.raises(Undeliverable, match="not an address"):
            carried(path, sender=address)
    assert not (tmp_path / "words").exists()


def test_an_address_is_never_an_option_or_a_word_of_a_shell(
    program: Program, tmp_path: Path
) -> None:
    for address in ("-t@example.org", "$(id)@example.org".replace("(", "{").replace(")", "}")):
        carried(program(KEEPS), address)
        assert (tmp_path / "words").read_text().split("\n")[-2:] == ["--", address]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (64, Unreachable),
        (65, Postponed),
        (67, Undeliverable),
        (68, Undeliverable),
        (69, Postponed),
        (70, Postponed),
        (71, Postponed),
        (72, Unreachable),
        (73, Postponed),
        (74, Postponed),
        (75, Postponed),
        (76, Postponed),
        (77, Unreachable),
        (78, Unreachable),
        (1, Postponed),
    ],
)
def test_the_exit_code_decides_the_result_of_a_delivery(
    program: Program, code: int, kind: type[Exception]
) -> None:
    says = "sys.stderr.write(' \\n sendmail:  why\\x1b[2J\\nmore')"
    text = f"sys.stdin.read(); {says}; sys.exit({code})"
    with pytest.raises(kind) as caught:
        carried(program(text))
    assert type(caught.value) is kind
    assert str(caught.value) == f"sendmail: sendmail: why?[2J (exit code {code})"


def test_a_program_that_fails_without_a_word(program: Program) -> None:
    with pytest.raises(Postponed, match=r"^sendmail: no words \(exit code 75\)$"):
        carried(program("sys.stdin.read(); sys.exit(75)"))
    with pytest.raises(Unreachable, match=r"^sendmail: wrongly configured \(exit code 78\)$"):
        carried(program("sys.exit(78)"))
    with pytest.raises(Postponed, match=r"^sendmail: no words \(ended by signal 9\)$"):
        carried(program("os.kill(os.getpid(), 9)"))


def test_the_output_of_a_successful_program_is_the_answer(program: Program) -> None:
    """Its first line; what may be a token is blanked."""
    text = f"sys.stdin.read(); print('\\nqueued for {TOKEN}\\nmore', file=sys.stderr)"
    assert carried(program(text)) == "queued for perudo+***@perudo.example"


def test_words_without_end_fill_no_memory(program: Program) -> None:
    text = f"sys.stdin.read(); sys.stderr.write('first\\n' + 'x' * {4 * MOST_KEPT})"
    assert carried(program(text)) == "first"


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (lambda path: path.unlink(), "No such file or directory"),
        (lambda path: path.chmod(0o644), "Permission denied"),
        (lambda path: path.write_bytes(b"\0\0"), "Exec format error"),
    ],
)
def test_an_unrunnable_program_delivers_no_letter(
    program: Program, missing: Callable[[Path], object], words: str
) -> None:
    path = program(KEEPS)
    missing(path)
    with pytest.raises(Unreachable, match=words):
        carried(path)


def test_a_program_that_ends_early_has_not_sent_the_letter(
    program: Program,
) -> None:
    transport = SendmailOut(program("os.close(0); sys.exit(0)"), 20)
    with pytest.raises(Postponed, match="ended before it had read the letter"):
        transport.carry(7, OWN, ANN, LETTER * 100_000)


def test_an_unread_small_letter_is_not_sent_either(program: Program) -> None:
    """It fits into the pipe, so the program can end without reading it."""
    for text in ("sys.exit(0)", "os.read(0, 5)"):
        with pytest.raises(Postponed, match="ended before it had read the letter"):
            carried(program(text))


def timed_out(path: Path, letter: bytes, begun: Path) -> str:
    """What is said of a program that hangs.

    It writes into the file `begun` before.  On a busy machine it may be ended too soon for that:
    then it gets more time.
    """
    for seconds in (1.0, 4.0, 16.0, 60.0):
        before = time.monotonic()
        with pytest.raises(Postponed) as caught:
            SendmailOut(path, seconds).carry(7, OWN, ANN, letter)
        assert time.monotonic() - before < seconds + 60
        if begun.exists() and begun.read_text():
            return str(caught.value)
    raise AssertionError("the program does not begin")


@pytest.mark.long
def test_the_output_of_a_hanging_program_is_reported(program: Program, tmp_path: Path) -> None:
    """Postfix's `postdrop` tries again for ever, and says each time that it has no right to."""
    text = "sys.stderr.write('postdrop: Permission denied\\n'); sys.stderr.flush()\n"
    path = program(text + HANGS)
    said = timed_out(path, LETTER, tmp_path / "child")
    assert said == "sendmail: postdrop: Permission denied (timed out)"


CONFINED = "Name:\tpbmserv\nNoNewPrivs:\t1\nSeccomp:\t2\n"
OTHER_GROUP = 12_345


@pytest.fixture
def confined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """We run as under the systemd unit: without privileges, and unable to get any."""
    (tmp_path / "status").write_text(CONFINED)
    monkeypatch.setattr(sendmail_out, "_STATUS", tmp_path / "status")
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    monkeypatch.setattr(os, "getegid", lambda: OTHER_GROUP + 1)
    monkeypatch.setattr(os, "getgroups", lambda: [OTHER_GROUP + 2])


@pytest.mark.parametrize("name", ["sendmail", "postdrop"])
@pytest.mark.parametrize("mode", [0o4755, 0o2755])
@pytest.mark.usefixtures("confined")
def test_a_program_that_cannot_get_its_rights_takes_no_letter(
    program: Program, tmp_path: Path, name: str, mode: int
) -> None:
    """It is not run at all: `sendmail` would hang for a minute with each letter."""
    path = program(KEEPS)
    (tmp_path / name).touch()
    (tmp_path / name).chmod(mode)
    with pytest.raises(Unreachable, match=rf"{name}: cannot get the rights that it needs"):
        carried(path)
    assert not (tmp_path / "letter").exists()


@pytest.mark.usefixtures("confined")
def test_available_rights_do_not_prevent_a_delivery(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its user, in its group, as root, or where rights can be gained."""
    path = program(KEEPS)
    assert carried(path) == "taken by sendmail"
    for mode, name, value in (
        (0o2755, "getegid", path.stat().st_gid),
        (0o2755, "getgroups", [path.stat().st_gid]),
        (0o4755, "geteuid", path.stat().st_uid),
        (0o6755, "geteuid", 0),
    ):
        path.chmod(mode)
        with monkeypatch.context() as patched:
            patched.setattr(os, name, lambda value=value: value)
            assert carried(path) == "taken by sendmail"
    (tmp_path / "status").write_text(CONFINED.replace("1", "0"))
    assert carried(path) == "taken by sendmail"
    (tmp_path / "status").unlink()
    assert carried(path) == "taken by sendmail"


def is_alive(number: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        status = Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


HANGS = """
child = os.fork()
if child:
    open(f"{os.path.dirname(os.path.abspath(sys.argv[0]))}/child", "w").write(str(child))
time.sleep(600)
"""


@pytest.mark.long
def test_a_program_that_hangs_is_ended_with_its_children(program: Program, tmp_path: Path) -> None:
    """Whether or not it reads the letter."""
    begun = tmp_path / "child"
    for text in (HANGS, f"sys.stdin.read()\n{HANGS}", f"os.close(2)\nos.close(0)\n{HANGS}"):
        begun.unlink(missing_ok=True)
        said = timed_out(program(text), LETTER * 100_000, begun)
        assert said.startswith("sendmail: timed out")
        child, killed = int(begun.read_text()), time.monotonic()
        while is_alive(child):  # a process that was killed takes a moment to end
            assert time.monotonic() - killed < 60
            time.sleep(0.01)


def test_a_process_that_it_leaves_behind_is_not_waited_for(program: Program) -> None:
    """Some programs deliver in the background, and keep the other end of their words open."""
    before = time.monotonic()
    text = "sys.stdin.read()\nif os.fork():\n    sys.stderr.write('queued'); sys.exit()\n"
    text += "time.sleep(60)"
    assert carried(program(text)) == "queued"
    assert time.monotonic() - before < 30


def test_a_hurried_delivery_waits_no_longer(program: Program) -> None:
    """Neither for this letter nor for the next one."""
    transport = SendmailOut(program("time.sleep(60)"), 60)
    assert isinstance(transport, Talking)
    before = time.monotonic()
    timer = threading.Timer(0.5, transport.hurry, [0.2])
    timer.start()
    for _ in range(2):
        with pytest.raises(Postponed, match="timed out"):
            transport.carry(7, OWN, ANN, LETTER)
    timer.join()
    assert time.monotonic() - before < 50


def test_the_delivery_setting_selects_the_sendmail_program(program: Program, home: Path) -> None:
    open_home(home)
    words = "print('by the setting', file=sys.stderr)"
    path = program(f"sys.stdin.read(); {words}")
    (home / SETTINGS_FILE).write_text(f'delivery = "sendmail"\nsendmail = "{path}"\n')
    transport = transport_for(open_home(home))
    assert transport.carry(7, OWN, ANN, LETTER) == "by the setting"


def test_no_file_of_ours_stays_open_in_the_program(program: Program, tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        text = "sys.stdin.read(); sys.stderr.write(' '.join(os.listdir('/proc/self/fd')))"
        said = carried(program(text))
    assert str(file) and set(said.split()) <= {"0", "1", "2", "3"}
