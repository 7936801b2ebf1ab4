"""Consent: who can be challenged, who is asked first, and how often somebody may challenge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, event, select, update

from pbmserv.boards import listing, play
from pbmserv.boards.board import load_board
from pbmserv.boards.record import record_text
from pbmserv.context import Desk
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenges, eligibility, invitations
from pbmserv.maintenance import audit
from pbmserv.players import accounts
from pbmserv.settings import Settings
from tests.boards.contexts import NOW, desk_on, opened, seated

DAY = 24 * 3600


@pytest.fixture
def desk(engine: Engine) -> Iterator[Desk]:
    """A desk in a town of ann, bob, cleo and dora."""
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo", "dora"))
        yield desk_on(connection)


def number_of(desk: Desk, userid: str) -> int:
    found = accounts.find(desk.connection, userid)
    assert found
    return found.id


def change(desk: Desk, userid: str, **columns: object) -> None:
    """Set columns of a player's row."""
    mine = models.Player.userid == userid
    desk.connection.execute(update(models.Player).where(mine).values(columns))


def moved(desk: Desk, userid: str, moves: int, late: int) -> None:
    """Let every seat of a player have so many moves."""
    mine = models.Seat.player_id == number_of(desk, userid)
    desk.connection.execute(update(models.Seat).where(mine).values(moves=moves, late=late))


def challenge(desk: Desk, userids: str, challenger: str = "ann", **words: str) -> list[Letter]:
    """What a challenge brings; the challenger is found as from a mail."""
    found = accounts.find(desk.connection, challenger) if challenger else None
    plan, guests = challenges.weighed(desk, found, userids.split(), words)
    challenges.note_daily(desk, found)
    return invitations.begun_or_asked(desk, found, plan, guests)


def why_not(desk: Desk, userids: str, **words: str) -> tuple[str, Mapping[str, object]]:
    """The refusal of a challenge."""
    with pytest.raises(Refused) as refused:
        challenge(desk, userids, **words)
    return refused.value.code, refused.value.facts


def told(desk: Desk, letters: list[Letter]) -> list[str]:
    """Who is told by invitations' own letters; * for whoever asked."""
    return [
        accounts.named(desk.connection, [each.to])[0].userid if isinstance(each.to, int) else "*"
        for each in letters
    ]


def test_the_share_of_moves_in_time_is_counted_over_all_boards(desk: Desk) -> None:
    """100 * (moves - late) / moves; what is not below the percentage plays."""
    opened(desk, ("ann", "bob"))
    opened(desk, ("bob", "cleo"))
    moved(desk, "bob", 10, 1)
    assert challenge(desk, "ann bob", reliable="90")
    moved(desk, "bob", 10, 2)
    assert why_not(desk, "ann bob", reliable="90%") == (
        "unreliable",
        {"names": ["bob"], "least": 90},
    )
    assert challenge(desk, "ann bob")


def test_players_without_moves_and_house_players_are_reliable(desk: Desk) -> None:
    opened(desk, ("ann", "bob"))
    assert challenge(desk, "ann bob cleo house", reliable="100")


def test_who_has_signed_off_is_named(desk: Desk) -> None:
    """Their addresses are erased, their names are not."""
    mine = models.Address.player_id == number_of(desk, "bob")
    desk.connection.execute(delete(models.Address).where(mine))
    assert why_not(desk, "ann bob cleo") == ("no_such_player", {"names": ["bob"]})
    change(desk, "bob", left_at=NOW)
    assert why_not(desk, "ann bob cleo") == ("signed_off", {"names": ["bob"]})


def test_every_reason_why_somebody_cannot_play_is_named_at_once(desk: Desk) -> None:
    """Nothing is made, not even the row of a house player."""
    change(desk, "ann", most_boards=0)
    change(desk, "bob", challenges="off")
    change(desk, "cleo", left_at=NOW)
    code, facts = why_not(desk, "ann bob cleo nemo house")
    assert code == "challenge_problems"
    problems = facts["problems"]
    assert isinstance(problems, list)
    assert [(each["code"], each["facts"]["names"]) for each in problems] == [
        ("no_such_player", ["nemo"]),
        ("signed_off", ["cleo"]),
        ("challenges_off", ["bob"]),
        ("overbooked", ["ann"]),
    ]
    assert desk.connection.execute(select(models.Board)).all() == []
    assert accounts.find(desk.connection, "house") is None


@pytest.mark.parametrize("challenges", ["ask", "off"])
def test_the_challenger_need_not_be_asked(desk: Desk, challenges: str) -> None:
    """Who wants no challenges may challenge all the same."""
    change(desk, "ann", challenges=challenges)
    assert {each.kind for each in challenge(desk, "ann bob")} == {"perudo/started"}


