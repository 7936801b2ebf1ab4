"""Takeovers: each player is rated for the moves that this player made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from pbmserv.boards import play, punctuality, ratings, substitutions
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.deadlines import Terms
from pbmserv.context import Context
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import rules_named
from pbmserv.intake.sender_secrets import of_writers
from pbmserv.lobby import eligibility, standings
from pbmserv.schedule import overdue_boards
from pbmserv.security.tokens import Tokens
from pbmserv.timeunits import DAY
from tests.boards.contexts import context_on, seated

NAMES = ("ann", "bob", "cleo")


@pytest.fixture
def context(engine: Engine) -> Iterator[Context]:
    with writing(engine) as connection:
        yield context_on(connection)


def opened(context: Context) -> int:
    """A board with stand-ins: ann has moved in time, bob late, and cleo lets the time pass."""
    people = seated(context.connection, NAMES)
    terms = Terms(nag=DAY, forfeit=2 * DAY, standin=True)
    number = play.open_board(context, rules_named("pbmserv"), people, terms).board.id
    moved(context, number, "1-2s")
    moved(replace(context, now=context.now + DAY + 1), number, "2-2s")
    gone(context, number)
    return number


def moved(context: Context, number: int, move: str = "") -> Board:
    """The player on turn moves."""
    board = load_board(context.connection, number)
    move = move or ("dudo" if board.table.bids else "1-2s")
    return play.move(context, board, board.table.turn, read_action(move)).board


def gone(context: Context, number: int) -> None:
    """The player on turn lets the time pass."""
    since = load_board(context.connection, number).clock.since
    overdue_boards.attend(replace(context, now=since + 30 * DAY), number)


def turned(context: Context, number: int, seat: int) -> None:
    """The others play until it is this seat's turn."""
    while load_board(context.connection, number).table.turn != seat:
        moved(context, number)


def taken(context: Context, number: int, userid: str) -> None:
    substitutions.take_over(context, str(number), numbers(context, userid)[0])


def won(context: Context, number: int, winner: int) -> None:
    """Somebody loses a die, then the others resign as soon as they can."""
    moved(context, number)
    while (board := load_board(context.connection, number)).table.winner is None:
        moved(context, number, "" if board.table.turn == winner else "resign")


def numbers(context: Context, *names: str) -> list[int]:
    return [number for number, _ in seated(context.connection, names)]


def counted(context: Context, *names: str) -> list[tuple[int, int] | None]:
    asked = numbers(context, *names)
    made = punctuality.of_players(context.connection, asked)
    return [made.get(number) for number in asked]


def test_late_moves_count_for_the_player_who_made_them(context: Context) -> None:
    """Dan goes on for cleo with a record of his own; back, she finds hers as it was."""
    number = opened(context)
    assert counted(context, "ann", "bob", "cleo") == [(1, 0), (1, 1), (1, 1)]
    taken(context, number, "dan")
    assert counted(context, "cleo", "dan") == [(1, 1), None]
    turned(context, number, 2)
    moved(context, number)
    assert counted(context, "cleo", "dan") == [(1, 1), (1, 0)]
    turned(context, number, 2)
    gone(context, number)
    taken(context, number, "cleo")
    turned(context, number, 2)
    moved(context, number)
    assert counted(context, "cleo", "dan") == [(2, 1), (2, 1)]


def test_on_time_shares_count_moves_at_former_seats(context: Context) -> None:
    """They decide about consent to challenges, exclusion, and the order in the statistics."""
    number = opened(context)
    taken(context, number, "dan")
    cleo = numbers(context, "cleo")
    assert standings.on_time_shares(context.connection, cleo) == {cleo[0]: 0}
    found = eligibility.candidates(context.connection, ["cleo", "dan"], "start")
    late = eligibility.unreliable(context.connection, list(found.values()), 50)
    assert [each.userid for each in late] == ["cleo"]
    told = standings.statistics(context.connection, [], 4)
    assert [each["name"] for each in told] == ["ann", "bob", "cleo"]


