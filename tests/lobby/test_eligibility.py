"""Consent: who can be challenged, who is asked first, and how often somebody may challenge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, select, update

from pbmserv.boards import listing, play
from pbmserv.boards.board import load_board
from pbmserv.boards.record import record_text
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenge_start, challenges, eligibility, invitations
from pbmserv.maintenance import audit
from pbmserv.players import accounts
from pbmserv.settings import Settings
from tests.boards.contexts import NOW, context_on, opened, seated
from tests.sql import heard

DAY = 24 * 3600


@pytest.fixture
def context(engine: Engine) -> Iterator[Context]:
    """A context with ann, bob, cleo and dora."""
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo", "dora"))
        yield context_on(connection)


def number_of(context: Context, userid: str) -> int:
    found = accounts.find(context.connection, userid)
    assert found
    return found.id


def change(context: Context, userid: str, **columns: object) -> None:
    """Set columns of a player's row."""
    mine = models.Player.userid == userid
    context.connection.execute(update(models.Player).where(mine).values(columns))


def moved(context: Context, userid: str, moves: int, late: int) -> None:
    """Let every seat of a player have so many moves."""
    mine = models.Seat.player_id == number_of(context, userid)
    context.connection.execute(update(models.Seat).where(mine).values(moves=moves, late=late))


def challenge(
    context: Context, userids: str, challenger: str = "ann", **words: str
) -> list[Letter]:
    """What a challenge brings; the challenger has shown the password."""
    found = accounts.find(context.connection, challenger) if challenger else None
    if found:
        context.authenticate(challenger, str(found.id))
    plan, candidates = challenges.weighed(context, found, userids.split(), words)
    challenges.note_daily(context, found)
    return challenge_start.begun_or_asked(context, found, plan, candidates)


def why_not(context: Context, userids: str, **words: str) -> tuple[str, Mapping[str, object]]:
    """The refusal of a challenge."""
    with pytest.raises(Refused) as refused:
        challenge(context, userids, **words)
    return refused.value.code, refused.value.facts


def told(context: Context, letters: list[Letter]) -> list[str]:
    """Who is told by invitations' own letters; * for the player who asked."""
    return [
        accounts.named(context.connection, [each.to])[0].userid if isinstance(each.to, int) else "*"
        for each in letters
    ]


def test_the_share_of_moves_in_time_is_counted_over_all_boards(context: Context) -> None:
    """100 * (moves - late) / moves; what is not below the percentage plays."""
    opened(context, ("ann", "bob"))
    opened(context, ("bob", "cleo"))
    moved(context, "bob", 10, 1)
    assert challenge(context, "ann bob", reliable="90")
    moved(context, "bob", 10, 2)
    assert why_not(context, "ann bob", reliable="90%") == (
        "unreliable",
        {"names": ["bob"], "least": 90},
    )
    assert challenge(context, "ann bob")


def test_players_without_moves_and_house_players_are_reliable(context: Context) -> None:
    opened(context, ("ann", "bob"))
    assert challenge(context, "ann bob cleo house", reliable="100")


def test_departed_players_are_named(context: Context) -> None:
    """Their addresses are erased, their names are not."""
    mine = models.Address.player_id == number_of(context, "bob")
    context.connection.execute(delete(models.Address).where(mine))
    assert why_not(context, "ann bob cleo") == ("no_such_player", {"names": ["bob"]})
    change(context, "bob", left_at=NOW)
    assert why_not(context, "ann bob cleo") == ("signed_off", {"names": ["bob"]})


def test_a_refused_challenge_names_every_reason_at_once(context: Context) -> None:
    """Nothing is made, not even the row of a bot."""
    change(context, "ann", most_boards=0)
    change(context, "bob", challenges="off")
    change(context, "cleo", left_at=NOW)
    code, facts = why_not(context, "ann bob cleo nemo house")
    assert code == "challenge_problems"
    problems = facts["problems"]
    assert isinstance(problems, list)
    assert [(each["code"], each["facts"]["names"]) for each in problems] == [
        ("no_such_player", ["nemo"]),
        ("signed_off", ["cleo"]),
        ("challenges_off", ["bob"]),
        ("overbooked", ["ann"]),
    ]
    assert context.connection.execute(select(models.Board)).all() == []
    assert accounts.find(context.connection, "house") is None


@pytest.mark.parametrize("challenges", ["ask", "off"])
def test_the_challenger_need_not_be_asked(context: Context, challenges: str) -> None:
    """A player who accepts no challenges can still send one."""
    change(context, "ann", challenges=challenges)
    assert {each.kind for each in challenge(context, "ann bob")} == {"perudo/started"}


