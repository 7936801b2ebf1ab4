"""Run the year-long simulation in full, with its progress on a terminal."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

import click

from pbmserv.cli.terminal_output import HELP, progress
from scripts.simulation import Broken, Year, people


@click.command(context_settings=HELP)
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
            year.run(days, progress)
        except Broken as broken:
            raise click.ClickException(str(broken)) from None
    progress("")
    took = time.monotonic() - begun
    click.echo(
        f"{year.boards} boards of {players} players are over after {year.days} days:"
        f" {year.number} emails, {year.letters} letters, {year.forfeits} forfeits,"
        f" {year.restarts} restarts and {year.outages} days of outage ({took:.0f} s)"
    )


if __name__ == "__main__":
    soak(prog_name="scripts/soak")
