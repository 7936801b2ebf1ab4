"""A year of play by forgetful people, at reduced size (`scripts/soak` runs the full one)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scripts.simulation import Year, people

pytestmark = pytest.mark.long

DAYS = 60


@pytest.mark.parametrize("seed", [1, 9])  # in both years players lose their seats
def test_every_board_ends_and_no_player_is_stuck_spammed_or_surprised(
    home: Path, seed: int
) -> None:
    """A dozen people and an outage of five days; the checks are the simulation's own."""
    chance = Random(seed)
    year = Year(home, chance, people(12, DAYS, chance))
    year.run(DAYS, lambda _: None)
    assert year.boards > 4
    assert year.forfeits > 0
    assert year.letters > 100
