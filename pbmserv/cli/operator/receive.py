"""`pbmserv receive`: take one email from standard input."""

from __future__ import annotations

import sys

import click

from pbmserv.cli.operator_commands import home_of
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.server.roles import INTAKE
from pbmserv.text.printable import printable


@click.command("receive")
@click.option("--sender", default=None, help="Envelope sender; an empty one is a bounce.")
@click.option("--recipient", default="", help="Envelope recipient, with its +token.")
@click.pass_context
def command(context: click.Context, sender: str | None, recipient: str) -> None:
    """Receive one email from standard input: for a mail server's pipe or an alias.

    Exit codes are those of sysexits.  0: the email is stored.  75: try again later (also if the
    home or its database cannot be used).  78: the settings are wrong.  Then its commands are
    carried out and its letters sent.  If a server is running, the server does this.
    """
    from pbmserv.database.engine import engine_for
    from pbmserv.mail.incoming import IncomingMail
    from pbmserv.server.app import opened
    from pbmserv.settings import read_settings

    home = home_of(context)
    engine_for(read_settings(home)).dispose()  # wrong settings: the operator must act
    try:
        with opened(home, after_restore="renew") as app:
            raw = sys.stdin.buffer.read(app.settings.largest_mail + 1)
            incoming = IncomingMail(raw, _bounce_as_empty(sender), printable(recipient), "pipe")
            if len(raw) > app.settings.largest_mail:
                app.processor.refuse_large(incoming, app.settings.largest_mail)
            elif app.is_served():
                app.processor.store([incoming])
                app.wake(INTAKE)
                return
            elif app.processor.accept([incoming]):
                raise TryLater("too many passwords to check now")
            app.deliver()
    except Misconfigured as problem:
        # A disk may be missing or read-only.  Mail servers bounce an email at 78, but retry at 75.
        raise TryLater(str(problem)) from problem


def _bounce_as_empty(sender: str | None) -> str | None:
    """The envelope sender; other spellings of the null sender become ""."""
    if sender in {"<>", "MAILER-DAEMON"}:
        return ""
    return sender if sender is None else printable(sender)
