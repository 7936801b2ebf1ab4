"""`pbmserv serve`, and what other processes do in the home beside it."""

from __future__ import annotations

import json
import os
import re
import signal
import smtplib
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from pbmserv import file_locks
from pbmserv.cli.operator import serve
from pbmserv.database import leases
from pbmserv.file_locks import locked
from pbmserv.home import check_private
from pbmserv.server.app import opened
from pbmserv.settings import Settings, secrets_in
from tests.cli.processes import PATIENCE, served, started, typed, until
from tests.forked import PIPE
from tests.server.serving import letters_to
from tests.stories.town import OUR_ADDRESS, PASSWORD, letters_in, mail, town_at

pytestmark = pytest.mark.long
PROGRAM = f"pbmserv {version('pbmserv')}"
ASKING = """#!{python}
import os, smtplib, sys, time
while not os.path.exists("{folder}/address"):
    time.sleep(0.05)
host, _, port = open("{folder}/address").read().rpartition(":")
with smtplib.SMTP(host, int(port)) as client:
    email = "From: bob@example.org\\r\\nMessage-ID: <" + os.urandom(9).hex() + "@x>\\r\\n\\r\\n"
    client.sendmail("bob@example.org", ["{us}"], email + "perudo games\\r\\n")
open("{folder}/answered", "w").close()
print("ab" * 32)
"""
"""A program for the setting beacon_command."""


def test_an_email_is_answered_while_the_server_runs(playing: Path) -> None:
    """Email in by SMTP, letters out into mailboxes, and nothing is left in the log at the end."""
    with served(playing) as server:
        raw = mail("ann@example.org", f"perudo move 1 ann {PASSWORD} 2-2s", message_id="<1@x>")
        server.send(raw, "ann@example.org", OUR_ADDRESS)
        until(lambda: "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org"))
        assert server.stop() == 0
    assert not (playing / "pbmserv.sqlite-wal").exists()


def test_foreseeable_dice_are_said_at_the_start(home: Path) -> None:
    """Even a quiet server says so, by itself and on standard error; with real dice nothing is."""
    with served(home, words=("--quiet", "--repeatable=7")) as server:
        assert "only for demonstrations: anybody who knows" in server.log.read_text("utf-8")
    server.log.unlink()
    with served(home, words=("--quiet",)) as server:
        assert "a show" not in server.log.read_text("utf-8")


def test_a_shell_command_works_beside_a_running_server(playing: Path) -> None:
    with served(playing):
        done = typed(playing, "perudo", "move", "1", "ann", PASSWORD, "2-2s")
        assert (done.returncode, done.stderr) == (0, "")
        assert "It is bob's turn" in done.stdout
        until(lambda: "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org"))


def test_the_running_server_carries_out_an_email_from_the_pipe(playing: Path) -> None:
    """`receive` stores the email and is gone; the server carries it out."""
    with served(playing):
        raw = mail("ann@example.org", f"perudo move 1 ann {PASSWORD} 2-2s", message_id="<1@x>")
        done = typed(playing, "pbmserv", "receive", "--sender", "ann@example.org", text=raw)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        until(lambda: "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org"))


def test_a_second_server_in_the_same_home_is_refused(playing: Path) -> None:
    with served(playing) as server:
        done = typed(playing, "pbmserv", "serve")
        assert done.returncode == 78
        who = f"process {server.process.pid} on {socket.gethostname()}, {PROGRAM}, since 20"
        assert f"pbmserv: {playing}: a server is already running here: {who}" in done.stderr


