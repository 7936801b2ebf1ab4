"""docs/security.md: the tests and attacks that it names are there, and no attack is missing."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.attacks import availability, faults, floods, impersonation

TOP = Path(__file__).parents[1]
PAGE = (TOP / "docs" / "security.md").read_text("utf-8")


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"\btests/[\w/-]+\.\w+", PAGE))
    assert named
    assert [each for each in sorted(named) if not (TOP / each).is_file()] == []


def test_the_page_names_every_attack_and_no_other() -> None:
    rows = "".join(line.rpartition("|")[0] for line in PAGE.splitlines() if line.startswith("|"))
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", rows))
    known = {
        attack.__name__.replace("_", "-")
        for kind in (availability, floods, impersonation, faults)
        for attack in kind.ATTACKS
    }
    assert named == known
