"""`pbmserv tick`: run the scheduler once, where no server runs."""

from __future__ import annotations

import os
import socket

import click

from pbmserv.cli.operator_commands import home_there


@click.command("tick")
@click.pass_context
def command(context: click.Context) -> None:
    """Handle deadlines once: reminders, players out of time, expired invitations.

    A running server does this itself.  Without one, have cron call it every hour.  A longer pause
    counts as an outage, and moves all deadlines.
    """
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="renew") as app:
        done = app.tick(f"{socket.gethostname()} {os.getpid()}")
        app.deliver()
    click.echo(f"Boards handled: {done}")
