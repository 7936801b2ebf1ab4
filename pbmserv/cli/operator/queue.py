"""`pbmserv queue`: show, retry or drop waiting and failed emails and letters."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there


@click.group("queue", epilog="For a player's queued moves, type: perudo help queue")
def command() -> None:
    """Show the emails and letters that wait or failed, and retry or drop them.

    An email has a name such as in3, a letter such as out17.  Secrets are never shown.
    """


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are done or sent.")
@click.pass_context
def list_(context: click.Context, everything: bool) -> None:
    """List the emails and letters that wait or failed, one a line."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        lines = mail_queue.listed(app.engine, everything=everything)
    for line in lines:
        click.echo(line)
    if not lines:
        click.echo("Nothing waits.")


@command.command("show")
@click.argument("name")
@click.pass_context
def show(context: click.Context, name: str) -> None:
    """Show one email or letter, with its secrets hidden."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        click.echo(mail_queue.shown(app.engine, name))


@command.command("retry")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def retry(context: click.Context, names: tuple[str, ...]) -> None:
    """Try emails or letters again now: all of them, or none if one does not exist."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        mail_queue.retry(app.engine, names, app.processor.clock())
        if not app.is_served():
            app.processor.work()
            app.deliver()
    click.echo(f"Tried again: {' '.join(names)}")


@command.command("drop")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def drop(context: click.Context, names: tuple[str, ...]) -> None:
    """Delete emails or letters from the queue, all or none, with their text."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        mail_queue.drop(app.engine, names)
    click.echo(f"Dropped: {' '.join(names)}")
