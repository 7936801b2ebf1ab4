"""`pbmserv serve`: run the server."""

from __future__ import annotations

import logging

import click

from pbmserv.errors import Misconfigured
from pbmserv.operation import home_of


@click.command("serve")
@click.pass_context
def command(context: click.Context) -> None:
    """Run the server: take mail in by SMTP and LMTP, send letters, until it is stopped.

    SIGTERM or Ctrl-C stops it; the mail in hand is finished first.
    """
    import asyncio

    from pbmserv.house import SERVING, locked, opened
    from pbmserv.server import Server

    with opened(home_of(context)) as house:
        logging.basicConfig(
            level=house.settings.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s"
        )
        with locked(house.settings.home / SERVING, patience=1.0) as mine:
            if not mine:
                raise Misconfigured(f"{house.settings.home}: a server runs here already")
            server = Server(house)
            asyncio.run(server.run(lambda place: click.echo(f"pbmserv: {place}")))
