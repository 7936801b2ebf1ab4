"""`pbmserv receive`: the pipe, one mail on standard input."""

from __future__ import annotations

import sys

import click

from pbmserv.operation import home_of


@click.command("receive")
@click.option("--sender", default=None, help="Envelope sender; an empty one is a bounce.")
@click.option("--recipient", default="", help="Envelope recipient, with its +token.")
@click.pass_context
def command(context: click.Context, sender: str | None, recipient: str) -> None:
    """Take in one mail from standard input: for a mail server's pipe or an alias.

    Exit codes are those of sysexits: 0 the mail is safe, 75 try again later, 78 the settings
    are wrong.  Once the mail is safe its commands are carried out and its letters sent, unless
    a server is running and will.
    """
    from pbmserv.house import opened
    from pbmserv.mail.arrival import Arrival

    with opened(home_of(context)) as house:
        raw = sys.stdin.buffer.read(house.settings.largest_mail + 1)
        arrival = Arrival(raw, bounce_as_empty(sender), recipient, "pipe")
        if len(raw) > house.settings.largest_mail:
            house.postoffice.refuse_large(arrival, house.settings.largest_mail)
        elif house.is_served():
            house.postoffice.store([arrival])
            return
        else:
            house.postoffice.accept([arrival])
        house.deliver()


def bounce_as_empty(sender: str | None) -> str | None:
    """The envelope sender, with the null sender's other spellings made ""."""
    return "" if sender in {"<>", "MAILER-DAEMON"} else sender
