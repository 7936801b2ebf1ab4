"""`pbmserv deliver`: send all due letters once."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there


@click.command("deliver")
@click.pass_context
def command(context: click.Context) -> None:
    """Send every letter that is due, once, and carry out the mails that wait."""
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="renew") as app:
        while app.processor.work():
            pass
        sent = app.deliver()
    click.echo("Another process is delivering." if sent is None else f"Letters sent: {sent}")
