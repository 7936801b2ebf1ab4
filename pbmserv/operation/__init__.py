"""The operator's commands: one a file, found by being there, out of reach of any mail."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import click

from pbmserv.errors import Misconfigured

OPERATION = __name__


@lru_cache
def operator_commands() -> Mapping[str, click.Command]:
    """Every command of the operator, by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        command = importlib.import_module(f"{__name__}.{module.name}").command
        found[command.name] = command
    return found


def home_of(context: click.Context) -> Path:
    """The home that the command line chose."""
    home: Path = context.find_root().obj.home
    return home


def home_there(context: click.Context) -> Path:
    """The home that the command line chose, for commands that look after what lies in it.

    A mistyped one is not made, and found to be in order; raises Misconfigured.
    """
    home = home_of(context)
    if not home.is_dir():
        raise Misconfigured(f"{home}: there is no home; --home or PBMSERV_HOME says where it is")
    return home
