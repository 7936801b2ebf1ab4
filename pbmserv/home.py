"""The home: the one directory in which everything lies that the server keeps.

`pbmserv.toml` (see `settings`), `key` (the secret that letters' tokens are made with), the
database and the mailboxes.  What is wrong with it is said in one line, as Misconfigured.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.settings import Settings, read_settings

KEY_FILE = "key"
DATABASE_FILE = "pbmserv.sqlite"  # unless the settings name another
_KEY_BYTES = 32


def find_home(option: str | Path | None, environ: Mapping[str, str]) -> Path:
    """The home: the `--home` option, else PBMSERV_HOME, else the platform's place for data."""
    chosen = option or environ.get("PBMSERV_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("pbmserv", appauthor=False)


def open_home(home: Path) -> Settings:
    """Make the home if it is not there, for its owner alone, and read its settings.

    Raises Misconfigured.  The database is opened, and made, by `database.open_database`, after
    the key: where the key alone is missing no other one is made, for then no letter that was
    sent before could be answered.
    """
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # In this order: of processes at once, one makes the key first and then the database.
        is_old = (home / DATABASE_FILE).exists()
        if not (home / KEY_FILE).exists():
            if is_old:
                raise Misconfigured(f"{home / KEY_FILE}: is missing; bring it back from a backup")
            _make_key(home)
    except OSError as error:
        raise Misconfigured(f"{home}: cannot be the home: {error.strerror}") from error
    return read_settings(home)


def read_key(home: Path) -> bytes:
    """The server's secret, 32 bytes; raises Misconfigured when the file is damaged."""
    try:
        key = (home / KEY_FILE).read_bytes()
    except OSError as error:
        raise Misconfigured(f"{home / KEY_FILE}: cannot be read: {error.strerror}") from error
    if len(key) != _KEY_BYTES:
        raise Misconfigured(f"{home / KEY_FILE}: must hold exactly {_KEY_BYTES} bytes")
    return key


def _make_key(home: Path) -> None:
    """Make the key whole and once: of two processes at once, the second takes the first's."""
    draft = home / f".{KEY_FILE}.{secrets.token_hex(8)}"
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(secrets.token_bytes(_KEY_BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        os.link(draft, home / KEY_FILE)
    except FileExistsError:
        return
    finally:
        draft.unlink()
