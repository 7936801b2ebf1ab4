"""Check the home: its settings, and the free space on its disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.home import DATABASE_FILE
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import SETTINGS_FILE, Settings, read_settings

LEAST_FREE = 256 * 2**20  # bytes


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
