"""Wrong passwords under a player's From do not lock out the player who replies to a letter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.mail.incoming import IncomingMail
from pbmserv.players.login_throttle import CLAIMED_DAILY
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, mail, town_at

ASKED = f"perudo showas ann {PASSWORD} 1"
LOCKED = "The password was wrong too often"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town in which somebody used up the wrong passwords of ann's address, for now."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        guess(town, CLAIMED_DAILY // 4 + 1)
        assert LOCKED in said(town.write("ann@example.org", ASKED))
        yield town


def guess(town: Town, times: int, headers: dict[str, str] | None = None) -> None:
    """Somebody guesses at ann's password under her address."""
    raws = [
        mail(
            "ann@example.org",
            f"perudo showas ann guess{number} 1",
            message_id=f"<guess-{number}-of-{times}@evil.example>",
            headers=headers,
        )
        for number in range(times)
    ]
    town.processor.accept(
        [IncomingMail(raw, "x@evil.example", OUR_ADDRESS, "smtp") for raw in raws]
    )
    town.delivered()


def said(letters: list[Letter]) -> str:
    return " ".join(" ".join(each.text for each in letters).split())


def board_letter(town: Town, userid: str) -> Letter:
    return next(each for each in town.letters if len(each.token) == 32 and userid in each.to)


def test_a_reply_to_a_board_letter_is_tried_by_its_message_id(town: Town) -> None:
    """The Message-ID of a board's letter holds its token, in place of a stamp."""
    letter = board_letter(town, "ann")
    heard = said(town.write("ann@example.org", ASKED, headers=answering(letter)))
    assert "Board 1" in heard and LOCKED not in heard


def test_a_reply_to_a_board_letter_is_tried_by_its_plus_address(town: Town) -> None:
    """Some mail programs write no In-Reply-To; an old letter's token does, too."""
    letter = board_letter(town, "ann")
    town.move("ann", "2-3s")
    heard = said(town.write("ann@example.org", ASKED, to=letter.reply_to))
    assert "Board 1" in heard and LOCKED not in heard


def test_a_letter_of_another_player_proves_nothing(town: Town) -> None:
    letter = board_letter(town, "bob")
    assert LOCKED in said(town.write("ann@example.org", ASKED, headers=answering(letter)))
    assert LOCKED in said(town.write("ann@example.org", ASKED, to=letter.reply_to))


def test_wrong_passwords_in_replies_are_counted_by_themselves(town: Town) -> None:
    """Ten an hour: who has the letter but not the password guesses no longer than others."""
    letter = board_letter(town, "ann")
    guess(town, 10, answering(letter))
    assert "Board 1" not in said(town.write("ann@example.org", ASKED, headers=answering(letter)))
    town.now += 3600
    assert "Board 1" in said(town.write("ann@example.org", ASKED, headers=answering(letter)))
