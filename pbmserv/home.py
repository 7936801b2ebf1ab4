"""The home: the one directory that holds all data of the server.

It holds `pbmserv.toml` (see `settings`), `key` (the secret that signs letters' tokens), the
database and the mailboxes.  Every problem with it is one line, raised as Misconfigured.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from pbmserv.errors import Misconfigured
from pbmserv.settings import SETTINGS_FILE, Settings, read_settings, secrets_in

KEY_FILE = "key"
DATABASE_FILE = "pbmserv.sqlite"  # unless the settings name another
GENERATION_FILE, SENT_JOURNAL_FILE = "generation", "postmarks"  # they belong to one database
SHELL_SOCKET_FILE = "shell.socket"  # `cli/client.py` has the same name
KEY_BYTES = 32


def find_home(option: str | Path | None, environ: Mapping[str, str]) -> Path:
    """The home: the `--home` option, else PBMSERV_HOME, else the platform's data directory."""
    chosen = option or environ.get("PBMSERV_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path  # noqa: PLC0415 - a given home needs no search

    return user_data_path("pbmserv", appauthor=False)


def open_home(home: Path) -> Settings:
    """Create the home if it is missing, for its owner alone, and read its settings.

    Raises Misconfigured.  `database/installation.py` makes the key and the database.
    """
    check_user(home)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"{home}: cannot be the home: {error.strerror}") from error
    owner = home.stat().st_uid
    if os.geteuid() != owner and not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        why = "it is not running, it is busy, or only the operator may do this"
        said = f"{home}: belongs to {name_of_user(owner)}, and its server does not do this for you"
        raise Misconfigured(f"{said}: {why}")
    return read_settings(home)


def words_about_new(home: Path) -> str:
    """What a person is told before a home is made, because its name may be mistyped; else ""."""
    try:
        return "" if home.exists() else f"{home}: there was no home, so a new one is made"
    except OSError:  # this user cannot reach it
        return ""


def check_home(home: Path) -> None:
    """Raise Misconfigured if there is no home; a mistyped one is not made and found in order.

    `open_home` says what is wrong with one that is there.
    """
    try:
        home.stat()
    except FileNotFoundError:
        said = f"{home}: there is no home; use --home or PBMSERV_HOME to say where it is"
        raise Misconfigured(f"{said}, or make one: pbmserv signup ann -") from None
    except OSError:  # this user cannot reach it
        return


def check_user(home: Path) -> None:
    """Raise Misconfigured if root would work in a home of somebody else.

    The server of that user could not write to root's files, and no letter would leave.
    """
    try:
        owner = home.stat().st_uid
    except OSError:  # there is none yet, or this user cannot reach it
        return
    if os.geteuid() == 0 != owner:
        name = name_of_user(owner)
        said = f"{home}: belongs to {name}, and root's files there would stop its server"
        raise Misconfigured(f"{said}; type: runuser -u {name} -- pbmserv ...")


def name_of_user(number: int) -> str:
    """The name of a user of this machine, or the number of one without a name."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def check_private(settings: Settings) -> None:
    """Raise Misconfigured if others can read passwords in the home's settings file.

    A group may read the file of another owner: that is how a service reads a file of root's.
    """
    file = settings.home / SETTINGS_FILE
    if not (held := secrets_in(settings)) or not file.exists():
        return
    found = file.stat()
    others = stat.S_IROTH | (stat.S_IRGRP if found.st_uid == os.geteuid() else 0)
    if found.st_mode & others:
        remedy = f"type: chmod 600 {quote(str(file))}"
        raise Misconfigured(f"{file}: others can read {' and '.join(held)}; {remedy}")


def read_key(home: Path) -> bytes:
    """The server's secret, 32 bytes; raises Misconfigured when the file is damaged."""
    try:
        key = (home / KEY_FILE).read_bytes()
    except OSError as error:
        raise Misconfigured(f"{home / KEY_FILE}: cannot be read: {error.strerror}") from error
    if len(key) != KEY_BYTES:
        raise Misconfigured(f"{home / KEY_FILE}: must hold exactly {KEY_BYTES} bytes")
    return key


def write_key(home: Path, key: bytes) -> None:
    """Write the key of a new home atomically; raises Misconfigured.

    One process at a time may call this (see `database/installation.py`).
    """
    draft = home / f"{KEY_FILE}.new"
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(key)
            stream.flush()
            os.fsync(stream.fileno())
        draft.rename(home / KEY_FILE)
        sync(home)
    except OSError as error:
        raise Misconfigured(f"{home / KEY_FILE}: cannot be written: {error.strerror}") from error


def sync(path: Path) -> None:
    """Wait until a file, or the names of the files in a folder, are on the disk; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
