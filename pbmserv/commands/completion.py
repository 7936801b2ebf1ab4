"""What a shell completes the words of a player's command with."""

from __future__ import annotations

import click


def subjects(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The subjects by which a shell completes the words of this command."""
    from pbmserv.commands import manual

    return manual.subjects_after(" ".join(context.params.get("subject") or ()), begun)
