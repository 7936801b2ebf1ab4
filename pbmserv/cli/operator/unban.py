"""`pbmserv unban`: lift a ban."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there, why_option


@click.command("unban")
@click.argument("who", metavar="ADDRESS|DOMAIN|PATTERN")
@why_option
@click.pass_context
def command(context: click.Context, who: str, why: str) -> None:
    """Lift a ban, written as `pbmserv ban` lists it; players with that address are told.

    Addresses that another ban covers stay banned; their players are not told.

    Example: pbmserv unban mallory@evil.example
    """
    from pbmserv.database.engine import reading
    from pbmserv.lobby import moderation
    from pbmserv.players import bans
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app:
        app.transactions.run(lambda work: moderation.unban(work, who, why)[1])
        app.deliver()
        with reading(app.engine) as connection:
            left = bans.left_of(connection, bans.written(who), app.processor.clock())
    click.echo(f"Lifted: the ban of {who}")
    if left:
        click.echo(f"Still banned separately: {', '.join(left)}")
