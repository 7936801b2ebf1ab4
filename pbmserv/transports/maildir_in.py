"""The Maildir door, inwards: mails that somebody laid into a folder are collected from it.

A mail server, getmail, rsync or a person writes them there (https://cr.yp.to/proto/maildir.html).
Letters that leave are carried by `maildir`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.transports.mailbox_poller import Bell, Unreadable

LOOKS_EVERY = 1.0  # seconds
ODD = ".pbmserv-odd"  # a folder as mail programs name them in a Maildir (Maildir++)
_INFO = ":2,"  # in a file's name: from here on it tells flags
_SEEN = ":2,S"
_LONGEST_NAME = 240  # bytes, and room for the flags; file systems allow 255


class MaildirMailbox:
    """A Maildir at `root`: what is in its `new` goes to `cur` when it is done.

    The folders are made if only the last of them are missing.
    """

    door = "maildir"

    def __init__(self, root: Path) -> None:
        self._root = root
        self.name = f"maildir {root}"

    def new(self) -> Sequence[str]:
        """The names of the files in `new`, the oldest first; what is no plain file stays there.

        None are named while they could not be moved away when they are done.
        """
        self._make(self._root)
        for part in ("new", "cur"):
            self._check(self._root / part)
        try:
            names = [each.name for each in (self._root / "new").iterdir()]
        except OSError as error:
            raise Misconfigured(f"its new mails cannot be listed: {error.strerror}") from None
        return [name for _, name in sorted(self._dated(names))]

    def read(self, mail: str, most: int) -> bytes | None:
        """A mail's first `most` bytes."""
        try:
            with (self._root / "new" / mail).open("rb") as file:
                return file.read(most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unreadable(str(error.strerror)) from None

    def mark_done(self, mails: Sequence[str]) -> None:
        """Moves mails to `cur`, marked as seen."""
        for mail in mails:
            self._move(mail, self._root / "cur", _SEEN)

    def clear_away(self) -> None:
        """Nothing is left to do: a mark is a move."""

    def put_aside(self, mail: str) -> str:
        """Moves a mail, unseen, to a folder that mail programs show beside the inbox."""
        self._make(self._root / ODD)
        self._move(mail, self._root / ODD / "new", "")
        return ODD

    def wait(self, bell: Bell) -> None:
        """A moment: looking costs next to nothing."""
        bell.wait(LOOKS_EVERY)

    def hurry(self, seconds: float) -> None:
        """There is nobody to wait for."""

    def close(self) -> None:
        """Nothing is held open."""

    def _check(self, folder: Path) -> None:
        """A mail that is done would else be read again and again."""
        effective = os.access in os.supports_effective_ids
        if folder.name == "new" and not os.access(folder, os.R_OK, effective_ids=effective):
            return  # to list it tells more
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
            raise Misconfigured(f"its mails cannot be moved: {folder} may not be written to")

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
        """Renames a file, never over another one; one that is gone was moved by somebody else."""
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
            raise TryLater(f"cannot move a mail to {folder}: {error.strerror}") from None
