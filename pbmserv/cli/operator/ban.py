"""`pbmserv ban`: stop accepting email from addresses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import day_option, home_there, why_option, written_day
from pbmserv.cli.terminal_output import folded

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.context import UnitOfWork
    from pbmserv.letters.payloads.letter import Letter


@click.command("ban")
@click.argument("who", metavar="[ADDRESS|DOMAIN|PATTERN]", required=False)
@day_option
@why_option
@click.pass_context
def command(context: click.Context, who: str | None, until: int | None, why: str) -> None:
    """Ban an address, a domain or a pattern; without one, list the bans.

    Email from there is not read or answered, and no password in it is tried.  Nobody can sign up
    with such an address.  A domain covers all its subdomains.  In a pattern such as
    'mallory*@evil.example' a star matches any characters.  Players with such a confirmed address
    are told.  `pbmserv unban` ends it.

    Example: pbmserv ban mallory@evil.example --until 2027-01-31
    """
    from pbmserv.database.engine import reading
    from pbmserv.players import bans
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app:
        if who is None:
            with reading(app.engine) as connection:
                found = bans.listed(connection, app.processor.clock())
            for ban, end in found:
                click.echo(folded(f"{ban}  {written_day(end)}"))
            click.echo("No bans." if not found else f"Bans: {len(found)}")
            return
        app.transactions.run(partial(_banned, who=who, until=until, why=why))
        app.deliver()
    click.echo(f"Banned: {bans.written(who)}, {written_day(until)}")


def _banned(work: UnitOfWork, who: str, until: int | None, why: str) -> list[Letter]:
    from pbmserv.lobby import moderation

    return moderation.ban(work, who, until, why)[1]