def rated(context: Context) -> dict[str, tuple[float, int]]:
    """The strength of everybody who has one, and the games that were won."""
    assert list(ratings.problems(context.connection)) == []
    known = ratings.known(context.connection)
    names = dict(zip(numbers(context, *NAMES), NAMES, strict=True))
    return {names[player]: (each.mu, each.won) for (player, rules), each in known.items() if rules}


def test_a_replaced_player_is_rated_as_eliminated_at_that_time(context: Context) -> None:
    """Cleo's seat wins by dan, who has not begun there: nobody has won for the ratings."""
    number = opened(context)
    taken(context, number, "dan")
    won(context, number, winner=2)
    found = rated(context)
    assert found.keys() == {"ann", "bob", "cleo"}
    assert [each for _, each in found.values()] == [0, 0, 0]
    assert found["cleo"] == min(found.values())


def test_the_last_original_player_is_ranked_first(context: Context) -> None:
    """The house has taken two seats and wins; bob, who was there to the end, comes first."""
    number = opened(context)
    moved(context, number)  # somebody loses a die
    turned(context, number, 0)
    gone(context, number)
    turned(context, number, 1)
    moved(context, number, "resign")
    board = load_board(context.connection, number)
    while board.table.winner is None:
        overdue_boards.attend(context, number)
        board = load_board(context.connection, number)
    found = rated(context)
    assert found["bob"] > found["ann"] > found["cleo"]
    assert {each for _, each in found.values()} == {0}


def test_a_returned_player_is_rated_by_the_result_of_the_seat(context: Context) -> None:
    number = opened(context)
    taken(context, number, "cleo")
    won(context, number, winner=2)
    found = rated(context)
    assert found["cleo"] == max(found.values())
    assert found["cleo"][1] == 1


def test_statistics_count_the_players_own_bids_and_none_by_bots(context: Context) -> None:
    number = opened(context)
    for _ in range(9):
        moved(context, number)
    (told,) = standings.statistics(context.connection, ["cleo"], 1)
    assert isinstance(told, dict)
    assert (told["bids"], told["calls"]) == (0, 0)


def test_resigning_a_seat_just_taken_over_is_not_an_early_decline(context: Context) -> None:
    """Otherwise anybody could take a board of others out of the ratings."""
    number = opened(context)
    taken(context, number, "dan")
    turned(context, number, 2)
    moved(context, number, "resign")
    assert load_board(context.connection, number).clock.terms.rated


def test_a_seat_taken_over_by_another_player_is_not_given_back(context: Context) -> None:
    """The refusal names the new player, or says that another kept seat has hidden dice."""
    number = opened(context)
    taken(context, number, "dan")
    with pytest.raises(Refused, match="seat_taken") as refusal:
        taken(context, number, "cleo")
    assert refusal.value.facts == {"board": number, "by": "dan"}
    turned(context, number, 0)
    gone(context, number)
    with pytest.raises(Refused, match="saw_dice"):
        taken(context, number, "cleo")


def test_a_former_player_knows_the_cup_of_the_last_round_only(context: Context) -> None:
    """Otherwise the lines removed from her words would reveal the new player's dice."""
    number = opened(context)
    taken(context, number, "dan")
    seen = {_cup(context, number, 2)}
    assert _known_to(context, "cleo") == seen == _known_to(context, "dan")
    before = load_board(context.connection, number).table.round
    while load_board(context.connection, number).table.round == before:
        moved(context, number)
    assert _known_to(context, "cleo") == set()
    assert _known_to(context, "dan") == {_cup(context, number, 2)} != seen


def _cup(context: Context, number: int, seat: int) -> tuple[int, ...]:
    return tuple(sorted(filter(None, load_board(context.connection, number).table.cups[seat])))


def _known_to(context: Context, userid: str) -> set[tuple[int, ...]]:
    players = set(numbers(context, userid))
    return set(of_writers(context.connection, players, Tokens(bytes(32)), [], set()).cups)
