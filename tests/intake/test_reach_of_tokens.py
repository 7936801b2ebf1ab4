"""The token of a letter opens its board alone: no other board, and nothing of the account."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.stories.town import PASSWORD, Letter, Town, town_at

BOB = "bob@example.org"
OF_ANOTHER_BOARD = (
    *("perudo move 2 bob {} 3-2s", "perudo queue 2 bob {} 3-2s", "perudo resign 2 bob {}"),
    *("perudo move 2 bob {} propose", "perudo chat 2 bob {}", "perudo showas bob {} 2"),
    *("perudo accept bob {} 2", "perudo decline 2 bob {}", "perudo mute bob {} 2"),
)
OF_THE_ACCOUNT = (
    *("set bob {} language=fr", "signoff bob {}", "vacation bob {} 2023-12-01 2023-12-10"),
    *("message bob {} ann", "change password bob {} another-word", "perudo reject bob {}"),
    *("change address bob {} bob@new.example", "perudo limit bob {} 1", "perudo seek bob {}"),
)


def at_two_boards(town: Town) -> None:
    """ann and bob play boards 1 and 2, and bob is on turn at both."""
    town.sign_up("ann", "bob")
    for board in (1, 2):
        town.challenge("ann", "bob")
        town.move("ann", "2-2s", board)


def facts(town: Town) -> list[object]:
    """The rows that an accepted command would change."""
    tables = models.Board, models.Seat, models.Player, models.Address, models.Talk
    with reading(town.engine) as connection:
        return [connection.execute(select(each.__table__)).all() for each in tables]


def letter_of(town: Town, which: str) -> Letter:
    subject = {"confirmation": "confirm", "turn": "Your turn: Perudo board 1"}[which]
    return next(each for each in town.letters if each.to == BOB and subject in each.subject)


@pytest.mark.parametrize("which", ["confirmation", "turn"])
def test_a_token_opens_no_other_board_and_nothing_of_the_account(home: Path, which: str) -> None:
    with town_at(home) as town:
        at_two_boards(town)
        token, before = letter_of(town, which).token, facts(town)
        for command in (*OF_ANOTHER_BOARD, *OF_THE_ACCOUNT):
            letters = town.write(BOB, command.format(token), "Hello, ann!")
            assert {each.to for each in letters} <= {BOB}, command
            assert not any("as you see it" in each.text for each in letters), command
            assert facts(town) == before, command


def test_letters_about_no_board_or_about_several_have_no_token_of_a_board(home: Path) -> None:
    """The welcome letter and a digest of two boards where the player is on turn."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write(BOB, f"set bob {PASSWORD} digest=daily")
        at_boards = len(town.letters)
        for board in (1, 2):
            town.challenge("ann", "bob")
            town.move("ann", "2-2s", board)
        town.waited(30)
        digests = [each for each in town.letters[at_boards:] if "your boards" in each.subject]
        welcome = next(each for each in town.letters if each.subject == "Your account works, bob")
        assert [each.token for each in (welcome, *digests)] == [""] * (1 + len(digests))
        assert digests
