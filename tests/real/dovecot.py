"""A real Dovecot: mailboxes of players by LMTP, IMAP and Sieve, and logins for Postfix."""

from __future__ import annotations

import imaplib
import shutil
from contextlib import suppress
from pathlib import Path

from tests.cli.processes import until
from tests.real.ground import UNPRIVILEGED, UNPRIVILEGED_GROUP, Ground, demand

PORTS = ("imap",)
ADDRESSES = (
    *(f"{name}@players.test" for name in ("ann", "bob", "busy", "collected", "refused")),
    "perudo@perudo.test",
    "perudo@mailbox.test",
)
PASSWORD = "mailbox-password"
SIEVE = Path("/usr/lib/dovecot/modules/lib90_sieve_plugin.so")


class Dovecot:
    """A running Dovecot.  It accepts email only for addresses with a mailbox."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def start(self) -> None:
        """Start it, with empty mailboxes."""
        demand("dovecot", str(SIEVE))
        users = "".join(f"{address}:{PASSWORD}\n" for address in ADDRESSES)
        (self._ground.folder / "users").write_text(users)
        file = self._ground.fill("dovecot.conf")
        self._ground.start("dovecot", "-F", "-c", file)
        until(self._greets)

    def _greets(self) -> bool:
        with suppress(OSError), imaplib.IMAP4("127.0.0.1", self._ground.port("imap"), timeout=5):
            return True
        return False

    def mailbox(self, address: str, sieve: str = "") -> Path:
        """The folder of an address's Maildir; from now on with this Sieve script."""
        local, _, domain = address.partition("@")
        home = self._ground.folder / "mail" / domain / local
        for folder in (home.parent, home):
            folder.mkdir(exist_ok=True)
            shutil.chown(folder, UNPRIVILEGED, UNPRIVILEGED_GROUP)
        if sieve:
            (home / ".dovecot.sieve").write_text(sieve, "utf-8")
        return home / "Maildir"

    def clear(self) -> None:
        """Empty every mailbox."""
        for domain in (self._ground.folder / "mail").iterdir():
            shutil.rmtree(domain)
