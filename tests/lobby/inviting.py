"""Invitations by address for tests: players who invite, and the letters to those invited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbmserv.timeunits import DAY
from tests.stories.town import Letter, Town, town_at

ANN, BOB, CARL = "ann@example.org", "bob@example.org", "carl@example.org"
MIA, NOAH = "mia@friends.example", "noah@friends.example"


def invites(town: Town, who: str, words: str, text: str = "") -> list[Letter]:
    """A player challenges by a reply to a letter, which proves who writes."""
    letter = town.last_letter_to(f"{who}@example.org")
    return town.reply(
        letter, f"perudo challenge -inorder {words}" + (f"\n\n{text}" if text else "")
    )


def invited(town: Town, who: str = "ann", address: str = MIA) -> Letter:
    """The letter to an address that a player invites."""
    (letter,) = [each for each in invites(town, who, f"{who} {address}") if each.to == address]
    return letter


def subjects(letters: list[Letter]) -> dict[str, str]:
    return {each.to: each.subject for each in letters}


def numbers_left_out(letter: Letter) -> str:
    return "".join("#" if each.isdigit() else each for each in letter.subject + letter.text)


@contextmanager
def three_players(home: Path) -> Iterator[Town]:
    """Three players whose accounts are four days old."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "carl")
        town.now += 4 * DAY
        yield town
