"""Providers without plus addresses: answers go to the plain address, and are still moves."""

from __future__ import annotations

from pathlib import Path

from tests.stories.town import town_at


def test_the_token_comes_back_in_the_headers(home: Path) -> None:
    """Accounts are confirmed and moves made; no letter names an address with a plus."""
    with town_at(home, settings='replies = "plain"\n') as town:
        town.sign_up("ann", "bob")
        letter, *_ = town.challenge("ann", "bob")
        assert [each.message["Reply-To"] for each in town.letters] == [None] * len(town.letters)
        (told, *_) = town.reply(letter, "2-2s")
        assert "You bid two 2s" in told.text
