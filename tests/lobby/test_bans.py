"""Banned addresses: which they are, in which spellings, and what their emails do."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.lobby import moderation
from pbmserv.players import bans
from tests.lobby.operating import ANN, BOB, DAY, done, flat
from tests.processor_time import usual_seconds
from tests.stories.town import PASSWORD, Town


@pytest.mark.parametrize("ban", [ANN, "example.org", "ORG", "a*@example.org", "*ann@ex*.org"])
def test_email_from_a_banned_address_does_nothing(town: Town, ban: str) -> None:
    if ban == "ORG":
        ban = "@Example.Org"
    letter = town.last_letter_to(ANN)
    until = town.now + DAY
    told = done(town, lambda context: moderation.ban(context, ban, until, "")[1])
    assert (ANN, "Your address is banned, ann") in told
    assert town.write(ANN, f"perudo move 1 ann {PASSWORD} 2-2s") == []
    assert town.reply(letter, "2-2s") == []
    with reading(town.engine) as connection:
        assert (
            connection.execute(select(models.InboxMail.reason))
            .scalars()
            .all()[-1]
            .startswith("banned: ")
        )
    town.now = until
    assert [each.to for each in town.reply(letter, "3-2s")] == [ANN, BOB]


def test_a_mailbox_at_gmail_is_banned_with_all_its_names(town: Town) -> None:
    with writing(town.engine) as connection:
        assert bans.add(connection, "Z.oe+a@googlemail.com", None, []) == "zoe@gmail.com"
        for address in ("zo.e+b@gmail.com", "ZOE@googlemail.com"):
            assert bans.covering(connection, [address], 0) == "zoe@gmail.com"
        assert bans.covering(connection, ["zo.e@example.org"], 0) == ""
        assert bans.lift(connection, "z.o.e@gmail.com") == "zoe@gmail.com"


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("mallory*@gmail.com", "m.allory7@googlemail.com"),
        ("*bot@evil.example", "chatbot+1@evil.example"),
    ],
)
def test_no_alias_of_a_mailbox_avoids_a_ban_pattern(
    engine: Engine, pattern: str, address: str
) -> None:
    with writing(engine) as connection:
        bans.add(connection, pattern, None, [])
        assert bans.covering(connection, [address], 0) == pattern
    assert bans.is_covered(pattern, address), "so its player is told"


@pytest.mark.parametrize(
    ("ban", "kept", "domain"),
    [
        ("example.org", "example.org", "ｅxample.org"),
        ("@example.ORG.", "example.org", "mx.example。org."),
        ("ann@example.org.", "ann@example.org", "EXAMPLE．org"),
        ("an*@example.org", "an*@example.org", "ｅxample｡org."),
        ("ann+*@example.org.", "ann+*@example.org", "example.org."),
        ("@Bücher.example", "xn--bcher-kva.example", "mx.BÜCHER.example"),
        ("ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example", "bücher.example"),
    ],
)
def test_no_spelling_of_a_domain_avoids_a_ban(
    engine: Engine, ban: str, kept: str, domain: str
) -> None:
    address = f"Ann+x@{domain}"
    with writing(engine) as connection:
        assert bans.add(connection, ban, None, []) == kept
        assert bans.covering(connection, [address], 0) == kept
        assert bans.is_covered(kept, address), "so its player is told"
        assert bans.lift(connection, ban) == kept
        assert bans.covering(connection, [address], 0) == ""


def test_a_banned_address_cannot_be_added(town: Town) -> None:
    told = done(town, lambda context: moderation.ban(context, "evil.example", None, "")[1])
    assert told == []
    for command in ("signup eve", "change address ann"):
        text = flat(town, f"{command} {PASSWORD} eve@mx.evil.example")
        assert "eve@mx.evil.example cannot be used here" in text
    done(town, lambda context: moderation.unban(context, "Evil.example", "")[1])
    assert len(town.write(ANN, f"signup eve {PASSWORD} eve@mx.evil.example")) == 2


def test_an_envelope_is_banned_too(town: Town) -> None:
    done(town, lambda context: moderation.ban(context, "evil.example", None, "")[1])
    raw = b"From: ann@example.org\r\nMessage-ID: <1@x>\r\nSubject: help\r\n\r\n"
    assert town.carry(raw, "bounce@evil.example", "perudo@localhost") == []


@pytest.mark.parametrize(
    "ban", ["*", "*@*", "a*@*", "evil", "a b@x.org", "*a*b*c*d*e@x.org", "", "x@y@z.org"]
)
def test_some_addresses_cannot_be_banned(town: Town, ban: str) -> None:
    with writing(town.engine) as connection, pytest.raises(Refused, match="bad_ban"):
        bans.add(connection, ban, None, [])


def test_the_server_bans_neither_itself_nor_too_many(town: Town) -> None:
    with writing(town.engine) as connection:
        with pytest.raises(Refused, match="our_address"):
            bans.add(connection, "perudo@games.example", None, ["perudo@games.example"])
        with pytest.raises(Refused, match="our_address"):
            bans.add(connection, "*@games.example", None, ["perudo@games.example"])
        for number in range(bans.MOST_PATTERNS):
            bans.add(connection, f"*{number}@evil.example", None, [])
        with pytest.raises(Refused, match="too_many_bans"):
            bans.add(connection, "*more@evil.example", None, [])


def test_ended_bans_make_room_for_others(town: Town) -> None:
    with writing(town.engine) as connection:
        for number in range(bans.MOST_PATTERNS):
            bans.add(connection, f"*{number}@evil.example", town.now + DAY, [])
    town.now += DAY
    town.app.tick("town")
    with writing(town.engine) as connection:
        bans.add(connection, "*more@evil.example", None, [])
        assert bans.listed(connection, 0) == [("*more@evil.example", None)]


@pytest.mark.parametrize(
    ("pattern", "address", "fits"),
    [
        ("*@evil.example", "a@evil.example", True),
        ("a*b@x.org", "ab@x.org", True),
        ("a*b@x.org", "a@x.org", False),
        ("*a*a*a@x.org", "aaa@x.org", True),
        ("*a*a*a@x.org", "aa@x.org", False),
        ("evil*@x.org", "devil@x.org", False),
    ],
)
def test_a_pattern_fits_a_whole_address(pattern: str, address: str, fits: bool) -> None:
    assert bans.matches(pattern, address) is fits


def test_the_slowest_patterns_cost_little() -> None:
    """A hundred patterns and the longest address take linear time, for any characters."""
    address, pattern = "a" * 300 + "@x.org", "*a" * 3 + "b*@x.org"

    def compared() -> None:
        for _ in range(bans.MOST_PATTERNS):
            bans.matches(pattern, address)

    assert usual_seconds(compared, 0.05) <= 0.05
