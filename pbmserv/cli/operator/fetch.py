"""`pbmserv fetch`: fetch email from the mailboxes once."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.file_locks import locked

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.server.app import App

LONGEST = 600.0  # seconds, for all mailboxes; the next call fetches the rest


@click.command("fetch")
@click.pass_context
def command(context: click.Context) -> None:
    """Check the IMAP mailbox and the Maildir of the settings once.

    Use it with cron if no server runs; a running server checks them itself.  Commands in new emails
    are carried out, and letters sent.  Exit codes are those of sysexits.  0: all new email is
    stored.  75: try again later.  78: the settings are wrong or the login is refused.
    """
    from pbmserv.server.app import FETCHING, opened
    from pbmserv.server.chosen_transports import mailboxes_for

    home = home_there(context)
    with opened(home, after_restore="renew") as app, locked(home / FETCHING) as mine:
        if not mailboxes_for(app.settings):
            raise Misconfigured(f"{home}: neither imap nor maildir is set, so there is no mailbox")
        if not mine or app.is_served():
            click.echo("Another process is already fetching.")
            return
        try:
            fetched = _fetched(app)
        finally:
            app.deliver()
    click.echo(f"Emails fetched: {fetched}")


def for_a_while(mailboxes: int, clock: Callable[[], float] = monotonic) -> Callable[[], bool]:
    """A function that is True until a mailbox has used its share of the time, by `clock`.

    A provider with ever more email must block neither us nor another mailbox.
    """
    until = clock() + LONGEST / mailboxes
    return lambda: clock() < until


def _fetched(app: App) -> int:
    """How many emails were stored; a failing mailbox does not delay the other."""
    from pbmserv.server.chosen_transports import mailboxes_for
    from pbmserv.transports.mailbox_poller import Collection, Receiver

    settings, fetched = app.settings, 0
    problems: list[TryLater | Misconfigured] = []
    receiver = Receiver(
        settings.address,
        settings.largest_mail,
        app.accept,
        app.refuse_large,
        app.tell_of_mailbox,
    )
    mailboxes, unread = mailboxes_for(settings), 0
    for mailbox in mailboxes:
        collection = Collection(mailbox, receiver)
        try:
            fetched += collection.drain(for_a_while(len(mailboxes)))
        except (TryLater, Misconfigured) as problem:
            problems.append(type(problem)(f"{mailbox.name}: {problem}"))
        finally:
            mailbox.close()
            unread += collection.postponed
    if problems:
        raise problems[0]
    if unread:
        raise TryLater(f"emails that stay unread for now: {unread}")
    return fetched
