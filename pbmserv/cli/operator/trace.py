"""`pbmserv trace`: show the whole history of an email."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there


@click.command("trace")
@click.argument("what", metavar="MESSAGE-ID|BOARD|ADDRESS|USERID|NAME")
@click.option(
    "--most", default=20, show_default=True, help="So many mails and letters, the newest."
)
@click.pass_context
def command(context: click.Context, what: str, most: int) -> None:
    """Tell the whole life of a mail: who brought it, what it did, where its letters went.

    What was done to a board or a player (annulled, banned, blocked …) comes first.  The word
    emergency tells when that state was switched on and off.

    A Message-ID names one mail, or one letter of ours.  A board's number names all mails and
    letters about it.  An address names those from it and to it.  A USERID stands for the confirmed
    addresses of that player.  A NAME, such as in3, is an entry of the queue.  What came back of a
    letter is told with it.  The newest comes last.  Secrets are never shown.
    """
    from pbmserv.maintenance import message_trace
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        lines = message_trace.traced(app.engine, what, most)
    click.echo("\n".join(lines).rstrip())
