"""A real Postfix: one port for all senders, two for us, and one route to each transport of ours."""

from __future__ import annotations

import json
import shutil
import smtplib
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.processes import until
from tests.real.ground import PATIENCE, UNPRIVILEGED, Ground, demand, is_listening

BETWEEN_FLUSHES = 2.0  # seconds
PORTS = ("relay", "submission", "world", "checked", "provider", "lmtp")


@dataclass(frozen=True, slots=True)
class Waiting:
    """An email in the queue, with the reason why a recipient has not got it."""

    queue_id: str
    sender: str
    recipient: str
    reason: str


class Postfix:
    """A running Postfix."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._configuration = str(ground.folder / "postfix")

    def start(self) -> None:
        """Start it; `ground` knows the ports by now, and what the other servers are called."""
        demand("postfix", "postqueue", "openssl")
        ground = self._ground
        for name in ("main.cf", "master.cf"):
            ground.fill(name, f"postfix/{name}")
        (ground.folder / "postfix" / "dynamicmaps.cf").touch()
        for name in ("queue", "data"):
            (ground.folder / name).mkdir()
        shutil.chown(ground.folder / "data", "postfix")
        self.socket.parent.mkdir(parents=True)
        shutil.chown(self.socket.parent, UNPRIVILEGED, "postfix")
        self.socket.parent.chmod(0o2750)
        self._make_certificate()
        self.run("postfix", "-c", self._configuration, "check")
        ground.start("/usr/lib/postfix/sbin/master", "-c", self._configuration, "-s")
        until(lambda: is_listening(ground.port("relay")))

    @property
    def socket(self) -> Path:
        """Where only Postfix can reach us, from within its chroot, too.

        The folder gives what is made in it to the group postfix; `nobody` is not a member of that.
        """
        return self._ground.folder / "queue" / "pbmserv" / "lmtp"

    def submit(self, raw: bytes, sender: str, recipient: str) -> None:
        """Hand over an email as a user of this machine does, by `sendmail`."""
        words = ("sendmail", "-C", self._configuration, "-f", sender, "--", recipient)
        text = raw.replace(b"\r\n", b"\n")
        subprocess.run(words, input=text, check=True, timeout=60, capture_output=True)

    def _make_certificate(self) -> None:
        """A self-signed certificate of 127.0.0.1, trusted only by programs that are given it."""
        folder = self._ground.folder
        self.run(
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"),
            *(
                "-days",
                "2",
                "-subj",
                "/CN=mx.perudo.test",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
            ),
        )

    @staticmethod
    def run(*command: str) -> str:
        """Run a program to its end; what it printed."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def send(
        self,
        raw: bytes,
        sender: str,
        recipients: Sequence[str],
        *,
        service: str = "world",
        client: str = "",
    ) -> None:
        """Send an email to a service; `client` is its apparent origin at "checked"."""
        with smtplib.SMTP("127.0.0.1", self._ground.port(service), timeout=PATIENCE) as smtp:
            smtp.ehlo("client.test")
            if client:
                code, words = smtp.docmd("XCLIENT", f"ADDR={client} NAME=client.test")
                assert code == 220, words
                smtp.ehlo("client.test")
            smtp.sendmail(sender, recipients, raw)

    def queue(self) -> list[Waiting]:
        """What waits, a line for each recipient."""
        return [
            Waiting(mail["queue_id"], mail["sender"], to["address"], to.get("delay_reason", ""))
            for mail in self._mails()
            for to in mail["recipients"]
        ]

    def _mails(self) -> list[Any]:
        listed = self.run("postqueue", "-c", self._configuration, "-j")
        return [json.loads(line) for line in listed.splitlines()]

    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self.queue()

    def flush(self, done: Callable[[], bool] | None = None) -> None:
        """Try what waits again and again until it is `done`: without a word, until nothing waits.

        Postfix skips what it is still delivering, and what it has only begun to defer.
        """
        done = done or self.is_empty

        def tried() -> bool:
            self.run("postqueue", "-c", self._configuration, "-f")
            last = time.monotonic() + BETWEEN_FLUSHES
            while not (found := done()) and time.monotonic() < last:
                time.sleep(0.05)
            return found

        until(tried)

    def expire(self, queue_id: str) -> None:
        """Have a waiting email given up, as after days of failed tries."""
        self.run("postsuper", "-c", self._configuration, "-f", queue_id)

    def clear(self) -> None:
        """Delete all waiting emails."""
        self.run("postsuper", "-c", self._configuration, "-d", "ALL")
        until(self.is_empty)

    @contextmanager
    def told(self, settings: Mapping[str, str]) -> Iterator[None]:
        """Other settings for a while."""
        before = {name: self._postconf("-h", name).strip() for name in settings}
        self._set(settings)
        try:
            yield
        finally:
            self._set(before)

    def _set(self, settings: Mapping[str, str]) -> None:
        self._postconf("-e", *(f"{name}={value}" for name, value in settings.items()))
        self.run("postfix", "-c", self._configuration, "reload")

    def _postconf(self, *words: str) -> str:
        return self.run("postconf", "-c", self._configuration, *words)
