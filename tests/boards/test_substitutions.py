"""Takeovers: what somebody has played stays that player's, and what others play is none of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from pbmserv.boards import play, punctuality, ratings, substitutions
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.deadlines import Terms
from pbmserv.context import Desk
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import rules_named
from pbmserv.intake.sender_secrets import of_writers
from pbmserv.lobby import eligibility, standings
from pbmserv.schedule import board_deadlines
from pbmserv.security.tokens import Tokens
from pbmserv.timeunits import DAY
from tests.boards.contexts import desk_on, seated

NAMES = ("ann", "bob", "cleo")


@pytest.fixture
def desk(engine: Engine) -> Iterator[Desk]:
    with writing(engine) as connection:
        yield desk_on(connection)


def opened(desk: Desk) -> int:
    """A board with stand-ins: ann has moved in time, bob late, and cleo lets the time pass."""
    people = seated(desk.connection, NAMES)
    terms = Terms(nag=DAY, forfeit=2 * DAY, standin=True)
    number = play.open_board(desk, rules_named("pbmserv"), people, terms).board.id
    moved(desk, number, "1-2s")
    moved(replace(desk, now=desk.now + DAY + 1), number, "2-2s")
    gone(desk, number)
    return number


def moved(desk: Desk, number: int, move: str = "") -> Board:
    """Whoever is on turn moves."""
    board = load_board(desk.connection, number)
    move = move or ("dudo" if board.table.bids else "1-2s")
    return play.move(desk, board, board.table.turn, read_action(move)).board


def gone(desk: Desk, number: int) -> None:
    """Whoever is on turn lets the time pass."""
    since = load_board(desk.connection, number).clock.since
    board_deadlines.attend(replace(desk, now=since + 30 * DAY), number)


def turned(desk: Desk, number: int, seat: int) -> None:
    """The others play until it is this seat's turn."""
    while load_board(desk.connection, number).table.turn != seat:
        moved(desk, number)


def taken(desk: Desk, number: int, userid: str) -> None:
    substitutions.taken(desk, str(number), numbers(desk, userid)[0])


def won(desk: Desk, number: int, winner: int) -> None:
    """Somebody loses a die, then the others resign as soon as they can."""
    moved(desk, number)
    while (board := load_board(desk.connection, number)).table.winner is None:
        moved(desk, number, "" if board.table.turn == winner else "resign")


def numbers(desk: Desk, *names: str) -> list[int]:
    return [number for number, _ in seated(desk.connection, names)]


def counted(desk: Desk, *names: str) -> list[tuple[int, int] | None]:
    asked = numbers(desk, *names)
    made = punctuality.of_players(desk.connection, asked)
    return [made.get(number) for number in asked]


def test_what_was_late_stays_with_who_was_late(desk: Desk) -> None:
    """Dan goes on for cleo with a record of his own; back, she finds hers as it was."""
    number = opened(desk)
    assert counted(desk, "ann", "bob", "cleo") == [(1, 0), (1, 1), (1, 1)]
    taken(desk, number, "dan")
    assert counted(desk, "cleo", "dan") == [(1, 1), None]
    turned(desk, number, 2)
    moved(desk, number)
    assert counted(desk, "cleo", "dan") == [(1, 1), (1, 0)]
    turned(desk, number, 2)
    gone(desk, number)
    taken(desk, number, "cleo")
    turned(desk, number, 2)
    moved(desk, number)
    assert counted(desk, "cleo", "dan") == [(2, 1), (2, 1)]


def test_a_share_tells_of_all_that_somebody_has_played(desk: Desk) -> None:
    """Who is asked for, who is kept out, and who has played most: seats of before count, too."""
    number = opened(desk)
    taken(desk, number, "dan")
    cleo = numbers(desk, "cleo")
    assert standings.on_time_shares(desk.connection, cleo) == {cleo[0]: 0}
    found = eligibility.guests(desk.connection, ["cleo", "dan"], "start")
    late = eligibility.unreliable(desk.connection, list(found.values()), 50)
    assert [each.userid for each in late] == ["cleo"]
    told = standings.statistics(desk.connection, [], 4)
    assert [each["name"] for each in told] == ["ann", "bob", "cleo"]


