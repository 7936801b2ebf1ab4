"""Seeks: boards begin when enough players want the same one, and not otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Engine, select, update

from pbmserv.boards.board import load_board
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.letters import render
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import matchmaking
from pbmserv.schedule import outages
from pbmserv.schedule.tick_lease import take_lease
from tests.boards.contexts import NOW, context_on, seated
from tests.sql import heard

NAMES = ("ann", "bob", "cleo", "dora")


@pytest.fixture
def context(engine: Engine) -> Iterator[Context]:
    """A context with four players."""
    with writing(engine) as connection:
        seated(connection, NAMES)
        yield context_on(connection)


def sought(
    context: Context, userid: str, wanted: str | None = None, **words: str
) -> list[list[str]]:
    """The players of every board that begins when somebody seeks, those of a board in order."""
    ((number, _),) = seated(context.connection, (userid,))
    letters = matchmaking.seek(context, number, wanted, words)
    begun = {each.board for each in letters if each.board}
    return [sorted(load_board(context.connection, each).names) for each in sorted(begun)]


def wishes(context: Context) -> list[tuple[str, str, int, int]]:
    """Everybody who seeks."""
    return [
        (each.userid, each.rules.name, each.players, each.wanted)
        for each in matchmaking.seekers(context.connection)
    ]


def test_the_oldest_wishes_come_first(context: Context) -> None:
    for age, userid in enumerate(("dora", "cleo", "bob")):
        assert sought(replace(context, now=NOW + age), userid, players="4") == []
    change_size = replace(context, now=NOW + 9)
    assert sought(change_size, "cleo", players="2") == []
    assert sought(change_size, "ann", players="4") == [["ann", "bob", "cleo", "dora"]]
    assert wishes(context) == [("cleo", "pbmserv", 2, 1)]


def test_several_boards_begin_with_the_same_players(context: Context) -> None:
    """Everybody wants as many boards, not as many opponents; on one board nobody sits twice."""
    assert sought(context, "ann", "3", players="2") == []
    assert sought(context, "ann", "5", players="2") == []
    assert sought(context, "bob", "2", players="2") == [["ann", "bob"]] * 2
    assert wishes(context) == [("ann", "pbmserv", 2, 3)]


def test_the_answer_names_the_boards_that_begin_at_once(context: Context) -> None:
    """Boards of others that begin with the same wish are not named."""
    sought(context, "ann", "2", players="2")
    ((number, _),) = seated(context.connection, ("bob",))
    *others, answer = matchmaking.seek(context, number, "3", {"players": "2"})
    boards = sorted({each.board for each in others if each.board})
    assert len(boards) == 2
    assert answer.payload["begun"] == boards
    words = " ".join(render.word(answer.kind, answer.payload, "en").text.split())
    assert f"Your games begin: boards {boards[0]} and {boards[1]}" in words
    assert "You also seek these boards:" in words
    *_, answer = matchmaking.seek(context, number, "off", {})
    assert "You seek no boards now" in render.word(answer.kind, answer.payload, "en").text


def test_rules_sizes_and_options_must_be_the_same(context: Context) -> None:
    assert sought(context, "ann", rules="bga", players="2") == []
    assert sought(context, "bob", rules="bga", calza="yes", players="2") == []
    assert sought(context, "cleo", rules="bga", players="3") == []
    assert sought(context, "dora", rules="BGA", calza="no", players="2") == [["ann", "dora"]]


def test_a_size_may_have_leading_zeros(context: Context) -> None:
    sought(context, "ann", players="004")
    assert [size for _, _, size, _ in wishes(context)] == [4]


def test_a_player_seeks_ten_kinds_of_boards_at_once(context: Context) -> None:
    """Each tick reads all wishes. A repeated wish counts once."""
    for faces in range(2, 2 + matchmaking.MOST_KINDS):
        sought(context, "ann", faces=str(faces))
    with pytest.raises(Refused, match="too_many_seeks"):
        sought(context, "ann", faces="20")
    sought(context, "ann", "2", faces="2")
    sought(context, "ann", "off", faces="3")
    sought(context, "ann", faces="20")
    assert len(wishes(context)) == matchmaking.MOST_KINDS


def test_a_tick_reads_no_unmatched_wishes(context: Context) -> None:
    """Thousands of kinds once cost a look at all wishes for each of them."""
    for userid in NAMES:
        for faces in range(2, 2 + matchmaking.MOST_KINDS):
            sought(context, userid, faces=str(faces), players="6")
    statements: list[str] = []
    with heard(context.connection, lambda sql, _: statements.append(sql)):
        matchmaking.begun(context)
    assert len(statements) == 1


def test_departed_and_busy_players_are_skipped(context: Context) -> None:
    for userid in ("ann", "bob"):
        sought(context, userid, players="3")
    row = models.Player
    context.connection.execute(update(row).where(row.userid == "ann").values(left_at=NOW))
    context.connection.execute(update(row).where(row.userid == "bob").values(most_boards=0))
    assert sought(context, "cleo", players="3") == []
    assert sought(context, "dora", players="3") == []
    assert [each[0] for each in wishes(context)] == ["bob", "cleo", "dora"]
    with pytest.raises(Refused, match="limit_reached") as refused:
        sought(context, "bob")
    assert refused.value.facts == {"most": 0, "playing": 0}


def test_suspended_players_are_skipped_until_the_suspension_ends(context: Context) -> None:
    """No player has to wait at a new board for a suspended one."""
    assert sought(context, "ann", players="2") == []
    until = {"suspended_until": NOW + 1}
    context.connection.execute(update(models.Player).where(models.Player.id == 1).values(until))
    assert sought(context, "bob", players="2") == []
    assert sought(context, "cleo", players="2") == [["bob", "cleo"]]
    assert sought(replace(context, now=NOW + 1), "dora", players="2") == [["ann", "dora"]]


def test_a_limit_is_kept_while_several_boards_begin(context: Context) -> None:
    sought(context, "ann", "5", players="2")
    row = models.Player
    context.connection.execute(update(row).where(row.userid == "ann").values(most_boards=2))
    assert sought(context, "bob", "5", players="2") == [["ann", "bob"]] * 2
    assert wishes(context) == [("ann", "pbmserv", 2, 3), ("bob", "pbmserv", 2, 3)]


def test_a_board_waiting_for_room_begins_once_there_is_room(context: Context) -> None:
    """A limit was raised; the clock looks for it."""
    row = models.Player
    sought(context, "ann", "2", players="2")
    context.connection.execute(update(row).where(row.userid == "ann").values(most_boards=0))
    sought(context, "bob", "5", players="2")
    assert matchmaking.begun(context) == []
    context.connection.execute(update(row).where(row.userid == "ann").values(most_boards=1))
    assert len(matchmaking.begun(context)) == 2
    assert matchmaking.begun(context) == []
    assert wishes(context) == [("ann", "pbmserv", 2, 1), ("bob", "pbmserv", 2, 4)]


def test_a_search_ends_for_one_table_or_for_all(context: Context) -> None:
    sought(context, "ann", rules="bga")
    sought(context, "ann", "2")
    sought(context, "ann", players="3")
    sought(context, "ann", "0", rules="bga")
    assert wishes(context) == [("ann", "pbmserv", 3, 1), ("ann", "pbmserv", 4, 2)]
    sought(context, "ann", "off")
    assert wishes(context) == []


@pytest.mark.parametrize("wanted", ["11", "-1", "1.5", "many", "99999999999", "٣"])
def test_an_invalid_number_of_boards_is_refused(context: Context, wanted: str) -> None:
    with pytest.raises(Refused, match="bad_wanted"):
        sought(context, "ann", wanted)
    assert wishes(context) == []


DAYS = 24 * 60 * 60
UNTIL = NOW - NOW % DAYS + 31 * DAYS  # the setting's 30 days, to the end of the day


def lapsed(letter: Letter) -> list[tuple[object, object]]:
    """The rules of the wishes that a letter tells of, and how many boards were wanted."""
    found = letter.payload["seeks"]
    assert isinstance(found, list)
    return [(each["rules"], each["wanted"]) for each in found]


def test_a_wish_lapses_and_its_player_is_told_in_one_letter(context: Context) -> None:
    """Those of one day lapse together, at its end, and one of another day later."""
    for age, rules in ((0, "bga"), (1000, "pacao"), (DAYS, "classic")):
        sought(replace(context, now=NOW + age), "ann", rules=rules)
    sought(context, "bob", "2", players="3")
    assert matchmaking.lapse(replace(context, now=UNTIL - 1)) == []
    letters = matchmaking.lapse(replace(context, now=UNTIL))
    told = [(each.payload["userid"], wish) for each in letters for wish in lapsed(each)]
    assert told == [("ann", ("bga", 1)), ("ann", ("pacao", 1)), ("bob", ("pbmserv", 2))]
    assert [each.to for each in letters] == [1, 2]
    assert wishes(context) == [("ann", "classic", 4, 1)]
    assert matchmaking.lapse(replace(context, now=UNTIL + DAYS - 1)) == []


def test_a_repeated_wish_lasts_longer_and_keeps_its_place(context: Context) -> None:
    sought(context, "dora", players="2")
    sought(replace(context, now=NOW + 1), "cleo", players="3")
    sought(replace(context, now=NOW + 29 * DAYS), "dora", players="2")
    assert [each.to for each in matchmaking.lapse(replace(context, now=UNTIL))] == [3]
    assert [each.asked_at for each in matchmaking.seekers(context.connection)] == [NOW]


def test_the_start_of_a_board_does_not_extend_a_seek(context: Context) -> None:
    sought(context, "ann", "2", players="2")
    assert sought(replace(context, now=NOW + 29 * DAYS), "bob", players="2") == [["ann", "bob"]]
    assert [each.to for each in matchmaking.lapse(replace(context, now=UNTIL))] == [1]


def test_departed_players_get_no_letter(context: Context) -> None:
    sought(context, "ann")
    row = models.Player
    context.connection.execute(update(row).where(row.userid == "ann").values(left_at=NOW))
    assert matchmaking.lapse(replace(context, now=UNTIL)) == []
    assert context.connection.execute(select(models.Seek.player_id)).all() == []


def test_an_outage_moves_the_end_of_a_wish(context: Context) -> None:
    sought(context, "ann")
    take_lease(context.connection, "tests", NOW)
    outages.catch_up(replace(context, now=NOW + 9 * DAYS))
    assert [each.until for each in matchmaking.seekers(context.connection)] == [UNTIL + 9 * DAYS]
