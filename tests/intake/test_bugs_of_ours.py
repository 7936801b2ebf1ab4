"""An email that a bug of ours refuses is handled differently from a database that is away."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import DataError, InternalError

from pbmserv.database.leases import Lease
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.server.app import App, opened
from pbmserv.server.intake_worker import IntakeWorker
from pbmserv.transports.mailbox_poller import Beyond
from tests.cli.processes import until
from tests.stories.town import mail

MORNING = 1_700_000_000


def incoming(number: int) -> IncomingMail:
    raw = mail("zoe@example.org", "help", message_id=f"<{number}@x>")
    return IncomingMail(raw, "zoe@example.org", "perudo@localhost", "imap")


def failing_twice(error: Exception) -> Callable[[], int]:
    """A clock with a bug when an email is read, and when it is stored.  After that it has none."""
    errors = [error, error]

    def clock() -> int:
        if errors:
            raise errors.pop()
        return MORNING

    return clock


@pytest.fixture
def app(home: Path) -> Iterator[App]:
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    with opened(home) as app:
        yield app


def with_bug(app: App, error: Exception) -> App:
    return replace(app, processor=replace(app.processor, clock=failing_twice(error)))


def inbox(home: Path) -> list[str]:
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    rows = connection.execute("select message_id from inbox order by message_id").fetchall()
    connection.close()
    return [number for (number,) in rows]


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (KeyError("secret words"), Beyond),
        (DataError("secret words", {}, Exception()), Beyond),
        (InternalError("secret words", {}, Exception()), TryLater),
        (Misconfigured("the database is damaged"), Misconfigured),
    ],
)
def test_an_error_outside_the_database_is_blamed_on_the_email(
    app: App, error: Exception, found: type[Exception]
) -> None:
    broken = with_bug(app, error)
    with pytest.raises(Exception, match=r".") as caught:
        broken.accept([incoming(1)])
    assert type(caught.value) is found
    assert "secret" not in str(caught.value)
    broken.accept([incoming(1)])
    assert inbox(app.settings.home) == ["<1@x>"]


@pytest.mark.parametrize("shortage", [errno.EMFILE, errno.ENOSPC, errno.EROFS])
def test_a_shortage_of_the_system_is_not_blamed_on_the_email(app: App, shortage: int) -> None:
    """Nothing is stored for another try; its sender tries again."""
    broken = with_bug(app, OSError(shortage, "a shortage"))
    for _ in range(2):
        with pytest.raises(TryLater, match="a shortage") as caught:
            broken.accept([incoming(1)])
        assert type(caught.value) is TryLater
        assert inbox(app.settings.home) == []
    broken.accept([incoming(1)])
    assert inbox(app.settings.home) == ["<1@x>"]


def test_emails_batched_with_a_blamed_one_are_processed_alone(app: App) -> None:
    """No sender gets 451 because of another email."""
    server = IntakeWorker(with_bug(app, KeyError("a bug")), Lease(None))

    async def serve() -> None:
        running = asyncio.create_task(server.run(lambda place: None))
        await asyncio.gather(*(server.accept(incoming(number)) for number in range(3)))
        os.kill(os.getpid(), signal.SIGTERM)
        await running

    asyncio.run(serve())
    until(lambda: inbox(app.settings.home) == [f"<{number}@x>" for number in range(3)])
