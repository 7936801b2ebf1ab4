"""Fetch new email from a mailbox and hand it to the server, in spite of the provider's failures.

It asks a mailbox for new emails.  It accepts each one as other transports do, and marks it only
after that.  A crash in between delivers the same email again, and `intake` executes it once.
`imap_in` and `maildir_in` implement mailboxes.  No email is ever deleted.
"""

from __future__ import annotations

import logging
import os
import select
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Protocol

from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.fast_dataclasses import dataclass
from pbmserv.mail.envelope import found_in_mailbox
from pbmserv.mail.incoming import IncomingMail

BATCH = 64  # emails that are fetched together and share a commit
MOST_AT_ONCE = 16 * 1024 * 1024  # bytes of emails that are fetched together
MOST_TRIES = 3  # then an email that cannot be read or stored is set aside
A_BREAK = 2  # as so many tries counts a failure of the mailbox at an email
MOST_BREAKS = 20  # then no further email is read, until the mailbox is opened again later
FIRST_DELAY, LONGEST_DELAY = 1.0, 300.0  # seconds before the next try after a failure
logger = logging.getLogger(__name__)


class UnreadableEmail(Exception):
    """This email cannot be read from the mailbox; others can."""


class Beyond(TryLater):
    """This email cannot be stored, by a fault of ours; others can."""


