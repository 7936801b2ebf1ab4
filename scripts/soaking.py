"""Run the year-long simulation in full, with its progress on a terminal."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random

import click

from scripts.simulation import Broken, Year, people


@click.command()
@click.option("--players", type=click.IntRange(3, 500), default=50, show_default=True)
@click.option("--days", type=click.IntRange(10, 3650), default=365, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def soak(players: int, days: int, seed: int) -> None:
    """Let forgetful people play by email for so many days, and check that every board ends."""
    chance = Random(seed)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        year = Year(Path(folder) / "home", chance, people(players, days, chance))
        try:
            year.run(days, _progress)
        except Broken as broken:
            raise click.ClickException(str(broken)) from None
    _progress("")
    took = time.monotonic() - begun
    click.echo(
        f"{year.boards} boards of {players} players are over after {year.days} days:"
        f" {year.number} emails, {year.letters} letters, {year.forfeits} forfeits,"
        f" {year.restarts} restarts and {year.outages} days of outage ({took:.0f} s)"
    )


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", nl=False, err=True)


if __name__ == "__main__":
    soak(prog_name="scripts/soak")
