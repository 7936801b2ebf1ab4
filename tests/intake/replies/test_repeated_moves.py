"""A move is written again below the command that makes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stories.town import PASSWORD, Town, town_at


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town in which ann is on turn at board 1."""
    with town_at(tmp_path_factory.mktemp("homes") / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        yield town


@pytest.mark.parametrize(
    ("move", "text", "left"),
    [
        ("2-2s", "2-2s", ""),
        ("2-2s", "I bid 2 twos\n\nHello!", "Hello!"),
        ("2-2s", f"perudo move 1 bob {PASSWORD} 2-2s", ""),
        ("dudo", "dudo!", ""),
        ("dudo", "I doubt it!", "I doubt it!"),
        ("2-2s", "2-2s is bold", "2-2s is bold"),
        ("2-2s", "chat\nHello!", "chat\n| Hello!"),
    ],
)
def test_a_move_out_of_turn_that_is_repeated_goes_to_nobody(
    move: str, text: str, left: str, town: Town
) -> None:
    """Words below it still go to the others."""
    letters = town.write("bob@example.org", f"perudo move 1 bob {PASSWORD} {move}", text)
    to_cleo = [each.text for each in letters if each.to == "cleo@example.org"]
    assert [f"| {left}\n" in each for each in to_cleo] == ([True] if left else [])
    assert not any("A line of your message" in each.text for each in letters)


def test_a_queue_that_is_repeated_tells_no_move(town: Town) -> None:
    letters = town.write("bob@example.org", f"perudo queue 1 bob {PASSWORD} 9-6s dudo", "9-6s")
    assert [each.opening for each in letters] == ["Noted for board 1."]
    assert "The text below" not in letters[0].text
