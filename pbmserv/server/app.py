"""The house, opened: settings, database, post office and carrier of one home.

Every process that works in a home opens it here.  Two locks keep processes out of each other's
way: one says that a server runs, the other that somebody is delivering letters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sqlalchemy import Engine
from sqlalchemy.exc import DataError, DBAPIError

from pbmserv.database import leases, restore_detection
from pbmserv.database.engine import close, writing
from pbmserv.database.installation import open_installation
from pbmserv.errors import Misconfigured, TryLater, describe, how_to_add
from pbmserv.file_locks import PAUSE, locked
from pbmserv.home import POSTMARKS_FILE, open_home
from pbmserv.intake.password_pool import Late, Unchecked
from pbmserv.intake.processor import Processor
from pbmserv.intake.request import Request
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Transport
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox import delivery
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.mailbox_poller import Beyond, Mailbox
from pbmserv.transports.maildir_in import MaildirMailbox
from pbmserv.transports.maildir_out import MaildirOut

SERVING, DELIVERING, FETCHING = "serving.lock", "delivering.lock", "fetching.lock"
RENEWING = "renewing.lock"
AfterRestore: TypeAlias = Literal["renew", "refuse", "look"]
RELAY_TIMEOUT = 60  # seconds for all that is said with a relay about one letter
PATIENCE = 10.0  # seconds that another process is waited for


def _now() -> int:
    return int(time.time())


@dataclass(frozen=True, slots=True)
class App:
    """One home, opened."""

    settings: Settings
    engine: Engine
    processor: Processor
    transport: Transport

    def accept(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        """Deal with mails, as `PostOffice.accept` does; a mail to blame for a bug is Beyond."""
        with _mails_to_blame():
            return self.processor.accept(incoming_mails)

    def take(
        self, incoming_mails: Sequence[IncomingMail], proven: Sequence[Request]
    ) -> list[Unchecked]:
        """Deal with mails that need no hash, as `PostOffice.take` does; or as `accept`, Beyond."""
        with _mails_to_blame():
            return self.processor.take(incoming_mails, proven)

    def prove(self, unproven: Unchecked, late: Late) -> Request | None:
        """Try the passwords of a mail, as `PostOffice.prove` does; or as `accept`, Beyond."""
        with _mails_to_blame():
            return self.processor.prove(unproven, late)

    def refuse_large(self, incoming: IncomingMail) -> None:
        """Note a mail larger than the settings allow, as `PostOffice.refuse_large` does."""
        with _mails_to_blame():
            self.processor.refuse_large(incoming, self.settings.largest_mail)

    def tell_of_mailbox(self, about: str, why: str) -> None:
        """Note for the operator that a mailbox gave trouble; without a database, that has more."""
        with suppress(TryLater, Misconfigured), writing(self.engine, durable=False) as connection:
            operator_alerts.note(connection, "mailbox", about, why, self.processor.clock())

    def deliver(self, going: Callable[[], bool] = lambda: True) -> int | None:
        """Send what is due; None where another process is at it, or a server soon will be.

        Another process may have looked for the last time before our letters were written: then
        we wait until it is gone.  No batch begins after `going()` was false, or the lease was lost.
        """
        until = time.monotonic() + PATIENCE
        while True:
            with self._delivering() as is_mine:
                if is_mine:
                    return delivery.deliver(
                        self.engine,
                        self.settings,
                        self.processor.tokens,
                        self.transport,
                        self.processor.clock,
                        going=lambda: going() and is_mine(),
                        lost=self.processor.lost,
                    )
            is_due = delivery.is_due(self.engine, self.processor.clock())
            if not is_due or self.is_served() or time.monotonic() > until:
                return None
            time.sleep(PAUSE)

    @contextmanager
    def _delivering(self) -> Iterator[Callable[[], bool] | None]:
        """Deliver alone, in this home and in others with the same database; None: others do.

        What is given says whether that is still so: the connection that holds the lease may break.
        """
        with locked(self.settings.home / DELIVERING) as mine:
            if not mine:
                yield None
                return
            with leases.held(self.engine, leases.DELIVERING) as held:
                yield held.is_kept if held else None

    def advance(self) -> None:
        """Note that the database goes on, so that a restored backup is noticed."""
        restore_detection.advance(self.engine, self.settings.home, durable=False)

    def is_served(self) -> bool:
        """True while a server runs in this home, and will do what is left to do."""
        return is_served(self.settings.home)


def is_served(home: Path) -> bool:
    """True while a server runs in a home."""
    with locked(home / SERVING, shared=True) as free:
        return not free


@contextmanager
def opened(
    home: Path,
    clock: Callable[[], int] = _now,
    *,
    new: bool = False,
    after_restore: AfterRestore = "refuse",
) -> Iterator[App]:
    """The house of a home, made on first use; closed again with nothing left in the log.

    `new` is that of `open_installation`.  Where the home was restored from a backup every running
    round is thrown anew first ("renew"), or nothing is done ("refuse"), or it is only looked at
    ("look").  Raises Misconfigured.
    """
    settings = open_home(home)
    engine, key = open_installation(settings, new=new)
    transport = transport_for(settings)
    is_at_work = False
    try:
        if after_restore != "look":
            restore_detection.begin(engine, home)
            _after_restore(settings, engine, key, clock, renews=after_restore == "renew")
            is_at_work = True
        tokens = Tokens(key, restore_detection.restores(engine))
        processor = Processor(engine, tokens, Passwords(), settings, clock)
        with closing(processor.suspects):
            yield App(settings, engine, processor, transport)
    finally:
        transport.close()
        if is_at_work and not is_served(home):  # a server counts by itself
            with suppress(TryLater, Misconfigured):
                restore_detection.advance(engine, home, durable=True)
        close(engine)


def renewed(home: Path, clock: Callable[[], int] = _now) -> int:
    """Throw every running round of a home anew, as after a restore; how many there were.

    Raises TryLater where a server works on the database, be it in another home.
    """
    settings = open_home(home)
    engine, key = open_installation(settings)
    try:
        with leases.alone(engine):
            return _renewed(settings, engine, key, clock)
    finally:
        close(engine)


def _after_restore(
    settings: Settings, engine: Engine, key: bytes, clock: Callable[[], int], *, renews: bool
) -> None:
    home = settings.home
    if not restore_detection.is_put_back(engine, home):
        return
    if not renews:
        what = "start the server, or type: pbmserv restored"
        raise Misconfigured(f"{home}: was restored from a backup; {what}")
    # Of two at once the second finds it done.  A server of another home would see no restore.
    with locked(home / RENEWING, patience=PATIENCE), leases.alone(engine, PATIENCE):
        if restore_detection.is_put_back(engine, home):
            _renewed(settings, engine, key, clock)


def _renewed(settings: Settings, engine: Engine, key: bytes, clock: Callable[[], int]) -> int:
    (settings.home / POSTMARKS_FILE).unlink(missing_ok=True)  # they are of letters that are lost
    restore_detection.note_restore(engine, clock())
    tokens = Tokens(key, restore_detection.restores(engine))
    count = Processor(engine, tokens, Passwords(), settings, clock).renew()
    restore_detection.go_on(engine, settings.home)
    return count


@contextmanager
def _mails_to_blame() -> Iterator[None]:
    """Makes Beyond of every fault that is not the database's."""
    try:
        yield
    except (TryLater, Misconfigured):
        raise
    except Exception as problem:
        is_of_database = isinstance(problem, DBAPIError) and not isinstance(problem, DataError)
        raise (TryLater if is_of_database else Beyond)(describe(problem)) from None


