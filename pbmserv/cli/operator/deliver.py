"""`pbmserv deliver`: send all due letters once."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there


@click.command("deliver")
@click.pass_context
def command(context: click.Context) -> None:
    """Send all pending mail once, and carry out the emails that wait."""
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="renew") as app:
        while app.processor.work():
            pass
        sent = app.deliver()
    click.echo("Another process is sending." if sent is None else f"Letters sent: {sent}")
