"""A real server to measure, and the mail servers that send it moves, one session each."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.benchmarks.population import Posted


class Server:
    """A running `pbmserv serve`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.port = int(process.stdout.readline().rpartition(":")[2])
        tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        self._workers = [int(number) for number in tasks.read_text().split()]

    def processor_seconds(self) -> float:
        """The processor time of its workers so far, in all their threads, in seconds.

        Linux names the clock of another process by its number (clock_getcpuclockid).
        """
        return sum(time.clock_gettime((~each << 3) | 2) for each in self._workers)

    def memory(self) -> int:
        """The bytes of its workers that are in memory now and belong to no file.

        Pages of the mapped database count as memory, too, but the system may drop them at any time.
        """
        return sum(_kilobytes(each, "RssAnon") for each in self._workers) * 1024

    def mapped(self) -> int:
        """The bytes of files that its workers have mapped and that are in memory now."""
        return sum(_kilobytes(each, "RssFile") for each in self._workers) * 1024


def _kilobytes(process: int, name: str) -> int:
    """A figure of a process, as Linux tells it."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (found,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(found.split()[1])


@contextmanager
def server(home: Path, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server in this home, stopped at the end."""
    with subprocess.Popen(
        [str(Path(sys.executable).with_name("pbmserv")), "--home", str(home), "serve", "--quiet"],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        try:
            yield Server(process)
        finally:
            process.terminate()


class Session:
    """The connection of one mail server, kept open."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._replies = self._socket.makefile("rb")
        self._hear("220")
        self._socket.sendall(b"EHLO bench.example\r\n")
        self._hear("250")

    def send(self, mail: Posted) -> None:
        """Send one email; returns when the server has answered 250."""
        envelope = f"MAIL FROM:<{mail.sender}>\r\nRCPT TO:<{mail.recipient}>\r\nDATA\r\n"
        self._socket.sendall(envelope.encode())
        for reply in ("250", "250", "354"):
            self._hear(reply)
        self._socket.sendall(mail.raw + b".\r\n")
        self._hear("250")

    def close(self) -> None:
        """Close the connection."""
        self._replies.close()
        self._socket.close()

    def _hear(self, code: str) -> None:
        line = self._replies.readline()
        while line[3:4] == b"-":
            line = self._replies.readline()
        if not line.startswith(code.encode()):
            raise RuntimeError(f"the server says {line!r}")


def bring(sessions: Sequence[Session], mails: Sequence[Iterable[Posted]]) -> None:
    """Send emails, each session its own ones, in parallel."""

    def work(session: Session, mine: Iterable[Posted]) -> None:
        try:
            for each in mine:
                session.send(each)
        except Exception as problem:
            problems.append(problem)

    problems: list[Exception] = []
    threads = [
        threading.Thread(target=work, args=(session, mine))
        for session, mine in zip(sessions, mails, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
