"""Every command that any test runs may send only the kinds of letter that its file names."""

from __future__ import annotations

import click
import pytest

from pbmserv.commands import calls
from pbmserv.commands.framework import PlayerCommand
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter

_run_command = calls.run_command


def check(patch: pytest.MonkeyPatch) -> None:
    """Check the letters of each command until the patch is undone."""
    patch.setattr(calls, "run_command", _checked)


def _checked(parsed: click.Context, context: Context) -> list[Letter]:
    letters = _run_command(parsed, context)
    assert isinstance(parsed.command, PlayerCommand)
    unnamed = {each.kind for each in letters}.difference(parsed.command.letters)
    assert not unnamed, f"`letters` of {parsed.command.name} lacks {sorted(unnamed)}"
    return letters
