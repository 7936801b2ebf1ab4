"""Collecting: a mailbox is emptied into the post office, whatever its provider does meanwhile.

A mailbox is asked for what is new.  Each mail is accepted as at every other door, and marked only
after that.  A crash in between leads to the same mail again, which the post office does once.
What a mailbox is, `imap` and `maildrop` say.  No mail is ever deleted.
"""

from __future__ import annotations

import logging
import os
import select
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Protocol

from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.mail.envelope import found_in_mailbox
from pbmserv.mail.incoming import IncomingMail

BATCH = 64  # mails that are fetched, and share a commit
MOST_AT_ONCE = 16 * 1024 * 1024  # bytes of mails that are fetched together
MOST_TRIES = 3  # then a mail that cannot be read or stored is put aside
FIRST_DELAY, LONGEST_DELAY = 1.0, 300.0  # seconds before the next try at a mailbox in trouble
log = logging.getLogger(__name__)


class Unreadable(Exception):
    """This one mail cannot be got out of the mailbox; others can."""


class Beyond(TryLater):
    """This one mail cannot be stored, by a fault of ours; others can."""


class Bell:
    """Rings once, at the end: whoever waits for it, or for a socket beside it, wakes up."""

    def __init__(self) -> None:
        self._hears, self._rings = os.pipe()
        self.has_rung = False

    def ring(self) -> None:
        """Wakes everybody who waits, now and from now on."""
        self.has_rung = True
        os.write(self._rings, b"!")

    def wait(self, seconds: float, beside: int | None = None) -> bool:
        """Waits so long at most; True if there is something to read at the descriptor `beside`."""
        poll = select.poll()
        for each in (self._hears, beside):
            if each is not None:
                poll.register(each, select.POLLIN)
        return any(found == beside for found, _ in poll.poll(seconds * 1000))

    def close(self) -> None:
        """Gives its descriptors back."""
        os.close(self._hears)
        os.close(self._rings)


class Mailbox(Protocol):
    """A place where mails lie until they are collected.

    Every method but `close` raises TryLater when the provider must act and Misconfigured when the
    operator must; after that the mailbox is closed, and opens by itself when it is asked again.
    """

    door: str
    name: str

    def new(self) -> Sequence[str]:
        """What names each mail that is new, in the order they came."""

    def read(self, mail: str, most: int) -> bytes | None:
        """A mail's first `most` bytes, None if it is gone; raises Unreadable."""

    def mark_done(self, mails: Sequence[str]) -> None:
        """Marks mails that are safe, so that they are not new any more."""

    def clear_away(self) -> None:
        """Puts mails that are done where they are kept, if that is not where they were found."""

    def put_aside(self, mail: str) -> str:
        """Puts a mail where the operator looks for odd ones; the name of that place."""

    def wait(self, bell: Bell) -> None:
        """Returns when it is time to look again, or the bell rings."""

    def hurry(self, seconds: float) -> None:
        """Has every talk with the provider end within so many seconds; any thread may say so."""

    def close(self) -> None:
        """Lets go of the provider."""


@dataclass(frozen=True, slots=True)
class Handover:
    """Where collected mails are handed in.

    `address` is our own and `largest` in bytes.  `accept` makes mails safe, but for those that it
    returns, which are to come again; or it raises TryLater (Beyond, where the mails are to blame).
    `refuse` notes one that is too large.  `tell` tells the operator, once a day at most, what gave
    trouble, and why; it never raises.
    """

    address: str
    largest: int
    accept: Callable[[Sequence[IncomingMail]], Sequence[IncomingMail] | None]
    refuse: Callable[[IncomingMail], None]
    tell: Callable[[str, str], None]


