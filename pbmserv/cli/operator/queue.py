"""`pbmserv queue`: show, retry or drop waiting and failed emails and letters."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there


@click.group("queue")
def command() -> None:
    """Look at the mails and letters that wait or failed, and retry or drop them.

    A mail is named in3, a letter out17.  Secrets are never shown.
    """


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what is done and sent.")
@click.pass_context
def list_(context: click.Context, everything: bool) -> None:
    """List what waits or failed, a line each."""
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
    """Show one mail or letter, its secrets blanked."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        click.echo(mail_queue.shown(app.engine, name))


@command.command("retry")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def retry(context: click.Context, names: tuple[str, ...]) -> None:
    """Try mails or letters again, now: all that are named, or none if one is not there."""
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
    """Give mails or letters up, all or none; their text is blanked."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        mail_queue.drop(app.engine, names)
    click.echo(f"Dropped: {' '.join(names)}")
