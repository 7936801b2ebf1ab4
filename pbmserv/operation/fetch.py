"""`pbmserv fetch`: collects mails from the mailboxes, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.operation import home_there

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.house import House


@click.command("fetch")
@click.pass_context
def command(context: click.Context) -> None:
    """Take in what is new in the IMAP mailbox and the Maildir of the settings, once.

    For cron, where no server runs; a running one looks by itself.  Its commands are carried out
    and letters sent.  Exit codes are those of sysexits: 0 all that was new is safe, 75 try again
    later, 78 the settings are wrong or the login is refused.
    """
    from pbmserv.house import FETCHING, locked, mailboxes_for, opened

    with opened(home_there(context)) as house, locked(house.settings.home / FETCHING) as mine:
        if not mailboxes_for(house.settings):
            home = house.settings.home
            raise Misconfigured(f"{home}: neither imap nor maildir is set: nowhere to fetch")
        if not mine or house.is_served():
            click.echo("Another process fetches already.")
            return
        try:
            fetched = _fetched(house)
        finally:
            house.deliver()
    click.echo(f"Mails fetched: {fetched}")


def _fetched(house: House) -> int:
    """How many mails were taken in; one mailbox in trouble does not hold up the other."""
    from pbmserv.doors.collecting import Collection, Handover
    from pbmserv.house import mailboxes_for

    settings, fetched = house.settings, 0
    problems: list[TryLater | Misconfigured] = []
    handover = Handover(
        settings.address,
        settings.largest_mail,
        house.accept,
        house.refuse_large,
        house.tell_of_mailbox,
    )
    for mailbox in mailboxes_for(settings):
        try:
            fetched += Collection(mailbox, handover).drain()
        except (TryLater, Misconfigured) as problem:
            problems.append(type(problem)(f"{mailbox.name}: {problem}"))
        finally:
            mailbox.close()
    if problems:
        raise problems[0]
    return fetched
