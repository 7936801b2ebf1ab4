"""A real Dovecot: mailboxes of players by LMTP, IMAP and Sieve, and logins for Postfix."""

from __future__ import annotations

import imaplib
import shutil
from contextlib import suppress
from pathlib import Path

from tests.real.ground import UNPRIVILEGED, UNPRIVILEGED_GROUP, Ground, demand
from tests.shell.processes import until

PORTS = ("imap",)
PASSWORD = "mailbox-password"
SIEVE = Path("/usr/lib/dovecot/modules/lib90_sieve_plugin.so")


class Dovecot:
    """A running Dovecot.  It knows an account from the moment that it is given a mailbox."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._users = ground.folder / "users"

    def start(self) -> None:
        """Start it, without any account."""
        demand("dovecot", str(SIEVE))
        self._users.touch()
        file = self._ground.fill("dovecot.conf")
        self._ground.start("dovecot", "-F", "-c", file)
        until(self._greets)

    def _greets(self) -> bool:
        with suppress(OSError), imaplib.IMAP4("127.0.0.1", self._ground.port("imap"), timeout=5):
            return True
        return False

    def make_mailbox(self, address: str, sieve: str = "") -> Path:
        """Give an address a mailbox, with a Sieve script; the folder of its Maildir."""
        with self._users.open("a") as users:
            users.write(f"{address}:{PASSWORD}\n")
        local, _, domain = address.partition("@")
        home = self._ground.folder / "mail" / domain / local
        for folder in (home.parent, home):
            folder.mkdir(exist_ok=True)
            shutil.chown(folder, UNPRIVILEGED, UNPRIVILEGED_GROUP)
        if sieve:
            (home / ".dovecot.sieve").write_text(sieve, "utf-8")
        return home / "Maildir"

    def clear(self) -> None:
        """Forget every account and its mail."""
        self._users.write_text("")
        for domain in (self._ground.folder / "mail").iterdir():
            shutil.rmtree(domain)