class Collection:
    """One mailbox, and the way from it to the post office."""

    def __init__(self, mailbox: Mailbox, handover: Handover) -> None:
        self.mailbox = mailbox
        self.postponed = 0  # mails that stay new, for they are to come again
        self._handover = handover

    def drain(self, going: Callable[[], bool] = lambda: True) -> int:
        """Takes in all that is new, while `going`; returns how many mails.

        Raises TryLater or Misconfigured; what was not marked until then stays new.
        """
        taken = 0
        tries: Counter[str] = Counter()
        while going() and (mails := self._still_new(tries)):
            while mails and going():
                taken += self._take(mails, tries)
        self.mailbox.clear_away()
        return taken

    def _still_new(self, tries: Counter[str]) -> deque[str]:
        return deque(mail for mail in self.mailbox.new() if tries[mail] < MOST_TRIES)

    def _take(self, mails: deque[str], tries: Counter[str]) -> int:
        """Takes the first of these mails in, and out of `mails`; returns how many are safe now."""
        incoming_mails: dict[str, IncomingMail] = {}
        room = MOST_AT_ONCE
        for _ in range(min(BATCH, len(mails))):
            if room <= 0:
                break
            mail = mails.popleft()
            try:
                raw = self.mailbox.read(mail, self._handover.largest + 1)
            except Unreadable as problem:
                self._note(mail, tries, str(problem))
                continue
            if raw is None:
                tries[mail] = MOST_TRIES
                continue
            room -= len(raw)
            incoming_mails[mail] = found_in_mailbox(raw, self.mailbox.door, self._handover.address)
            if len(raw) > self._handover.largest:
                self._refuse(mail, incoming_mails.pop(mail), tries)
        kept = self._accepted(incoming_mails, tries)
        if kept:
            self.mailbox.mark_done(kept)
            tries.update(dict.fromkeys(kept, MOST_TRIES))
        return len(kept)

    def _accepted(self, incoming_mails: dict[str, IncomingMail], tries: Counter[str]) -> list[str]:
        """The mails that are safe now; where one of them is beyond us, each is tried alone."""
        if not incoming_mails:
            return []
        try:
            later = self._handover.accept(list(incoming_mails.values())) or ()
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
            self._handover.refuse(incoming)
        self._put_aside(mail, tries, f"larger than {self._handover.largest} bytes")

    def _note(self, mail: str, tries: Counter[str], problem: str) -> None:
        tries[mail] += 1
        if tries[mail] >= MOST_TRIES:
            self._put_aside(mail, tries, problem)

    def _put_aside(self, mail: str, tries: Counter[str], why: str) -> None:
        tries[mail] = MOST_TRIES
        place = self.mailbox.put_aside(mail)
        log.error("%s: mail %a was put into %s: %s", self.mailbox.name, mail, place, why)
        self._handover.tell(f"{self.mailbox.name}: {place}", why)


class MailboxPoller(Thread):
    """Collects from one mailbox until it is told to stop, through all troubles of its provider."""

    def __init__(self, mailbox: Mailbox, handover: Handover) -> None:
        super().__init__(name=mailbox.name, daemon=True)
        self._mailbox = mailbox
        self._tell = handover.tell
        self._collection = Collection(mailbox, handover)
        self._bell = Bell()
        self._delay = FIRST_DELAY
        self._trouble: type[Exception] | None = None
        self._was_told = False

    def run(self) -> None:
        """Collects, waits, and collects again."""
        while not self._bell.has_rung:
            if not self._has_collected():
                self._mailbox.close()
                self._bell.wait(self._delay)
                self._delay = min(2 * self._delay, LONGEST_DELAY)
        self._mailbox.close()

    def stop(self, grace: float = 10.0) -> None:
        """Lets it finish the mails in hand for at most `grace` seconds; others come again."""
        self._bell.ring()
        self._mailbox.hurry(grace / 2)
        self.join(grace)
        if not self.is_alive():
            self._bell.close()

    def _has_collected(self) -> bool:
        """Collects and waits; False if the mailbox must be opened anew, after a pause."""
        try:
            self._collection.drain(lambda: not self._bell.has_rung)
        except Exception as problem:  # whatever a provider sends must not stop the server
            self._say(problem)
            return False
        self._say(None)
        try:
            self._mailbox.wait(self._bell)
        except Exception:  # hung up while we waited, as providers do; the next look will tell
            return False
        self._delay = FIRST_DELAY
        return True

    def _say(self, problem: Exception | None) -> None:
        """Logs a trouble once, when it begins, and when it is over; tells of one that stays.

        One that only the operator can end stays.
        """
        if problem is None:
            if self._trouble is not None:
                log.info("%s: works again", self._mailbox.name)
            self._trouble, self._was_told = None, False
            return
        known = isinstance(problem, TryLater | Misconfigured)
        words = str(problem) if known else describe(problem)
        if type(problem) is not self._trouble:
            log.error("%s: %s; tried again until it works", self._mailbox.name, words)
            self._trouble = type(problem)
        stays = self._delay >= LONGEST_DELAY or isinstance(problem, Misconfigured)
        if stays and not self._was_told:
            self._tell(self._mailbox.name, words)
            self._was_told = True
