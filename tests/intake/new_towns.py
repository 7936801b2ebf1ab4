"""Towns with board 1, a new one for each row of a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from tests.stories.town import Town, town_at


@contextmanager
def new_town(
    folder: Path,
    userids: tuple[str, ...] = ("ann", "bob"),
    moves: tuple[tuple[str, str], ...] = (),
) -> Iterator[Town]:
    """Board 1 of these players, who sit in this order, after these moves, each with its player.

    The emails of the beginning are sent once in a process.
    """
    with town_at(Path(mkdtemp(dir=folder)) / "home") as town:

        def do() -> None:
            town.sign_up_and_challenge(*userids)
            for userid, move in moves:
                town.move(userid, move)

        town.done_once(("at board 1", userids, moves), do)
        yield town


@contextmanager
def town_with_bid(folder: Path) -> Iterator[Town]:
    """Board 1: ann has bid 3-2s, bob is on turn, and luc is next."""
    with new_town(folder, ("ann", "bob", "luc"), (("ann", "3-2s"),)) as town:
        yield town
