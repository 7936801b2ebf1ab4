"""A real Exim: only its program, because Debian installs no Exim beside Postfix."""

from __future__ import annotations

import shutil
import smtplib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cli.processes import until
from tests.real.ground import PATIENCE, UNPRIVILEGED, Ground, Missing, demand, is_listening
from tests.test_operating import of_kind

WAYS = ("pipe", "lmtp")
_PLACES = f"{sys.prefix}/exim/usr/sbin:/usr/sbin:/usr/bin"  # the first is where .ci/run unpacks it
# It needs an account of its own, which its package makes. Here only Exim sees an account of that
# name, in a view of the file system that ends with it.
_START = """
for name in passwd group; do mount --bind "$1/exim/$name" "/etc/$name" || exit 1; done
exec "$2" -C "$1/exim.conf" -bdf -q5s
"""


class Exim:
    """A running Exim."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def send(self, raw: bytes, sender: str, recipients: Sequence[str]) -> None:
        """Hand over an email."""
        with smtplib.SMTP("127.0.0.1", self._ground.port("exim"), timeout=PATIENCE) as smtp:
            smtp.sendmail(sender, recipients, raw)


def documented(ground: Ground, way: str) -> dict[str, str]:
    """The router and the transport of docs/operating.md for this way, with paths of this folder."""
    router, pipe, lmtp = of_kind("exim")
    told = {"exim_router": router, "exim_transport": {"pipe": pipe, "lmtp": lmtp}[way]}
    for theirs, ours in (
        ("games.example.org", "perudo.test"),
        ("/opt/pbmserv", str(ground.folder)),
        ("/var/lib/pbmserv", f"{ground.folder}/home"),
        ("user = pbmserv", f"user = {UNPRIVILEGED}"),
        ("transport = pbmserv_pipe", f"transport = pbmserv_{way}"),
        ("port = 8024", f"port = {ground.port('lmtp')}"),
    ):
        assert any(theirs in text for text in (router, pipe, lmtp))
        told = {name: text.replace(theirs, ours) for name, text in told.items()}
    return told


@contextmanager
def exim(ground: Ground, way: str) -> Iterator[Exim]:
    """An Exim that hands email over in this way; raises Missing where none can run."""
    program = _program()
    ground.take_ports("exim")
    ground.facts |= {**documented(ground, way), "exim_path": program}
    ground.fill("exim.conf")
    spool = ground.folder / "exim"
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir()
    for name, more in (("passwd", ":/nonexistent:/usr/sbin/nologin"), ("group", "")):
        known = Path("/etc", name).read_text("utf-8")
        mine = "Debian-exim:x:65534:" + ("65534:" if name == "passwd" else "")
        (spool / name).write_text(f"{known}{mine}{more}\n", "utf-8")
    shutil.chown(spool, UNPRIVILEGED)
    for name in ("main", "reject", "panic"):
        log = ground.folder / "log" / f"exim-{name}log"
        log.touch()
        shutil.chown(log, UNPRIVILEGED)
    folder = str(ground.folder)
    running = ground.start("unshare", "--mount", "sh", "-c", _START, "exim", folder, program)
    try:
        until(lambda: is_listening(ground.port("exim")) or running.poll() is not None)
        assert running.poll() is None, ground.logs()
        yield Exim(ground)
    finally:
        running.terminate()
        running.wait(PATIENCE)


def _program() -> str:
    """The path of Exim's program."""
    demand("unshare")
    program = shutil.which("exim4", path=_PLACES)
    if program is None:
        raise Missing("exim4 is not installed here")
    private = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if private.returncode:
        raise Missing("nobody may have a view of the file system of their own here")
    return program