def rated(desk: Desk) -> dict[str, tuple[float, int]]:
    """The strength of everybody who has one, and the games that were won."""
    assert list(ratings.problems(desk.connection)) == []
    known = ratings.known(desk.connection)
    names = dict(zip(numbers(desk, *NAMES), NAMES, strict=True))
    return {names[player]: (each.mu, each.won) for (player, rules), each in known.items() if rules}


def test_who_was_replaced_is_rated_as_if_gone_out_then(desk: Desk) -> None:
    """Cleo's seat wins by dan, who has not begun there: nobody has won for the ratings."""
    number = opened(desk)
    taken(desk, number, "dan")
    won(desk, number, winner=2)
    found = rated(desk)
    assert found.keys() == {"ann", "bob", "cleo"}
    assert [each for _, each in found.values()] == [0, 0, 0]
    assert found["cleo"] == min(found.values())


def test_the_last_who_began_is_first_whoever_sits_in_the_other_seats(desk: Desk) -> None:
    """The house has taken two seats and wins; bob, who was there to the end, comes first."""
    number = opened(desk)
    moved(desk, number)  # somebody loses a die
    turned(desk, number, 0)
    gone(desk, number)
    turned(desk, number, 1)
    moved(desk, number, "resign")
    board = load_board(desk.connection, number)
    while board.table.winner is None:
        board_deadlines.attend(desk, number)
        board = load_board(desk.connection, number)
    found = rated(desk)
    assert found["bob"] > found["ann"] > found["cleo"]
    assert {each for _, each in found.values()} == {0}


def test_who_is_back_is_rated_for_what_the_seat_comes_to(desk: Desk) -> None:
    number = opened(desk)
    taken(desk, number, "cleo")
    won(desk, number, winner=2)
    found = rated(desk)
    assert found["cleo"] == max(found.values())
    assert found["cleo"][1] == 1


def test_statistics_know_what_a_player_has_bid_and_nothing_of_the_house(desk: Desk) -> None:
    number = opened(desk)
    for _ in range(9):
        moved(desk, number)
    (told,) = standings.statistics(desk.connection, ["cleo"], 1)
    assert isinstance(told, dict)
    assert (told["bids"], told["calls"]) == (0, 0)


def test_who_took_a_seat_over_and_leaves_at_once_is_no_early_decline(desk: Desk) -> None:
    """Else anybody could make a board of others not count."""
    number = opened(desk)
    taken(desk, number, "dan")
    turned(desk, number, 2)
    moved(desk, number, "resign")
    assert load_board(desk.connection, number).clock.terms.rated


def test_a_seat_that_somebody_has_taken_over_is_not_given_back(desk: Desk) -> None:
    """It is said who has it; where another seat is kept, that its dice are not for this player."""
    number = opened(desk)
    taken(desk, number, "dan")
    with pytest.raises(Refused, match="seat_taken") as refusal:
        taken(desk, number, "cleo")
    assert refusal.value.facts == {"board": number, "by": "dan"}
    turned(desk, number, 0)
    gone(desk, number)
    with pytest.raises(Refused, match="saw_dice"):
        taken(desk, number, "cleo")


def test_who_gave_up_a_seat_knows_the_cup_of_that_round_and_no_later_one(desk: Desk) -> None:
    """What is left out of her words would tell the dice of who sits there now."""
    number = opened(desk)
    taken(desk, number, "dan")
    seen = {_cup(desk, number, 2)}
    assert _known_to(desk, "cleo") == seen == _known_to(desk, "dan")
    before = load_board(desk.connection, number).table.round
    while load_board(desk.connection, number).table.round == before:
        moved(desk, number)
    assert _known_to(desk, "cleo") == set()
    assert _known_to(desk, "dan") == {_cup(desk, number, 2)} != seen


def _cup(desk: Desk, number: int, seat: int) -> tuple[int, ...]:
    return tuple(sorted(filter(None, load_board(desk.connection, number).table.cups[seat])))


def _known_to(desk: Desk, userid: str) -> set[tuple[int, ...]]:
    players = set(numbers(desk, userid))
    return set(of_writers(desk.connection, players, Tokens(bytes(32)), [], set()).cups)
