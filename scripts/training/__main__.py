"""Train the bots, and write their files."""

from __future__ import annotations

from pathlib import Path

import click

from pbmserv.cli.terminal_output import HELP
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import endgames as solved_rounds
from pbmserv.games.perudo.bots import multiplayer_network, network, trained
from scripts.training import endgames, multiplayer, tables, two_players

_BOTS = Path(bots.__file__).parent
DIRECTORY, TRAINED, WEIGHTS = _BOTS / "solved", _BOTS / "rounds", _BOTS / "weights"
TRAINING = 60  # iterations of a round that is not solved


def _write(directory: Path, name: str, data: bytes) -> None:
    (directory / f"{name}.z").write_bytes(data)
    click.echo(f"{name}: {len(data)} bytes")


@click.command(context_settings=HELP)
@click.option("--iterations", type=click.IntRange(1), help="Fewer for trials.")
@click.option("--only", multiple=True, help="Only situations with names that begin so.")
@click.option("--solve/--no-solve", default=True, help="Rounds with at most two dice each.")
@click.option("--rounds/--no-rounds", default=True, help="Rounds with up to five dice each.")
@click.option("--networks/--no-networks", default=True, help="Networks for up to five dice.")
def train(
    iterations: int | None, only: tuple[str, ...], solve: bool, rounds: bool, networks: bool
) -> None:
    """Solve or train rounds of two, three and four players, and write their files."""
    for name in network.NAMES if networks else ():
        if not only or name.startswith(only):
            _write(WEIGHTS, name, two_players.file(name, iterations or two_players.ITERATIONS))
    for name in multiplayer_network.NAMES if networks else ():
        if not only or name.startswith(only):
            _write(WEIGHTS, name, multiplayer.file(name, iterations or multiplayer.ITERATIONS))
    for situation, name in solved_rounds.stored().items() if solve else ():
        if not only or name.startswith(only):
            number = iterations or endgames.iterations(situation)
            _write(DIRECTORY, name, endgames.solved(situation, number))
    names = trained.stored() if rounds else {}
    for each, name in names.items():
        if each.own >= each.other and (not only or name.startswith(only)):
            for made, data in tables.files(each, iterations or TRAINING):
                _write(TRAINED, names[made], data)


if __name__ == "__main__":
    train(prog_name="scripts/train")
