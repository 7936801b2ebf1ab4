"""`pbmserv manual`: print the whole manual, made from the commands."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import operator_commands


@click.command("manual")
def command() -> None:
    """Print the whole manual: every command, the rules, email, dice, and all settings."""
    from pbmserv.commands import manual

    click.echo_via_pager(manual.whole(operator_commands()))
