"""The house, opened: settings, database, post office and carrier of one home.

Every process that works in a home opens it here.  Two locks keep processes out of each other's
way: one says that a server runs, the other that somebody is delivering letters.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DataError, DBAPIError

from pbmserv import dispatch, incidents
from pbmserv.database import close, open_database, writing
from pbmserv.doors.collecting import Beyond, Mailbox
from pbmserv.doors.maildir import MaildirCarrier
from pbmserv.doors.maildrop import Maildrop
from pbmserv.doors.places import host_and_port
from pbmserv.errors import Misconfigured, TryLater, how_to_add, named
from pbmserv.home import open_home, read_key
from pbmserv.mail.arrival import Arrival
from pbmserv.mail.carrier import Carrier
from pbmserv.passwords import Passwords
from pbmserv.postoffice import PostOffice
from pbmserv.settings import Settings
from pbmserv.tokens import Tokens

SERVING, DELIVERING, FETCHING = "serving.lock", "delivering.lock", "fetching.lock"
RELAY_TIMEOUT = 60  # seconds that a relay may take for one answer
PATIENCE, PAUSE = 10.0, 0.02  # seconds: how long another process is waited for, and how often


@dataclass(frozen=True, slots=True)
class House:
    """One home, opened."""

    settings: Settings
    engine: Engine
    postoffice: PostOffice
    carrier: Carrier

    def accept(self, arrivals: Sequence[Arrival]) -> None:
        """Deal with mails, as `PostOffice.accept` does; a mail to blame for a bug is Beyond."""
        with _mails_to_blame():
            self.postoffice.accept(arrivals)

    def refuse_large(self, arrival: Arrival) -> None:
        """Note a mail larger than the settings allow, as `PostOffice.refuse_large` does."""
        with _mails_to_blame():
            self.postoffice.refuse_large(arrival, self.settings.largest_mail)

    def tell_of_mailbox(self, about: str, why: str) -> None:
        """Note for the operator that a mailbox gave trouble; without a database, that has more."""
        with suppress(TryLater, Misconfigured), writing(self.engine, durable=False) as connection:
            incidents.note(connection, "mailbox", about, why, self.postoffice.clock())

    def deliver(self, going: Callable[[], bool] = lambda: True) -> int | None:
        """Send what is due; None where another process is at it, or a server soon will be.

        Another process may have looked for the last time before our letters were written: then
        we wait until it is gone.
        """
        until = time.monotonic() + PATIENCE
        while True:
            with locked(self.settings.home / DELIVERING) as mine:
                if mine:
                    return dispatch.deliver(
                        self.engine,
                        self.settings,
                        self.postoffice.tokens,
                        self.carrier,
                        self.postoffice.clock,
                        going=going,
                        lost=self.postoffice.lost,
                    )
            is_due = dispatch.is_due(self.engine, self.postoffice.clock())
            if not is_due or self.is_served() or time.monotonic() > until:
                return None
            time.sleep(PAUSE)

    def is_served(self) -> bool:
        """True while a server runs in this home, and will do what is left to do."""
        return is_served(self.settings.home)


def is_served(home: Path) -> bool:
    """True while a server runs in a home."""
    with locked(home / SERVING, shared=True) as free:
        return not free


@contextmanager
def opened(home: Path, clock: Callable[[], int] = lambda: int(time.time())) -> Iterator[House]:
    """The house of a home, made on first use; closed again with nothing left in the log."""
    settings = open_home(home)
    engine = open_database(settings)
    carrier = carrier_for(settings)
    postoffice = PostOffice(engine, Tokens(read_key(home)), Passwords(), settings, clock)
    try:
        yield House(settings, engine, postoffice, carrier)
    finally:
        carrier.close()
        close(engine)


@contextmanager
def _mails_to_blame() -> Iterator[None]:
    """Makes Beyond of every fault that is not the database's."""
    try:
        yield
    except (TryLater, Misconfigured):
        raise
    except Exception as problem:
        is_of_database = isinstance(problem, DBAPIError) and not isinstance(problem, DataError)
        raise (TryLater if is_of_database else Beyond)(named(problem)) from None


def mailboxes_for(settings: Settings) -> list[Mailbox]:
    """The mailboxes that mail is collected from; raises Misconfigured."""
    found: list[Mailbox] = []
    if settings.imap:
        if not (settings.imap_user and settings.imap_password):
            raise Misconfigured("imap is set, so imap_user and imap_password must be")
        try:
            from pbmserv.doors.imap import ImapMailbox
        except ModuleNotFoundError as missing:
            if missing.name != "imap_tools":
                raise
            why = f"imap is set, but imap-tools is not installed: {how_to_add('imap')}"
            raise Misconfigured(why) from None
        found.append(ImapMailbox(settings))
    if settings.maildir:
        found.append(Maildrop(settings.home / Path(settings.maildir).expanduser()))
    return found


def carrier_for(settings: Settings) -> Carrier:
    """How letters leave this home: into mailboxes in it, or by a relay."""
    if settings.delivery == "maildir":
        return MaildirCarrier(settings.home / "mail")
    # A shell command in a home of mailboxes needs no smtplib, nor what stands behind it.
    from pbmserv.doors.relay import RelayCarrier

    return RelayCarrier(
        *host_and_port(settings.relay),
        settings.relay_security,
        settings.relay_user,
        settings.relay_password,
        RELAY_TIMEOUT,
    )


@contextmanager
def locked(file: Path, *, shared: bool = False, patience: float = 0.0) -> Iterator[bool]:
    """Hold a lock file while the block runs; False if another process holds it.

    Who only asks whether it is held takes it `shared`, so that two who ask do not take each other
    for the holder; the holder gives them `patience` seconds.  The system lets go of a lock when a
    process ends, however it ends.
    """
    until = time.monotonic() + patience
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not (mine := _taken(descriptor, how)) and time.monotonic() < until:
            time.sleep(PAUSE)
        yield mine
    finally:
        os.close(descriptor)


def _taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
