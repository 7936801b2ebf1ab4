"""`pbmserv init`: write a settings file with every setting as a comment."""

from __future__ import annotations

import os
import re
import textwrap

import click

from pbmserv.cli.operator_commands import home_of
from pbmserv.errors import Misconfigured
from pbmserv.home import open_home
from pbmserv.settings import SETTINGS_FILE, settings_manual

_WIDTH = 90  # columns
# The words of `how_to_add` at the end of a text: the command gets a line, from which it is copied.
_COMMAND = re.compile(r"([^(]+) \((in the source folder): ([^)]+)\)\.")
_HEAD = """\
# The settings of pbmserv. Every line is a comment, so each setting has its default.
# To change one, remove the "# " in front of its name. Then restart the server.
"""


@click.command("init")
@click.pass_context
def command(context: click.Context) -> None:
    """Write a pbmserv.toml with every setting and its meaning, all as comments.

    It creates the home if there is none.  A pbmserv.toml that exists is not changed (exit 78).
    """
    home = home_of(context)
    open_home(home)
    file = home / SETTINGS_FILE
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Misconfigured(f"{file}: exists already; it was not changed") from None
    except OSError as error:
        raise Misconfigured(f"{file}: cannot be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(_HEAD + "".join(map(_commented, settings_manual())))
    click.echo(f"{file}: written; set address and operator, then type: pbmserv doctor")


def _commented(setting: tuple[str, str, str]) -> str:
    """A setting: its meaning, and a line with its default."""
    name, default, about = setting
    found = _COMMAND.fullmatch(about)
    words = textwrap.wrap(f"{found[1]}, {found[2]}:" if found else about, _WIDTH - len("# "))
    lines = [*words, *([f"  {found[3]}"] if found else ()), f"{name} = {default}"]
    return "\n" + "".join(f"# {line}\n" for line in lines)
