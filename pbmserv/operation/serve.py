"""`pbmserv serve`: run the server."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from random import Random
from typing import TYPE_CHECKING

import click

from pbmserv.errors import Misconfigured
from pbmserv.operation import home_of

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.house import House

FORESEEABLE = (
    "pbmserv: for shows only: the dice follow from the number of --repeatable, and whoever knows it"
    " foresees them"
)


@click.command("serve")
@click.option(
    "--repeatable",
    type=int,
    metavar="SEED",
    help="For shows only: dice that anybody who knows SEED can foresee.",
)
@click.option("--quiet", is_flag=True, help="Log what is wrong only, not every mail and letter.")
@click.pass_context
def command(context: click.Context, repeatable: int | None, quiet: bool) -> None:
    """Run the server: take mail in, carry it out, send letters, until it is stopped.

    Mail comes by SMTP, by LMTP, and from the mailboxes that the settings name.  SIGTERM or Ctrl-C
    stops it; the mail in hand is finished first.  A line on standard error tells of each mail and
    letter.
    """
    import asyncio

    from pbmserv import logbook
    from pbmserv.house import SERVING, locked, opened
    from pbmserv.server import Server

    with opened(home_of(context)) as house:
        logbook.begin("warning" if quiet else house.settings.log_level, os.environ)
        with locked(house.settings.home / SERVING, patience=1.0) as mine:
            if not mine:
                raise Misconfigured(f"{house.settings.home}: a server runs here already")
            if repeatable is not None:
                click.echo(FORESEEABLE, err=True)
            server = Server(house if repeatable is None else _foreseeable(house, repeatable))

            def ready() -> None:
                logbook.started(version("pbmserv"), house.settings.home)
                _tell_systemd()

            asyncio.run(server.run(lambda place: click.echo(f"pbmserv: {place}"), ready))
            logbook.stopped()


def _tell_systemd() -> None:
    """Say that we take mail to a service manager that waits for it (sd_notify(3))."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if not where:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, suppress(OSError):
        line.sendto(b"READY=1", "\0" + where[1:] if where.startswith("@") else where)


def _foreseeable(house: House, seed: int) -> House:
    """The house with chance that repeats itself: a show can be played again, a game cannot be."""
    chance = Random(seed)
    office = replace(house.postoffice, seed=lambda: chance.randbytes(32), chance=chance)
    return replace(house, postoffice=office)
