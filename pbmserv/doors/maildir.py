"""The Maildir door: letters laid into a folder for each address, for any mail program to open."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path

from pbmserv.mail.carrier import Envelope, Postponed

_UNSAFE = re.compile(rb"[^A-Za-z0-9@._+=-]")
_LONGEST_NAME = 200  # bytes; file systems allow 255


class MaildirCarrier:
    """Carries letters to `root`/ADDRESS/new (https://cr.yp.to/proto/maildir.html).

    A letter's file is named after its number, so one that is carried again after a crash
    replaces itself.
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
        following: Envelope | None = None,
    ) -> str:
        """Writes the letter and syncs it to the disk, with LF line ends; raises Postponed.

        Returns where it lies.
        """
        folder = self._root / folder_name(address)
        name = f"{letter:010}.pbmserv"
        try:
            self._make(folder)
            temporary = folder / "tmp" / name
            _write(temporary, data.replace(b"\r\n", b"\n"))
            temporary.rename(folder / "new" / name)
            _sync(folder / "new")
        except OSError as error:
            self._known.discard(folder)
            raise Postponed(f"Maildir: {error.strerror}") from error
        return f"laid into {self._root.name}/{folder.name}/new/{name}"

    def close(self) -> None:
        """Nothing is held open."""

    def _make(self, folder: Path) -> None:
        if folder in self._known:
            return
        for part in ("tmp", "new", "cur"):
            (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        _sync(folder)
        _sync(self._root)
        self._known.add(folder)


def folder_name(address: str) -> str:
    """An address as the name of a folder: what could lead elsewhere is written as `%2F`."""
    raw = address.encode("utf-8", "replace")
    name = _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")
    if name.startswith(".") or not name:  # `.` and `..` are no folders of ours
        name = f"%2E{name[1:]}"
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}%{sha256(raw).hexdigest()[:16]}"
    return name


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        path.chmod(0o600)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
