"""A server ends when it is told to, even if email arrives at that moment."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.database.leases import Lease
from pbmserv.mail.incoming import IncomingMail
from pbmserv.server.app import App
from pbmserv.server.intake_worker import IntakeWorker
from tests.stories.town import OUR_ADDRESS, mail, town_at

STEPS = 8  # turns of the event loop between the signal and the email
PATIENCE = 10  # seconds


class Failing(IntakeWorker):
    """A server with a bug in the part that takes the emails of a batch."""

    async def _take_in(self) -> None:
        raise KeyError("a bug")


def test_a_server_of_which_a_part_has_failed_ends(home: Path) -> None:
    """Its supervisor starts it again. Otherwise it would listen, and answer no email."""
    with town_at(home) as town:
        app = replace(town.app, settings=replace(town.settings, smtp=""))
        running = Failing(app, Lease(None)).run(lambda place: None)
        with pytest.raises(KeyError, match="a bug"):
            asyncio.run(asyncio.wait_for(running, PATIENCE))


class FailingTwice(Failing):
    """A server with bugs in two parts."""

    async def _do_left_work(self) -> None:
        raise ValueError("another bug")


def test_a_server_of_which_two_parts_have_failed_tells_of_both(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with town_at(home) as town:
        app = replace(town.app, settings=replace(town.settings, smtp=""))
        running = FailingTwice(app, Lease(None)).run(lambda place: None)
        with pytest.raises(ExceptionGroup) as caught:
            asyncio.run(asyncio.wait_for(running, PATIENCE))
    assert [type(each) for each in caught.value.exceptions] == [KeyError, ValueError]
    assert caplog.text.count("a part of the server failed: ") == 2


def test_an_email_during_shutdown_does_not_delay_the_end(home: Path) -> None:
    """As one whose password was tried for a while, and whose caller has left."""

    async def stop(app: App, steps: int) -> None:
        server, ready = IntakeWorker(app, Lease(None)), asyncio.Event()
        running = asyncio.create_task(server.run(lambda place: None, ready.set))
        await ready.wait()
        await asyncio.sleep(0.01)  # it waits for emails now
        raw = mail("bob@example.org", "help", message_id=f"<{steps}@stopping>")
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(steps):
            await asyncio.sleep(0)
        incoming = IncomingMail(raw, "bob@example.org", OUR_ADDRESS, "smtp")
        handed = asyncio.create_task(server.accept(incoming))
        async with asyncio.timeout(PATIENCE):
            await asyncio.shield(running)
        handed.cancel()

    with town_at(home) as town:
        app = replace(town.app, settings=replace(town.settings, smtp=""))
        for steps in range(STEPS):
            asyncio.run(stop(app, steps))
