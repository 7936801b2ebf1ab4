"""The process that carries out a command for a shell reads no more than it can hold."""

from __future__ import annotations

import os
from io import BufferedReader
from pathlib import Path

import click
import pytest

from pbmserv.cli.caller_files import MOST_INPUT, _Input


def given(length: int, folder: Path) -> BufferedReader:
    """Standard input of so many bytes, for a command of another user."""
    file = folder / "input"
    file.touch()
    os.truncate(file, length)
    read = _Input(os.open(file, os.O_RDONLY), "rb")
    read.before_reading = lambda: None
    read.left = MOST_INPUT
    return BufferedReader(read)


def test_a_command_of_another_user_has_enough_input(tmp_path: Path) -> None:
    with given(MOST_INPUT, tmp_path) as file:
        assert len(file.read()) == MOST_INPUT


@pytest.mark.parametrize("piece", [-1, 4096])
def test_a_command_of_another_user_has_no_endless_input(tmp_path: Path, piece: int) -> None:
    """Otherwise a user without a password could fill the memory of the server's service."""
    too_long = pytest.raises(click.ClickException, match="too long")
    with given(1000 * MOST_INPUT, tmp_path) as file, too_long:
        while file.read(piece):
            pass
