"""The two ways in ARCHITECTURE.md are the calls that the program makes, in this order."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import re
import signal
import smtplib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

from pbmserv.database import leases
from pbmserv.database.leases import Lease
from pbmserv.outbox.queue import is_due
from pbmserv.server.app import App, opened
from pbmserv.server.intake_worker import IntakeWorker
from pbmserv.server.sending_worker import SendingWorker
from pbmserv.settings import SETTINGS_FILE
from tests.cli.processes import until
from tests.fake_relay import FakeRelay, Taken, open_relay
from tests.stories.town import Town, answering, mail

TOP = Path(__file__).parents[1]
MOST_PACKAGES = 10  # that a bid passes
FORFEIT_HOURS = 21 * 24  # after the last move


def steps(way: str) -> list[list[str]]:
    """The functions that each step of a way names."""
    text = (TOP / "ARCHITECTURE.md").read_text("utf-8").partition("\n## Two ways\n")[2]
    numbered = text.partition(f"\n{way}")[2].partition("\n\n")[2].partition("\n\n")[0]
    return [
        re.findall(r"`(\w+(?:\.\w+)*\.[a-z_]\w*)`", step)
        for step in re.split(r"^\d+\. ", numbered, flags=re.MULTILINE)[1:]
    ]


def code(name: str) -> CodeType:
    """The code of a function that a step names by its module, and by its class if it is in one."""
    for module in (TOP / "pbmserv").rglob("*.py"):
        parts = module.relative_to(TOP).with_suffix("").parts
        for place in range(1, len(parts)):
            inside = ".".join(parts[place:]) + "."
            if name.startswith(inside):
                found: object = importlib.import_module(".".join(parts))
                for attribute in name.removeprefix(inside).split("."):
                    found = getattr(found, attribute, None)
                found = getattr(found, "callback", found)  # a command of click
                if inspect.isfunction(found):
                    own: CodeType = inspect.unwrap(found).__code__  # click wraps others around it
                    return own
    raise AssertionError(name)


def types_in(value: object) -> Iterator[str]:
    """The names of our types of a value, and of those in its lists, tuples and dictionaries."""
    if type(value).__module__.startswith("pbmserv."):
        yield type(value).__name__
    if type(value) in {list, tuple, dict}:
        for each in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]  # a dict
            yield from types_in(each)


def assert_takes(way: str, act: Callable[[], object]) -> set[str]:
    """Every function of the way is called, and the first ones of its steps in their order.

    Returns the names of our types that these functions take and return.
    """
    named = [[code(name) for name in names] for names in steps(way) if names]
    called, wanted = [], {each for names in named for each in names}
    passed: set[str] = set()

    def note(frame: FrameType, event: str, result: object) -> None:
        if frame.f_code not in wanted:
            return
        if event == "call":
            called.append(frame.f_code)
            taken = inspect.getargvalues(frame)
            for name in taken.args[taken.args[:1] == ["self"] :]:
                passed.update(types_in(taken.locals[name]))
        elif event == "return":
            passed.update(types_in(result))

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    assert sorted(each.co_qualname for each in wanted - set(called)) == []
    left = iter(called)
    assert [each.co_qualname for each, *_ in named if each not in left] == []
    return passed


def types_of_the_table() -> tuple[set[str], set[str]]:
    """The values that a bid passes, as docs/design.md lists them; and the services below."""
    text = (TOP / "docs" / "design.md").read_text("utf-8")
    head = "\n## The values between the steps of a bid\n"
    section = text.partition(head)[2].partition("\n## ")[0]
    rows, _, rest = section.partition("\nThe rest are services")
    return set(re.findall(r"^\| `(\w+)`", rows, re.MULTILINE)), set(
        re.findall(r"`([A-Z]\w+)`", rest)
    )


class LastRelay(FakeRelay):
    """A relay that ends the sending worker when it has a letter."""

    def note(self, letter: Taken) -> None:
        """Remember a letter that was taken."""
        super().note(letter)
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def opened_by_workers(town: Town) -> Iterator[App]:
    """The home of a town, for workers that listen to SMTP and send to a relay; at its clock."""
    with open_relay(LastRelay()) as port:
        (town.home / SETTINGS_FILE).write_text(
            f'smtp = "127.0.0.1:0"\ndelivery = "smtp"\nrelay = "127.0.0.1:{port}"\n'
        )
        with opened(town.home, lambda: town.now) as app:
            yield app


def take_in(app: App, is_done: Callable[[], bool], *mails: tuple[str, str, bytes]) -> None:
    """Run an intake worker; it ends when it has stored the emails and something is true."""

    def send(place: str) -> None:
        with smtplib.SMTP("127.0.0.1", int(place.rpartition(":")[2])) as session:
            for sender, recipient, raw in mails:
                session.sendmail(sender, [recipient], raw)
        until(is_done)
        os.kill(os.getpid(), signal.SIGTERM)

    async def serve() -> None:
        places: list[str] = []
        ready = asyncio.Event()
        worker = IntakeWorker(app, Lease(None))
        running = asyncio.create_task(worker.run(places.append, ready.set))
        await ready.wait()
        await asyncio.to_thread(send, places[0])
        await running

    asyncio.run(serve())


def send_out(app: App) -> None:
    """Run a sending worker until SIGTERM."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with leases.sending(app.engine, 0.0) as held:
            SendingWorker(app, held, None).run(lambda: None)
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(-1)


def test_a_bid_in_a_reply_takes_the_steps_of_the_map_in_their_order(town: Town) -> None:
    letter = town.last_letter_to("ann@example.org")
    headers = answering(letter)
    raw = mail(
        letter.to,
        f"Re: {letter.subject}",
        "1-2s\n",
        message_id="<bid@client.example>",
        to=letter.reply_to,
        headers=headers,
    )
    with opened_by_workers(town) as app:

        def act() -> None:
            take_in(app, lambda: True, (letter.to, letter.reply_to, raw))
            send_out(app)

        passed = assert_takes("One bid", act)
    values, services = types_of_the_table()
    assert passed == values | services, " ".join(sorted(passed ^ (values | services)))


def test_a_missed_deadline_takes_the_steps_of_the_map_in_their_order(town: Town) -> None:
    town.move("ann", "1-2s")
    town.move("bob", "2-2s")  # a game that has not begun would be declined
    town.waited(FORFEIT_HOURS - 1)
    town.now += 3600
    with opened_by_workers(town) as app:

        def act() -> None:
            take_in(app, lambda: is_due(app.engine, town.now))
            send_out(app)

        assert_takes("One deadline", act)


def test_the_steps_of_a_bid_are_in_at_most_ten_packages() -> None:
    files = {name: code(name).co_filename for names in steps("One bid") for name in names}
    packages = {Path(file).relative_to(TOP).parts[1] for file in files.values()}
    assert len(packages) <= MOST_PACKAGES
