"""Automatic moves on a board come to an end, and count like moves of players."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from pbmserv.boards import play
from pbmserv.boards.board import load_board
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.table import Action, Bid, Call, View
from pbmserv.security.tokens import Tokens
from tests.stories.town import PASSWORD, Town, town_at


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        yield town


def row(town: Town) -> Any:
    with reading(town.engine) as connection:
        return connection.execute(select(models.Board)).one()


def look_at_the_clock(town: Town, times: int) -> None:
    """Look so many times, or until nothing of the board is due any more."""
    for _ in range(times):
        if row(town).due_at is None:
            return
        town.now += 30
        town.app.tick("town")


def test_a_queue_is_dropped_with_the_round_it_was_made_for(town: Town) -> None:
    """Its bids were chosen for other dice; with a queue of the new round it is another matter."""
    town.challenge("ann", "bob", "cleo")
    town.move("ann", "2-2s")
    town.write("cleo@example.org", f"perudo queue 1 cleo {PASSWORD} 5-2s dudo")
    letters = town.move("bob", "dudo")
    (hers,) = [letter.text for letter in letters if letter.to == "cleo@example.org"]
    assert "The round has ended, so your queue is dropped: 5-2s, dudo." in hers
    with reading(town.engine) as connection:
        assert set(connection.execute(select(models.Seat.queued)).scalars()) == {""}


def test_a_board_of_bots_alone_ends(town: Town) -> None:
    """With two faces a calza is nearly always right and costs no die, so bots stop calling it."""
    options = ("-inorder", "-rules=classic", "-calza", "-dice=1", "-faces=2")
    town.challenge("ann", *["house"] * 5, options=options)
    town.move("ann", "resign")
    look_at_the_clock(town, 5)
    assert row(town).state == "won"


def test_a_board_that_ends_with_the_last_move_at_once_is_counted(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many moves are made at once: the end may always be the last of them."""
    monkeypatch.setattr(play, "MOST_BY_ITSELF", 1)
    options = ("-inorder", "--standin", "--nagtime=1h", "--forfeittime=2d", "-dice=1")
    town.challenge("ann", "bob", options=options)
    town.move("ann", "accept")
    town.move("bob", "accept")
    for _ in range(2):
        town.waited(49)
        look_at_the_clock(town, 200)
    board = row(town)
    assert (board.state, board.due_at) == ("won", None)
    assert board.counted is not None


def test_a_queued_bid_ends_the_offer_of_a_draw(town: Town) -> None:
    town.challenge("ann", "bob")
    town.write("bob@example.org", f"perudo queue 1 bob {PASSWORD} 2-2s")
    town.move("bob", "propose")
    town.move("ann", "1-2s")
    town.move("bob", "propose")
    town.write("bob@example.org", f"perudo queue 1 bob {PASSWORD} 4-2s")
    town.move("ann", "3-2s")
    (letter,) = town.move("ann", "accept")
    assert "Nobody has proposed a draw" in letter.text


def test_moves_in_quotes_are_the_moves_in_them(town: Town) -> None:
    """In a queue, and where they are about a draw."""
    town.challenge("ann", "bob")
    (letter,) = town.write("bob@example.org", f"perudo queue 1 bob {PASSWORD} “2-5S dudo”")
    assert "2-5s, dudo" in " ".join(letter.text.split())
    told = town.move("ann", '"propose"')
    assert all("ann offers a draw" in each.text or "You offer a draw" in each.text for each in told)


def test_a_decline_before_the_players_first_turn_leaves_no_mark(town: Town) -> None:
    """It counts for no rating, as a decline on the turn does; here the turn comes later."""
    town.challenge("ann", "bob")
    town.write("bob@example.org", f"perudo resign 1 bob {PASSWORD}")
    town.move("ann", "1-2s")
    board = row(town)
    assert (board.state, board.rated) == ("won", False)


def test_bots_agree_to_no_draw_with_a_single_player(town: Town) -> None:
    """A game against them could not be lost otherwise; what two people agree on they accept."""
    town.challenge("ann", "bob", "house")
    town.move("ann", "propose")
    town.move("bob", "accept")
    assert row(town).state == "drawn"


