"""`pbmserv trace`: show the whole history of an email."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.cli.terminal import folded


@click.command("trace")
@click.argument("what", metavar="MESSAGE-ID|BOARD|ADDRESS|USERID|NAME")
@click.option(
    "--most", default=20, show_default=True, help="How many emails and letters to show, the newest."
)
@click.pass_context
def command(context: click.Context, what: str, most: int) -> None:
    """Trace an email: who sent it, what it did, and where its letters went.

    Actions on a board or a player (annulled, banned, blocked …) come first.  The word emergency
    shows when that state was switched on and off.

    A Message-ID names one email, or one letter of ours.  A board's number names all emails and
    letters about it.  An address names those from it and to it.  A USERID means the confirmed
    addresses of that player.  A NAME, such as in3, is an entry of the queue.  Bounces and
    complaints about a letter are shown with it.  The newest comes last.  Secrets are never shown.
    """
    from pbmserv.maintenance import message_trace
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        lines = message_trace.traced(app.engine, what, most)
    click.echo("\n".join(map(folded, lines)).rstrip())
