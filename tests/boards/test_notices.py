"""Who gets letters about a board, and what each letter tells."""

from __future__ import annotations

from sqlalchemy import Engine

from pbmserv.boards import board, listing, notices, play, queued_moves
from pbmserv.boards.board import load_board
from pbmserv.database.engine import reading, writing
from pbmserv.games.perudo.notation import read_action, read_view
from pbmserv.games.perudo.table import Resign
from pbmserv.letters.payloads.letter import Letter
from tests.boards.contexts import context_on, opened


def names_told(board: board.Board, letters: list[Letter]) -> list[str]:
    by_number = {seated.player: seated.userid for seated in board.seats}
    return [by_number[each.to] for each in letters if isinstance(each.to, int)]


def test_every_player_gets_a_letter_about_a_move(engine: Engine) -> None:
    """One letter each, with one's own dice and the token of the coming move."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        played = play.move(context, board, 0, read_action("2-2s"), "Hello")
        letters = notices.of_move(context, played, 0)
    assert names_told(board, letters) == ["ann", "bob", "cleo"]
    for seat, letter in enumerate(letters):
        facts = letter.payload
        assert (letter.kind, letter.board, letter.move) == ("perudo/moved", board.id, 2)
        assert facts["message"] == {"from": "ann", "text": "Hello"}
        assert (facts["reader"], facts["reply"]) == (seat, True)
        cups = read_view(str(facts["position"])).cups
        assert cups[seat] == board.table.cups[seat]
        assert not any(die for other, cup in enumerate(cups) if other != seat for die in cup)


def test_a_resigned_player_gets_one_letter_more_and_an_eliminated_one_all(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob", "cleo", "dora"), dice="1")
        resigned = play.move(context, board, 0, Resign())
        told = notices.of_move(context, resigned, 0)
        assert names_told(board, told) == ["ann", "bob", "cleo", "dora"]
        assert [each.payload["reply"] for each in told] == [False, True, True, True]
        board = resigned.board
        for move in ("3-2s", "dudo", "1-2s"):  # the dudo eliminates somebody: all have one die
            seat = board.table.turn
            played = play.move(context, board, seat, read_action(move))
            told = notices.of_move(context, played, seat)
            assert names_told(board, told) == ["bob", "cleo", "dora"]
            board = load_board(connection, board.id)
        assert [bool(cup) for cup in board.table.cups].count(True) == 2


def test_a_player_eliminated_before_a_queued_resignation_is_told(engine: Engine) -> None:
    """A resignation that waits does not keep the letter about one's last die."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, dice="1")
        queued_moves.resign_later(context, board, 0)
        board = play.move(context, board, 0, read_action("3-2s")).board
        board = load_board(connection, board.id)
        played = play.move(context, board, 1, read_action("dudo"))
        assert not played.board.table.cups[0]
        assert names_told(board, notices.of_move(context, played, 1)) == ["ann", "bob", "cleo"]


def test_the_letter_about_the_end_has_a_token_of_no_move_made(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        played = play.move(context, board, 0, Resign())
        letters = notices.of_move(context, played, 0)
    assert [each.kind for each in letters] == ["perudo/ended"] * 2
    assert [each.move for each in letters] == [board.table.move + 1] * 2
    assert [each.payload["reply"] for each in letters] == [True, True]
    assert letters[0].payload["times"] is None


def test_chat_goes_to_the_others(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        letters = notices.of_chat(context, board, 1, "Well?")
    assert names_told(board, letters) == ["ann", "cleo"]
    assert {each.kind for each in letters} == {"perudo/chat"}


def test_a_spectator_is_shown_no_die(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection, "ignored")
        board = opened(context)
        letter = notices.shown(context, board, None)
        mine = notices.shown(context, board, 2)
    assert letter.to is None
    assert letter.payload["message"] is None
    assert not any(map(any, read_view(str(letter.payload["position"])).cups))
    assert read_view(str(mine.payload["position"])).cups[2] == board.table.cups[2]


def test_boards_are_listed_by_player_and_status(engine: Engine) -> None:
    """Newest first; `next` is where it is the player's turn, or anybody's where none is named."""
    with writing(engine) as connection:
        context = context_on(connection)
        first = opened(context, ("ann", "bob")).id
        second = opened(context, ("bob", "cleo")).id
        third = opened(context, ("ann", "cleo"))
        play.move(context, third, 0, Resign())
    with reading(engine) as connection:

        def found(names: str, status: str) -> list[int]:
            return listing.numbers(connection, names.split(), status)

        assert found("", "all") == [third.id, second, first]
        assert found("", "active") == found("", "next") == [second, first]
        assert found("", "inactive") == [third.id]
        assert found("ann", "all") == [third.id, first]
        assert found("Ann CLEO", "active") == [second, first]
        assert found("bob", "next") == [second]
        assert found("bob", "inactive") == []
        rows = listing.rows(connection, [], "all", 2)
        assert listing.rows(connection, [], "all", 0) == []
    assert rows == [
        {
            "board": third.id,
            "move": 2,
            "turn": "cleo",
            "rules": "pbmserv",
            "status": "won",
            "waiting": [],
            "seats": [{"name": "ann", "dice": 0}, {"name": "cleo", "dice": 5}],
        },
        {
            "board": second,
            "move": 1,
            "turn": "bob",
            "rules": "pbmserv",
            "status": "active",
            "waiting": [],
            "seats": [{"name": "bob", "dice": 5}, {"name": "cleo", "dice": 5}],
        },
    ]