def test_the_operator_sets_the_defaults_for_players_without_a_preference(context: Context) -> None:
    asking = replace(context, settings=Settings(home=Path(), challenges="ask"))
    letters = challenge(asking, "ann bob house")
    assert [each.kind for each in letters] == ["invitation", "invited"]
    assert told(context, letters) == ["bob", "*"]
    change(context, "bob", challenges="start")
    assert {each.kind for each in challenge(asking, "ann bob house")} == {"perudo/started"}


def test_a_player_has_a_daily_limit_of_challenges(context: Context) -> None:
    """A player has one count for all addresses, and an address one count for all players."""
    context = replace(
        context, settings=Settings(home=Path(), challenges_daily=2, newcomers_daily=9)
    )
    for _ in range(2):
        challenge(context, "ann bob")
    elsewhere = replace(context, sender="ann@example.com")
    for each in (context, elsewhere):
        assert why_not(each, "ann bob") == ("too_many_challenges", {"most": 2})
    with pytest.raises(Refused, match="too_many_challenges"):
        challenge(context, "ann bob", "cleo")
    assert challenge(replace(elsewhere, now=NOW + DAY), "ann bob")


def test_challenges_at_a_shell_count_for_no_address(context: Context) -> None:
    context = replace(
        context, sender="", at_shell=True, settings=Settings(home=Path(), challenges_daily=1)
    )
    for _ in range(3):
        assert challenge(context, "ann bob", "")


def test_a_refused_challenge_does_not_count(context: Context) -> None:
    context = replace(context, settings=Settings(home=Path(), challenges_daily=1))
    for _ in range(3):
        assert why_not(context, "ann nemo")[0] == "no_such_player"
    assert challenge(context, "ann bob")


def test_boards_of_an_eliminated_player_do_not_count(context: Context) -> None:
    """Unanswered invitations do not count either. Accepted ones do."""
    ann = number_of(context, "ann")
    opened(context, ("ann", "bob"))
    second = opened(context, ("ann", "bob", "cleo"))
    assert eligibility.boards_at_once(context.connection, [ann]) == {ann: 2}
    position = "pbmserv -/55555/44444 B 5 20 -"
    board = models.Board.id == second.id
    context.connection.execute(update(models.Board).where(board).values(position=position))
    assert eligibility.boards_at_once(context.connection, [ann]) == {ann: 1}
    change(context, "bob", challenges="ask")
    challenge(context, "ann bob")
    change(context, "ann", challenges="ask")
    challenge(context, "ann bob", "bob")
    assert eligibility.boards_at_once(context.connection, [ann]) == {ann: 2}


def invited(context: Context, userids: str = "ann bob cleo", **words: str) -> int:
    """The number of an invitation of ann's; bob and cleo are asked."""
    for userid in ("bob", "cleo"):
        change(context, userid, challenges="ask")
    letters = challenge(context, userids, **words)
    assert letters[-1].kind == "invited"
    return int(str(letters[-1].payload["board"]))


def answer(context: Context, number: int, userid: str, *, accepts: bool) -> list[Letter]:
    invitation = invitations.load(context.connection, number)
    assert invitation
    return invitations.answer(context, invitation, number_of(context, userid), accepts)


def test_an_invitation_keeps_all_terms_of_the_challenge(context: Context) -> None:
    """Rules, order, times and message: the board begins with them."""
    context = replace(context, message="Well?")
    number = invited(
        context,
        "cleo bob ann",
        **{"rules": "bga", "calza": "yes", "inorder": "yes", "unrated": "yes", "standin": "yes"},
        nagtime="2",
        forfeittime="96h",
        totaltime="60",
    )
    later = replace(context, now=NOW + 3 * DAY, message="")
    answer(later, number, "bob", accepts=True)
    letters = answer(later, number, "cleo", accepts=True)
    board = load_board(context.connection, number)
    assert board.names == ["cleo", "bob", "ann"]
    assert (board.table.rules.name, board.table.rules.calza) == ("bga", True)
    terms = board.clock.terms
    assert (terms.nag, terms.forfeit, terms.total) == (2 * DAY, 4 * DAY, 60 * DAY)
    assert (terms.standin, terms.rated) == (True, False)
    assert board.clock.closes == NOW + 63 * DAY
    assert [each.payload["message"] for each in letters] == [{"from": "ann", "text": "Well?"}] * 3


def test_an_invitation_is_withdrawn_after_fourteen_days(context: Context) -> None:
    """The challenger and all who were asked are told, each in one letter, and it happens once."""
    number = invited(context)
    answer(context, number, "bob", accepts=True)
    assert invitations.due(context.connection, NOW + 14 * DAY - 1) == []
    assert invitations.due(context.connection, NOW + 14 * DAY) == [number]
    over = replace(context, now=NOW + 14 * DAY)
    letters = invitations.expire(over, number)
    assert told(context, letters) == ["ann", "bob", "cleo"]
    assert {each.payload["kind"] for each in letters} == {"expired"}
    assert letters[0].payload["waiting"] == ["cleo"]
    assert invitations.due(context.connection, over.now) == []
    assert invitations.expire(over, number) == []
    assert invitations.load(context.connection, number) is None
    with pytest.raises(Refused, match="not_begun"):
        load_board(context.connection, number)


