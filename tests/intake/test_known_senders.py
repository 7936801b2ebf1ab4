"""Emails of one batch share what is known of their senders, which is never out of date."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from pbmserv.database.engine import writing
from pbmserv.database.models import Address
from pbmserv.mail.incoming import IncomingMail
from pbmserv.outbox.recipients import ASKED
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, mail, town_at

ANN, ZOE = "ann@example.org", "zoe@example.org"


def incoming(town: Town, sender: str, subject: str) -> IncomingMail:
    raw = mail(sender, subject, message_id=town.next_message_id())
    return IncomingMail(raw, sender, OUR_ADDRESS, "smtp")


@pytest.mark.parametrize("is_paused", [False, True])
@pytest.mark.parametrize(
    "batch",
    [
        [(ANN, "help"), (ANN, "help rules"), (ZOE, "help"), (ANN, "help commands")],
        [(ANN, f"set ann {PASSWORD} language=fr"), (ANN, "help"), (ZOE, "help")],
        [(ANN, f"signoff ann {PASSWORD}"), (ANN, "help")],
    ],
)
def test_a_batch_is_answered_as_its_emails_would_be_one_by_one(
    tmp_path: Path, batch: list[tuple[str, str]], is_paused: bool
) -> None:
    """An email may end the pause of its address, or change whose the address is."""
    told = []
    for name in ("together", "alone"):
        with town_at(tmp_path / name) as town:
            town.sign_up("ann", "bob")
            if is_paused:
                with writing(town.engine) as connection:
                    paused = {"paused_at": town.now, "paused_by": ASKED, "told": True}
                    change = update(Address).where(Address.address == ANN)
                    connection.execute(change.values(paused))
            mails = [incoming(town, *each) for each in batch]
            for some in [mails] if name == "together" else [[each] for each in mails]:
                town.processor.accept(some)
            told.append([(each.to, each.subject) for each in town.delivered()])
    assert told[0] == told[1]
    assert told[0]
