"""How many statements an email takes: each costs CPU time, and on PostgreSQL a round trip.

What begins a transaction is not counted.  Emails that come together share a transaction, and some
statements with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from pbmserv.mail.incoming import IncomingMail
from tests.sql import heard
from tests.stories.town import OUR_ADDRESS, Town, mail, town_at

TOGETHER = 3  # emails that share a transaction
BEGINNING = "SELECT set_config("  # on PostgreSQL


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """The statements that run on a database during the block."""
    found: list[str] = []

    def note(sql: str, _: object) -> None:
        if not sql.startswith(BEGINNING):
            found.append(" ".join(sql.split()[:4]))

    with heard(engine, note):
        yield found


@pytest.fixture
def town(any_home: Path) -> Iterator[Town]:
    """Three players at three boards; ann has made the first move at each."""
    with town_at(any_home) as town:
        town.sign_up("ann", "bob", "cleo")
        for _ in range(TOGETHER):
            town.challenge("ann", "bob", "cleo")
        taken(town, moves(town, "ann", "2-2s"))
        yield town


def posted(
    town: Town, who: str, subject: str, text: str = "", to: str = OUR_ADDRESS
) -> IncomingMail:
    address = f"{who}@example.org"
    raw = mail(address, subject, text, message_id=town.next_message_id(), to=to)
    return IncomingMail(raw, address, to, "smtp")


def moves(town: Town, who: str, text: str, most: int = TOGETHER) -> list[IncomingMail]:
    """Replies to the latest letters that ask for a move, with a bid and a message to the others."""
    asking = [each for each in town.letters if each.subject.startswith("Your turn")]
    letters = [each for each in asking if each.to.startswith(who)][-most:]
    return [posted(town, who, f"Re: {each.subject}", text, each.reply_to) for each in letters]


def taken(town: Town, mails: list[IncomingMail]) -> int:
    """How many statements these emails take together."""
    with statements(town.engine) as found:
        town.processor.accept(mails)
    assert len(town.delivered()) >= len(mails)
    return len(found)


def test_a_move_by_token_takes_few_statements(town: Town) -> None:
    """The sender with the ban, the email, the board with its readers, two rows of it, letters.

    A player's first move also takes the seat.  A message may not hold what only their writer
    knows, so more is read for them.  A few short words cannot hold it.
    """
    assert taken(town, moves(town, "bob", "3-2s")) <= 4 * TOGETHER + 3
    taken(town, moves(town, "cleo", "4-2s"))
    assert taken(town, moves(town, "ann", "5-2s")) <= 3 * TOGETHER + 3
    assert taken(town, moves(town, "bob", "6-2s\n\nGood luck!", 1)) <= 7
    longer = "6-2s\n\nThat is a long way up, or so it seems to me."
    assert taken(town, moves(town, "bob", longer, 2)[:1]) <= 12
    assert taken(town, moves(town, "cleo", "7-2s", 1)) <= 6
    assert taken(town, moves(town, "ann", "dudo", 1)) <= 6


def test_an_answer_takes_few_statements(town: Town) -> None:
    """The ban, the email, its address, and what the limits of answers read and count."""
    strangers = [posted(town, f"zoe{number}", "help") for number in range(TOGETHER + 2)]
    taken(town, strangers[:1])
    assert taken(town, strangers[1:2]) <= 5
    assert taken(town, strangers[2:]) <= 2 * TOGETHER + 3
    taken(town, [posted(town, "ann", "help")])
    assert taken(town, [posted(town, "ann", "help commands")]) <= 7


def test_every_statement_is_built_once(town: Town) -> None:
    """SQLAlchemy needs as long to build a statement as to execute it."""
    known: list[Any] = []

    def built(mails: list[IncomingMail]) -> list[str]:
        found: list[Any] = []

        def note(_: Any, statement: Any, *__: Any) -> None:
            if not any(statement is each for each in known):
                known.append(statement)
                found.append(statement)

        event.listen(town.engine, "before_execute", note)
        try:
            taken(town, mails)
        finally:
            event.remove(town.engine, "before_execute", note)
        return list(map(str, found))

    bids = iter(("3-2s", "4-2s", "5-2s", "6-2s\n\nGood luck!", "7-2s\n\nGood luck!"))
    built([posted(town, f"zoe{number}", "help") for number in range(2)])
    built(moves(town, "bob", next(bids), 1))
    built(moves(town, "cleo", next(bids), 1))
    assert built([posted(town, "zoe3", "help")]) == []
    assert built(moves(town, "ann", next(bids), 1)) == []
    built(moves(town, "bob", next(bids), 1))
    assert built(moves(town, "cleo", next(bids), 1)) == []


def test_letters_of_a_batch_know_what_its_other_emails_change(town: Town) -> None:
    """Ann's address is paused by an email after the move that she would have been told of."""
    taken(town, moves(town, "bob", "3-2s"))
    (move,) = moves(town, "cleo", "4-2s", 1)
    no_more = town.last_letter_to("ann@example.org").unsubscribe
    town.processor.accept([move, posted(town, "ann", "", to=no_more)])
    told = [each for each in town.delivered() if each.to.startswith("ann")]
    assert [each.subject for each in told] == ["Your letters are paused, ann"]
