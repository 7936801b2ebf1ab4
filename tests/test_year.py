"""A year of play by forgetful people, at reduced size (`scripts/soak` runs the full one)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scripts.simulation import Year, people

pytestmark = pytest.mark.long

DAYS = 60


# The dice are others in each run.  Whatever they are, players lose seats in the second year.
@pytest.mark.parametrize(("seed", "lost"), [(9, 0), (14, 1)])
def test_every_board_ends_and_no_player_is_stuck_spammed_or_surprised(
    home: Path, seed: int, lost: int
) -> None:
    """A dozen people and an outage of five days; the checks are the simulation's own."""
    chance = Random(seed)
    year = Year(home, chance, people(12, DAYS, chance))
    year.run(DAYS, lambda _: None)
    assert year.boards > 4
    assert year.forfeits >= lost
    assert year.letters > 100
