"""What a command imports before it does anything: the wait at a shell."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("sqlalchemy", "alembic", "argon2", "aiosmtpd", "asyncio", "jinja2", "openskill", "email")
PROGRAM = """
import sys
from pbmserv.cli.main import {program}
sys.argv = {words}
try:
    {program}()
finally:
    print([each for each in {slow} if each in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [["pbmserv", "--help"], ["perudo", "--help"], ["perudo", "move", "--help"]],
    ids=" ".join,
)
def test_help_imports_nothing_slow(words: list[str]) -> None:
    """SQLAlchemy alone takes 0.3 s: commands import what they need when they run."""
    program = PROGRAM.format(program=words[0], words=words, slow=SLOW)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"
    assert "Usage:" in done.stdout