class StopSignal:
    """A signal to stop: it wakes threads that wait for it, or for a socket as well."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self.is_set = False

    def set(self) -> None:
        """Wake all waiting threads, now and from now on."""
        self.is_set = True
        os.write(self._write_end, b"!")

    def wait(self, seconds: float, beside: int | None = None) -> bool:
        """Wait at most `seconds`; True if there is something to read at the descriptor `beside`."""
        poll = select.poll()
        for each in (self._read_end, beside):
            if each is not None:
                poll.register(each, select.POLLIN)
        return any(found == beside for found, _ in poll.poll(seconds * 1000))

    def close(self) -> None:
        """Release its descriptors."""
        os.close(self._read_end)
        os.close(self._write_end)


class Mailbox(Protocol):
    """A place in which emails wait until they are fetched.

    Every method but `close` raises TryLater if the provider must act and Misconfigured if the
    operator must.  After that the mailbox is closed, and opens again at the next call.
    """

    transport: str
    name: str

    def new(self) -> Sequence[str]:
        """The identifier of each new email, in the order they came."""

    def read(self, mail: str, most: int) -> bytes | None:
        """An email's first `most` bytes, None if it no longer exists; raises UnreadableEmail."""

    def mark_done(self, mails: Sequence[str]) -> None:
        """Mark stored emails, so that they are no longer new."""

    def clear_away(self) -> None:
        """Move processed emails to where they are kept, if that is another place."""

    def put_aside(self, mail: str) -> str:
        """Move an email to the folder for the operator; returns the folder's name."""

    def wait(self, stop: StopSignal) -> None:
        """Wait until it is time to look again, or to stop."""

    def hurry(self, seconds: float) -> None:
        """End all talks with the provider within so many seconds; any thread may do it."""

    def close(self) -> None:
        """Close the connection to the provider."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """The functions that take fetched emails.

    `address` is our own and `largest` is in bytes.  `accept` stores emails, except those that it
    returns, which must come again.  It may raise TryLater (Beyond, if the emails are the cause).
    `refuse` notes one that is too large.  `tell` tells the operator of a problem and its cause,
    once a day at most; it never raises.
    """

    address: str
    largest: int
    accept: Callable[[Sequence[IncomingMail]], Sequence[IncomingMail] | None]
    refuse: Callable[[IncomingMail], None]
    tell: Callable[[str, str], None]


class Collection:
    """One mailbox, and the transfer of its emails to the server."""

    def __init__(self, mailbox: Mailbox, receiver: Receiver) -> None:
        self.mailbox = mailbox
        self.postponed = 0  # emails that stay new, because they must come again
        self._receiver = receiver
        self._breaks: list[TryLater] = []  # the failures of the mailbox in this drain

    def drain(self, going: Callable[[], bool] = lambda: True) -> int:
        """Process all new emails while `going()`; returns how many were stored.

        Raises TryLater or Misconfigured; unmarked emails stay new.  If the mailbox fails at an
        email, it is opened again.  If it fails at this email again, the others are stored.
        """
        taken = 0
        self._breaks.clear()
        tries: Counter[str] = Counter()
        while going() and (mails := self._still_new(tries)):
            while mails and going():
                taken += self._take(mails, tries)
        self.mailbox.clear_away()
        if self._breaks:
            raise self._breaks[-1]
        return taken

    def _still_new(self, tries: Counter[str]) -> deque[str]:
        return deque(mail for mail in self.mailbox.new() if tries[mail] < MOST_TRIES)

    def _take(self, mails: deque[str], tries: Counter[str]) -> int:
        """Remove the first of `mails` and store them; returns how many are stored."""
        incoming_mails: dict[str, IncomingMail] = {}
        room = MOST_AT_ONCE
        for _ in range(min(BATCH, len(mails))):
            if room <= 0:
                break
            mail = mails.popleft()
            try:
                incoming = self._fetched(mail, tries)
            except TryLater as problem:
                self._note_break(mail, tries, problem)
                mails.clear()  # they are listed anew, with those that were read before this one
                return 0
            if incoming:
                room -= len(incoming.raw)
                incoming_mails[mail] = incoming
        kept = self._accepted(incoming_mails, tries)
        if kept:
            self.mailbox.mark_done(kept)
            tries.update(dict.fromkeys(kept, MOST_TRIES))
        return len(kept)

    def _fetched(self, mail: str, tries: Counter[str]) -> IncomingMail | None:
        """An email of the mailbox, unless it is gone, unreadable or too large."""
        try:
            raw = self.mailbox.read(mail, self._receiver.largest + 1)
        except UnreadableEmail as problem:
            self._note(mail, tries, str(problem))
            return None
        if raw is None:
            tries[mail] = MOST_TRIES
            return None
        incoming = found_in_mailbox(raw, self.mailbox.transport, self._receiver.address)
        if len(raw) > self._receiver.largest:
            self._refuse(mail, incoming, tries)
            return None
        return incoming

    def _accepted(self, incoming_mails: dict[str, IncomingMail], tries: Counter[str]) -> list[str]:
        """The emails that are stored now; if one of them causes a failure, each is tried alone."""
        if not incoming_mails:
            return []
        try:
            later = self._receiver.accept(list(incoming_mails.values())) or ()
        except Beyond as problem:
            if len(incoming_mails) > 1:
                singly = (
                    self._accepted({mail: each}, tries) for mail, each in incoming_mails.items()
                )
                return [mail for kept in singly for mail in kept]
            for mail in incoming_mails:
                self._note(mail, tries, str(problem))
            return []
        postponed = [
            mail for mail, each in incoming_mails.items() if any(each is one for one in later)
        ]
        tries.update(dict.fromkeys(postponed, MOST_TRIES))  # they stay new, for the next drain
        self.postponed += len(postponed)
        return [mail for mail in incoming_mails if mail not in postponed]

    def _refuse(self, mail: str, incoming: IncomingMail, tries: Counter[str]) -> None:
        with suppress(Beyond):  # then the sender is not told, but the operator is
            self._receiver.refuse(incoming)
        self._put_aside(mail, tries, f"larger than {self._receiver.largest} bytes")

    def _note(self, mail: str, tries: Counter[str], problem: str) -> None:
        tries[mail] += 1
        if tries[mail] >= MOST_TRIES:
            self._put_aside(mail, tries, problem)

    def _note_break(self, mail: str, tries: Counter[str], problem: TryLater) -> None:
        """Close the mailbox, which failed at an email; raises if it fails too often.

        The email may be the cause.  It stays new in any case: nobody knows whether that passes.
        """
        self._breaks.append(TryLater(f"email {mail} stays new: {problem}"))
        if len(self._breaks) >= MOST_BREAKS:
            raise self._breaks[-1]
        tries[mail] += A_BREAK
        self.mailbox.close()

    def _put_aside(self, mail: str, tries: Counter[str], why: str) -> None:
        tries[mail] = MOST_TRIES
        place = self.mailbox.put_aside(mail)
        logger.error("%s: email %a was moved to %s: %s", self.mailbox.name, mail, place, why)
        self._receiver.tell(f"{self.mailbox.name}: {place}", why)


class MailboxPoller(Thread):
    """Fetch from one mailbox until it is told to stop, in spite of the provider's failures."""

    def __init__(self, mailbox: Mailbox, receiver: Receiver) -> None:
        super().__init__(name=mailbox.name, daemon=True)
        self._mailbox = mailbox
        self._tell = receiver.tell
        self._collection = Collection(mailbox, receiver)
        self._stopping = StopSignal()
        self._delay = FIRST_DELAY
        self._trouble: type[Exception] | None = None
        self._was_told = False

    def run(self) -> None:
        """Fetch, wait, and fetch again."""
        while not self._stopping.is_set:
            if not self._has_collected():
                self._mailbox.close()
                self._stopping.wait(self._delay)
                self._delay = min(2 * self._delay, LONGEST_DELAY)
        self._mailbox.close()

    def stop(self, grace: float = 10.0) -> None:
        """Let it finish the current emails for at most `grace` seconds; others come again."""
        self._stopping.set()
        self._mailbox.hurry(grace / 2)
        self.join(grace)
        if not self.is_alive():
            self._stopping.close()

    def _has_collected(self) -> bool:
        """Fetch and wait; False if the mailbox must be opened again, after a pause."""
        try:
            self._collection.drain(lambda: not self._stopping.is_set)
        except Exception as problem:  # no input of a provider may stop the server
            self._say(problem)
            return False
        self._say(None)
        try:
            self._mailbox.wait(self._stopping)
        except Exception:  # providers close the connection while we wait; the next fetch reports it
            return False
        self._delay = FIRST_DELAY
        return True

    def _say(self, problem: Exception | None) -> None:
        """Log a failure when it begins and when it ends, and tell the operator if it stays.

        A failure that only the operator can fix counts as staying.
        """
        if problem is None:
            if self._trouble is not None:
                logger.info("%s: works again", self._mailbox.name)
            self._trouble, self._was_told = None, False
            return
        known = isinstance(problem, TryLater | Misconfigured)
        words = str(problem) if known else describe(problem)
        if type(problem) is not self._trouble:
            logger.error("%s: %s; will be tried until it works", self._mailbox.name, words)
            self._trouble = type(problem)
        stays = self._delay >= LONGEST_DELAY or isinstance(problem, Misconfigured)
        if stays and not self._was_told:
            self._tell(self._mailbox.name, words)
            self._was_told = True
