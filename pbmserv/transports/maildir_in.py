"""Fetch email from a Maildir folder.

A mail server, getmail, rsync or a person writes them there (https://cr.yp.to/proto/maildir.html).
`maildir_out` delivers letters.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from pbmserv.errors import SHORTAGES, Misconfigured, TryLater
from pbmserv.transports.mailbox_poller import StopSignal, UnreadableEmail

LOOKS_EVERY = 1.0  # seconds
ODD = ".pbmserv-odd"  # a folder as mail programs name them in a Maildir (Maildir++)
_INFO = ":2,"  # in a file's name: the flags follow it
_SEEN = ":2,S"
_LONGEST_NAME = 240  # bytes, with space for the flags; file systems allow 255


class MaildirMailbox:
    """A Maildir at `root`: processed emails move from `new` to `cur`.

    The folders are created if only the last of them are missing.
    """

    transport = "maildir"

    def __init__(self, root: Path) -> None:
        self._root = root
        self.name = f"maildir {root}"

    def new(self) -> Sequence[str]:
        """The names of the files in `new`, the oldest first; other entries are ignored.

        The list is empty while processed emails could not be moved.
        """
        self._make(self._root)
        for part in ("new", "cur"):
            self._check(self._root / part)
        try:
            names = [each.name for each in (self._root / "new").iterdir()]
        except OSError as error:
            raise Misconfigured(f"its new emails cannot be listed: {error.strerror}") from None
        return [name for _, name in sorted(self._dated(names))]

    def read(self, mail: str, most: int) -> bytes | None:
        """An email's first `most` bytes."""
        try:
            with (self._root / "new" / mail).open("rb") as file:
                return file.read(most)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in SHORTAGES:
                raise TryLater(f"cannot read an email: {error.strerror}") from None
            raise UnreadableEmail(str(error.strerror)) from None

    def mark_done(self, mails: Sequence[str]) -> None:
        """Move emails to `cur`, marked as seen."""
        for mail in mails:
            self._move(mail, self._root / "cur", _SEEN)

    def clear_away(self) -> None:
        """Do nothing: `mark_done` has moved them."""

    def put_aside(self, mail: str) -> str:
        """Move an unseen email to a folder that mail programs show beside the inbox."""
        self._make(self._root / ODD)
        self._move(mail, self._root / ODD / "new", "")
        return ODD

    def wait(self, stop: StopSignal) -> None:
        """Wait LOOKS_EVERY seconds: a look costs very little."""
        stop.wait(LOOKS_EVERY)

    def hurry(self, seconds: float) -> None:
        """Do nothing: there is no provider to wait for."""

    def close(self) -> None:
        """Do nothing: no resource is held open."""

    def _check(self, folder: Path) -> None:
        """Check that emails can be moved; otherwise a processed email is read again and again."""
        effective = os.access in os.supports_effective_ids
        if folder.name == "new" and not os.access(folder, os.R_OK, effective_ids=effective):
            return  # listing the folder reports it more precisely
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
            raise Misconfigured(f"its emails cannot be moved: {folder} cannot be written to")

    def _dated(self, names: Sequence[str]) -> Iterator[tuple[int, str]]:
        for name in names:
            with suppress(FileNotFoundError):
                status = (self._root / "new" / name).lstat()
                if S_ISREG(status.st_mode) and not name.startswith("."):
                    yield status.st_mtime_ns, name

    def _make(self, root: Path) -> None:
        try:
            for folder in (root, *(root / part for part in ("tmp", "new", "cur"))):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise Misconfigured(f"cannot be a Maildir: {error.strerror}") from None

    def _move(self, mail: str, folder: Path, info: str) -> None:
        """Rename a file, never over another one; a missing one was moved by another program."""
        plain, number = os.fsdecode(os.fsencode(mail.partition(_INFO)[0])[:_LONGEST_NAME]), 1
        target = folder / f"{plain}{info}"
        while target.exists():
            number += 1
            target = folder / f"{plain}_{number}{info}"
        try:
            (self._root / "new" / mail).rename(target)
        except FileNotFoundError:
            return
        except OSError as error:
            raise TryLater(f"cannot move an email to {folder}: {error.strerror}") from None
