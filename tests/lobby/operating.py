"""What the operator does to accounts, for tests."""

from __future__ import annotations

from pbmserv.outbox.transactions import Work
from tests.stories.town import Town

ANN, BOB = "ann@example.org", "bob@example.org"
DAY = 24 * 60 * 60


def done(town: Town, work: Work) -> list[tuple[str, str]]:
    """To whom letters went about something that the operator did, and their Subjects."""
    town.app.transactions.run(work)
    return [(each.to, each.subject) for each in town.delivered()]


def flat(town: Town, subject: str, text: str = "") -> str:
    return " ".join(" ".join(each.text.split()) for each in town.write(ANN, subject, text))
