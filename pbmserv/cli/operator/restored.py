"""`pbmserv restored`: handle a restored backup that the program cannot notice."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.errors import Misconfigured


@click.command("restored")
@click.pass_context
def command(context: click.Context) -> None:
    """Throw every running round again, after a restore that the program cannot notice.

    Players have seen dice that a restored database would deal once more.  A restored `pbmserv
    backup` is noticed when the server starts.  A snapshot of the disk, or a copy of the whole home
    made by other programs, is not: type this then.  The server must not run.
    """
    from pbmserv.file_locks import locked
    from pbmserv.server.app import SERVING, opened, renewed

    home = home_there(context)
    with locked(home / SERVING) as mine:
        if not mine:
            raise Misconfigured(f"{home}: stop the server first")
        count = renewed(home)
    with opened(home) as app:
        app.deliver()
    click.echo(f"Rounds thrown again: {count}. Their players were told.")
