"""Seats are taken by their players: until all are, a board counts for nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbmserv.boards import board, punctuality, ratings
from pbmserv.boards.board import load_board
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.lobby import standings
from pbmserv.maintenance import audit
from tests.stories.town import PASSWORD, Letter, Town, town_at

FOUR = ("bob", "cleo", "dora", "eve")
DAY = 24 * 3600


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann", *FOUR)
        yield town


def board_of(town: Town, number: int = 1) -> board.Board:
    with reading(town.engine) as connection:
        return load_board(connection, number)


def state_of(town: Town, number: int = 1) -> str:
    with reading(town.engine) as connection:
        row = models.Board
        return connection.execute(select(row.state).where(row.id == number)).scalar_one()


def waiting(town: Town, number: int = 1) -> list[str]:
    """Who has not taken a seat."""
    return [each.userid for each in board_of(town, number).seats if not each.taken]


def marks(town: Town) -> tuple[object, ...]:
    """All that a game can leave on players: points, moves in time, history, standings."""
    with reading(town.engine) as connection:
        people = list(connection.execute(select(models.Player.id)).scalars())
        return (
            ratings.known(connection),
            punctuality.of_players(connection, people),
            standings.history(connection, []),
            standings.standings(connection, ratings.OVERALL),
        )


def passed(town: Town, days: int) -> list[Letter]:
    """So many days pass, and the server looks at its clock after each; the letters."""
    found = town.waited(0)
    for _ in range(days):
        town.now += DAY
        with writing(town.engine) as connection:  # no outage
            connection.execute(update(models.Tick).values(ticked_at=town.now))
        found += town.waited(0)
    return found


def by_reply(town: Town, userid: str, text: str) -> list[Letter]:
    """A player answers the latest letter."""
    return town.reply(town.last_letter_to(f"{userid}@example.org"), text)


def rated(town: Town) -> set[str]:
    """Who has a rating."""
    with reading(town.engine) as connection:
        numbers = {player for player, _ in ratings.known(connection)}
        row = models.Player
        return set(connection.execute(select(row.userid).where(row.id.in_(numbers))).scalars())


def are_sound(town: Town) -> bool:
    """Whether the operator's audit finds nothing."""
    numbers = audit.board_numbers(town.engine)
    found = [problem for number in numbers for problem in audit.problems(town.engine, number)]
    with reading(town.engine) as connection:
        return found + list(ratings.problems(connection)) == []


@pytest.mark.slow
@pytest.mark.parametrize("forfeit", ["2h", "2d"])
def test_an_unaccepted_challenge_leaves_no_mark_on_any_player(town: Town, forfeit: str) -> None:
    """Mallory, a fresh account, waits for the forfeits of four people who have agreed to nothing.

    With two hours they are asked first; with two days no more than three boards begin.
    """
    town.sign_up("mallory")
    before, known = marks(town), len(town.letters)
    mallory = "mallory@example.org"
    times = f"-inorder --nagtime=1h --forfeittime={forfeit}"
    challenges = [f"perudo challenge {times} mallory {' '.join(FOUR)}"] * 20
    town.write(mallory, "multiple", "\n".join(challenges))
    moves = [f"perudo move {number} mallory {PASSWORD} 2-2s" for number in range(1, 21)]
    town.write(mallory, "multiple", "\n".join(moves))
    passed(town, 16)
    assert marks(town) == before
    assert are_sound(town)
    got = Counter(each.to.partition("@")[0] for each in town.letters[known:])
    assert max(got[name] for name in FOUR) <= (6 if forfeit == "2h" else 22), got


@pytest.mark.parametrize(
    "answer", ["2-2s", "accept", "perudo chat 1 bob PASSWORD", "perudo queue 1 bob PASSWORD 2-3s"]
)
def test_a_players_first_action_takes_the_seat(town: Town, answer: str) -> None:
    town.challenge("bob", "ann")
    assert waiting(town) == ["bob", "ann"]
    if "PASSWORD" in answer:
        town.write("bob@example.org", answer.replace("PASSWORD", PASSWORD), "Hello!")
    else:
        by_reply(town, "bob", answer)
    assert waiting(town) == ["ann"]


def test_a_refused_action_takes_no_seat(town: Town) -> None:
    town.challenge("bob", "ann")
    by_reply(town, "bob", "9-9s")
    town.write("bob@example.org", "perudo move 1 bob herring 2-2s")
    town.write("bob@example.org", f"perudo showas bob {PASSWORD}")
    assert waiting(town) == ["bob", "ann"]
    town.write("bob@example.org", f"perudo showas bob {PASSWORD} 1")
    assert waiting(town) == ["ann"]


def test_bots_have_always_taken_their_seats(town: Town) -> None:
    town.challenge("bob", "house", "ann")
    assert waiting(town) == ["bob", "ann"]


