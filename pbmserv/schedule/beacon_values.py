"""Get values of the beacon, from a file or from a program of the operator.

This runs outside any transaction.  A value that is missing or malformed is asked for again at the
next tick.  Meanwhile the cups that wait for it stay closed.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from pbmserv.games.perudo.beacon import is_value
from pbmserv.settings import Settings

PATIENCE = 5.0  # seconds for the program to print a value
MOST_ASKED = 4  # rounds of one tick; the next tick asks for the others
_LONGEST = 16 * 1024  # characters of what the program prints
_NUMBER_OF_WORDS = 2  # in a line of the file


def found(
    settings: Settings, rounds: Collection[int], patience: float = PATIENCE
) -> tuple[dict[int, str | None], str]:
    """The values of these rounds that are there, and why another one is not, or "".

    Without the setting `beacon` all are there, with the value None: nothing is mixed in.  The file
    comes before the program, which has `patience` seconds for each round.  After a round without a
    value it is not called again.
    """
    if not settings.beacon:
        return dict.fromkeys(rounds), ""
    values: dict[int, str | None] = {}
    why = ""
    if settings.beacon_file:
        try:
            values |= _in_file(settings.home / Path(settings.beacon_file).expanduser(), rounds)
        except (OSError, UnicodeDecodeError) as problem:
            why = f"{settings.beacon_file}: {problem}"
    if settings.beacon_command:
        for number in sorted(set(rounds) - values.keys())[:MOST_ASKED]:
            value, why = _printed(settings.beacon_command, number, patience)
            if not value:
                break
            values[number] = value
    return values, why


def _in_file(file: Path, rounds: Collection[int]) -> dict[int, str]:
    """The values in a file of lines `ROUND HEX`; the first value of a round counts.

    Other lines are skipped, so the file may have comments.
    """
    wanted = {str(number): number for number in rounds}
    values: dict[int, str] = {}
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if len(words) == _NUMBER_OF_WORDS and words[0] in wanted:
                value = _value(words[1])
                if value:
                    values.setdefault(wanted[words[0]], value)
                if len(values) == len(wanted):
                    break
    return values


def _value(text: str) -> str:
    """A value with lower-case digits; "" if the text is none."""
    return text.lower() if is_value(text.lower()) else ""


def _printed(command: str, number: int, patience: float) -> tuple[str, str]:
    """The value that the program prints for a round, or "" and why there is none."""
    name = shlex.split(command)[0]
    try:
        program = subprocess.Popen(  # noqa: S603 - the operator's own words, and a number
            [*shlex.split(command), str(number)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as problem:
        return "", f"{name}: {problem.strerror}"
    with program:
        try:
            output, _ = program.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):  # its children, too
                os.killpg(program.pid, signal.SIGKILL)
            return "", f"{name}: no answer within {patience:g} seconds"
    if program.returncode:
        return "", f"{name}: exit code {program.returncode}"
    value = _read(output[:_LONGEST].strip(), number)
    return value, "" if value else f"{name}: printed no value of round {number}"


def _read(output: str, number: int) -> str:
    """The value of a round: 64 hexadecimal digits, or drand's JSON of that round; "" for others."""
    if value := _value(output):
        return value
    try:
        told = json.loads(output)
    except ValueError:
        return ""
    if not isinstance(told, dict) or told.get("round") != number:
        return ""
    return _value(str(told.get("randomness", "")))
