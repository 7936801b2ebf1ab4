"""What real servers need: a short folder, free ports, and processes that end with the tests.

Every server runs in the foreground as our child, and the kernel ends it if we are killed.  A
process that a server leaves behind is found by its working folder.
"""

from __future__ import annotations

import grp
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.forked import Forked

TEMPLATES = Path(__file__).parent / "configuration"
PATIENCE = 20.0  # seconds
UNPRIVILEGED, UNPRIVILEGED_GROUP = "nobody", "nogroup"

# The kernel does not tell a server that changes its own account that we have ended. It tells a
# shell of ours, which ends the server.
_WATCHED = r'trap "kill \$server" TERM; "$0" "$@" & server=$!; wait $server; wait $server'


class Missing(Exception):
    """Real servers cannot run here; the message says why."""


def demand(*needed: str) -> None:
    """Raise Missing unless these programs and files are here, and we may start servers."""
    if os.geteuid() != 0:
        raise Missing("Postfix is started by root alone")
    for name in ("setpriv", *needed):
        if not Path(name).is_file() and shutil.which(name) is None:
            raise Missing(f"{name} is not installed here")
    try:
        pwd.getpwnam(UNPRIVILEGED), grp.getgrnam(UNPRIVILEGED_GROUP)
    except KeyError as error:
        raise Missing(str(error)) from error


class Ground:
    """A folder with servers in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, str] = {"folder": str(folder)}
        self._told: dict[str, int] = {}
        self._running: list[subprocess.Popen[bytes] | Forked] = []
        for name in ("log", "run", "mail"):
            (folder / name).mkdir()
        for name in ("run", "mail"):
            shutil.chown(folder / name, UNPRIVILEGED, UNPRIVILEGED_GROUP)
        folder.chmod(0o755)

    def take_ports(self, *names: str) -> None:
        """Find a free port for each name; templates know it by that name."""
        taken = [socket.create_server(("127.0.0.1", 0)) for _ in names]
        for name, port in zip(names, taken, strict=True):
            self.facts[name] = str(port.getsockname()[1])
            port.close()

    def port(self, name: str) -> int:
        """A port that was taken."""
        return int(self.facts[name])

    def fill(self, template: str, target: str = "") -> Path:
        """Write a file of the configuration, with every @name@ replaced by its value."""
        text = (TEMPLATES / template).read_text("utf-8")
        file = self.folder / (target or template)
        file.parent.mkdir(exist_ok=True)
        file.write_text(re.sub(r"@(\w+)@", lambda name: self.facts[name[1]], text), "utf-8")
        return file

    def start(
        self,
        *command: str | Path,
        account: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a server in the foreground, as an account; it ends with us, however we end."""
        words = ["setpriv", "--pdeathsig", "TERM"]
        if account:
            group = pwd.getpwnam(account).pw_gid
            words += [f"--reuid={account}", f"--regid={group}", "--init-groups", "--"]
        else:
            words += ["--", "sh", "-c", _WATCHED]
        with (self.folder / "log" / f"{Path(command[0]).name}.out").open("ab") as log:
            process = subprocess.Popen(
                [*words, *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **(environ or {})},
            )
        self._running.append(process)
        return process

    def watch(self, process: Forked) -> None:
        """End this process with the others."""
        self._running.append(process)

    def end(self) -> None:
        """End every server; fails when anything outlives that."""
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
        last = time.monotonic() + PATIENCE
        while (left := self.inhabitants()) and time.monotonic() < last:
            time.sleep(0.05)
        for number in left:
            os.kill(number, signal.SIGKILL)
        assert not left, f"these outlived the tests: {left}"

    def inhabitants(self) -> dict[int, str]:
        """The numbers of the processes whose working folder or arguments name this folder."""
        found = {}
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                with suppress(OSError):  # it has just ended
                    words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    place = str((process / "cwd").readlink())
                    if place.startswith(str(self.folder)) or str(self.folder) in words:
                        found[int(process.name)] = words
        return found

    def logs(self) -> str:
        """The lines that the servers have logged since the last call."""
        found = []
        for file in sorted((self.folder / "log").iterdir()):
            text = file.read_text("utf-8", "replace")
            if new := text[self._told.get(file.name, 0) :]:
                found.append(f"== {file.name}\n{new}")
            self._told[file.name] = len(text)
        return "\n".join(found)


def is_listening(port: int) -> bool:
    """Whether a program accepts connections at a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def ground() -> Iterator[Ground]:
    """A folder for servers, deleted at the end; raises Missing where no server can be started.

    The path of a unix socket is short, so the folder is not one of pytest's.
    """
    demand()
    with tempfile.TemporaryDirectory(prefix="pbm") as name:
        found = Ground(Path(name))
        try:
            yield found
        finally:
            found.end()