def mailboxes_for(settings: Settings) -> list[Mailbox]:
    """The mailboxes that mail is collected from; raises Misconfigured."""
    found: list[Mailbox] = []
    if settings.imap:
        if not (settings.imap_user and settings.imap_password):
            raise Misconfigured("imap is set, so imap_user and imap_password must be")
        try:
            from pbmserv.transports.imap_in import ImapMailbox
        except ModuleNotFoundError as missing:
            if missing.name != "imap_tools":
                raise
            why = f"imap is set, but imap-tools is not installed: {how_to_add('imap')}"
            raise Misconfigured(why) from None
        found.append(ImapMailbox(settings))
    if settings.maildir:
        found.append(MaildirMailbox(settings.home / Path(settings.maildir).expanduser()))
    return found


def transport_for(settings: Settings) -> Transport:
    """How letters leave this home: into mailboxes in it, or by a relay."""
    if settings.delivery == "maildir":
        return MaildirOut(settings.home / "mail")
    # A shell command in a home of mailboxes needs no smtplib, nor what stands behind it.
    from pbmserv.transports.smtp_relay import SmtpRelay

    return SmtpRelay(
        *host_and_port(settings.relay),
        settings.relay_security,
        settings.relay_user,
        settings.relay_password,
        RELAY_TIMEOUT,
    )
