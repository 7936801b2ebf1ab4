"""What a server that runs has sent, for tests."""

from __future__ import annotations

from pathlib import Path

from tests.stories.town import letters_in


def letters_to(home: Path, address: str) -> list[str]:
    """The Subjects of the letters to an address."""
    return [letter.subject for letter in letters_in(home) if letter.to == address]
