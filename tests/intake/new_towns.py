"""Towns with board 1, a new one for each row of a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from tests.stories.town import Town, town_at


@contextmanager
def new_town(folder: Path, userids: tuple[str, ...] = ("ann", "bob")) -> Iterator[Town]:
    """Board 1 of these players, who sit in this order; the first one is on turn."""
    with town_at(Path(mkdtemp(dir=folder)) / "home") as town:
        town.sign_up_and_challenge(*userids)
        yield town


@contextmanager
def town_with_bid(folder: Path) -> Iterator[Town]:
    """Board 1: ann has bid 3-2s, bob is on turn, and luc is next."""
    with new_town(folder, ("ann", "bob", "luc")) as town:
        town.move("ann", "3-2s")
        yield town
