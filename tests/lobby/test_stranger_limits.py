"""Strangers cannot seat or invite anybody without end; friends can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from pbmserv.context import Desk
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenges, invitations
from pbmserv.players import accounts
from pbmserv.settings import Settings
from tests.boards.contexts import desk_on, opened, seated
from tests.lobby.test_eligibility import change, moved, told


@pytest.fixture
def desk(engine: Engine) -> Iterator[Desk]:
    """A desk in a town of ann, bob, cleo and dora, where newcomers may do as they like."""
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo", "dora"))
        desk = desk_on(connection)
        yield replace(desk, settings=replace(desk.settings, newcomers_daily=99))


def challenge(desk: Desk, userids: str, **words: str) -> list[Letter]:
    """What a challenge of the first of these players brings."""
    found = accounts.find(desk.connection, userids.split(maxsplit=1)[0])
    plan, guests = challenges.weighed(desk, found, userids.split(), words)
    challenges.note_daily(desk, found)
    return invitations.begun_or_asked(desk, found, plan, guests)


def asked(desk: Desk, letters: list[Letter]) -> list[str]:
    """Who is invited by these letters."""
    return told(desk, [each for each in letters if each.kind == "invitation"])


def why_not(desk: Desk, userids: str) -> tuple[str, object]:
    with pytest.raises(Refused) as refused:
        challenge(desk, userids)
    return refused.value.code, refused.value.facts["names"]


def test_after_three_boards_without_an_answer_a_stranger_invites(desk: Desk) -> None:
    """Then three invitations may wait; further challenges are refused, whoever makes them."""
    for userids in ("ann bob", "cleo bob", "ann bob"):
        assert asked(desk, challenge(desk, userids)) == []
    for userids in ("dora bob cleo", "ann bob", "cleo bob"):
        assert asked(desk, challenge(desk, userids)) == ["bob"]
    assert why_not(desk, "ann bob") == ("invited_enough", ["bob"])
    assert why_not(desk, "dora cleo bob") == ("invited_enough", ["bob"])
    assert asked(desk, challenge(desk, "bob ann")) == []


def test_who_has_moved_at_one_board_with_somebody_is_no_stranger(desk: Desk) -> None:
    opened(desk, ("ann", "bob"))
    for _ in range(3):
        challenge(desk, "ann bob")
    assert asked(desk, challenge(desk, "ann bob")) == ["bob"]
    moved(desk, "bob", 1, 0)
    moved(desk, "ann", 1, 0)
    for _ in range(4):
        assert asked(desk, challenge(desk, "ann bob")) == []


def test_boards_of_friends_leave_room_for_those_of_strangers(desk: Desk) -> None:
    opened(desk, ("ann", "bob"))
    moved(desk, "ann", 1, 0)
    moved(desk, "bob", 1, 0)
    for _ in range(5):
        challenge(desk, "ann bob")
    assert asked(desk, challenge(desk, "cleo bob")) == []


def test_a_time_to_move_under_two_days_needs_a_word_of_everybody(desk: Desk) -> None:
    """Even from a shell of the server; house players need not be asked."""
    short = {"nagtime": "1h", "forfeittime": "47h"}
    assert asked(desk, challenge(desk, "ann bob cleo house", **short)) == ["bob", "cleo"]
    assert asked(desk, challenge(desk, "ann bob", nagtime="1h", forfeittime="48h")) == []
    plan, guests = challenges.weighed(desk, None, ["ann", "bob"], short)
    assert asked(desk, invitations.begun_or_asked(desk, None, plan, guests)) == ["ann", "bob"]


def test_invitations_count_for_the_limit_of_who_is_invited(desk: Desk) -> None:
    """Not for that of who challenges: nobody is kept from playing by what others ask."""
    change(desk, "bob", most_boards=2, challenges="ask")
    challenge(desk, "ann bob")
    challenge(desk, "cleo bob")
    assert why_not(desk, "dora bob") == ("overbooked", ["bob"])
    assert challenge(desk, "bob dora")


def test_strangers_challenge_a_player_no_more_often_a_day_than_one_may_challenge(
    desk: Desk,
) -> None:
    desk = replace(desk, settings=Settings(home=Path(), challenges_daily=2, newcomers_daily=99))
    for who in ("ann", "cleo"):
        challenge(replace(desk, sender=f"{who}@example.org"), f"{who} bob")
    again = replace(desk, sender="dora@example.org")
    assert why_not(again, "dora bob") == ("challenged_enough", ["bob"])
    assert challenge(again, "dora cleo")
