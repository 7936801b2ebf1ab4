"""Strangers cannot seat or invite anybody without end; friends can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from pbmserv.context import Context
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenge_start, challenges
from pbmserv.players import accounts
from pbmserv.settings import Settings
from tests.boards.contexts import context_on, opened, seated
from tests.lobby.test_eligibility import change, moved, told


@pytest.fixture
def context(engine: Engine) -> Iterator[Context]:
    """A context with ann, bob, cleo and dora, in which newcomers have no limits."""
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo", "dora"))
        context = context_on(connection)
        yield replace(context, settings=replace(context.settings, newcomers_daily=99))


def challenge(context: Context, userids: str, **words: str) -> list[Letter]:
    """What a challenge of the first of these players brings."""
    found = accounts.find(context.connection, userids.split(maxsplit=1)[0])
    plan, candidates = challenges.weighed(context, found, userids.split(), words)
    challenges.note_daily(context, found)
    return challenge_start.begun_or_asked(context, found, plan, candidates)


def asked(context: Context, letters: list[Letter]) -> list[str]:
    """Who is invited by these letters."""
    return told(context, [each for each in letters if each.kind == "invitation"])


def why_not(context: Context, userids: str) -> tuple[str, object]:
    with pytest.raises(Refused) as refused:
        challenge(context, userids)
    return refused.value.code, refused.value.facts["names"]


def test_after_three_boards_without_an_answer_a_stranger_invites(context: Context) -> None:
    """Then three invitations may wait; further challenges by any player are refused."""
    for userids in ("ann bob", "cleo bob", "ann bob"):
        assert asked(context, challenge(context, userids)) == []
    for userids in ("dora bob cleo", "ann bob", "cleo bob"):
        assert asked(context, challenge(context, userids)) == ["bob"]
    assert why_not(context, "ann bob") == ("invited_enough", ["bob"])
    assert why_not(context, "dora cleo bob") == ("invited_enough", ["bob"])
    assert asked(context, challenge(context, "bob ann")) == []


def test_players_who_moved_at_one_board_are_not_strangers(context: Context) -> None:
    opened(context, ("ann", "bob"))
    for _ in range(3):
        challenge(context, "ann bob")
    assert asked(context, challenge(context, "ann bob")) == ["bob"]
    moved(context, "bob", 1, 0)
    moved(context, "ann", 1, 0)
    for _ in range(4):
        assert asked(context, challenge(context, "ann bob")) == []


def test_boards_of_friends_leave_room_for_those_of_strangers(context: Context) -> None:
    opened(context, ("ann", "bob"))
    moved(context, "ann", 1, 0)
    moved(context, "bob", 1, 0)
    for _ in range(5):
        challenge(context, "ann bob")
    assert asked(context, challenge(context, "cleo bob")) == []


def test_a_time_to_move_under_two_days_needs_every_players_consent(context: Context) -> None:
    """Even from a shell of the server; bots need not be asked."""
    short = {"nagtime": "1h", "forfeittime": "47h"}
    assert asked(context, challenge(context, "ann bob cleo house", **short)) == ["bob", "cleo"]
    assert asked(context, challenge(context, "ann bob", nagtime="1h", forfeittime="48h")) == []
    plan, candidates = challenges.weighed(context, None, ["ann", "bob"], short)
    letters = challenge_start.begun_or_asked(context, None, plan, candidates)
    assert asked(context, letters) == ["ann", "bob"]


def test_invitations_count_for_the_limit_of_the_invited_player(context: Context) -> None:
    """They do not count for the challenger, so others' requests block no player."""
    change(context, "bob", most_boards=2, challenges="ask")
    challenge(context, "ann bob")
    challenge(context, "cleo bob")
    assert why_not(context, "dora bob") == ("overbooked", ["bob"])
    assert challenge(context, "bob dora")


def test_strangers_challenge_a_player_no_more_often_a_day_than_one_may_challenge(
    context: Context,
) -> None:
    context = replace(
        context, settings=Settings(home=Path(), challenges_daily=2, newcomers_daily=99)
    )
    for who in ("ann", "cleo"):
        challenge(replace(context, sender=f"{who}@example.org"), f"{who} bob")
    again = replace(context, sender="dora@example.org")
    assert why_not(again, "dora bob") == ("challenged_enough", ["bob"])
    assert challenge(again, "dora cleo")
