"""`pbmserv restored`: handle a restored backup that the program cannot notice."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.errors import Misconfigured


@click.command("restored")
@click.pass_context
def command(context: click.Context) -> None:
    """Roll the dice of every running round again, after a restore that the server cannot notice.

    Players have seen dice that a restored database would roll again.  The server notices a restored
    `pbmserv backup` when it starts.  It does not notice a disk snapshot, or a copy of the whole
    home by another program.  Then use this command.  Stop the server first.
    """
    from pbmserv.server.app import opened, renewed, unserved

    home = home_there(context)
    with unserved(home) as is_ours:
        if not is_ours:
            raise Misconfigured(f"{home}: stop the server first")
        count = renewed(home)
    with opened(home) as app:
        app.deliver()
    click.echo(f"Rounds rolled again: {count}. Their players were told.")
