"""What a server says, where its standard output or error is full, closed or missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pbmserv.server import supervisor
from pbmserv.server.console import say
from tests.cli.processes import PATIENCE, started, until
from tests.limits import no_more_files

SHOWS = """
import os, sys
from pbmserv.server.console import prepare_streams, say
prepare_streams()
for each in (sys.stdin, sys.stdout, sys.stderr):
    each.fileno()
print("nowhere", flush=True)
with open("found", "w") as file:
    file.write(str(file.fileno() > 2))
"""


def test_a_line_that_cannot_be_written_ends_nothing() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    full = os.open("/dev/full", os.O_WRONLY)
    for each in (full, writes):
        say("SMTP on 127.0.0.1:8025", to=each)
        os.close(each)
        say("SMTP on 127.0.0.1:8025", to=each)


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "2>&-"])
def test_no_file_of_a_server_gets_the_descriptor_of_its_output(tmp_path: Path, closed: str) -> None:
    """It would have the log in it, such as the database."""
    words = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(["sh", "-c", words, sys.executable, SHOWS], cwd=tmp_path, check=False)
    assert (done.returncode, (tmp_path / "found").read_text()) == (0, "True")


def test_a_server_that_cannot_tell_systemd_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no descriptor for a socket, for example."""
    monkeypatch.setenv("NOTIFY_SOCKET", "@pbmserv-nobody")
    with no_more_files():
        supervisor._tell_systemd()


@pytest.mark.long
def test_a_server_works_where_all_it_says_has_no_room(home: Path) -> None:
    """Its log is on a full disk."""
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    with Path("/dev/full").open("wb") as full:
        server = started(home, "pbmserv", "serve", stdout=full, stderr=full)
    try:
        until(lambda: (home / "shell.socket").exists() or server.poll() is not None)
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0
    finally:
        server.kill()
        server.wait()