def test_a_player_against_bots_alone_has_to_play(town: Town) -> None:
    town.challenge("ann", "house")
    (letter,) = town.move("ann", "propose")
    assert "house players" in letter.text
    assert row(town).state == "playing"


_UNRATED = "does not count for ratings"
_ASK = "To play a rated game with a house player, add -rated to the challenge."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "rated", "told"),
    [
        ("ann bob", True, ""),
        ("-rated ann bob", True, ""),
        ("-rated=no ann bob", False, _UNRATED),
        ("ann house", False, f"{_UNRATED}. {_ASK}"),
        ("-unrated ann bob house", False, f"{_UNRATED}. {_ASK}"),
        ("-rated ann house", True, ""),
        ("-rated ann bob house", True, ""),
        ("-rated ann house house", False, _UNRATED),
        ("-rated -dice=3 ann house", False, _UNRATED),
        ("ann house house", False, _UNRATED),
    ],
)
def test_a_game_with_a_bot_counts_only_if_the_challenge_asks_for_it(
    town: Town, words: str, rated: bool, told: str
) -> None:
    """Its first letter, and the answer to a challenger who does not play, say if it does not."""
    letters = town.write("ann@example.org", f"perudo challenge {words}")
    letters += town.write("cleo@example.org", f"perudo challenge {words}")
    with reading(town.engine) as connection:
        counts = set(connection.execute(select(models.Board.rated)).scalars())
    assert counts == {rated}
    texts = [" ".join(letter.text.split()) for letter in letters]
    assert len(texts) in {3, 5}  # ann, and perhaps bob, twice; cleo once
    for text in texts:
        assert (_UNRATED in text) == (told != "")
        assert told in text and (_ASK in text) == (_ASK in told)


def test_an_invitation_to_a_game_with_a_bot_says_that_it_is_unrated(town: Town) -> None:
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    letters = town.challenge("ann", "bob", "house")
    texts = {letter.to: " ".join(letter.text.split()) for letter in letters}
    assert f"{_UNRATED}. {_ASK}" in texts["ann@example.org"]
    assert "Rules: pbmserv; unrated." in texts["bob@example.org"]


def test_a_challenge_is_rated_or_unrated_and_not_both(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "perudo challenge -rated -unrated ann bob")
    assert "use -rated or -unrated, not both" in " ".join(letter.text.split())


def test_a_late_calza_is_told_which_player_was_first(town: Town) -> None:
    """Calza out of turn is decided by order of receipt; the story calza-races tells the letters."""
    town.challenge("ann", "bob", "cleo", options=("-inorder", "-rules=bga", "-calza"))
    town.move("ann", "1-2s")
    town.move("bob", "2-2s")
    (letter,) = town.move("cleo", "calza #2")
    assert "came too late" in " ".join(letter.text.split())


def test_the_chance_of_a_bot_needs_the_servers_key(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same key and public lines give the same number, and another key gives another."""
    town.challenge("ann", "house", options=("-inorder",))
    drawn: list[float] = []

    def choose(seen: View, level: str, chance: float, opened: object) -> Action:
        assert (seen.reader, level) == (1, "house")
        drawn.append(chance)
        return Call("dudo")

    def opened(connection: object, board: int) -> tuple[()]:
        return ()  # the board is in its first round

    monkeypatch.setattr(bots, "choose", choose)
    monkeypatch.setattr(play, "opened_on", opened)
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
    board = replace(board, table=board.table._replace(turn=1, bids=((0, Bid(1, 2)),)))
    for key in (b"1" * 32, b"1" * 32, b"2" * 32):
        work: Any = SimpleNamespace(keyed=Tokens(key).keyed, connection=None)
        play._chosen_by_bot(work, board, "house")
    other: Any = SimpleNamespace(keyed=Tokens(b"1" * 32).keyed, connection=None)
    play._chosen_by_bot(other, replace(board, chain=bytes(32)), "house")
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == 3
    assert all(0 <= each < 1 for each in drawn)
