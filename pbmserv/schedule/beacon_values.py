"""Get values of the beacon, from a file or from a program of the operator.

This runs outside any transaction.  A value that is missing or malformed is asked for again at the
next tick.  Meanwhile the cups that wait for it stay closed.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import subprocess
from collections.abc import Collection, Mapping
from contextlib import suppress
from errno import EINVAL
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from time import monotonic
from typing import NamedTuple

from pbmserv.games.perudo.beacon import is_value
from pbmserv.settings import Settings

PATIENCE = 4.0  # seconds for the program to print the values of one tick; a worker has 7 to stop
MOST_ASKED = 4  # rounds of one tick; the next tick asks for the others
_LOOK_AGAIN = 0.05  # seconds until the next look whether a silent program has ended
_LONGEST = 16 * 1024  # bytes of what the program prints
_NUMBER_OF_WORDS = 2  # in a line of the file
_SIGNATURE = re.compile("[0-9a-fA-F]{96}")  # 48 bytes: quicknet signs with points of G1


class Found(NamedTuple):
    """Values by their rounds, and why another one is not there, or "".

    The value None means that nothing is mixed in.
    """

    values: Mapping[int, str | None]
    why: str = ""


def found(settings: Settings, rounds: Collection[int], patience: float = PATIENCE) -> Found:
    """The values of these rounds that are there, and why another one is not, or "".

    Without the setting `beacon` all are there, with the value None: nothing is mixed in.  The file
    comes before the program, which has `patience` seconds for all rounds.  When they have passed,
    it is not called again.  `why` is about the first round without a value.
    """
    if not settings.beacon:
        return Found(dict.fromkeys(rounds))
    values: dict[int, str | None] = {}
    why = ""
    if settings.beacon_file:
        try:
            values |= _in_file(settings.home / Path(settings.beacon_file).expanduser(), rounds)
        except OSError as problem:
            why = f"{settings.beacon_file}: {problem.strerror}"
        else:
            missing = sorted(set(rounds) - values.keys())
            why = f"{settings.beacon_file}: no value of round {missing[0]}" if missing else ""
    if settings.beacon_command:
        why = ""
        last = monotonic() + patience
        for number in sorted(set(rounds) - values.keys())[:MOST_ASKED]:
            left = max(0.0, last - monotonic())
            value, missed = _printed(settings.beacon_command, number, left)
            if value:
                values[number] = value
            why = why or missed
            if not value and monotonic() >= last:
                break
    return Found(values, why)


def _in_file(file: Path, rounds: Collection[int]) -> dict[int, str]:
    """The values in a file of lines `ROUND HEX`; the first value of a round counts.

    Other lines are skipped, so the file may have comments.  Raises OSError, also for a pipe or a
    device: its end might never come.
    """
    if not S_ISREG(file.stat().st_mode):
        raise OSError(EINVAL, "not a regular file")
    wanted = {str(number): number for number in rounds}
    values: dict[int, str] = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
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
            start_new_session=True,
        )
    except OSError as problem:
        return "", f"{name}: {problem.strerror}"
    with program:
        try:
            output = _output(program, patience)
        except subprocess.TimeoutExpired:
            _kill(program)
            return "", f"{name}: no answer in time"
        if len(output) > _LONGEST:
            _kill(program)
            return "", f"{name}: printed more than {_LONGEST} bytes"
    if program.returncode:
        return "", f"{name}: exit code {program.returncode}"
    value = _read(output.decode("utf-8", "replace").strip(), number)
    return value, "" if value else f"{name}: printed no value of round {number}"


def _output(program: subprocess.Popen[bytes], patience: float) -> bytes:
    """What a program prints until it ends, or a byte more than `_LONGEST` of it.

    A child that it leaves behind may hold the pipe open: nobody waits for the child.  Raises
    TimeoutExpired if that takes longer than `patience` seconds.
    """
    assert program.stdout is not None
    last, output = monotonic() + patience, b""
    waiting = select.poll()
    waiting.register(program.stdout, select.POLLIN | select.POLLHUP)
    while len(output) <= _LONGEST:
        has_ended = program.poll() is not None  # then all that it printed can be read
        left = 0.0 if has_ended else max(0.0, last - monotonic())
        if not waiting.poll(1000 * min(left, _LOOK_AGAIN)):
            if has_ended:
                break
            if left <= _LOOK_AGAIN:
                raise subprocess.TimeoutExpired(program.args, patience)
            continue
        read = os.read(program.stdout.fileno(), _LONGEST + 1 - len(output))
        if not read:
            program.wait(max(0.0, last - monotonic()))
            break
        output += read
    return output


def _kill(program: subprocess.Popen[bytes]) -> None:
    """End a program and its children."""
    with suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)


def _read(output: str, number: int) -> str:
    """The value of a round: 64 hexadecimal digits, or drand's JSON of that round; "" for others.

    drand computes `randomness` as the SHA-256 of `signature`.  Its API of version 2 gives the
    signature alone.  Where both are there, they must fit.
    """
    if value := _value(output):
        return value
    try:
        told = json.loads(output)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict) or type(told.get("round")) is not int or told["round"] != number:
        return ""
    given, signature = told.get("randomness"), told.get("signature")
    if signature is None:
        return _value(str(given))
    if not _SIGNATURE.fullmatch(str(signature)):
        return ""
    value = sha256(bytes.fromhex(str(signature))).hexdigest()
    return value if given is None or _value(str(given)) == value else ""
