"""The unit for systemd: it names what exists, and keeps the server to its home."""

from __future__ import annotations

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from pbmserv.cli.main import MISCONFIGURED
from pbmserv.cli.operator_commands import operator_commands
from pbmserv.server.roles import ROLES
from pbmserv.server.supervisor import SECONDS_TO_STOP
from tests.cli.processes import PROGRAMS

UNIT = Path(__file__).parents[2] / "scripts" / "pbmserv.service"
MOST_EXPOSED = 20  # tenths: systemd calls anything below 2.0 safe

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed here"
)


@pytest.fixture(scope="module")
def unit() -> dict[str, str]:
    """The settings of the service in the unit; the last value of a repeated key."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign] # keep the case of keys
    parser.read_string(UNIT.read_text("utf-8"))
    return dict(parser["Service"])


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The unit as if the program were installed where it is here."""
    text = UNIT.read_text("utf-8").replace("/opt/pbmserv/bin", str(PROGRAMS))
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace("User=pbmserv", "User=root"))
    return copy


def test_the_unit_starts_an_existing_command(unit: dict[str, str]) -> None:
    program, *words = unit["ExecStart"].split()
    assert Path(program).name == "pbmserv"
    assert (PROGRAMS / "pbmserv").exists()
    assert words[0] in operator_commands()


def test_the_unit_uses_the_directory_made_by_systemd(unit: dict[str, str]) -> None:
    assert unit["Environment"] == f"PBMSERV_HOME=/var/lib/{unit['StateDirectory']}"
    assert unit["StateDirectoryMode"] == "0700"


def test_the_unit_counts_as_started_once_email_is_accepted(unit: dict[str, str]) -> None:
    """The doctor finds a server right after `systemctl start`: see `cli/operator/serve.py`."""
    assert unit["Type"] == "notify"


def test_the_server_stops_before_systemd_would_kill_it(unit: dict[str, str]) -> None:
    assert int(unit["TimeoutStopSec"]) > len(ROLES) * SECONDS_TO_STOP + 2
    assert unit["KillMode"] == "mixed"  # the supervisor alone hears SIGTERM


def test_systemd_does_not_restart_it_after_wrong_settings(unit: dict[str, str]) -> None:
    assert unit["RestartPreventExitStatus"] == str(MISCONFIGURED)


@needs_systemd
def test_systemd_finds_nothing_wrong_in_it(installed: Path) -> None:
    command = ["systemd-analyze", "verify", "--recursive-errors=no", str(installed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_calls_it_safe(installed: Path) -> None:
    words = ["--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager"]
    command = ["systemd-analyze", "security", *words, str(installed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
