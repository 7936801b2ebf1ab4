"""A command typed at a shell, for tests."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from pbmserv.cli.main import pbmserv, perudo


def typed(home: Path, command: str, text: str = "", **environ: str) -> Result:
    """What a command of either program prints; `text` is its standard input."""
    words = command.split()
    group = perudo if words[0] == "perudo" else pbmserv
    return CliRunner(env=environ).invoke(group, ["--home", str(home), *words[1:]], input=text)
