"""A real IMAP server of the tests' own: a private Dovecot on loopback, run by nobody."""

from __future__ import annotations

import getpass
import imaplib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.limits import with_us

USER, PASSWORD = "game", "sw\"ord'\\fish"
FOREIGN_USER, FOREIGN_PASSWORD = "würfel", "пароль"
_PATIENCE = 20.0  # seconds

_CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
listen = 127.0.0.1
protocols = imap
ssl = {tls}
ssl_cert = <{certificate}
ssl_key = <{key}
disable_plaintext_auth = no
default_internal_user = {account}
default_internal_group = {group}
default_login_user = {account}
mail_location = maildir:{folder}/mail
auth_username_chars =
auth_failure_delay = 0
mail_max_userip_connections = 100
{capability}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={account} gid={group} home={folder}/home
}}
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = {separator}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
"""


class Missing(Exception):
    """Dovecot is not installed here; the message says why."""


class Dovecot:
    """A provider with one mailbox, of USER and PASSWORD, at two ports: plain or STARTTLS, and TLS.

    `capability` has the extensions that it announces ("": all).
    """

    def __init__(
        self,
        folder: Path,
        capability: str = "",
        separator: str = "/",
        prefix: str = "",
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        self._folder = folder
        self.maildir = folder / "mail"
        self._account, self._group = _account()
        self.port, self.tls_port = _free_port(), _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        key, chain = certificate or (Path("/dev/null"), Path("/dev/null"))
        if certificate:
            key, chain = (Path(shutil.copy(each, folder)) for each in certificate)
        text = _CONFIGURATION.format(
            folder=folder,
            account=self._account,
            group=self._group,
            tls="yes" if certificate else "no",
            certificate=chain,
            key=key,
            port=self.port,
            tls_port=self.tls_port if certificate else 0,
            prefix=prefix,
            separator=separator,
            capability=f"imap_capability = {capability}" if capability else "",
        )
        (folder / "dovecot.conf").write_text(text, "utf-8")
        (folder / "users").write_text(
            f"{USER}:{PASSWORD}\n{FOREIGN_USER}:{FOREIGN_PASSWORD}\n", "utf-8"
        )
        if os.geteuid() == 0:
            for each in (folder, *folder.iterdir()):
                shutil.chown(each, self._account, self._group)

    def start(self) -> None:
        """Start, or start again at the same ports with the same emails."""
        log = self._folder / "log"
        self._process = subprocess.Popen(
            with_us("dovecot", "-F", "-c", str(self._folder / "dovecot.conf"), how="TERM"),
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            user=self._account if os.geteuid() == 0 else None,
            group=self._group if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
        last = time.monotonic() + _PATIENCE
        while not _is_open(self.port):
            if self._process.poll() is not None or time.monotonic() > last:
                said = log.read_text("utf-8", "replace") if log.exists() else "nothing"
                raise Missing(f"Dovecot does not start: {said[-300:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Close all connections, and stop."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # politely it takes a second
            self._process.wait(_PATIENCE)
            self._process = None

    @contextmanager
    def opened(self, folder: str | None = None) -> Iterator[imaplib.IMAP4]:
        """The mailbox as a mail program opens it."""
        with imaplib.IMAP4("127.0.0.1", self.port, _PATIENCE) as client:
            client.authenticate("PLAIN", lambda _: f"\0{USER}\0{PASSWORD}".encode())
            if folder:
                answer, said = client.select(f'"{folder}"')
                assert answer == "OK", said
            yield client

    def put(self, *mails: bytes, folder: str = "INBOX", flags: str = "") -> None:
        """Put emails into a folder."""
        with self.opened() as client:
            for raw in mails:
                assert client.append(f'"{folder}"', flags, "", raw)[0] == "OK"

    def mails(self, folder: str = "INBOX") -> list[tuple[str, bytes]]:
        """The emails in a folder: flags and text, in the order of their numbers."""
        with self.opened(folder) as client:
            parts: Sequence[object] = client.uid("FETCH", "1:*", "(FLAGS BODY.PEEK[])")[1]
        found = []
        for part in parts:
            if isinstance(part, tuple):
                flags = re.search(rb"FLAGS \(([^)]*)\)", part[0])
                assert flags is not None
                words = set(flags[1].decode("ascii").split()) - {"\\Recent"}
                found.append((" ".join(sorted(words)), bytes(part[1])))
        return found

    def folders(self) -> set[str]:
        """The names of all folders, as the server writes them."""
        with self.opened() as client:
            listed = client.list()[1]
        return {
            each.decode("ascii").rpartition('" ')[2].strip('"')
            for each in listed
            if isinstance(each, bytes)
        }


def _account() -> tuple[str, str]:
    if os.geteuid() == 0:
        return "nobody", "nogroup"
    return getpass.getuser(), subprocess.run(
        ["id", "-gn"], capture_output=True, text=True, check=True
    ).stdout.strip()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def dovecot(
    capability: str = "",
    separator: str = "/",
    prefix: str = "",
    certificate: tuple[Path, Path] | None = None,
) -> Iterator[Dovecot]:
    """A running Dovecot, stopped at the end; raises Missing where none is installed.

    A socket's path is short, so the folder is not one of pytest's.
    """
    if shutil.which("dovecot") is None:
        raise Missing("Dovecot (dovecot-imapd) is not installed here")
    with tempfile.TemporaryDirectory(prefix="pbmserv-") as name:
        server = _started(Path(name), capability, separator, prefix, certificate)
        try:
            yield server
        finally:
            server.stop()


def _started(folder: Path, *options: Any) -> Dovecot:
    """A Dovecot that runs: somebody may take its port between our looking and its starting."""
    tries = 3
    while True:
        server = Dovecot(folder, *options)
        tries -= 1
        try:
            server.start()
        except Missing:
            server.stop()
            if not tries:
                raise
        else:
            return server
