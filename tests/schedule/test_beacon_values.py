"""Values of the beacon, from a file and from real programs."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from pbmserv.games.perudo.beacon import CHAIN, EVERY
from pbmserv.schedule import beacon_values
from pbmserv.settings import Settings
from tests.rows import each_row

VALUE = "0123456789abcdef" * 4
OTHER = "f" * 64
MANUAL = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")
PATIENCE = 60.0  # seconds: the machine may be busy


def asked(
    home: Path, rounds: set[int], file: str = "", command: str = "", patience: float = PATIENCE
) -> beacon_values.Found:
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
        (f"""echo '{json.dumps({"round": 40, "randomness": VALUE, "signature": "ab"})}'""", None),
        (f"""echo '{json.dumps({"round": 40, "randomness": VALUE, "signature": "x"})}'""", None),
        (f"""echo '{json.dumps({"round": 40, "randomness": VALUE})}'""", VALUE),
        ("head -c 16000 /dev/zero | tr '\\0' '['", None),
        ("printf '{\"round\":'; head -c 9000 /dev/zero | tr '\\0' 9; echo '}'", None),
        ("exec yes", None),
        (f"echo {VALUE}; echo {VALUE} >&2; exec >&-; exec true", VALUE),
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
    """All other output is not a value, and the reason is said."""
    values, why = asked(tmp_path, {40}, command=program(tmp_path, script))
    assert values == ({40: found} if found else {})
    assert bool(why) == (found is None)


PUBLISHED = {
    1000: (
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
        "e342b73a8dd2bacbe47e4b6b63ed5e39",
        "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    ),
    657413: (
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
        "41076862b98fad56e91a6b85b89cd97b",
        "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587",
    ),
}
"""Rounds that drand's quicknet has published: signature and randomness."""


@pytest.mark.parametrize("signature", ["", " ", "00", "0 0", "ab" * 47, "ab" * 49, "zz" * 48, 7])
def test_a_signature_of_another_length_gives_no_value(tmp_path: Path, signature: object) -> None:
    """A value that everybody can compute, as that of no signature, must not open cups."""
    told = json.dumps({"round": 40, "signature": signature})
    command = program(tmp_path, f"echo {shlex.quote(told)}")
    assert asked(tmp_path, {40}, command=command).values == {}


@pytest.mark.parametrize("number", [1.0, True, "1", None])
def test_a_round_that_is_not_a_whole_number_gives_no_value(tmp_path: Path, number: object) -> None:
    told = json.dumps({"round": number, "randomness": VALUE})
    command = program(tmp_path, f"echo {shlex.quote(told)}")
    assert asked(tmp_path, {1}, command=command).values == {}


@pytest.mark.parametrize("number", PUBLISHED)
@pytest.mark.parametrize("version", [1, 2])
def test_the_answers_of_drands_two_interfaces_are_read(
    tmp_path: Path, number: int, version: int
) -> None:
    """Version 2 (`/v2/beacons/quicknet/rounds/N`) gives the signature alone."""
    signature, randomness = PUBLISHED[number]
    told = {"round": number, "signature": signature}
    told |= {"randomness": randomness} if version == 1 else {}
    script = f"echo {shlex.quote(json.dumps(told))}"
    values, why = asked(tmp_path, {number}, command=program(tmp_path, script))
    assert values == {number: randomness} and not why


def test_the_manuals_script_calls_drands_interface(tmp_path: Path) -> None:
    """A program in place of curl sees its words; the other script of the manual reads its JSON."""
    scripts = re.findall(r"```text\n(#!/bin/sh\n[^`]*drand[^`]*)```", MANUAL)
    asking, latest = scripts
    signature, randomness = PUBLISHED[1000]
    told = json.dumps(
        {"round": 1000, "randomness": randomness, "signature": signature}, separators=(",", ":")
    )
    for name, script in (
        ("curl", f"#!/bin/sh\nprintf '%s\\n' \"$@\" > words\necho '{told}'\n"),
        ("drand-value", asking),
        ("latest", latest),
    ):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    for words, printed in ((["drand-value", "1000"], told), (["latest"], None)):
        done = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        asked_for = (tmp_path / "words").read_text().splitlines()
        address, _, number = asked_for[-1].rpartition("/")
        assert address == f"https://api.drand.sh/{CHAIN}/public"
        assert int(number) % EVERY == 0
        assert done.stdout.strip() == (printed or f"{number} {randomness}")


def test_a_program_gets_the_number_of_the_round_behind_its_own_words(tmp_path: Path) -> None:
    command = f"{program(tmp_path, f'echo {VALUE}')} -q 'two words'"
    values, why = asked(tmp_path, {60, 40}, command=command)
    assert values == {40: VALUE, 60: VALUE} and not why
    assert calls(tmp_path) == ["-q two words 40", "-q two words 60"]


def test_a_round_without_a_value_keeps_no_later_round_closed(tmp_path: Path) -> None:
    """The program may never have the value of one round.  The reason is about that round."""
    command = program(tmp_path, f'[ "$1" = 40 ] && exit 3; [ "$1" = 60 ] || echo {VALUE}')
    values, why = asked(tmp_path, {40, 60, 80, 100}, command=command)
    assert values == {80: VALUE, 100: VALUE} and why.endswith("ask drand: exit code 3")
    assert calls(tmp_path) == ["40", "60", "80", "100"]


def test_the_program_is_called_for_a_few_rounds_until_its_time_has_passed(tmp_path: Path) -> None:
    """The server waits for it."""
    command = program(tmp_path, "exec sleep 100000")
    values, why = asked(tmp_path, {40, 60, 80}, command=command, patience=0.2)
    assert values == {} and why.endswith("no answer in time")
    called = tmp_path / "calls"
    assert not called.exists() or set(calls(tmp_path)) <= {"40"}  # it may be ended before it notes
    called.unlink(missing_ok=True)
    many = set(range(20, 420, 20))
    values, _ = asked(tmp_path, many, command=program(tmp_path, f"echo {VALUE}"))
    assert len(values) == len(calls(tmp_path)) == beacon_values.MOST_ASKED


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    """The child holds the other end of our pipe; nobody waits for it."""
    command = program(tmp_path, "sleep 100000 & sleep 100000")
    values, why = asked(tmp_path, {40}, command=command, patience=0.2)
    assert values == {} and why == f"{tmp_path}/ask drand: no answer in time"


def test_a_child_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    """It holds the other end of our pipe until this test ends it."""
    command = program(
        tmp_path, f"sleep 100000 & echo $! > {shlex.quote(str(tmp_path))}/child\necho {VALUE}"
    )
    try:
        assert asked(tmp_path, {40}, command=command) == ({40: VALUE}, "")
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


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
    """A pipe is not even opened: its end might never come."""
    assert asked(tmp_path, {40}, "values") == ({}, "values: No such file or directory")
    os.mkfifo(tmp_path / "values")
    assert asked(tmp_path, {40}, "values") == ({}, "values: not a regular file")
    assert asked(tmp_path, {40}, "/dev/zero") == ({}, "/dev/zero: not a regular file")


def test_a_line_that_is_not_text_hides_no_other_value(tmp_path: Path) -> None:
    (tmp_path / "values").write_bytes(b"40 \xff\xfe\n60 " + VALUE.encode() + b"\n40 012")
    values, why = asked(tmp_path, {40, 60}, "values")
    assert values == {60: VALUE} and why == "values: no value of round 40"


def test_without_the_setting_every_round_has_no_value(tmp_path: Path) -> None:
    assert beacon_values.found(Settings(home=tmp_path), {40, 60}) == ({40: None, 60: None}, "")
