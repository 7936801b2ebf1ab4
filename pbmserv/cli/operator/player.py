"""`pbmserv player`: manage an account."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import day_option, home_there, why_option, written_day

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from sqlalchemy import Connection

    from pbmserv.outbox.transactions import Work


@click.group("player")
def command() -> None:
    """Look at an account, suspend, close, rename or forget it.

    The player is told by a letter, and `pbmserv trace USERID` tells what was done.
    """


@command.command("show")
@click.argument("userid")
@click.pass_context
def show(context: click.Context, userid: str) -> None:
    """Show an account: its state, its addresses and its boards.  No password is shown.

    Example: pbmserv player show ann
    """
    from pbmserv.database.engine import reading
    from pbmserv.lobby import moderation
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app, reading(app.engine) as connection:
        for line in moderation.shown(connection, userid, app.processor.clock()):
            click.echo(line)


@command.command("suspend")
@click.argument("userid")
@day_option
@why_option
@click.pass_context
def suspend(context: click.Context, userid: str, until: int | None, why: str) -> None:
    """Let a player do nothing for a time; the clocks run on.  `resume` ends it.

    Example: pbmserv player suspend ann --until 2027-01-31 --why "Insults"
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.suspend(work, userid, until, why))
    click.echo(f"Suspended: {userid}, {written_day(until)}")


@command.command("resume")
@click.argument("userid")
@why_option
@click.pass_context
def resume(context: click.Context, userid: str, why: str) -> None:
    """End the suspension of a player.

    Example: pbmserv player resume ann
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.resume(work, userid, why))
    click.echo(f"No longer suspended: {userid}")


@command.command("close")
@click.argument("userid")
@why_option
@click.pass_context
def close(context: click.Context, userid: str, why: str) -> None:
    """Close an account: its seats are resigned, and no letters go there.  `reopen` ends it.

    The addresses and the password stay, and nobody else can have the userid.

    Example: pbmserv player close ann
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.close(work, userid, why))
    click.echo(f"Closed: {userid}")


@command.command("reopen")
@click.argument("userid")
@why_option
@click.pass_context
def reopen(context: click.Context, userid: str, why: str) -> None:
    """Open an account again that was closed; the seats stay resigned.

    Example: pbmserv player reopen ann
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.reopen(work, userid, why))
    click.echo(f"Open again: {userid}")


@command.command("rename")
@click.argument("userid")
@click.argument("new")
@why_option
@click.pass_context
def rename(context: click.Context, userid: str, new: str, why: str) -> None:
    """Give a player another userid; renaming back undoes it.

    The records of games keep the name under which they began: their proof is made of it.

    Example: pbmserv player rename ann anna
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.rename(work, userid, new, why))
    click.echo(f"Renamed: {userid} is {new} now")


@command.command("forget")
@click.argument("userid")
@click.option("--yes", is_flag=True, help="Do not ask whether this is meant.")
@why_option
@click.pass_context
def forget(context: click.Context, userid: str, yes: bool, why: str) -> None:
    """Erase an account for good: addresses, password, settings, ratings, mails and the userid.

    Its seats are resigned.  Only the records of games keep the name: their proof is made of it.
    Letters that were laid into mail/ADDRESS stay, for they are their reader's: the folders are
    named, and you remove them.  Nothing undoes this.

    Example: pbmserv player forget ann
    """
    from pbmserv.database.engine import reading
    from pbmserv.lobby import moderation
    from pbmserv.server.app import opened

    home = home_there(context)
    with opened(home) as app, reading(app.engine) as connection:
        player = moderation.person(connection, userid)
        folders = _folders(connection, home, player.id)
    if not yes:
        click.confirm(f"Erase the account {userid}? Nothing brings it back", abort=True)
    _do(context, lambda work: moderation.forget(work, userid, why))
    click.echo(f"Forgotten: {userid}")
    for folder in filter(Path.is_dir, folders):
        click.echo(f"Its letters stay in {folder}: remove that when they were read")


def _folders(connection: Connection, home: Path, player: int) -> list[Path]:
    """The folders of letters to a player's addresses, except those that another player reads."""
    from pbmserv.players import accounts
    from pbmserv.transports.maildir_out import folder_name

    return [
        home / "mail" / folder_name(address)
        for address in accounts.addresses_of(connection, [player], confirmed=False)[player]
        if all(each.id == player for each in accounts.players_of_address(connection, address))
    ]


def _do(context: click.Context, work: Work) -> None:
    """Run an action on an account, and send the letters about it."""
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app:
        app.processor.transactions.run(work)
        app.deliver()
