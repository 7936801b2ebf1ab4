"""`pbmserv completion`: what makes a shell complete our words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from pbmserv.errors import Misconfigured


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh"]))
def command(shell: str) -> None:
    """Print what a shell needs to complete the words of pbmserv and perudo.

    In bash or zsh: eval "$(pbmserv completion bash)".
    """
    from pbmserv.cli import pbmserv, perudo

    kind = get_completion_class(shell)
    if kind is None:
        raise Misconfigured(f"no completion for {shell}")
    for group in (pbmserv, perudo):
        name = group.name or ""
        click.echo(kind(group, {}, name, f"_{name.upper()}_COMPLETE").source())
