"""Full disks and kills while people play: nothing is lost, nothing is sent twice.

`scripts/faults` does the same with as many of both as it is told.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.faults import VICTIMS, Missing, played, small_disk

pytestmark = pytest.mark.long


def test_a_full_disk_loses_nothing_and_repeats_no_letter() -> None:
    try:
        with small_disk() as disk, played(disk / "home", seed=1) as play:
            for _ in range(2):
                play.play(3)
                play.fill(1.2)
            report = play.checked()
    except Missing as missing:
        pytest.skip(str(missing))
    assert report.fills == 2
    assert report.moves >= 10
    assert report.repeated == 0


def test_kills_lose_nothing_and_repeat_one_letter_each_at_most(home: Path) -> None:
    """The supervisor and both workers are killed."""
    with played(home, seed=2) as play:
        for what in VICTIMS:
            play.play(2)
            play.kill(what)
        report = play.checked()
    assert report.kills == 3
    assert report.moves >= 9
