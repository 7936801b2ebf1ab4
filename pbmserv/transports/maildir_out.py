"""Deliver letters to a Maildir folder for each address, for any mail program to open."""

from __future__ import annotations

import errno
import os
import re
from hashlib import sha256
from pathlib import Path

from pbmserv.errors import TryLater
from pbmserv.home import sync
from pbmserv.mail.transport import Coming, Postponed, Transport, Unfit
from pbmserv.settings import Settings

_UNSAFE = re.compile(rb"[^A-Za-z0-9@._+=-]")
_IDENTIFIER = re.compile(rb"^Message-ID: ([^\r\n]{0,998})", re.MULTILINE | re.IGNORECASE)
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_LONGEST_HEAD = 8192  # bytes that contain a letter's Message-ID
_LONGEST_NAME = 200  # bytes; file systems allow 255


def opened(settings: Settings) -> Transport:
    """A folder for each address, in the home."""
    return MaildirOut(_root(settings))


def checked(settings: Settings, patience: float) -> str:
    """Where letters would go; raises Unfit if the folder cannot be written to."""
    folder = _root(settings)
    if not os.access(folder if folder.exists() else settings.home, os.W_OK | os.X_OK):
        remedy = "Give the folder to the user that runs pbmserv (chown)."
        raise Unfit(f"{folder}: cannot be written to", remedy)
    return f"stay on this machine, in {folder}/ADDRESS"


def _root(settings: Settings) -> Path:
    return settings.home / "mail"


class MaildirOut:
    """Deliver letters to `root`/ADDRESS/new (https://cr.yp.to/proto/maildir.html).

    A letter's file is named after its number, so one that is carried again after a crash replaces
    itself.  After a restore, numbers are reused.  A letter with another Message-ID and the same
    number stays, and the new one gets another name.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: set[Path] = set()

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Write the letter with LF line ends and sync it to the disk; returns its place.

        Raises Postponed, or TryLater if the disk is full: that affects all readers.
        """
        folder = self._root / folder_name(address)
        name = f"{letter:010}.pbmserv"
        try:
            self._make(folder)
            identifier = _identifier(data)
            if _identifier_there(folder / "new" / name) not in {None, identifier}:
                name = f"{letter:010}.{sha256(identifier).hexdigest()[:16]}.pbmserv"
            temporary = folder / "tmp" / name
            _write(temporary, data.replace(b"\r\n", b"\n"))
            temporary.rename(folder / "new" / name)
            sync(folder / "new")
        except OSError as error:
            self._known.discard(folder)
            if error.errno in _DISK_FULL:
                raise TryLater(f"{self._root.name}: the disk is full") from error
            raise Postponed(f"Maildir: {error.strerror}") from error
        return f"stored in {self._root.name}/{folder.name}/new/{name}"

    def close(self) -> None:
        """Do nothing: no resource is held open."""

    def _make(self, folder: Path) -> None:
        if folder in self._known:
            return
        for each in (self._root, folder, folder / "tmp", folder / "new", folder / "cur"):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)  # it sets no mode for parents
        sync(folder)
        sync(self._root)
        self._known.add(folder)


def folder_name(address: str) -> str:
    """A folder name for an address: characters that could lead elsewhere are written as `%2F`."""
    raw = address.encode("utf-8", "replace")
    name = _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")
    if name.startswith(".") or not name:  # `.` and `..` are not folders of ours
        name = f"%2E{name[1:]}"
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}%{sha256(raw).hexdigest()[:16]}"
    return name


def _identifier(data: bytes) -> bytes:
    """The Message-ID of a letter, b"" where it has none."""
    found = _IDENTIFIER.search(data)
    return found[1] if found else b""


def _identifier_there(path: Path) -> bytes | None:
    """The Message-ID of the letter in a file; None if there is no file."""
    try:
        with path.open("rb") as file:
            return _identifier(file.read(_LONGEST_HEAD))
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        path.chmod(0o600)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