def test_seeking_a_board_or_accepting_an_invitation_takes_a_seat(town: Town) -> None:
    for userid in ("ann", "bob"):
        town.write(f"{userid}@example.org", f"perudo seek {userid} {PASSWORD} -players=2")
    assert waiting(town) == []
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob", "cleo")
    town.move("bob", "accept", 2)
    assert waiting(town, 2) == ["ann", "cleo"]


def test_a_board_of_two_ends_with_a_decline_by_word_or_by_silence(town: Town) -> None:
    """There is no winner, no rating and no entry in a history. The letter says so."""
    before = marks(town)
    town.challenge("ann", "bob")
    town.move("ann", "2-2s")
    letters = by_reply(town, "bob", "decline\nNo time, sorry.")
    assert {each.to: each.opening.partition(".")[0] for each in letters} == {
        "ann@example.org": "bob has declined the game",
        "bob@example.org": "You have declined the game",
    }
    (hers,) = [each.text for each in letters if each.to == "ann@example.org"]
    assert "bob has declined the game." in hers
    assert "nobody has won" in " ".join(hers.split())
    assert "No time, sorry." in hers
    town.challenge("ann", "bob")
    town.move("ann", "2-2s", 2)
    letters = passed(town, 21)
    assert any("bob has not moved in time" in " ".join(each.text.split()) for each in letters)
    assert [state_of(town, number) for number in (1, 2)] == ["declined", "declined"]
    town.challenge("ann", "bob", options=("--totaltime=1",))
    passed(town, 1)
    assert state_of(town, 3) == "declined"
    assert marks(town) == before
    assert are_sound(town)


def test_the_others_play_on_and_are_rated_once_they_have_all_answered(town: Town) -> None:
    """Cleo declines before her turn has come: she leaves with it, and gets no letters till then."""
    town.challenge("ann", "bob", "cleo", options=("-inorder", "-dice=1"))
    with writing(town.engine) as connection:  # so short a game counts for nobody otherwise
        connection.execute(update(models.Board).values(rated=True))
    (letter,) = by_reply(town, "cleo", "decline")
    assert letter.opening.startswith("You have declined board 1.")
    town.move("ann", "1-2s")
    letters = town.move("bob", "2-2s")
    (hers,) = [each.text for each in letters if each.to == "cleo@example.org"]
    assert "You get no more letters about this board, unless you" in " ".join(hers.split())
    assert "You declined and left the game." in hers
    assert "resigned and" not in hers
    assert any("cleo declined and left the game." in each.text for each in letters)
    assert board_of(town).table.cups[2] == ()
    turn = board_of(town).on_turn.userid
    assert any("cleo declined and left" in each.text for each in town.move(turn, "2-6s"))
    town.move("bob" if turn == "ann" else "ann", "dudo")
    assert state_of(town) == "won"
    assert rated(town) == {"ann", "bob"}
    with reading(town.engine) as connection:
        assert standings.history(connection, ["cleo"]) == []
        (row,) = standings.history(connection, ["ann"])
        assert row["names"] == ["ann", "bob"]
    assert are_sound(town)


