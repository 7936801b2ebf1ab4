"""Fill the disk and kill the process of a real server, while people play on it."""

from __future__ import annotations

from random import Random

import click

from pbmserv.cli.terminal_output import HELP, progress
from tests.crash.faults import VICTIMS, Missing, played, small_disk


@click.command(context_settings=HELP)
@click.option("--fills", type=click.IntRange(0), default=20, show_default=True)
@click.option("--kills", type=click.IntRange(0), default=60, show_default=True)
@click.option("--moves", type=click.IntRange(1), default=40, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def faults(fills: int, kills: int, moves: int, seed: int) -> None:
    """Fill the server's disk and kill its processes so often; nothing may be lost or sent twice.

    Before each fault people make so many moves.  Filling needs the right to mount a disk.
    """
    chance = Random(seed)
    happen = ["fill"] * fills + ["kill"] * kills
    chance.shuffle(happen)
    try:
        with small_disk(size=64 * 2**20) as disk, played(disk / "home", seed) as play:
            for done, fault in enumerate(happen, 1):
                play.play(moves)
                if fault == "fill":
                    play.fill(chance.uniform(0.5, 3))
                else:
                    play.kill(chance.choice(VICTIMS))
                progress(f"{done} of {len(happen)}")
            report = play.checked()
    except Missing as missing:
        raise click.ClickException(f"no disk to fill: {missing}") from None
    progress("")
    click.echo(str(report))


if __name__ == "__main__":
    faults(prog_name="scripts/faults")