def test_a_worker_of_a_server_is_not_refused_by_its_own_server(
    playing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second server had the lock of a role for a while, because a worker had died."""
    tries = iter([False, True])

    @contextmanager
    def locked_at_last(file: Path, *, patience: float) -> Iterator[bool]:
        yield next(tries)

    with opened(playing) as app:
        me = f"process {os.getppid()} on {socket.gethostname()}, {PROGRAM}"
        with leases.serving(app.engine, me, 0, 0):
            monkeypatch.setattr(file_locks, "locked", locked_at_last)
            with serve._locked_role(app, playing / "sending.lock") as mine:
                assert mine


def test_a_server_waits_for_one_that_is_still_ending(playing: Path) -> None:
    """It says for whom; a server that was told to stop may need a quarter of a minute."""
    (playing / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    with closing(sqlite3.connect(playing / "pbmserv.sqlite")) as database, database:
        database.execute(
            "update installation set holder = ?", [f"process 0 on {socket.gethostname()}"]
        )
    database.close()
    file = playing / "said"
    with file.open("wb") as log, ExitStack() as held:
        assert held.enter_context(locked(playing / "serving.lock"))
        server = started(playing, "pbmserv", "serve", stdout=log, stderr=log)
        try:
            until(lambda: "until another server has ended" in file.read_text())
            assert "SMTP on" not in file.read_text()
            held.close()
            until(lambda: "SMTP on" in file.read_text())
            server.terminate()
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()
            server.wait()


def test_the_beacons_program_may_wait_for_the_server(playing: Path, tmp_path: Path) -> None:
    """It sends an email itself before it prints the value: emails are taken meanwhile."""
    program = tmp_path / "ask"
    program.write_text(ASKING.format(python=sys.executable, folder=tmp_path, us=OUR_ADDRESS))
    program.chmod(0o700)
    beacon = f'beacon = "drand"\nbeacon_command = "{program}"\n'
    (playing / "pbmserv.toml").write_text(beacon)
    with town_at(playing) as town:
        town.move("ann", "2-2s")
        town.move("bob", "dudo")
    with served(playing, beacon) as server:
        (tmp_path / "address").write_text(server.addresses()[-1])
        until(lambda: "drand" in typed(playing, "perudo", "verify", "1").stdout, 3 * PATIENCE)
    assert (tmp_path / "answered").exists()


def test_a_server_starts_while_others_ask_whether_one_runs(playing: Path) -> None:
    """Pipes that look for a server do not pass for one."""
    pipes = [started(playing, "pbmserv", "receive", stdin=PIPE) for _ in range(3)]
    with served(playing, "unproven_daily = 10\n") as server:
        for number, pipe in enumerate(pipes):
            pipe.communicate(mail("ann@example.org", "help", message_id=f"<{number}@x>"))
        assert server.process.poll() is None
        until(lambda: letters_to(playing, "ann@example.org").count("Help: commands") == 3)


@pytest.mark.parametrize("name", ["/told", "@pbmserv-{}"], ids=["a file", "abstract"])
def test_systemd_is_told_when_email_is_accepted(
    playing: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit waits for it, so units that start later find the listeners open."""
    where = f"{playing}{name}" if name.startswith("/") else name.format(os.getpid())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(where.replace("@", "\0", 1))
        systemd.settimeout(PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", where)
        with served(playing) as server:
            assert systemd.recv(100) == b"READY=1"
            with server.call() as client:
                assert client.noop()[0] == 250


def test_sigterm_finishes_the_current_email(playing: Path) -> None:
    """An email whose end was sent before the signal is answered 250, and has its effect."""
    with served(playing) as server, server.call() as client:
        client.ehlo()
        client.mail("ann@example.org")
        client.rcpt(OUR_ADDRESS)
        client.putcmd("data")
        assert client.getreply()[0] == 354
        raw = mail("ann@example.org", f"perudo move 1 ann {PASSWORD} 2-2s", message_id="<1@x>")
        client.send(raw)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        client.send(b"\r\n.\r\n")
        assert client.getreply()[0] == 250
        assert client.getreply()[0] == 421
        assert server.process.wait(PATIENCE) == 0
        with pytest.raises(smtplib.SMTPServerDisconnected):
            client.noop()
    assert typed(playing, "pbmserv", "deliver").returncode == 0
    assert "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org")


def test_a_slow_client_of_one_listener_keeps_no_other_listener_open(playing: Path) -> None:
    """After SIGTERM every client gets 421 at once, and only busy clients are waited for."""
    lmtp = playing / "lmtp"
    with served(playing, f'lmtp = "unix:{lmtp}"\n') as server, server.call() as idle:
        until(lmtp.exists)
        with smtplib.LMTP(str(lmtp)) as slow:
            slow.ehlo()
            slow.mail("ann@example.org")
            slow.rcpt(OUR_ADDRESS)
            slow.putcmd("data")
            assert slow.getreply()[0] == 354
            server.process.send_signal(signal.SIGTERM)
            assert idle.sock is not None
            idle.sock.settimeout(PATIENCE)
            assert idle.getreply()[0] == 421
            slow.send(mail("ann@example.org", "help", message_id="<1@x>") + b"\r\n.\r\n")
            assert slow.getreply()[0] == 250
            assert slow.getreply()[0] == 421


def test_many_moves_at_once_are_one_move(playing: Path) -> None:
    """One of many equal moves from shells is played. The others get the reason."""
    command = ("perudo", "move", "1", "ann", PASSWORD, "2-2s", "#1")
    shells = [started(playing, *command, stdout=PIPE, stderr=PIPE) for _ in range(8)]
    said = [(shell.communicate(timeout=60), shell.wait()) for shell in shells]
    assert sorted(code for _, code in said) == [0, 1, 1, 1, 1, 1, 1, 1]
    for (_, error), code in said:
        assert code == 0 or b"board 1 is at move 2" in error
    assert letters_to(playing, "bob@example.org").count("Your turn: Perudo board 1") == 1


def test_many_challenges_at_once_are_all_made(playing: Path) -> None:
    """Shells that write at once wait for each other; every letter leaves with one of them."""
    shells = [started(playing, "perudo", "challenge", "ann", "bob") for _ in range(8)]
    assert [shell.wait(60) for shell in shells] == [0] * 8
    to_bob = [each for each in letters_in(playing) if each.to == "bob@example.org"]
    assert len([each for each in to_bob if "has begun" in each.text]) == 9
    connection = sqlite3.connect(playing / "pbmserv.sqlite")
    assert connection.execute("select count(*) from outbox where state <> 'sent'").fetchone() == (
        0,
    )
    connection.close()


def test_an_unrenderable_letter_delays_no_other(playing: Path) -> None:
    """It waits. Its reason is logged without any word of its text."""
    connection = sqlite3.connect(playing / "pbmserv.sqlite")
    row = (
        "address, kind, language, payload, written_at, state, due_at, token, answers, tries, reason"
    )
    connection.execute(
        f"insert into outbox ({row}) values ('x@y', 'games', 'en', ?, 1, 'due', 1, '', '', 0, '')",
        [json.dumps({"rows": "secret nonsense"})],
    )
    connection.commit()
    connection.close()
    done = typed(playing, "perudo", "move", "1", "ann", PASSWORD, "2-2s")
    assert done.returncode == 0
    assert "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org")
    listed = typed(playing, "pbmserv", "queue", "list").stdout
    assert "could not be written" in listed
    assert "nonsense" not in listed