def test_the_operator_says_what_holds_for_those_who_have_not_said(desk: Desk) -> None:
    asking = replace(desk, settings=Settings(home=Path(), challenges="ask"))
    letters = challenge(asking, "ann bob house")
    assert [each.kind for each in letters] == ["invitation", "invited"]
    assert told(desk, letters) == ["bob", "*"]
    change(desk, "bob", challenges="start")
    assert {each.kind for each in challenge(asking, "ann bob house")} == {"perudo/started"}


def test_a_player_may_challenge_so_often_a_day(desk: Desk) -> None:
    """The count is the player's wherever the mail comes from, and the address's whoever plays."""
    desk = replace(desk, settings=Settings(home=Path(), challenges_daily=2, newcomers_daily=9))
    for _ in range(2):
        challenge(desk, "ann bob")
    elsewhere = replace(desk, sender="ann@example.com")
    for each in (desk, elsewhere):
        assert why_not(each, "ann bob") == ("too_many_challenges", {"most": 2})
    with pytest.raises(Refused, match="too_many_challenges"):
        challenge(desk, "ann bob", "cleo")
    assert challenge(replace(elsewhere, now=NOW + DAY), "ann bob")


def test_a_shell_has_no_address_that_is_counted(desk: Desk) -> None:
    desk = replace(
        desk, sender="", at_shell=True, settings=Settings(home=Path(), challenges_daily=1)
    )
    for _ in range(3):
        assert challenge(desk, "ann bob", "")


def test_a_challenge_that_is_refused_does_not_count(desk: Desk) -> None:
    desk = replace(desk, settings=Settings(home=Path(), challenges_daily=1))
    for _ in range(3):
        assert why_not(desk, "ann nemo")[0] == "no_such_player"
    assert challenge(desk, "ann bob")


def test_boards_that_a_player_is_out_of_do_not_count(desk: Desk) -> None:
    """Nor invitations without an answer; those that were accepted do."""
    ann = number_of(desk, "ann")
    opened(desk, ("ann", "bob"))
    second = opened(desk, ("ann", "bob", "cleo"))
    assert eligibility.boards_at_once(desk.connection, [ann]) == {ann: 2}
    position = "pbmserv -/55555/44444 B 5 20 -"
    board = models.Board.id == second.id
    desk.connection.execute(update(models.Board).where(board).values(position=position))
    assert eligibility.boards_at_once(desk.connection, [ann]) == {ann: 1}
    change(desk, "bob", challenges="ask")
    challenge(desk, "ann bob")
    change(desk, "ann", challenges="ask")
    challenge(desk, "ann bob", "bob")
    assert eligibility.boards_at_once(desk.connection, [ann]) == {ann: 2}


def invited(desk: Desk, userids: str = "ann bob cleo", **words: str) -> int:
    """The number of an invitation of ann's; bob and cleo are asked."""
    for userid in ("bob", "cleo"):
        change(desk, userid, challenges="ask")
    letters = challenge(desk, userids, **words)
    assert letters[-1].kind == "invited"
    return int(str(letters[-1].facts["board"]))


def answer(desk: Desk, number: int, userid: str, *, accepts: bool) -> list[Letter]:
    invitation = invitations.load(desk.connection, number)
    assert invitation
    return invitations.answered(desk, invitation, number_of(desk, userid), accepts)


def test_an_invitation_keeps_all_that_the_challenge_asked_for(desk: Desk) -> None:
    """Rules, order, times and message: the board begins with them."""
    desk = replace(desk, message="Well?")
    number = invited(
        desk,
        "cleo bob ann",
        **{"rules": "bga", "calza": "yes", "inorder": "yes", "unrated": "yes", "standin": "yes"},
        nagtime="2",
        forfeittime="96h",
        totaltime="60",
    )
    later = replace(desk, now=NOW + 3 * DAY, message="")
    answer(later, number, "bob", accepts=True)
    letters = answer(later, number, "cleo", accepts=True)
    board = load_board(desk.connection, number)
    assert board.names == ["cleo", "bob", "ann"]
    assert (board.table.rules.name, board.table.rules.calza) == ("bga", True)
    terms = board.clock.terms
    assert (terms.nag, terms.forfeit, terms.total) == (2 * DAY, 4 * DAY, 60 * DAY)
    assert (terms.standin, terms.rated) == (True, False)
    assert board.clock.closes == NOW + 63 * DAY
    assert [each.facts["message"] for each in letters] == [{"from": "ann", "text": "Well?"}] * 3


