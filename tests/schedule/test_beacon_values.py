"""Values of the beacon, from a file and from real programs."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path

import pytest

from pbmserv.schedule import beacon_values
from pbmserv.settings import Settings
from tests.rows import each_row

VALUE = "0123456789abcdef" * 4
OTHER = "f" * 64
PATIENCE = 60.0  # seconds: the machine may be busy


def asked(
    home: Path, rounds: set[int], file: str = "", command: str = "", patience: float = PATIENCE
) -> tuple[dict[int, str | None], str]:
    settings = Settings(home=home, beacon="drand", beacon_file=file, beacon_command=command)
    return beacon_values.found(settings, rounds, patience)


def program(home: Path, script: str) -> str:
    """A program that notes with which words it is called, and then does what the script says."""
    file = home / "ask drand"
    file.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(home))}/calls\n{script}\n')
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return shlex.quote(str(file))


def calls(home: Path) -> list[str]:
    return (home / "calls").read_text().splitlines()


@each_row(
    "script found",
    [
        (f"echo {VALUE}", VALUE),
        (f"echo {VALUE.upper()}", VALUE),
        (f"echo; echo ' {VALUE} '; echo", VALUE),
        (f"""echo '{json.dumps({"round": 40, "randomness": VALUE, "signature": "ab"})}'""", VALUE),
        (f"""echo '{json.dumps({"round": 41, "randomness": VALUE})}'""", None),
        (f"""echo '{json.dumps({"round": 40, "randomness": VALUE[1:]})}'""", None),
        ("echo '{\"round\": 40}'", None),
        (f"""echo '["{VALUE}"]'""", None),
        (f"echo {VALUE[1:]}", None),
        (f"echo {VALUE} {VALUE}", None),
        (f"echo 40 {VALUE}", None),
        (f"echo {VALUE}; exit 1", None),
        ("true", None),
        ("printf '\\377\\376'", None),
        ("head -c 1000000 /dev/zero", None),
    ],
)
def test_a_program_prints_a_value_or_the_json_of_drand(
    tmp_path: Path, script: str, found: str | None
) -> None:
    """Whatever else it prints, there is no value, and why is said."""
    values, why = asked(tmp_path, {40}, command=program(tmp_path, script))
    assert values == ({40: found} if found else {})
    assert bool(why) == (found is None)


def test_a_program_gets_the_number_of_the_round_behind_its_own_words(tmp_path: Path) -> None:
    command = f"{program(tmp_path, f'echo {VALUE}')} -q 'two words'"
    values, why = asked(tmp_path, {60, 40}, command=command)
    assert values == {40: VALUE, 60: VALUE} and not why
    assert calls(tmp_path) == ["-q two words 40", "-q two words 60"]


def test_after_a_round_without_a_value_the_program_is_not_called_again(tmp_path: Path) -> None:
    """Each call may take its whole time, and the server waits for it."""
    values, _ = asked(tmp_path, {40, 60, 80}, command=program(tmp_path, "exit 3"))
    assert values == {} and calls(tmp_path) == ["40"]
    (tmp_path / "calls").unlink()
    many = set(range(20, 420, 20))
    values, _ = asked(tmp_path, many, command=program(tmp_path, f"echo {VALUE}"))
    assert len(values) == len(calls(tmp_path)) == beacon_values.MOST_ASKED


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    """The child holds the other end of our pipe; nobody waits for it."""
    command = program(tmp_path, "sleep 100000 & sleep 100000")
    values, why = asked(tmp_path, {40}, command=command, patience=0.2)
    assert values == {} and why == f"{tmp_path}/ask drand: no answer within 0.2 seconds"


@pytest.mark.parametrize("command", ["/no/such/program", "/"])
def test_a_program_that_cannot_be_run_gives_no_value(tmp_path: Path, command: str) -> None:
    values, why = asked(tmp_path, {40}, command=command)
    assert values == {} and why.startswith(f"{command}: ")


def test_the_file_comes_before_the_program(tmp_path: Path) -> None:
    (tmp_path / "values").write_text(f"40 {OTHER}\n40 {VALUE}\n")
    command = program(tmp_path, f"echo {VALUE}")
    values, why = asked(tmp_path, {40, 60}, "values", command)
    assert values == {40: OTHER, 60: VALUE} and not why
    assert calls(tmp_path) == ["60"]


def test_a_file_that_cannot_be_read_gives_no_value(tmp_path: Path) -> None:
    assert asked(tmp_path, {40}, "values")[0] == {}
    (tmp_path / "values").write_bytes(b"40 \xff\xfe\n")
    values, why = asked(tmp_path, {40}, "values")
    assert values == {} and why.startswith("values: ")


def test_without_the_setting_every_round_has_no_value(tmp_path: Path) -> None:
    assert beacon_values.found(Settings(home=tmp_path), {40, 60}) == ({40: None, 60: None}, "")
