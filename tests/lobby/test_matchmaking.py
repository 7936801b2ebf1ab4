"""Seeks: boards begin when enough players want the same one, and not otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Engine, event, select, update

from pbmserv.boards.board import load_board
from pbmserv.context import Desk
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import matchmaking
from pbmserv.schedule import board_deadlines, outages
from tests.boards.contexts import NOW, desk_on, seated

NAMES = ("ann", "bob", "cleo", "dora")


@pytest.fixture
def desk(engine: Engine) -> Iterator[Desk]:
    """A desk in a town of four."""
    with writing(engine) as connection:
        seated(connection, NAMES)
        yield desk_on(connection)


def sought(desk: Desk, userid: str, wanted: str | None = None, **words: str) -> list[list[str]]:
    """The players of every board that begins when somebody seeks, those of a board in order."""
    ((number, _),) = seated(desk.connection, (userid,))
    letters = matchmaking.sought(desk, number, wanted, words)
    begun = {each.board for each in letters if each.board}
    return [sorted(load_board(desk.connection, each).names) for each in sorted(begun)]


def wishes(desk: Desk) -> list[tuple[str, str, int, int]]:
    """Everybody who seeks."""
    return [
        (each.userid, each.rules.name, each.players, each.wanted)
        for each in matchmaking.seekers(desk.connection)
    ]


def test_the_longest_wishes_come_first(desk: Desk) -> None:
    for age, userid in enumerate(("dora", "cleo", "bob")):
        assert sought(replace(desk, now=NOW + age), userid, players="4") == []
    change_size = replace(desk, now=NOW + 9)
    assert sought(change_size, "cleo", players="2") == []
    assert sought(change_size, "ann", players="4") == [["ann", "bob", "cleo", "dora"]]
    assert wishes(desk) == [("cleo", "pbmserv", 2, 1)]


def test_several_boards_begin_with_the_same_players(desk: Desk) -> None:
    """Everybody wants as many boards, not as many opponents; on one board nobody sits twice."""
    assert sought(desk, "ann", "3", players="2") == []
    assert sought(desk, "ann", "5", players="2") == []
    assert sought(desk, "bob", "2", players="2") == [["ann", "bob"]] * 2
    assert wishes(desk) == [("ann", "pbmserv", 2, 3)]


def test_rules_sizes_and_options_must_be_the_same(desk: Desk) -> None:
    assert sought(desk, "ann", rules="bga", players="2") == []
    assert sought(desk, "bob", rules="bga", calza="yes", players="2") == []
    assert sought(desk, "cleo", rules="bga", players="3") == []
    assert sought(desk, "dora", rules="BGA", calza="no", players="2") == [["ann", "dora"]]


def test_a_size_may_have_noughts_before_it(desk: Desk) -> None:
    sought(desk, "ann", players="004")
    assert [size for _, _, size, _ in wishes(desk)] == [4]


def test_a_player_seeks_ten_kinds_of_boards_at_once(desk: Desk) -> None:
    """Each look at the clock goes through all wishes; one that is said again is no other one."""
    for faces in range(2, 2 + matchmaking.MOST_KINDS):
        sought(desk, "ann", faces=str(faces))
    with pytest.raises(Refused, match="too_many_seeks"):
        sought(desk, "ann", faces="20")
    sought(desk, "ann", "2", faces="2")
    sought(desk, "ann", "off", faces="3")
    sought(desk, "ann", faces="20")
    assert len(wishes(desk)) == matchmaking.MOST_KINDS


def test_a_look_at_the_clock_reads_no_wishes_that_nobody_shares(desk: Desk) -> None:
    """Thousands of kinds once cost a look at all wishes for each of them."""
    for userid in NAMES:
        for faces in range(2, 2 + matchmaking.MOST_KINDS):
            sought(desk, userid, faces=str(faces), players="6")
    statements: list[str] = []
    listening = desk.connection, "before_cursor_execute", partial(_noted, statements)
    event.listen(*listening)
    matchmaking.begun(desk)
    event.remove(*listening)
    assert len(statements) == 1


def _noted(statements: list[str], *executed: Any) -> None:
    statements.append(str(executed[2]))


def test_who_has_left_or_plays_enough_is_passed_over(desk: Desk) -> None:
    for userid in ("ann", "bob"):
        sought(desk, userid, players="3")
    row = models.Player
    desk.connection.execute(update(row).where(row.userid == "ann").values(left_at=NOW))
    desk.connection.execute(update(row).where(row.userid == "bob").values(most_boards=0))
    assert sought(desk, "cleo", players="3") == []
    assert sought(desk, "dora", players="3") == []
    assert [each[0] for each in wishes(desk)] == ["bob", "cleo", "dora"]
    with pytest.raises(Refused, match="limit_reached"):
        sought(desk, "bob")


def test_who_is_suspended_is_passed_over_until_that_is_over(desk: Desk) -> None:
    """Nobody is to wait at a new board for a player who may do nothing there."""
    assert sought(desk, "ann", players="2") == []
    until = {"suspended_until": NOW + 1}
    desk.connection.execute(update(models.Player).where(models.Player.id == 1).values(until))
    assert sought(desk, "bob", players="2") == []
    assert sought(desk, "cleo", players="2") == [["bob", "cleo"]]
    assert sought(replace(desk, now=NOW + 1), "dora", players="2") == [["ann", "dora"]]


def test_a_limit_is_kept_while_several_boards_begin(desk: Desk) -> None:
    sought(desk, "ann", "5", players="2")
    row = models.Player
    desk.connection.execute(update(row).where(row.userid == "ann").values(most_boards=2))
    assert sought(desk, "bob", "5", players="2") == [["ann", "bob"]] * 2
    assert wishes(desk) == [("ann", "pbmserv", 2, 3), ("bob", "pbmserv", 2, 3)]


def test_what_waited_for_room_begins_when_there_is_some(desk: Desk) -> None:
    """A limit was raised; the clock looks for it."""
    row = models.Player
    sought(desk, "ann", "2", players="2")
    desk.connection.execute(update(row).where(row.userid == "ann").values(most_boards=0))
    sought(desk, "bob", "5", players="2")
    assert matchmaking.begun(desk) == []
    desk.connection.execute(update(row).where(row.userid == "ann").values(most_boards=1))
    assert len(matchmaking.begun(desk)) == 2
    assert matchmaking.begun(desk) == []
    assert wishes(desk) == [("ann", "pbmserv", 2, 1), ("bob", "pbmserv", 2, 4)]


def test_a_search_ends_for_one_table_or_for_all(desk: Desk) -> None:
    sought(desk, "ann", rules="bga")
    sought(desk, "ann", "2")
    sought(desk, "ann", players="3")
    sought(desk, "ann", "0", rules="bga")
    assert wishes(desk) == [("ann", "pbmserv", 3, 1), ("ann", "pbmserv", 4, 2)]
    sought(desk, "ann", "off")
    assert wishes(desk) == []


@pytest.mark.parametrize("wanted", ["11", "-1", "1.5", "many", "99999999999", "٣"])
def test_a_number_of_boards_that_is_none_is_refused(desk: Desk, wanted: str) -> None:
    with pytest.raises(Refused, match="bad_wanted"):
        sought(desk, "ann", wanted)
    assert wishes(desk) == []


DAYS = 24 * 60 * 60
UNTIL = NOW - NOW % DAYS + 31 * DAYS  # the setting's 30 days, to the end of the day


def lapsed(letter: Letter) -> list[tuple[object, object]]:
    """The rules of the wishes that a letter tells of, and how many boards were wanted."""
    found = letter.facts["seeks"]
    assert isinstance(found, list)
    return [(each["rules"], each["wanted"]) for each in found]


def test_a_wish_lapses_and_its_player_is_told_in_one_letter(desk: Desk) -> None:
    """Those of one day lapse together, at its end, and one of another day later."""
    for age, rules in ((0, "bga"), (1000, "pacao"), (DAYS, "classic")):
        sought(replace(desk, now=NOW + age), "ann", rules=rules)
    sought(desk, "bob", "2", players="3")
    assert matchmaking.lapse(replace(desk, now=UNTIL - 1)) == []
    letters = matchmaking.lapse(replace(desk, now=UNTIL))
    told = [(each.facts["userid"], wish) for each in letters for wish in lapsed(each)]
    assert told == [("ann", ("bga", 1)), ("ann", ("pacao", 1)), ("bob", ("pbmserv", 2))]
    assert [each.to for each in letters] == [1, 2]
    assert wishes(desk) == [("ann", "classic", 4, 1)]
    assert matchmaking.lapse(replace(desk, now=UNTIL + DAYS - 1)) == []


def test_a_wish_that_is_said_again_lasts_longer_and_keeps_its_place(desk: Desk) -> None:
    sought(desk, "dora", players="2")
    sought(replace(desk, now=NOW + 1), "cleo", players="3")
    sought(replace(desk, now=NOW + 29 * DAYS), "dora", players="2")
    assert [each.to for each in matchmaking.lapse(replace(desk, now=UNTIL))] == [3]
    assert [each.asked_at for each in matchmaking.seekers(desk.connection)] == [NOW]


def test_a_board_that_begins_makes_a_wish_last_no_longer(desk: Desk) -> None:
    sought(desk, "ann", "2", players="2")
    assert sought(replace(desk, now=NOW + 29 * DAYS), "bob", players="2") == [["ann", "bob"]]
    assert [each.to for each in matchmaking.lapse(replace(desk, now=UNTIL))] == [1]


def test_who_has_left_is_told_nothing(desk: Desk) -> None:
    sought(desk, "ann")
    row = models.Player
    desk.connection.execute(update(row).where(row.userid == "ann").values(left_at=NOW))
    assert matchmaking.lapse(replace(desk, now=UNTIL)) == []
    assert desk.connection.execute(select(models.Seek.player_id)).all() == []


def test_an_outage_moves_the_end_of_a_wish(desk: Desk) -> None:
    sought(desk, "ann")
    board_deadlines.taken(desk.connection, "tests", NOW)
    outages.caught_up(replace(desk, now=NOW + 9 * DAYS))
    assert [each.until for each in matchmaking.seekers(desk.connection)] == [UNTIL + 9 * DAYS]
