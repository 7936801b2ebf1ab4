"""Mailboxes that players gave up: remembered for 30 days, as digests, for the ratings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.kept_emails import retention
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import account_erasure, sign_off
from pbmserv.players import accounts
from pbmserv.timeunits import DAY
from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture
def town(any_home: Path) -> Iterator[Town]:
    """Two players, each with a mailbox of their own."""
    with town_at(any_home) as town:
        town.sign_up("ann", "bob")
        yield town


def moves(town: Town, userid: str, old: str, new: str) -> None:
    """A player changes from one address to another and confirms it at both, by email."""
    town.write(old, f"change address {userid} {PASSWORD} {new}")
    agreeing = re.search(r"confirm ([A-Z2-7]{26})", town.last_letter_to(old, 2).text)
    assert agreeing is not None
    town.write(old, f"confirm {agreeing[1]}")
    town.reply(town.last_letter_to(new.lower()), "yes")
    with reading(town.engine) as connection:
        player = accounts.find(connection, userid)
        assert player is not None
        assert accounts.addresses_of(connection, [player.id])[player.id] == [new.lower()]


def is_rated(town: Town) -> bool:
    """Whether a board that ann and bob begin now counts for ratings."""
    rated = select(models.Board.rated).order_by(models.Board.id)
    with reading(town.engine) as connection:
        before = connection.execute(rated).scalars().all()
        address = accounts.addresses_of(connection, [1])[1][0]
    town.write(address, "perudo challenge -inorder ann bob")
    with reading(town.engine) as connection:
        (*others, newest) = connection.execute(rated).scalars().all()
    assert len(others) == len(before)
    return newest


def remembered(town: Town) -> int:
    with reading(town.engine) as connection:
        rows = select(func.count()).select_from(models.FormerMailbox)
        return connection.execute(rows).scalar_one()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("zoe@example.net", "zoe@example.net"),
        ("zoe@example.net", "ZOE+more@example.net"),
        ("z.oe@gmail.com", "zo.e+more@googlemail.com"),
    ],
)
def test_a_mailbox_that_goes_from_hand_to_hand_is_shared_for_30_days(
    town: Town, first: str, second: str
) -> None:
    """Ann gives it up before bob confirms it: they never have it at the same time."""
    moves(town, "ann", ANN, first)
    moves(town, "ann", first, "ann@example.net")
    assert is_rated(town)
    moves(town, "bob", BOB, second)
    assert not is_rated(town)
    town.now += 30 * DAY - 60 * 60
    assert not is_rated(town)
    town.now += 60 * 60
    assert is_rated(town)


def test_a_mailbox_that_both_gave_up_is_shared(town: Town) -> None:
    moves(town, "ann", ANN, "zoe@example.net")
    moves(town, "ann", "zoe@example.net", "ann@example.net")
    moves(town, "bob", BOB, "zoe@example.net")
    moves(town, "bob", "zoe@example.net", "bob@example.net")
    assert not is_rated(town)


def test_a_mailbox_that_one_player_gives_up_and_takes_again_is_not_shared(town: Town) -> None:
    for _ in range(2):
        moves(town, "ann", ANN, "zoe@example.net")
        town.now += DAY
        moves(town, "ann", "zoe@example.net", ANN)
        town.now += DAY
    assert remembered(town) == 2
    assert is_rated(town)


def test_a_board_is_not_rated_if_the_mailbox_moves_while_it_runs(town: Town) -> None:
    assert is_rated(town)
    town.move("ann", "10-6s")
    town.move("bob", "dudo")  # who is right and opens the next round
    moves(town, "ann", ANN, "ann@example.net")
    moves(town, "bob", BOB, ANN)
    town.write(ANN, f"perudo resign 1 bob {PASSWORD}")
    with reading(town.engine) as connection:
        board = models.Board
        ended = connection.execute(select(board.state, board.rated)).one()
    assert ended == ("won", False)


def test_an_unconfirmed_address_is_not_remembered(town: Town) -> None:
    """Otherwise anybody could name another player's mailbox, and spoil that player's ratings."""
    town.write(ANN, f"change address ann {PASSWORD} {BOB}")
    town.write(ANN, f"change address ann {PASSWORD} {ANN}")
    agreeing = re.search(r"confirm ([A-Z2-7]{26})", town.last_letter_to(ANN, 2).text)
    assert agreeing is not None
    town.write(ANN, f"confirm {agreeing[1]}")
    assert remembered(town) == 0
    assert is_rated(town)


def test_a_departed_players_mailbox_is_remembered_by_a_digest_alone(town: Town) -> None:
    """The digest cannot be made without the key, so it tells nobody the address."""
    town.app.transactions.run(signs_off)
    with reading(town.engine) as connection:
        kept = connection.execute(select(models.FormerMailbox.digest)).scalars().all()
        assert connection.execute(select(models.Address.address)).scalars().all() == [BOB]
    assert kept == [town.processor.tokens.keyed(ANN)]
    assert re.fullmatch("[0-9a-f]{64}", kept[0])


def signs_off(work: UnitOfWork) -> list[Letter]:
    return sign_off.sign_off(work, 1)


def test_a_forgotten_players_digest_is_deleted(town: Town) -> None:
    moves(town, "ann", ANN, "ann@example.net")
    moves(town, "bob", BOB, "bob@example.net")
    town.app.transactions.run(lambda context: account_erasure.forget(context, "ann", ""))
    with reading(town.engine) as connection:
        kept = connection.execute(select(models.FormerMailbox.player_id)).scalars().all()
    assert kept == [2]


def test_digests_are_forgotten_after_30_days(town: Town) -> None:
    moves(town, "ann", ANN, "ann@example.net")
    for later, expected in ((30 * DAY - 60 * 60, 1), (60 * 60, 0)):
        town.now += later
        town.app.transactions.run(expired)
        assert remembered(town) == expected


def expired(work: UnitOfWork) -> list[Letter]:
    retention.expire(work)
    return []


def test_digests_are_not_kept_longer_because_the_clock_was_ahead(town: Town) -> None:
    town.app.tick("town")
    town.now += 400 * DAY
    town.app.tick("town")
    moves(town, "ann", ANN, "ann@example.net")
    town.now -= 400 * DAY
    town.app.tick("town")
    with reading(town.engine) as connection:
        moment = connection.execute(select(models.FormerMailbox.given_up_at)).scalar_one()
    assert abs(moment - town.now) < 60 * 60
