"""Check the home: its settings, its access rights, and the free space on its disk."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from shlex import quote

from pbmserv.errors import Misconfigured
from pbmserv.home import DATABASE_FILE, KEY_FILE, check_private, read_key
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import SETTINGS_FILE, Settings, read_settings

LEAST_FREE = 256 * 2**20  # bytes
_OTHERS = 0o077  # the rights of everybody but the owner


def settings_of(home: Path) -> tuple[Finding, Settings | None]:
    """The settings, if they can be read."""
    if not home.is_dir():
        remedy = "Give the right --home or PBMSERV_HOME; `pbmserv serve` creates a new one."
        return ill("settings", f"{home}: there is no home here", remedy), None
    try:
        settings = read_settings(home)
    except Misconfigured as problem:
        remedy = f"Correct that line in {SETTINGS_FILE}; `pbmserv manual` lists all settings."
        if isinstance(problem.__cause__, OSError):
            remedy = (
                f"Let the user that runs pbmserv read it: chown, or chmod u+r, {SETTINGS_FILE}."
            )
        return ill("settings", str(problem), remedy), None
    file = home / SETTINGS_FILE
    if not file.exists():
        said = f"no {SETTINGS_FILE}: defaults, for this machine only: {settings.address}"
        return unseen("settings", said), settings
    return well("settings", f"{file}: {settings.address}"), settings


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


def space(settings: Settings) -> Finding:
    """Whether there is space to continue, and for an upgrade, which copies tables."""
    free = shutil.disk_usage(settings.home).free
    database = settings.home / DATABASE_FILE
    size = database.stat().st_size if database.exists() else 0
    wanted = max(LEAST_FREE, 2 * size)
    said = f"{_megabytes(free)} free; the database uses {_megabytes(size)}"
    if free < wanted:
        return ill("disk", said, f"Free some space: {_megabytes(wanted)} should be free.")
    return well("disk", said)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