def test_a_departing_players_invitations_end(context: Context) -> None:
    first, second = invited(context), invited(context, "bob cleo")
    answer(context, first, "bob", accepts=True)
    letters = invitations.leave(context, number_of(context, "bob"))
    assert sorted(
        (each.board, each.payload["reader"], each.payload["kind"]) for each in letters
    ) == [
        (first, "ann", "left"),
        (first, "cleo", "left"),
        (second, "ann", "left"),
        (second, "cleo", "left"),
    ]


def test_a_player_at_the_board_limit_cannot_accept_another(context: Context) -> None:
    number = invited(context)
    change(context, "bob", most_boards=1)
    opened(context, ("bob", "dora"))
    opened(context, ("bob", "cleo"))
    with pytest.raises(Refused, match="limit_reached") as refused:
        answer(context, number, "bob", accepts=True)
    assert refused.value.facts == {"most": 1, "playing": 2}  # the letter offers a limit of 3
    assert answer(context, number, "bob", accepts=False)


def test_the_boards_waiting_for_an_answer_are_listed(context: Context) -> None:
    first, second = invited(context), invited(context)
    bob = number_of(context, "bob")
    assert invitations.asked(context.connection, bob) == [first, second]
    answer(context, first, "bob", accepts=True)
    answer(context, second, "cleo", accepts=False)
    assert invitations.asked(context.connection, bob) == []


def test_an_invitation_has_no_record_and_nothing_to_audit(engine: Engine) -> None:
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo"))
        context = context_on(connection)
        number, begun = invited(context), opened(context).id
        with pytest.raises(Refused, match="not_begun"):
            record_text(connection, number)
        with pytest.raises(Refused, match="no_such_board"):
            record_text(connection, 99)
    assert audit.board_numbers(engine) == [begun]
    assert list(audit.problems(engine, begun)) == []


def test_lists_show_boards_that_never_began_and_draws(context: Context) -> None:
    """A board without dealt dice has no page, but it has a row in the list."""
    begun, drawn = opened(context), opened(context)
    play.stop_board(context, drawn)
    waiting, off = invited(context), invited(context)
    answer(context, off, "cleo", accepts=False)

    def found(names: str, status: str) -> list[tuple[object, object]]:
        rows = listing.rows(context.connection, names.split(), status, 9)
        return [(each["board"], each["status"]) for each in rows]

    assert found("", "all") == [
        (off, "withdrawn"),
        (waiting, "invited"),
        (drawn.id, "drawn"),
        (begun.id, "active"),
    ]
    assert found("", "active") == [(waiting, "invited"), (begun.id, "active")]
    assert found("bob", "inactive") == [(off, "withdrawn"), (drawn.id, "drawn")]
    assert found("", "next") == found("ann", "next") == [(begun.id, "active")]
    assert listing.numbers(context.connection, [], "all") == [drawn.id, begun.id]
    (row,) = (each for each in listing.rows(context.connection, ["cleo"], "all", 2)[:1])
    assert isinstance(row, dict)
    assert row["waiting"] == ["bob", "cleo"]


def test_no_board_begins_with_a_suspended_player(context: Context) -> None:
    """A challenge, an invitation and the last yes to an older one begin none."""
    change(context, "bob", challenges="ask")
    (invitation,) = [
        each for each in challenge(context, "ann bob cleo") if each.kind == "invitation"
    ]
    for userid in ("ann", "bob", "cleo"):
        change(context, userid, suspended_until=NOW + 1)
    assert why_not(context, "ann bob dora") == ("suspended", {"names": ["ann", "bob"]})
    for userid in ("ann", "bob"):
        change(context, userid, suspended_until=None)
    found = invitations.load(context.connection, invitation.board or 0)
    assert found
    bob = number_of(context, "bob")
    with pytest.raises(Refused, match="suspended") as refused:
        invitations.answer(context, found, bob, accepts=True)
    assert refused.value.facts == {"names": ["cleo"]}
    letters = invitations.answer(replace(context, now=NOW + 1), found, bob, accepts=True)
    assert "perudo/started" in {each.kind for each in letters}


def test_limits_are_asked_for_once_in_a_challenge(context: Context) -> None:
    """The strangers among the challenged players are read once, too."""
    for userid in ("ann", "bob", "cleo"):
        change(context, userid, most_boards=5)
    asked: list[str] = []

    with heard(context.connection, lambda sql, _: asked.append(sql)):
        challenge(context, "ann bob cleo")
    assert {asked.count(each) for each in asked if "FROM seats" in each} == {1}
