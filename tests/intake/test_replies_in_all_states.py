"""Replies that are possible at no time, or not now, in all states of a board."""

from __future__ import annotations

from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
REPLIES = ("rematch", "queue", "queue 99-9s", "passe", "calza", "undo", "swap", "")
NO_PLAY = {"an invitation": "has not begun", "a withdrawn one": "never began", "the end": "is over"}


def letters_of_states(town: Town) -> dict[str, Letter]:
    """A letter of a player in each state of a board."""
    found = {"an old letter": town.last_letter_to(ANN)}
    town.move("ann", "3-5s")
    town.move("bob", "4-5s")
    found["out of turn"] = town.last_letter_to(BOB)
    town.move("cleo", "5-5s")
    found["in turn"] = town.last_letter_to(ANN)
    town.challenge("ann", "bob")
    town.move("ann", "resign", board=2)
    found["the end"] = town.last_letter_to(ANN)
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    for state in ("a withdrawn one", "an invitation"):
        letters = town.challenge("ann", "bob")
        found[state] = next(each for each in letters if each.to == ANN)
        if state == "a withdrawn one":
            town.reply(next(each for each in letters if each.to == BOB), "reject")
    return found


def test_every_reply_gets_one_answer_and_changes_nothing(town_of_three: Town) -> None:
    town = town_of_three
    found = letters_of_states(town)
    row = models.Board
    states = select(row.id, row.state, row.move).order_by(row.id)
    with reading(town.engine) as connection:
        before = connection.execute(states).all()
    for state, letter in found.items():
        for reply in REPLIES[state == "the end" :]:
            told = town.reply(letter, reply)
            assert [each.to for each in told] == [letter.to], (state, reply)
            text = " ".join(told[0].text.split())
            if reply == "queue":
                assert "BOARD is missing" not in text
            if reply in {"", "calza"} and state in NO_PLAY:
                assert NO_PLAY[state] in text, (state, reply)
                assert "Write only your move" not in text
    answer = " ".join(town.reply(found["an old letter"], "mute")[0].text.split())
    assert "It is your turn now, for move 4." in answer
    assert "password" not in answer.lower()
    with reading(town.engine) as connection:
        assert connection.execute(states).all() == before
        assert connection.execute(select(models.Talk.text)).all() == []
