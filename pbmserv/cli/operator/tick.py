"""`pbmserv tick`: run the scheduler once, where no server runs."""

from __future__ import annotations

import os
import socket

import click

from pbmserv.cli.operator_commands import home_there


@click.command("tick")
@click.pass_context
def command(context: click.Context) -> None:
    """Do what has fallen due with time, once: reminders, forfeits, expired invitations.

    A running server does this by itself.  Without one, have cron call it every hour: a longer
    pause counts as an outage, which moves all deadlines.
    """
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="renew") as app:
        done = app.processor.tick(f"{socket.gethostname()} {os.getpid()}")
        app.deliver()
    click.echo(f"Boards attended to: {done}")
