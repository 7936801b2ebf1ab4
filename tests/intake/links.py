"""Emails that links of letters open, for tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stories.town import Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
MIA = "mia@friends.example"
REPLIES = ("plus", "plain")
ALREADY = re.compile(
    "You have already made move|Your move was not made: move|has already begun"
    "|: you (?:left|resigned from) board 1"
)


@contextmanager
def played(home: Path, replies: str, more: str = "") -> Iterator[Town]:
    """A server with this setting, and `more`, where ann and bob have accounts."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n{more}\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        yield town


def one(letters: list[Letter]) -> str:
    """The words of the only letter."""
    (letter,) = letters
    return " ".join(letter.text.split())
