"""Check who owns the home and its files, whether the server may use them, and who else can."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

from pbmserv.errors import Misconfigured
from pbmserv.home import (
    DATABASE_FILE,
    GENERATION_FILE,
    KEY_FILE,
    SENT_JOURNAL_FILE,
    check_private,
    check_user,
    name_of_user,
    read_key,
)
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import Settings

NAME = "files"
_OURS = (KEY_FILE, DATABASE_FILE, GENERATION_FILE, SENT_JOURNAL_FILE)  # or begin with one
_MAIL_FOLDERS = ("tmp", "new", "cur")
_FILE, _FOLDER = stat.S_IRUSR | stat.S_IWUSR, stat.S_IRWXU
_MOST_SHOWN = 3
_OTHERS = 0o077  # the rights of everybody but the owner


def user_of(home: Path) -> Finding | None:
    """A finding if this user cannot work in the home; None if all is well or there is none."""
    try:
        check_user(home)
        if not home.exists():
            return None
        if os.geteuid() == home.stat().st_uid:
            return None if _has(home, _FOLDER) else _closed(home, [home])
    except Misconfigured as problem:
        said, _, remedy = str(problem).partition("; type: ")
        return ill(NAME, said, f"Type: {remedy}")
    except OSError as problem:
        return ill(NAME, f"{home}: {problem.strerror}", _as_its_user(home))
    owner = name_of_user(home.stat().st_uid)
    said = f"{home}: belongs to {owner}, but this command runs as {_me()}"
    return ill(NAME, said, _as_its_user(home))


def files(home: Path) -> Finding:
    """Whether each file of ours in the home belongs to its user, who can read and write it."""
    found = list(_ours(home))
    strange = [each for each in found if each.lstat().st_uid != os.geteuid()]
    if strange:
        owners = sorted({name_of_user(each.lstat().st_uid) for each in strange})
        said = f"{_names(strange)} in {home}: belongs to {', '.join(owners)}, not to {_me()}"
        return ill(NAME, said, f"As root, type: chown -R {_me()}: {quote(str(home))}")
    closed = [each for each in found if not _has(each, _FOLDER if each.is_dir() else _FILE)]
    if closed:
        return _closed(home, closed)
    return well(NAME, f"belong to {_me()}, who can read and write them")


def privacy(settings: Settings) -> Finding:
    """Whether only the owner can read the home's secrets, and the key is intact."""
    home = settings.home
    others = _OTHERS & ~(stat.S_IXGRP if settings.shell_group else 0)  # `shells.py` checks that one
    if home.stat().st_mode & others:
        remedy = f"Type: chmod 700 {quote(str(home))}"
        return ill("privacy", f"{home}: other users can read it", remedy)
    try:
        check_private(settings)
    except Misconfigured as problem:
        said, _, remedy = str(problem).rpartition("; type: ")
        return ill("privacy", said, f"Type: {remedy}")
    if not (home / KEY_FILE).exists():
        return unseen("privacy", "there is no key")
    try:
        read_key(home)
    except Misconfigured as problem:
        return ill("privacy", str(problem), "Restore the file `key` from a backup.")
    return well("privacy", "only the owner can read the home and its key")


def _ours(home: Path) -> Iterator[Path]:
    """The files that the program makes there, and the folders of letters."""
    for each in sorted(home.iterdir()):
        if each.name.startswith(_OURS) or each.suffix == ".lock":
            yield each
    with suppress(FileNotFoundError, PermissionError):  # the folder itself is reported
        yield from _folders(home / "mail")


def _folders(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield root
        for each in sorted(root.iterdir()):
            each.lstat()  # fails if the folder can be listed, but not entered
            yield each
            yield from (each / part for part in _MAIL_FOLDERS if (each / part).is_dir())


def _has(path: Path, rights: int) -> bool:
    return path.stat().st_mode & rights == rights


def _closed(home: Path, closed: list[Path]) -> Finding:
    said = f"{_names(closed)} in {home}: its owner cannot read and write it"
    return ill(NAME, said, f"Type: chmod -R u+rwX {quote(str(home))}")


def _names(found: list[Path]) -> str:
    names = ", ".join(each.name for each in found[:_MOST_SHOWN])
    more = len(found) - _MOST_SHOWN
    return f"{names} and {more} more" if more > 0 else names


def _as_its_user(home: Path) -> str:
    return f"Run it as the owner; or, as root, type: chown -R {_me()}: {quote(str(home))}"


def _me() -> str:
    return name_of_user(os.geteuid())
