"""What a password and an address may look like."""

from __future__ import annotations

import pytest

from pbmserv.errors import Refused
from pbmserv.players.validation import address_key, address_keys, check_password
from tests.rows import each_row


@pytest.mark.parametrize("password", ["abcd", "x" * 128, "pässwörd", "a-b#c", "4-2s", "日本語文"])
def test_a_valid_password_is_accepted(password: str) -> None:
    check_password(password)


@each_row(
    ("password", "why"),
    [
        ("abc", "length"),
        ("", "length"),
        ("x" * 129, "length"),
        ("ab cd", "characters"),
        ("ab\tcd", "characters"),
        ("ab\u00a0cd", "characters"),
        ("ab:cd", "characters"),
        ("ab'cd", "characters"),
        ('ab"cd', "characters"),
        ("ab’cd", "characters"),
        ("-abcd", "characters"),
        ("#1234", "characters"),
        ("ab\udcffcd", "characters"),
        ("PASSWORD", "placeholder"),
        ("NEWPASSWORD", "placeholder"),
        ("some-long-words", "placeholder"),
    ],
)
def test_an_invalid_password_is_refused_and_never_quoted(password: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        check_password(password)
    assert caught.value.code == "bad_password"
    assert caught.value.facts == {"why": why, "least": 4, "most": 128}


@pytest.mark.parametrize(
    "address", ["ann@example.org", "a.b+c@localhost", "O'Neil@x-y.example", "x@1.example"]
)
def test_a_valid_address_is_kept_in_lower_case(address: str) -> None:
    assert address_key(address) == address.lower()


@each_row(
    "address",
    [
        "",
        "ann",
        "@example.org",
        "ann@",
        "a b@example.org",
        "ann@exa mple.org",
        "ann@example..org",
        ".ann@example.org",
        "ann@-example.org",
        "ann@example.org\nBcc: bob@example.org",
        "<ann@example.org>",
        "ann@bob@example.org",
        "änn@example.org",
        "ann@[127.0.0.1]",
        "a" * 65 + "@example.org",
        "ann@" + "a." * 126 + "org",
        "a." * 100_000,
        "a@" + "a-" * 100_000,
    ],
)
def test_an_invalid_address_of_a_player_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="bad_address"):
        address_key(address)


OURS = ["perudo@games.example.org", "Box@mail.example.com"]


@pytest.mark.parametrize(
    "address",
    [
        "perudo@games.example.org",
        "PERUDO@Games.Example.Org",
        "perudo+abc@games.example.org",
        "perudo+b-AAAA@games.example.org",
        "box@mail.example.com",
    ],
)
def test_an_address_of_the_server_is_refused_for_a_player(address: str) -> None:
    """Email to it comes to the server, so its letters would loop."""
    with pytest.raises(Refused, match="our_address"):
        address_keys(["ann@example.org", address], OURS)


def test_addresses_beside_ours_are_fine() -> None:
    others = ["ann@games.example.org", "perudo@example.org", "perudo2@games.example.org"]
    assert address_keys(others, OURS) == others
