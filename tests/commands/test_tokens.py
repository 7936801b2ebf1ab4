"""A letter's token is good for its board and its move, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.commands import GAMES, PlayerCommand, Secret, commands_of
from tests.stories.town import Town, town_at

ACCOUNT_WIDE = [
    (game, command)
    for game in ("", *GAMES)
    for command in commands_of(game).values()
    if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
    and not any(each.name == "board" and each.required for each in command.params)
    and command.name not in {"signup", "showas"}  # a new password; boards, each by itself
]


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where ann and bob have begun two boards."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.challenge("ann", "bob")
        yield town


@pytest.mark.parametrize(
    ("game", "command"), ACCOUNT_WIDE, ids=[f"{game} {each.name}" for game, each in ACCOUNT_WIDE]
)
def test_a_token_is_no_password_of_the_account(
    game: str, command: PlayerCommand, town: Town
) -> None:
    """Whoever was sent on a letter by mistake cannot change what its reader has set."""
    words = [word for word in command.example.split() if not word.isdigit()]  # of no board
    place = words.index("secret")
    words[place - 1 : place + 1] = ["ann", town.last_letter_to("ann@example.org").token]
    (letter,) = town.write("bob@example.org", " ".join(words))
    assert "do not fit together" in letter.text


def test_a_token_shows_its_own_board_alone(town: Town) -> None:
    token = town.last_letter_to("ann@example.org").token
    (letter,) = town.write("ann@example.org", f"perudo showas ann {token} 2")
    assert "Your dice" in letter.text
    (letter,) = town.write("ann@example.org", f"perudo showas ann {token} 1")
    assert "do not fit together" in letter.text
