"""`pbmserv backup`: copy the home while the server runs."""

from __future__ import annotations

from pathlib import Path

import click

from pbmserv.cli.operator_commands import home_there


@click.command("backup")
@click.argument("directory", type=click.Path(path_type=Path))
@click.pass_context
def command(context: click.Context, directory: Path) -> None:
    """Copy the database, the key and the settings into a new DIRECTORY.

    The server can keep running.  The copy is a home: pbmserv --home DIRECTORY works with it.
    Letters in mail/ are not copied.  A PostgreSQL database is not copied, either: use pg_dump.  The
    copy has secrets: protect it like the home.  To restore it, stop the server, move the home away,
    and copy DIRECTORY to its place.
    """
    from pbmserv.maintenance.backup import backup
    from pbmserv.server.app import opened

    target = directory.absolute()
    missing = [each for each in target.parents if not each.exists()]
    with opened(home_there(context), after_restore="look") as app:
        names = backup(app.engine, app.settings, target)
    if missing:
        click.echo(f"pbmserv: {missing[-1]}: was not there, and was made", err=True)
    click.echo(f"{directory}: {', '.join(names)}")
