"""What a userid, a password and an address may look like."""

from __future__ import annotations

import pytest

from pbmserv.accounts import address_key, check_password, check_userid
from pbmserv.commands import GAMES, commands_of
from pbmserv.errors import Refused


@pytest.mark.parametrize("userid", ["Al", "ann", "a1.b_c-d", "Z" + "9" * 19, "homer", "shower"])
def test_a_userid_that_may_be(userid: str) -> None:
    check_userid(userid)


@pytest.mark.parametrize(
    ("userid", "why"),
    [
        ("a", "length"),
        ("", "length"),
        ("a" * 21, "length"),
        ("1ann", "characters"),
        (".ann", "characters"),
        ("an n", "characters"),
        ("änn", "characters"),
        ("ann\n", "characters"),
        ("аnn", "characters"),  # the first letter is Cyrillic
        ("ann@x", "characters"),
        ("next", "reserved"),
        ("ALL", "reserved"),
        ("house", "reserved"),
        ("House-cautious", "reserved"),
        ("dudo", "reserved"),
        ("postmaster", "reserved"),
    ],
)
def test_a_userid_that_may_not_be(userid: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        check_userid(userid)
    assert (caught.value.code, caught.value.facts["why"]) == ("bad_userid", why)
    assert len(str(caught.value.facts["userid"])) <= 20


@pytest.mark.parametrize("password", ["abcd", "x" * 128, "pässwörd", "a-b#c", "4-2s", "日本語文"])
def test_a_password_that_may_be(password: str) -> None:
    check_password(password)


@pytest.mark.parametrize(
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
    ],
)
def test_a_password_that_may_not_be_is_never_quoted(password: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        check_password(password)
    assert caught.value.code == "bad_password"
    assert caught.value.facts == {"why": why, "least": 4, "most": 128}


@pytest.mark.parametrize(
    "address", ["ann@example.org", "a.b+c@localhost", "O'Neil@x-y.example", "x@1.example"]
)
def test_an_address_that_may_be_is_kept_in_lower_case(address: str) -> None:
    assert address_key(address) == address.lower()


@pytest.mark.parametrize(
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
def test_an_address_that_may_not_be(address: str) -> None:
    with pytest.raises(Refused, match="bad_address"):
        address_key(address)


def test_no_userid_can_be_mistaken_for_a_command() -> None:
    words = {word for game in ("", *GAMES) for word in commands_of(game)} | set(GAMES)
    for word in words:
        with pytest.raises(Refused, match="bad_userid"):
            check_userid(word)
