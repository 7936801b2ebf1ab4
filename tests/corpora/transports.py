"""Every transport for incoming email, as something that a test can hand emails to."""

from __future__ import annotations

import asyncio
import smtplib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv
from pbmserv.mail.incoming import IncomingMail
from pbmserv.settings import Settings
from pbmserv.transports.listener import listen
from pbmserv.transports.lmtp_in import LmtpIn
from pbmserv.transports.mailbox_poller import Collection, Mailbox, Receiver
from pbmserv.transports.maildir_in import MaildirMailbox
from pbmserv.transports.smtp_in import SmtpIn
from pbmserv.transports.smtp_session import IncomingSession
from tests.dovecot import PASSWORD, USER, Missing, dovecot
from tests.event_loop import loop_in_thread
from tests.stories.town import OUR_ADDRESS, Town, town_at

Carry = Callable[[bytes, str], None]
"""Hands over one email, and says what its envelope sender is; returns when it was accepted."""

Transport = Callable[[Path], AbstractContextManager[Carry]]
"""Opens a transport for the server of a home."""


@contextmanager
def _listening(
    home: Path, protocol: type[IncomingSession], client: type[smtplib.SMTP]
) -> Iterator[Carry]:
    with town_at(home) as town, loop_in_thread() as running:
        listener = running.run(_listener(protocol, town, running.loop))
        host, _, port = listener.address.rpartition(":")
        caller = client(host, int(port), "client.example", timeout=30)
        caller.ehlo_or_helo_if_needed()
        try:
            yield lambda raw, sender: _say(caller, raw, sender)
        finally:
            caller.quit()
            running.run(listener.close(1))


async def _listener(
    protocol: type[IncomingSession], town: Town, loop: asyncio.AbstractEventLoop
) -> Any:
    async def accept(incoming: IncomingMail) -> None:
        await loop.run_in_executor(None, town.processor.accept, [incoming])

    largest = town.settings.largest_mail
    return await listen(
        protocol, "127.0.0.1:0", address=OUR_ADDRESS, largest_mail=largest, accept=accept
    )


def _say(caller: smtplib.SMTP, raw: bytes, sender: str) -> None:
    assert caller.sendmail(sender, [OUR_ADDRESS], raw) == {}


def smtp(home: Path) -> AbstractContextManager[Carry]:
    """Email from anywhere, by SMTP."""
    return _listening(home, SmtpIn, smtplib.SMTP)


def lmtp(home: Path) -> AbstractContextManager[Carry]:
    """Email from a mail server beside us, by LMTP."""
    return _listening(home, LmtpIn, smtplib.LMTP)


@contextmanager
def pipe(home: Path) -> Iterator[Carry]:
    """Email from a mail server's pipe: a process for every email."""

    def carry(raw: bytes, sender: str) -> None:
        words = ["--home", str(home), "receive", "--sender", sender, "--recipient", OUR_ADDRESS]
        done = CliRunner().invoke(pbmserv, words, input=raw)
        assert (done.exit_code, done.output) == (0, "")

    yield carry


def _delivered(raw: bytes, sender: str) -> bytes:
    """An email as a mail server puts it into a mailbox (RFC 5321, 4.4)."""
    return b"Return-Path: <" + sender.encode() + b">\r\n" + raw


def _collect(town: Town, mailbox: Mailbox) -> None:
    """Hand every email of a mailbox to the processor of a town."""

    def fail(incoming: IncomingMail) -> None:
        raise AssertionError("none of these emails is large")

    def tell(about: str, why: str) -> None:
        raise AssertionError(f"{about}: {why}")

    largest = town.settings.largest_mail
    receiver = Receiver(OUR_ADDRESS, largest, town.processor.accept, fail, tell)
    try:
        Collection(mailbox, receiver).drain()
    finally:
        mailbox.close()


@contextmanager
def maildir(home: Path) -> Iterator[Carry]:
    """Email that another program puts into a Maildir."""
    with town_at(home) as town:
        drop = MaildirMailbox(home / "drop")
        drop.new()
        numbers = count()
        yield lambda raw, sender: _lay(home / "drop" / "new", next(numbers), raw, sender)
        _collect(town, drop)
        assert list((home / "drop" / "new").iterdir()) == []


def _lay(folder: Path, number: int, raw: bytes, sender: str) -> None:
    (folder / f"{number}.mail.example").write_bytes(_delivered(raw, sender))


@contextmanager
def imap(home: Path) -> Iterator[Carry]:
    """Email in a mailbox at a provider, a real Dovecot."""
    pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")
    from pbmserv.transports.imap_in import ImapMailbox

    with ExitStack() as stack:
        try:
            provider = stack.enter_context(dovecot())
        except Missing as missing:
            pytest.skip(str(missing))
        town = stack.enter_context(town_at(home))
        delivered: list[bytes] = []
        yield lambda raw, sender: delivered.append(_delivered(raw, sender))
        provider.put(*delivered)  # over one connection: each logs in anew
        settings = Settings(
            home=home,
            imap=f"127.0.0.1:{provider.port}",
            imap_security="none",
            imap_user=USER,
            imap_password=PASSWORD,
        )
        _collect(town, ImapMailbox(settings, timeout=30))


TRANSPORTS: dict[str, Transport] = {
    transport.__name__: transport for transport in (smtp, lmtp, pipe, maildir, imap)
}
