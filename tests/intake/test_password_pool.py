"""Passwords are checked in threads, a few at a time; strangers share a token bucket."""

from __future__ import annotations

import asyncio
import os
import signal
import smtplib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from argon2 import PasswordHasher
from sqlalchemy import func, select

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.leases import Lease
from pbmserv.errors import TryLater
from pbmserv.intake import credential_check, password_pool
from pbmserv.intake.kept_emails import inbox
from pbmserv.intake.password_pool import MOST_STRANGERS_WAITING, PasswordCheckPostponed
from pbmserv.intake.processor import Processor
from pbmserv.mail.incoming import IncomingMail
from pbmserv.players import login_throttle
from pbmserv.security.passwords import Passwords
from pbmserv.server.intake_worker import IntakeWorker
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, answering, mail, town_at

CALLERS = 20
PATIENCE = 60  # seconds


class Blocked(PasswordHasher):
    """A real hasher that waits for an event."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.may_go_on = Event()

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        assert self.may_go_on.wait(60)
        return super().hash(password, salt=salt)


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town in which ann has an account."""
    with town_at(home) as town:
        town.sign_up("ann")
        (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
        yield town


@pytest.fixture
def processor(town: Town, monkeypatch: pytest.MonkeyPatch) -> Processor:
    """A new processor that gives strangers one password, and then one every few hours."""
    town.now += 10 * 86_400  # the bucket is full
    monkeypatch.setattr(password_pool, "STRANGERS_DAILY", 4)
    return replace(town.processor, passwords=Passwords(cheap()))


def cheap() -> PasswordHasher:
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def incoming(number: int, sender: str, subject: str, to: str = OUR_ADDRESS) -> IncomingMail:
    raw = mail(sender, subject, message_id=f"<{number}@hashing>")
    return IncomingMail(raw, sender, to, "smtp")


def hear_of_ann(
    number: int, sender: str, userid: str = "ann", password: str = PASSWORD
) -> IncomingMail:
    return incoming(number, sender, f"perudo showas {userid} {password} 1")


def is_taken(town: Town, message_id: str) -> bool:
    with reading(town.engine) as connection:
        row = models.InboxMail
        return (
            connection.execute(select(row.id).where(row.message_id == message_id)).first()
            is not None
        )


def kept(processor: Processor) -> int:
    """How many of these emails were taken."""
    query = select(func.count()).where(models.InboxMail.message_id.like("%@hashing>"))
    with reading(processor.engine) as connection:
        return int(connection.execute(query).scalar_one())


@pytest.mark.parametrize("userid", ["ann", "nobody"])
def test_all_strangers_spend_from_one_bucket(processor: Processor, userid: str) -> None:
    """A right password, too, and a userid that does not exist; what is over it comes again."""
    assert processor.accept([hear_of_ann(1, "x@evil.example", userid)]) == []
    late = [
        hear_of_ann(2, "y@evil.example", "zoe"),
        incoming(3, "z@evil.example", "signup zed pass"),
    ]
    assert processor.accept(late) == late
    assert kept(processor) == 1


def test_a_players_own_address_is_served_while_strangers_wait(processor: Processor) -> None:
    """A writer without a password is served, too.

    A password known to be right is not hashed again.
    """
    assert processor.accept([hear_of_ann(1, "x@evil.example")]) == []
    assert processor.accept([hear_of_ann(2, "y@evil.example", password="wrong")]) != []
    own = hear_of_ann(3, "ann@example.org", password="wrong-1")
    assert processor.accept([own, incoming(4, "zoe@example.org", "help")]) == []
    assert processor.accept([hear_of_ann(5, "elsewhere@example.org")]) == []
    assert kept(processor) == 4


def test_a_player_changes_the_password_when_strangers_have_emptied_their_bucket(
    processor: Processor, town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proven email of the player may do so a few times a day. Then it counts as a stranger's."""
    monkeypatch.setattr(credential_check, "MOST_NEW", 2)
    assert processor.accept([hear_of_ann(1, "x@evil.example")]) == []
    answered = answering(town.last_letter_to("ann@example.org"))

    def is_taken(old: str, new: str, headers: Mapping[str, str] = answered) -> bool:
        who, subject = "ann@example.org", f"change password ann {old} {new}"
        number = f"<{old}-{new}-{len(headers)}@hashing>"
        raw = mail(who, subject, message_id=number, headers=headers)
        return processor.accept([IncomingMail(raw, who, OUR_ADDRESS, "smtp")]) == []

    assert not is_taken("wrong", "monkeys1")
    assert not is_taken(PASSWORD, "monkeys1", {})
    assert is_taken(PASSWORD, "monkeys1")
    assert is_taken("monkeys1", "monkeys2")
    assert not is_taken("monkeys2", "monkeys3")


def test_the_bucket_fills_again(processor: Processor, town: Town) -> None:
    assert processor.accept([hear_of_ann(1, "x@evil.example", "zoe")]) == []
    assert processor.accept([hear_of_ann(2, "x@evil.example", "zoe")]) != []
    town.now += 8 * 3600
    assert processor.accept([hear_of_ann(2, "x@evil.example", "zoe")]) == []


def test_the_pipe_asks_to_come_again(processor: Processor, town: Town) -> None:
    """Exit 75 with a server, and without."""
    assert processor.accept([hear_of_ann(1, "x@evil.example", "zoe")]) == []
    with pytest.raises(PasswordCheckPostponed):
        processor.store([hear_of_ann(2, "x@evil.example", "zoe")])
    assert kept(processor) == 1


def test_an_email_held_back_comes_again_when_the_bucket_is_empty_by_then(
    processor: Processor,
) -> None:
    """It is not stored as an email that breaks the parser."""
    (held,) = processor.take([hear_of_ann(1, "x@evil.example", "zoe")])
    assert processor.accept([hear_of_ann(2, "y@evil.example", "zoe")]) == []
    with pytest.raises(PasswordCheckPostponed):
        processor.prove(held)
    assert kept(processor) == 1


def test_an_email_stored_by_the_pipe_needs_no_hash_and_holds_no_password(
    processor: Processor,
) -> None:
    """The pipe's process checked it, so the server only runs the command."""
    processor.store([hear_of_ann(1, "x@evil.example")])
    with reading(processor.engine) as connection:
        raw = connection.execute(select(models.InboxMail.raw).order_by(models.InboxMail.id.desc()))
        assert PASSWORD.encode() not in (raw.scalars().first() or b"")
    hasher = Blocked()  # a caller would wait for ever
    assert replace(processor, passwords=Passwords(hasher)).work() == 1
    with reading(processor.engine) as connection:
        states = connection.execute(select(models.InboxMail.state).distinct()).scalars().all()
    assert states == [inbox.DONE]


def served(
    town: Town,
    hasher: PasswordHasher,
    visit: Callable[[IntakeWorker, int], Coroutine[None, None, None]],
) -> None:
    """A server whose passwords are tried by this hasher, visited at its port, then stopped."""
    settings = replace(town.settings, smtp="127.0.0.1:0")
    processor = replace(town.processor, passwords=Passwords(hasher))
    server = IntakeWorker(replace(town.app, settings=settings, processor=processor), Lease(None))

    async def run() -> None:
        places: list[str] = []
        running = asyncio.create_task(server.run(places.append))
        while not (places or running.done()):
            await asyncio.sleep(0.01)
        try:
            await visit(server, int(places[0].rpartition(":")[2]))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await running

    asyncio.run(run())


def test_an_email_without_a_password_overtakes_waiting_ones(town: Town) -> None:
    """An email to two of our addresses waits once, and both transports get its result."""
    hasher = Blocked()

    async def visit(server: IntakeWorker, port: int) -> None:
        signup = incoming(1, "zoe@example.org", "signup zoe secret")
        twice = [signup, replace(signup, recipient="perudo+x@localhost")]
        waiting = [asyncio.create_task(server.accept(each)) for each in twice]
        await server.accept(incoming(2, "bob@example.org", "help"))
        assert not any(each.done() for each in waiting)
        hasher.may_go_on.set()
        await asyncio.gather(*waiting)

    served(town, hasher, visit)
    assert kept(town.processor) == 2


def test_a_flood_of_passwords_by_smtp_delays_no_other_email(town: Town) -> None:
    """Some wait and the others get 451. Emails without passwords are answered meanwhile."""
    hasher = Blocked()

    def sent(port: int, number: int, subject: str) -> int:
        with smtplib.SMTP("127.0.0.1", port, "client.example", timeout=60) as client:
            sender = f"{number}@evil.example"
            raw = mail(sender, subject, message_id=f"<{number}@hashing>")
            try:
                client.sendmail(sender, [OUR_ADDRESS], raw)
            except smtplib.SMTPDataError as refused:
                return int(refused.smtp_code)
        return 250

    async def visit(server: IntakeWorker, port: int) -> None:
        flood = [
            asyncio.create_task(asyncio.to_thread(sent, port, each, f"signup u{each} secret"))
            for each in range(CALLERS)
        ]
        while sum(each.done() for each in flood) < CALLERS - MOST_STRANGERS_WAITING:
            await asyncio.sleep(0.01)
        assert {each.result() for each in flood if each.done()} == {451}
        assert await asyncio.to_thread(sent, port, 100, "help") == 250
        with pytest.raises(
            PasswordCheckPostponed
        ):  # the answer is that of a stranger, as the others wait
            await server.accept(hear_of_ann(101, "ann@example.org"))
        assert not is_taken(town, "<101@hashing>")
        hasher.may_go_on.set()
        assert sorted(await asyncio.gather(*flood)).count(250) == MOST_STRANGERS_WAITING
        while not is_taken(town, "<101@hashing>"):  # there is still room for players
            await asyncio.sleep(0.01)

    # Each caller is a thread that waits.
    async def with_threads(server: IntakeWorker, port: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(CALLERS + 2))
        await visit(server, port)

    served(town, hasher, with_threads)


def test_the_log_says_once_why_an_email_with_a_password_gets_451(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    """As when the database fails while a password is checked."""

    class Away(PasswordHasher):
        def hash(self, *_: object, **__: object) -> str:
            raise TryLater("the database is away")

    async def visit(server: IntakeWorker, port: int) -> None:
        with pytest.raises(TryLater):
            await server.accept(incoming(1, "zoe@example.org", "signup zoe secret"))

    served(town, Away(), visit)
    assert kept(town.processor) == 0
    assert caplog.text.count("emails not accepted: the database is away") == 1


async def heard(server: IntakeWorker, *incoming_mails: IncomingMail) -> list[bool]:
    """Whether clients of the SMTP listener get 250, one after another; else they get 451."""
    found = []
    for each in incoming_mails:
        try:
            await asyncio.wait_for(server.accept(each), PATIENCE)
        except PasswordCheckPostponed:
            found.append(False)
        else:
            found.append(True)
    return found


def test_the_listener_does_not_tell_which_addresses_are_players(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guessed From and any other use up the same and get the same reply, locked out or not.

    The player's email is carried out, and a later copy does nothing.
    """
    town.now += 10 * 86_400  # the bucket is full
    monkeypatch.setattr(password_pool, "STRANGERS_DAILY", 4)
    theirs = hear_of_ann(1, "zoe@example.org", password="wrong")
    hers = hear_of_ann(2, "ann@example.org", password="wrong")
    right = hear_of_ann(3, "ann@example.org")

    async def visit(server: IntakeWorker, port: int) -> None:
        for one, other in ((theirs, hers), (hers, theirs)):
            assert await heard(server, one, other, right) == [True, False, False]
            town.now += 8 * 3600
        assert await heard(server, right, theirs) == [True, False]
        with writing(town.engine) as connection:
            for number in range(10):
                login_throttle.note(connection, "ann", f"{number}@x.org", town.now, proven=False)
        assert await heard(server, theirs, hers) == [False, False]

    served(town, cheap(), visit)
    assert kept(town.processor) == 3
    about = [each for each in town.delivered() if "Board 1" in each.text or "board 1" in each.text]
    assert len(about) == 1


def test_a_full_queue_does_not_tell_which_addresses_are_players(town: Town) -> None:
    """A player's email in a mailbox is not put back either, because no sender sees that."""
    hasher = Blocked()

    async def visit(server: IntakeWorker, port: int) -> None:
        flood = [hear_of_ann(n, f"{n}@evil.example", f"u{n}") for n in range(10, 18)]
        waiting = [asyncio.create_task(server.accept(each)) for each in flood]
        async with asyncio.timeout(PATIENCE):
            while server._hashing._strangers < MOST_STRANGERS_WAITING:
                await asyncio.sleep(0.001)
        mine = hear_of_ann(1, "ann@example.org")
        assert await heard(server, hear_of_ann(2, "zoe@example.org"), mine) == [False, False]
        collected = replace(hear_of_ann(3, "ann@example.org"), transport="maildir")
        accepting = asyncio.create_task(server._accept_all([collected]))
        await asyncio.sleep(0.05)
        hasher.may_go_on.set()
        assert await accepting == []
        await asyncio.gather(*waiting)
        async with asyncio.timeout(PATIENCE):  # nobody waits for mine any more but we
            while kept(town.processor) < 8 + 2:
                await asyncio.sleep(0.01)

    served(town, hasher, visit)
    assert kept(town.processor) == 8 + 2


def test_a_mailbox_learns_which_emails_to_keep_unread(town: Town) -> None:
    """The others of its batch are safe; other failures are told as usual."""
    hasher = Blocked()

    async def visit(server: IntakeWorker, port: int) -> None:
        signups = [incoming(n, f"{n}@x.org", f"signup u{n} secret") for n in range(12)]
        accepting = asyncio.create_task(
            server._accept_all([*signups, incoming(50, "b@x.org", "help")])
        )
        await asyncio.sleep(0)
        hasher.may_go_on.set()
        late = await accepting
        assert set(map(id, late)) <= set(map(id, signups))
        assert len(late) == 12 - MOST_STRANGERS_WAITING

    served(town, hasher, visit)
    assert kept(town.processor) == 13 - (12 - MOST_STRANGERS_WAITING)


def test_a_bug_in_trying_a_password_keeps_the_email(town: Town) -> None:
    class Broken(Blocked):
        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            raise RuntimeError("no hash today")

    async def visit(server: IntakeWorker, port: int) -> None:
        await server.accept(incoming(1, "zoe@example.org", "signup zoe secret"))

    served(town, Broken(), visit)
    assert kept(town.processor) == 1