@pytest.mark.parametrize(
    ("settings", "mode", "held"),
    [
        ('relay_password = "Sesame"', 0o644, "relay_password"),
        ('imap_password = "Sesame"', 0o604, "imap_password"),
        ('relay_password = "Sesame"', 0o640, "relay_password"),
        ('database = "postgresql+psycopg://perudo:Sesame@localhost/x"', 0o644, "database"),
    ],
)
def test_passwords_that_others_can_read_keep_the_server_from_starting(
    home: Path, settings: str, mode: int, held: str
) -> None:
    home.mkdir()
    file = home / "pbmserv.toml"
    file.write_text(settings + "\n")
    file.chmod(mode)
    done = typed(home, "pbmserv", "serve")
    assert done.returncode == 78
    assert done.stderr == (f"pbmserv: {file}: others can read {held}; type: chmod 600 {file}\n")


def test_settings_without_passwords_may_be_read_by_all(home: Path) -> None:
    """A database's URL without a password does not matter either."""
    home.mkdir(mode=0o700)
    settings = Settings(home=home, database="postgresql+psycopg://localhost/pbmserv")
    (home / "pbmserv.toml").touch(0o644)
    check_private(settings)
    assert secrets_in(replace(settings, relay_password="Sesame")) == ["relay_password"]