def test_a_declining_player_can_still_accept_until_the_next_turn(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    by_reply(town, "cleo", "decline")
    (letter,) = town.write("cleo@example.org", f"perudo resign 1 cleo {PASSWORD}")
    assert letter.opening.startswith("You have declined board 1.")
    town.write("cleo@example.org", f"perudo chat 1 cleo {PASSWORD}", "I am out.")
    assert waiting(town) == ["ann", "bob", "cleo"]
    (letter,) = town.move("cleo", "accept")
    assert "once ann and bob have answered" in " ".join(letter.text.split())
    assert waiting(town) == ["ann", "bob"]
    town.move("ann", "2-2s")
    assert board_of(town).seats[2].leaving is False


def test_a_player_who_asks_twice_for_a_rematch_is_told_whose_turn_it_is(town: Town) -> None:
    town.challenge("ann", "bob", options=("-inorder",))
    town.move("ann", "2-2s")
    town.move("bob", "resign")
    rematch = f"perudo rematch 1 ann {PASSWORD}"
    town.write("ann@example.org", rematch)
    (letter,) = town.write("ann@example.org", rematch)
    assert letter.opening.startswith("You play at board 2 already.")
    assert "It is your turn." in letter.text


def test_a_player_who_declined_and_is_out_cannot_accept(town: Town) -> None:
    """The turn has come and gone: an acceptance would have rated a game that they do not play."""
    town.challenge("ann", "bob", "cleo", "dora", options=("-inorder",))
    by_reply(town, "bob", "decline")
    town.move("ann", "2-2s")
    assert board_of(town).table.cups[1] == ()
    (letter,) = town.write("bob@example.org", f"perudo accept 1 bob {PASSWORD}")
    assert letter.subject == "Perudo board 1: not played"
    assert "You are out of this game" in letter.text
    assert "dice" not in letter.text  # they had all five when they left
    assert not board_of(town).seats[1].taken
    assert board_of(town).seats[1].leaving


def test_the_letter_of_the_challenge_can_be_answered_after_other_moves(
    town: Town,
) -> None:
    """A change of turn leaves the token of the question valid until the seat is taken."""
    letters = town.challenge("ann", "bob", "cleo")
    (first,) = [each for each in letters if each.to == "cleo@example.org"]
    town.move("ann", "2-2s")
    town.reply(first, "accept")
    assert waiting(town) == ["bob"]
    (refused,) = town.reply(first, "decline")
    assert "Your move was not made: move 1 of board 1 was already made" in refused.text


def test_a_forfeit_counts_as_a_decline_until_all_players_have_answered(town: Town) -> None:
    """Bob lets the time pass on his second turn; cleo, who has said nothing, may still play."""
    town.challenge("ann", "bob", "cleo", options=("-inorder",))
    town.move("ann", "9-6s")
    town.move("bob", "dudo")
    late = board_of(town).on_turn.userid
    assert late in {"ann", "bob"}
    passed(town, 21)
    assert late in waiting(town)
    assert state_of(town) == "playing"
    with reading(town.engine) as connection:
        people = list(connection.execute(select(models.Player.id)).scalars())
        assert {late for _, late in punctuality.of_players(connection, people).values()} == {0}


def test_the_move_that_takes_a_seat_is_late_for_the_challenger_alone(town: Town) -> None:
    """Only the challenger has agreed to the times of the board before that move."""
    town.challenge("bob", "ann", options=("-inorder", "--nagtime=1h"))
    for userid, move in (("bob", "2-2s"), ("ann", "2-3s"), ("bob", "2-4s"), ("ann", "2-5s")):
        town.now += 2 * DAY
        town.move(userid, move)
    assert [(each.moves, each.late) for each in board_of(town).seats] == [(2, 2), (2, 1)]


def test_an_unanswered_challenge_brings_two_reminders_and_uses_no_vacation(town: Town) -> None:
    town.write("bob@example.org", f"set bob {PASSWORD} autovacation=on")
    town.challenge("bob", "ann")
    town.write("ann@example.org", f"perudo move 1 ann {PASSWORD} accept")
    known = len(town.letters)
    passed(town, 21)
    his = [each for each in town.letters[known:] if each.to == "bob@example.org"]
    assert ["Still your turn, bob." in each.text for each in his[:-1]] == [True, True]
    assert state_of(town) == "declined"


def test_leaving_the_server_declines_unanswered_challenges(town: Town) -> None:
    town.challenge("ann", "bob")
    town.challenge("bob", "ann")
    (asked,) = town.write("bob@example.org", f"signoff bob {PASSWORD}")
    (subject,) = re.findall("^  (confirm .*)$", asked.text, re.MULTILINE)
    town.write("bob@example.org", subject)
    assert [state_of(town, number) for number in (1, 2)] == ["declined", "declined"]


def test_a_resignation_may_answer_the_newest_letter_after_other_moves(town: Town) -> None:
    """With `letters=turns` no letter tells cleo of the moves of the others."""
    town.write("cleo@example.org", f"set cleo {PASSWORD} letters=turns")
    town.challenge("ann", "bob", "cleo")
    newest = town.last_letter_to("cleo@example.org")
    town.reply(newest, "accept")
    town.move("ann", "1-2s")
    (answer,) = town.reply(newest, "resign")
    assert "as soon as it is your turn" in answer.text
    assert board_of(town).seats[2].leaving


def test_a_letter_of_a_player_whose_account_is_closed_proves_nothing(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    newest = town.last_letter_to("bob@example.org")
    (asked,) = town.write("bob@example.org", f"signoff bob {PASSWORD}")
    (subject,) = re.findall("^  (confirm .*)$", asked.text, re.MULTILINE)
    town.write("bob@example.org", subject)
    for words in ("accept", "2-2s", "showas bob - 1"):
        (answer,) = town.reply(newest, words)
        assert "Wrong user name or password; nothing was done." in answer.text
        assert "Your dice" not in answer.text


def test_a_move_in_reply_to_an_invitation_is_told_that_it_waits_for_an_answer(town: Town) -> None:
    """Who accepts in reply to that begins the game."""
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob")
    invitation = town.last_letter_to("bob@example.org")
    (told,) = town.reply(invitation, "2-2s")
    assert told.to == "bob@example.org"
    assert "you have not answered the invitation yet" in " ".join(told.text.split())
    town.reply(told, "accept")
    assert state_of(town) == "playing"
