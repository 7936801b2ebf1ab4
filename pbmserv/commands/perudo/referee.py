"""`referee`: check whether a record follows the rules."""

from __future__ import annotations

from pathlib import Path

import click

from pbmserv.commands.framework import player_command
from pbmserv.commands.perudo.verify import read_file
from pbmserv.context import Context
from pbmserv.errors import Fact, Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import REFEREED

# Refusals whose words also fit a file; the others address a player, so only their code is shown.
IN_WORDS = {
    *("proof_broken", "call_unknown_here", "no_bid_yet", "own_bid"),
    *("pacao_one_die", "pacao_once"),
}


@player_command(
    "referee",
    example="perudo referee board-12.txt",
    letters=("refereed",),
    by_mail=False,
    reads=True,
)
@click.argument("file", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(context: Context, file: tuple[Path, ...]) -> list[Letter]:
    """Replay records, or positions with moves, and check the rules.

    You see the first line that breaks a rule, as file:line.  The exit code is 0 only if all lines
    follow the rules.  If a record has no proof of its dice at all, the answer says so.  The file -
    is the standard input.  Your own file begins with a position, such as "position bga 13556/22/1 B
    3 9 A:3-2s".  Lines with moves follow, such as "B dudo".
    """
    from pbmserv.games.perudo.referee import referee

    running, plain = [], []
    for path in file:
        report = referee(read_file(path), str(path))
        if report.fault:
            refusal: Fact = {"code": report.code, "facts": dict(report.facts)}
            has_words = report.code in IN_WORDS or "smallest" in report.facts
            rule: dict[str, Fact] = {"rule": refusal} if has_words else {}
            where: dict[str, Fact] = {"where": report.where, "round": 0, "line": report.line}
            raise Refused("broken_record", fault=report.fault, **where, **rule)
        if report.running:
            running.append(str(path))
        if any(each.why == "plain" for each in report.proven):
            plain.append(str(path))
    files = [str(path) for path in file]
    return [REFEREED.to(None, {"files": files, "running": running, "plain": plain})]