# Its two processes


def test_either_role_may_run_alone(playing: Path) -> None:
    """Email is taken without the other one, and leaves as soon as that one runs."""
    with served(playing, words=("--only", "intake")) as server:
        assert list(server.workers()) == ["intake"]
        server.send(mail("ann@example.org", "help", message_id="<1@x>"), "a@b.c", OUR_ADDRESS)
        done = typed(playing, "pbmserv", "doctor", "--no-letter", "--no-dns")
        assert "its letters wait, because no process sends them" in " ".join(done.stdout.split())
        log = playing.parent / "sending.log"
        with log.open("wb") as file:
            words = ("pbmserv", "serve", "--only", "sending")
            sending = started(playing, *words, stdout=file, stderr=file)
        until(lambda: letters_to(playing, "ann@example.org").count("Help: commands") == 1)
        done = typed(playing, "pbmserv", "doctor", "--no-letter", "--no-dns")
        assert "ok    server " in done.stdout
        sending.terminate()
        assert sending.wait(PATIENCE) == 0
        assert server.stop() == 0


PATIENT = f"""#!{sys.executable}
from pbmserv.cli.main import pbmserv
from pbmserv.server import intake_worker, sending_worker
intake_worker.LOOK = sending_worker.LOOK = intake_worker.TICK = 3600.0
pbmserv()
"""


def test_no_letter_waits_for_a_look_of_the_server(playing: Path, tmp_path: Path) -> None:
    """Each process that writes letters tells the one that sends: a listener, a pipe, a shell."""
    program = tmp_path / "patient"
    program.write_text(PATIENT)
    program.chmod(0o755)

    def until_ann_has(subject: str) -> None:
        until(lambda: letters_to(playing, "ann@example.org").count(subject) == 1)

    with served(playing, program=str(program)) as server:
        for number, subject in enumerate(("help", "help move"), 1):
            raw = mail("ann@example.org", subject, message_id=f"<{number}@x>")
            if number == 1:
                server.send(raw, "a@b.c", OUR_ADDRESS)
                until_ann_has("Help: commands")
            else:
                typed(playing, "pbmserv", "receive", "--sender", "a@b.c", text=raw)
                until_ann_has("Help: move")
        assert typed(playing, "perudo", "move", "1", "ann", PASSWORD, "2-2s").returncode == 0
        until(lambda: "Your turn: Perudo board 1" in letters_to(playing, "bob@example.org"))
        assert typed(playing, "pbmserv", "stop", "1").returncode == 0
        until(lambda: len(letters_to(playing, "bob@example.org")) > 2)


@pytest.mark.parametrize("role", ["intake", "sending"])
def test_a_role_that_dies_is_started_again(playing: Path, role: str) -> None:
    """The other one goes on, and the log names both."""
    with served(playing) as server:
        before = server.workers()
        server.kill(role)
        after = server.workers()
        assert {each for each in before if before[each] != after[each]} == {role}
        assert f"pbmserv: {role} was ended by SIGKILL; it starts again in 0.5 s" in (
            server.log.read_text("utf-8")
        )
        server.send(mail("ann@example.org", "help", message_id="<1@x>"), "a@b.c", OUR_ADDRESS)
        until(lambda: letters_to(playing, "ann@example.org").count("Help: commands") == 1)
        assert server.stop() == 0


def test_a_command_beside_a_server_leaves_its_letters_to_it(playing: Path) -> None:
    """One process has the connection to the relay, and the journal of sent letters."""
    with served(playing) as server:
        assert typed(playing, "perudo", "move", "1", "ann", PASSWORD, "2-2s").returncode == 0
        line = r"INFO sending: letter out\d+, perudo/moved of board 1, to bob@example.org"
        until(lambda: re.search(line, server.log.read_text("utf-8")) is not None)
        done = typed(playing, "pbmserv", "deliver")
        assert (done.returncode, done.stdout) == (0, "Another process is sending.\n")
