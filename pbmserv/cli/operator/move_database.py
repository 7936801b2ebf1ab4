"""`pbmserv move-database`: copy the data from SQLite to PostgreSQL, or back."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.errors import Misconfigured
from pbmserv.fast_dataclasses import replace


@click.command("move-database")
@click.argument("url", envvar="PBMSERV_NEW_DATABASE")
@click.pass_context
def command(context: click.Context, url: str) -> None:
    """Copy all data into the empty database at URL; the old one is not changed.

    URL is the new value for `database` in pbmserv.toml.  If it has a password, set
    PBMSERV_NEW_DATABASE instead: other users of this machine cannot see it there.  Stop the server
    first, and a mail server that delivers by `pbmserv receive`.
    """
    from pbmserv.database import leases
    from pbmserv.database.copy import move
    from pbmserv.database.engine import close, engine_for
    from pbmserv.server.app import opened, unserved

    home = home_there(context)
    with opened(home, after_restore="look") as app, unserved(home) as is_ours:
        if not is_ours:
            raise Misconfigured(f"{app.settings.home}: stop the server first")
        target = engine_for(replace(app.settings, database=url))
        try:
            if target.url == app.engine.url:
                raise Misconfigured("that is the current database")
            with leases.alone(app.engine):  # a server of another home could use it
                count = move(app.engine, target)
        finally:
            close(target)
    click.echo(f"Rows copied: {count}. Now set `database` in pbmserv.toml to the new URL.")
