"""`pbmserv trace`: the whole life of a mail."""

from __future__ import annotations

import click

from pbmserv.operation import home_there


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

    A mail is found by its Message-ID, and so is a letter of ours; by the number of the board
    that it is about; by the address that wrote it, or that was written to; by the USERID of the
    player who has confirmed that address; by its NAME in the queue, such as in3.  What came back
    of a letter is told with it.  The newest comes last.  Secrets are never shown.
    """
    from pbmserv import trace
    from pbmserv.house import opened

    with opened(home_there(context), after_restore="look") as house:
        lines = trace.traced(house.engine, what, most)
    click.echo("\n".join(lines).rstrip())
