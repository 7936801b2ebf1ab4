"""`pbmserv player`: manage an account."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import day_option, home_there, why_option, written_day
from pbmserv.cli.terminal_output import folded

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from sqlalchemy import Connection

    from pbmserv.outbox.transactions import Work


@click.group("player")
def command() -> None:
    """Show, suspend, close, rename or forget an account.

    The player gets a letter about it, and `pbmserv trace USERID` shows what was done.
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
            click.echo(folded(line))


@command.command("suspend")
@click.argument("userid")
@day_option
@why_option
@click.pass_context
def suspend(context: click.Context, userid: str, until: int | None, why: str) -> None:
    """Suspend a player for a time; the clocks keep running.  `resume` ends it.

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
    """Close an account: its games are resigned, and it gets no letters.  `reopen` ends it.

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
    """Open a closed account again; its games stay resigned.

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

    The records of games keep the name under which they began, because their proof includes it.

    Example: pbmserv player rename ann anna
    """
    from pbmserv.lobby import moderation

    _do(context, lambda work: moderation.rename(work, userid, new, why))
    click.echo(f"Renamed: {userid} is {new} now")


@command.command("forget")
@click.argument("userid")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@why_option
@click.pass_context
def forget(context: click.Context, userid: str, yes: bool, why: str) -> None:
    """Delete an account for good: addresses, password, settings, ratings, emails and the userid.

    Its games are resigned.  Only the records of games keep the name, because their proof includes
    it.  Letters in mail/ADDRESS stay, because they belong to their reader.  The command names these
    folders for you to remove.  You cannot undo this.

    Example: pbmserv player forget ann
    """
    from pbmserv.database.engine import reading
    from pbmserv.lobby import account_erasure, moderation
    from pbmserv.server.app import opened

    home = home_there(context)
    with opened(home) as app, reading(app.engine) as connection:
        player = moderation.person(connection, userid)
        folders = _folders(connection, home, player.id)
    if not yes:
        click.confirm(f"Delete the account {userid}? You cannot undo this", abort=True)
    _do(context, lambda work: account_erasure.forget(work, userid, why))
    click.echo(f"Forgotten: {userid}")
    for folder in filter(Path.is_dir, folders):
        click.echo(f"Its letters stay in {folder}: remove it when they have been read")


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
        app.transactions.run(work)
        app.deliver()