def test_an_invitation_is_withdrawn_after_fourteen_days(desk: Desk) -> None:
    """The challenger and all who were asked are told, each in one letter, and it happens once."""
    number = invited(desk)
    answer(desk, number, "bob", accepts=True)
    assert invitations.due(desk.connection, NOW + 14 * DAY - 1) == []
    assert invitations.due(desk.connection, NOW + 14 * DAY) == [number]
    over = replace(desk, now=NOW + 14 * DAY)
    letters = invitations.expire(over, number)
    assert told(desk, letters) == ["ann", "bob", "cleo"]
    assert {each.facts["kind"] for each in letters} == {"expired"}
    assert letters[0].facts["waiting"] == ["cleo"]
    assert invitations.due(desk.connection, over.now) == []
    assert invitations.expire(over, number) == []
    assert invitations.load(desk.connection, number) is None
    with pytest.raises(Refused, match="not_begun"):
        load_board(desk.connection, number)


def test_whoever_leaves_takes_invitations_along(desk: Desk) -> None:
    first, second = invited(desk), invited(desk, "bob cleo")
    answer(desk, first, "bob", accepts=True)
    letters = invitations.leave(desk, number_of(desk, "bob"))
    assert sorted((each.board, each.facts["reader"], each.facts["kind"]) for each in letters) == [
        (first, "ann", "left"),
        (first, "cleo", "left"),
        (second, "ann", "left"),
        (second, "cleo", "left"),
    ]


def test_who_plays_enough_boards_cannot_accept_one_more(desk: Desk) -> None:
    number = invited(desk)
    change(desk, "bob", most_boards=1)
    opened(desk, ("bob", "dora"))
    with pytest.raises(Refused, match="limit_reached"):
        answer(desk, number, "bob", accepts=True)
    assert answer(desk, number, "bob", accepts=False)


def test_the_boards_that_ask_for_an_answer_are_known(desk: Desk) -> None:
    first, second = invited(desk), invited(desk)
    bob = number_of(desk, "bob")
    assert invitations.asked(desk.connection, bob) == [first, second]
    answer(desk, first, "bob", accepts=True)
    answer(desk, second, "cleo", accepts=False)
    assert invitations.asked(desk.connection, bob) == []


def test_an_invitation_has_no_record_and_nothing_to_audit(engine: Engine) -> None:
    with writing(engine) as connection:
        seated(connection, ("ann", "bob", "cleo"))
        desk = desk_on(connection)
        number, begun = invited(desk), opened(desk).id
        with pytest.raises(Refused, match="not_begun"):
            record_text(connection, number)
        with pytest.raises(Refused, match="no_such_board"):
            record_text(connection, 99)
    assert audit.board_numbers(engine) == [begun]
    assert list(audit.problems(engine, begun)) == []


def test_what_never_began_and_what_was_drawn_is_listed_as_such(desk: Desk) -> None:
    """Where nothing was dealt there is nothing to show, but there is a row."""
    begun, drawn = opened(desk), opened(desk)
    play.stopped(desk, drawn)
    waiting, off = invited(desk), invited(desk)
    answer(desk, off, "cleo", accepts=False)

    def found(names: str, status: str) -> list[tuple[object, object]]:
        rows = listing.rows(desk.connection, names.split(), status, 9)
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
    assert listing.numbers(desk.connection, [], "all") == [drawn.id, begun.id]
    (row,) = (each for each in listing.rows(desk.connection, ["cleo"], "all", 2)[:1])
    assert isinstance(row, dict)
    assert row["waiting"] == ["bob", "cleo"]


def test_no_board_begins_with_who_is_suspended(desk: Desk) -> None:
    """Neither by a challenge or an invitation, nor by the last yes to an older one."""
    change(desk, "bob", challenges="ask")
    (invitation,) = [each for each in challenge(desk, "ann bob cleo") if each.kind == "invitation"]
    for userid in ("ann", "bob", "cleo"):
        change(desk, userid, suspended_until=NOW + 1)
    assert why_not(desk, "ann bob dora") == ("suspended", {"names": ["ann", "bob"]})
    for userid in ("ann", "bob"):
        change(desk, userid, suspended_until=None)
    found = invitations.load(desk.connection, invitation.board or 0)
    assert found
    bob = number_of(desk, "bob")
    with pytest.raises(Refused, match="suspended") as refused:
        invitations.answered(desk, found, bob, accepts=True)
    assert refused.value.facts == {"names": ["cleo"]}
    letters = invitations.answered(replace(desk, now=NOW + 1), found, bob, accepts=True)
    assert "perudo/started" in {each.kind for each in letters}


def test_limits_are_asked_for_once_in_a_challenge(desk: Desk) -> None:
    """So are the strangers among those who are challenged."""
    for userid in ("ann", "bob", "cleo"):
        change(desk, userid, most_boards=5)
    asked: list[str] = []

    def note(*told: object) -> None:
        asked.append(str(told[2]))

    event.listen(desk.connection, "before_cursor_execute", note)
    challenge(desk, "ann bob cleo")
    event.remove(desk.connection, "before_cursor_execute", note)
    assert {asked.count(each) for each in asked if "FROM seats" in each} == {1}
