"""`referee`: whether a record keeps the rules."""

from __future__ import annotations

from pathlib import Path

import click

from pbmserv.commands import player_command
from pbmserv.commands.perudo.verify import read_file
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused


@player_command(
    "referee",
    example="perudo referee board-12.txt",
    letters=("refereed",),
    by_mail=False,
)
@click.argument("file", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(desk: Desk, file: tuple[Path, ...]) -> list[Letter]:
    """Read records, or positions with moves, and replay them by the rules.

    The first line that breaks a rule is named as file:line; the exit code is 0 only if all
    holds.
    """
    from pbmserv.games.perudo.referee import referee

    for path in file:
        report = referee(read_file(path), str(path))
        if report.fault:
            raise Refused("broken_record", where=f"{report.name}:{report.line}", why=report.fault)
    return [Letter(None, "refereed", {"files": [str(path) for path in file]})]
