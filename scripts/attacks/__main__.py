"""Replay the attacks: one line for each, and exit 1 if one of them succeeded."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from pbmserv.cli.terminal_output import HELP, colours, progress
from scripts.attacks import availability, faults, floods, impersonation
from scripts.attacks.target import Fell, Target, target, with_players

Attack = Callable[[Target], str]
KINDS = (availability, floods, impersonation, faults)
SETTINGS: dict[Attack, str] = {**floods.SETTINGS, **impersonation.SETTINGS}


def attacks(names: Sequence[str] = ()) -> list[Attack]:
    """The attacks of these names, or all of them."""
    known: dict[str, Attack] = {
        each.__name__.replace("_", "-"): each for kind in KINDS for each in kind.ATTACKS
    }
    if unknown := [name for name in names if name not in known]:
        raise click.UsageError(f"no attack is called {unknown[0]}; known are {', '.join(known)}")
    return [known[name] for name in names or known]


@click.command(context_settings=HELP)
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Attack a server of its own on loopback, in all ways or in those that are NAMED."""
    chosen = attacks(names)
    with tempfile.TemporaryDirectory(prefix="attacked-") as folder:
        template = Path(folder) / "template"
        with_players(template, progress)
        fallen = sum(not _held(each, template, Path(folder)) for each in chosen)
    click.echo(f"{len(chosen) - fallen} of {len(chosen)} attacks were held off.")
    sys.exit(1 if fallen else 0)


def _held(attack: Attack, template: Path, folder: Path) -> bool:
    """Replay one attack on its own server, and report the result."""
    name = attack.__name__.replace("_", "-")
    progress(f"{name} …")
    try:
        with target(template, folder / name, SETTINGS.get(attack, "")) as attacked:
            said, held = attack(attacked), True
    except Fell as reached:
        said, held = str(reached), False
    except Exception as problem:  # after any failure the other attacks are still replayed
        said, held = f"{type(problem).__name__}: {problem}", False
    progress("")
    click.secho("held " if held else "FELL ", fg="green" if held else "red", nl=False)
    click.echo(f"{name:32} {said.partition(chr(10))[0][:110]}")
    return held


if __name__ == "__main__":
    main(prog_name="scripts/attack", color=colours(os.environ))
