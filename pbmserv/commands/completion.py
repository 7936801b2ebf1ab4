"""Complete the words of a player's command at a shell."""

from __future__ import annotations

import click


def subjects(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The subjects of the manual that begin with the given words."""
    from pbmserv.commands import manual

    return manual.subjects_after(" ".join(context.params.get("subject") or ()), begun)
