"""The IMAP transport, against a real Dovecot with all its extensions, and with the fewest."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.settings import Settings
from pbmserv.transports.mailbox_poller import Beyond, MailboxPoller, StopSignal
from tests.cli.processes import until
from tests.dovecot import (
    FOREIGN_PASSWORD,
    FOREIGN_USER,
    PASSWORD,
    USER,
    Dovecot,
    Missing,
    dovecot,
)
from tests.transports.mailboxes import (
    LARGEST,
    Cable,
    FakeProcessor,
    drained,
    imap_settings,
    mail,
)

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")
from pbmserv.transports.imap_in import ImapMailbox

LEAST = "IMAP4rev1"
PLUS = "perudo+TOKEN@perudo.example"
READ = r"\Seen pbmserv-done"
Providing = Callable[..., Dovecot]


@pytest.fixture
def providing() -> Iterator[Providing]:
    """Starts a Dovecot, with `capability`, `separator` and so on."""
    with ExitStack() as stack:

        def provide(*words: Any, **options: Any) -> Dovecot:
            try:
                return stack.enter_context(dovecot(*words, **options))
            except Missing as missing:
                pytest.skip(str(missing))

        yield provide


@pytest.fixture
def provider(providing: Providing) -> Dovecot:
    """A Dovecot with all its extensions."""
    return providing()


def settings(provider: Dovecot, **changes: Any) -> Settings:
    return imap_settings(provider.port, USER, PASSWORD, **changes)


def mailbox(provider: Dovecot, **changes: Any) -> ImapMailbox:
    return ImapMailbox(settings(provider, **changes), timeout=60)


def the_mails(provider: Dovecot, folder: str = "INBOX") -> list[bytes]:
    return [raw for _, raw in provider.mails(folder)]


@pytest.fixture
def collecting() -> Iterator[Callable[[ImapMailbox, FakeProcessor], MailboxPoller]]:
    """Starts collectors, and stops them at the end."""
    started: list[MailboxPoller] = []

    def collect(mailbox: ImapMailbox, processor: FakeProcessor) -> MailboxPoller:
        started.append(MailboxPoller(mailbox, processor.receiver))
        started[-1].start()
        return started[-1]

    yield collect
    for each in started:
        if each.is_alive():
            each.stop(10)
        assert not each.is_alive()


# What becomes of an email


def test_new_emails_arrive_as_they_are_in_their_order(provider: Dovecot) -> None:
    """With the envelope as far as their headers tell it, and the name of the transport."""
    raw = mail(1, "..dot\r\n\xff", to=PLUS)
    provider.put(raw, mail(2), mail(3))
    processor = FakeProcessor()
    assert drained(mailbox(provider), processor) == 3
    assert processor.accepted[0] == IncomingMail(raw, "ann@example.org", PLUS, "imap")
    assert processor.texts == [raw, mail(2), mail(3)]


def test_read_or_deleted_emails_are_left_alone(provider: Dovecot) -> None:
    provider.put(mail(1), flags=r"(\Seen)")
    provider.put(mail(2), flags=r"(\Deleted)")
    provider.put(mail(3), flags=r"(\Flagged)")
    processor = FakeProcessor()
    assert drained(mailbox(provider), processor) == 1
    assert processor.texts == [mail(3)]


@pytest.mark.parametrize("capability", ["", f"{LEAST} MOVE", f"{LEAST} UIDPLUS"])
def test_a_processed_email_is_marked_read_in_its_folder(
    providing: Providing, capability: str
) -> None:
    provider = providing(capability)
    provider.put(mail(1), mail(2))
    assert drained(mailbox(provider), FakeProcessor()) == 2
    assert provider.mails() == []
    assert provider.mails("pbmserv-done") == [(READ, mail(1)), (READ, mail(2))]


@pytest.mark.parametrize(("capability", "done"), [(LEAST, "pbmserv-done"), ("", "")])
def test_an_email_that_cannot_be_moved_stays_and_is_marked_read(
    providing: Providing, capability: str, done: str
) -> None:
    provider = providing(capability)
    provider.put(mail(1))
    processor = FakeProcessor()
    assert drained(mailbox(provider, imap_done=done), processor) == 1
    assert drained(mailbox(provider, imap_done=done), processor) == 0
    assert provider.mails() == [(r"\Seen", mail(1))]


@pytest.mark.parametrize("capability", ["", LEAST, f"{LEAST} UIDPLUS"])
def test_no_email_is_ever_deleted(providing: Providing, capability: str) -> None:
    """This includes emails that their owner has marked as deleted."""
    provider = providing(capability)
    provider.put(mail(1), flags=r"(\Deleted)")
    provider.put(mail(2), b"x" * (LARGEST + 1))
    drained(mailbox(provider), FakeProcessor())
    assert provider.mails()[0] == (r"\Deleted", mail(1))


def test_an_email_is_marked_only_when_it_is_safe(provider: Dovecot) -> None:
    provider.put(mail(1), mail(2))
    processor = FakeProcessor(fault=lambda incoming: TryLater("not now"))
    with pytest.raises(TryLater, match="not now"):
        drained(mailbox(provider), processor)
    assert provider.mails() == [("", mail(1)), ("", mail(2))]
    processor.fault = lambda incoming: None
    assert drained(mailbox(provider), processor) == 2


def test_too_large_an_email_is_refused_and_moved_aside_unread(
    provider: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    """No more of its text is fetched than would be accepted."""
    large = mail(1, "x" * 3 * LARGEST)
    provider.put(large, mail(2))
    processor = FakeProcessor()
    assert drained(mailbox(provider), processor) == 1
    assert [incoming.raw for incoming in processor.refused] == [large[: LARGEST + 1]]
    assert processor.refused[0].envelope_sender == "ann@example.org"
    assert provider.mails("pbmserv-odd") == [("", large)]
    assert provider.mails() == []
    assert f"was moved to pbmserv-odd: larger than {LARGEST} bytes" in caplog.text
    ((about, why),) = processor.told
    assert about.endswith("INBOX: pbmserv-odd")
    assert why == f"larger than {LARGEST} bytes"


def test_on_the_least_of_servers_a_copy_is_put_aside(providing: Providing) -> None:
    provider = providing(LEAST)
    large = mail(1, "x" * LARGEST)
    provider.put(large)
    processor = FakeProcessor()
    for _ in range(2):
        assert drained(mailbox(provider), processor) == 0
    assert provider.mails("pbmserv-odd") == [("", large)]
    assert provider.mails() == [(r"\Seen", large)]


def test_an_unprocessable_email_is_quarantined_and_delays_no_other(
    provider: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    provider.put(mail(1), mail(2, "poison"), mail(3))
    tried: list[bytes] = []

    def fault(incoming: IncomingMail) -> Exception | None:
        if b"poison" in incoming.raw:
            tried.append(incoming.raw)
            return Beyond("KeyError at reading.py:1")
        return None

    processor = FakeProcessor(fault=fault)
    assert drained(mailbox(provider), processor) == 2
    assert processor.texts == [mail(1), mail(3)]
    assert len(tried) >= 3
    assert the_mails(provider, "pbmserv-odd") == [mail(2, "poison")]
    assert "was moved to pbmserv-odd: KeyError at reading.py:1" in caplog.text


def test_an_email_that_breaks_the_connection_stays_new_and_delays_no_other(
    provider: Dovecot,
) -> None:
    """Dovecot ends the connection if it cannot open an email's file."""
    provider.put(mail(1), mail(2, "locked"), mail(3))
    files = provider.maildir.glob("new/*")
    (locked,) = (each for each in files if b"locked" in each.read_bytes())
    locked.chmod(0)
    processor = FakeProcessor()
    with pytest.raises(TryLater, match="email 2 stays new: the connection broke"):
        drained(mailbox(provider), processor)
    assert processor.texts == [mail(1), mail(3)]
    (locked,) = provider.maildir.glob("cur/*")
    locked.chmod(0o600)
    assert drained(mailbox(provider), processor) == 1
    assert processor.texts[2:] == [mail(2, "locked")]


def test_an_email_that_cannot_be_put_aside_delays_no_other(provider: Dovecot) -> None:
    """Its folder may belong to another account."""
    provider.put(mail(1, "x" * LARGEST), mail(2))
    processor = FakeProcessor()
    with provider.opened() as client:
        client.create("pbmserv-odd")
    for part in provider.maildir.glob(".pbmserv-odd/*/"):
        part.chmod(0o500)
    with pytest.raises(TryLater, match="email 1 stays new: MOVE is refused"):
        drained(mailbox(provider), processor)
    assert processor.texts == [mail(2)]
    for part in provider.maildir.glob(".pbmserv-odd/*/"):
        part.chmod(0o700)  # else nobody but root can delete it


def test_many_emails_come_in_batches(provider: Dovecot) -> None:
    provider.put(*(mail(number) for number in range(150)))
    processor = FakeProcessor()
    assert drained(mailbox(provider), processor) == 150
    assert processor.batches == [64, 64, 22]
    assert processor.texts == [mail(number) for number in range(150)]


# What is done and was not moved


@pytest.mark.parametrize("capability", ["", f"{LEAST} UIDPLUS"])
def test_emails_that_an_earlier_server_left_are_moved_by_the_next(
    providing: Providing, capability: str
) -> None:
    """After all that is new; an email that a person has read in the meantime is left alone."""
    provider = providing(capability)
    provider.put(mail(1))
    word = b"MOVE" if not capability else b"COPY"
    cable = Cable(provider.port, word)
    with pytest.raises(TryLater):
        drained(mailbox(provider, imap=f"127.0.0.1:{cable.port}"), FakeProcessor())
    cable.close()
    assert provider.mails() == [(READ, mail(1))]
    provider.put(mail(2), flags=r"(\Seen)")
    provider.put(mail(3))
    processor = FakeProcessor()
    assert drained(mailbox(provider), processor) == 1
    assert processor.texts == [mail(3)]
    assert provider.mails() == [(r"\Seen", mail(2))]
    assert provider.mails("pbmserv-done") == [(READ, mail(1)), (READ, mail(3))]


def test_an_email_moved_back_is_new_once_it_is_marked_unread(
    provider: Dovecot, collecting: Callable[[ImapMailbox, FakeProcessor], MailboxPoller]
) -> None:
    processor = FakeProcessor()
    collecting(mailbox(provider), processor)
    provider.put(mail(1))
    until(lambda: the_mails(provider) == [] and processor.texts == [mail(1)])
    with provider.opened("pbmserv-done") as client:
        client.uid("MOVE", "1:*", "INBOX")
    provider.put(mail(2))
    until(lambda: the_mails(provider, "pbmserv-done") == [mail(2)])
    assert provider.mails() == [(READ, mail(1))]
    with provider.opened("INBOX") as client:
        client.uid("STORE", "1:*", "-FLAGS", r"(\Seen)")
    provider.put(mail(3))  # flags alone wake nobody
    until(lambda: the_mails(provider) == [])
    assert processor.texts == [mail(1), mail(2), mail(1), mail(3)]


def test_more_than_one_command_moves_are_all_moved(provider: Dovecot) -> None:
    provider.put(*(mail(number) for number in range(150)))
    with pytest.raises(TryLater):
        cable = Cable(provider.port, b"MOVE")
        drained(mailbox(provider, imap=f"127.0.0.1:{cable.port}"), FakeProcessor())
    cable.close()
    assert drained(mailbox(provider), FakeProcessor()) == 0
    assert the_mails(provider) == []
    assert len(the_mails(provider, "pbmserv-done")) == 150


# Folders


@pytest.mark.parametrize("capability", ["", LEAST])
@pytest.mark.parametrize(
    ("separator", "prefix"), [("/", ""), (".", ""), (".", "INBOX."), ("^", "")]
)
def test_folders_are_made_with_the_separator_and_prefix_of_any_server(
    providing: Providing, capability: str, separator: str, prefix: str
) -> None:
    provider = providing(capability, separator, prefix)
    processor = FakeProcessor()
    for number in range(2):  # they are made once
        provider.put(mail(number, "x" * LARGEST))
        drained(mailbox(provider, imap_done="Würfel/fertig", imap_odd="Spiele/odd"), processor)
    assert {f"{prefix}W&APw-rfel{separator}fertig", f"{prefix}Spiele{separator}odd"} <= (
        provider.folders()
    )
    assert len(provider.mails(f"{prefix}Spiele{separator}odd")) == 2


def test_emails_may_come_out_of_any_folder(provider: Dovecot) -> None:
    with provider.opened() as client:
        client.create('"W&APw-rfel/neue Post"')
    provider.put(mail(1), folder="W&APw-rfel/neue Post")
    provider.put(mail(2))
    processor = FakeProcessor()
    assert drained(mailbox(provider, imap_folder="Würfel/neue Post"), processor) == 1
    assert processor.texts == [mail(1)]


def test_a_missing_folder_is_misconfigured(provider: Dovecot) -> None:
    with pytest.raises(Misconfigured, match="there is no folder 'Games'"):
        drained(mailbox(provider, imap_folder="Games"), FakeProcessor())
    with pytest.raises(Misconfigured, match="the folder '/' cannot be created"):
        drained(mailbox(provider, imap_odd="/"), FakeProcessor())


# Connections


def test_a_refused_login_is_misconfigured_and_quotes_nothing(provider: Dovecot) -> None:
    with pytest.raises(Misconfigured, match="the login is refused") as caught:
        drained(mailbox(provider, imap_password="open sesame"), FakeProcessor())
    assert "sesame" not in str(caught.value)


def test_name_and_password_may_be_in_other_letters_than_ascii(provider: Dovecot) -> None:
    provider.put(mail(1))
    foreign = mailbox(provider, imap_user=FOREIGN_USER, imap_password=FOREIGN_PASSWORD)
    assert drained(foreign, FakeProcessor()) == 1


def test_an_unreachable_server_is_tried_again(provider: Dovecot) -> None:
    with socket.socket() as silent:  # its port is taken, and nobody listens there
        silent.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(TryLater, match="Connection refused"):
            drained(mailbox(provider, imap=place), FakeProcessor())


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_the_connection_is_encrypted_and_the_server_verified(
    providing: Providing, certificate: tuple[Path, Path], security: str
) -> None:
    provider = providing(certificate=certificate)
    provider.put(mail(1))
    port = provider.tls_port if security == "tls" else provider.port
    options = {"imap": f"localhost:{port}", "imap_security": security}
    with pytest.raises(Misconfigured, match="its certificate is not trusted"):
        drained(mailbox(provider, **options), FakeProcessor())
    context = ssl.create_default_context(cafile=str(certificate[1]))
    assert drained(ImapMailbox(settings(provider, **options), context), FakeProcessor()) == 1
    options["imap"] = f"127.0.0.1:{port}"  # a name that its certificate does not have
    with pytest.raises(Misconfigured, match="its certificate is not trusted"):
        drained(ImapMailbox(settings(provider, **options), context), FakeProcessor())


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("capability", "word"),
    [
        *(("", word) for word in ("LOGIN", "SELECT", "SEARCH", "FETCH", "STORE", "MOVE")),
        *((f"{LEAST} UIDPLUS", word) for word in ("COPY", "STORE", "EXPUNGE")),
        *((LEAST, word) for word in ("COPY", "STORE")),
    ],
)
def test_no_email_is_lost_wherever_the_line_breaks(
    providing: Providing, capability: str, word: str, after: bool
) -> None:
    """An unmarked email comes again, a marked one does not. Every email is still there."""
    provider = providing(capability)
    provider.put(mail(1), mail(2, "x" * LARGEST), mail(3))
    cable = Cable(provider.port, word.encode(), after=after)
    processor = FakeProcessor()
    through_cable = mailbox(provider, imap=f"127.0.0.1:{cable.port}")
    with pytest.raises(TryLater):
        drained(through_cable, processor)
    drained(through_cable, processor)
    cable.close()
    assert {mail(1), mail(3)} == set(processor.texts)
    assert drained(mailbox(provider), processor) == 0
    kept = [*the_mails(provider), *the_mails(provider, "pbmserv-done")]
    kept += the_mails(provider, "pbmserv-odd")
    assert set(kept) == {mail(1), mail(2, "x" * LARGEST), mail(3)}
    if capability != LEAST:  # what is struck out has been copied
        assert all(r"\Deleted" in flags for flags, _ in provider.mails())


# Waiting


def test_a_server_that_can_idle_tells_of_new_email(
    provider: Dovecot, collecting: Callable[[ImapMailbox, FakeProcessor], MailboxPoller]
) -> None:
    processor = FakeProcessor()
    collecting(mailbox(provider, imap_seconds=3600), processor)
    for number in range(3):
        provider.put(mail(number))
        until(lambda: processor.texts == [mail(each) for each in range(number + 1)])  # noqa: B023 - waited for


def test_a_server_without_idle_is_polled(
    providing: Providing, collecting: Callable[[ImapMailbox, FakeProcessor], MailboxPoller]
) -> None:
    provider = providing(LEAST)
    processor = FakeProcessor()
    collecting(mailbox(provider, imap_seconds=1), processor)
    for number in range(2):
        provider.put(mail(number))
        until(lambda: len(processor.texts) == number + 1)  # noqa: B023 - waited for


@pytest.mark.parametrize("encrypted", [False, True])
def test_an_email_between_search_and_idle_is_noticed(
    providing: Providing, certificate: tuple[Path, Path], encrypted: bool
) -> None:
    """Dovecot tells of it in the same breath in which it consents to idle."""
    provider = providing(certificate=certificate)
    context = ssl.create_default_context(cafile=str(certificate[1]))
    secure = {"imap": f"localhost:{provider.tls_port}", "imap_security": "tls"}
    chosen = settings(provider, imap_seconds=3600, **(secure if encrypted else {}))
    box = ImapMailbox(chosen, context)
    assert box.new() == []
    provider.put(mail(1))
    stop = StopSignal()
    waiting = threading.Thread(target=box.wait, args=(stop,))
    waiting.start()
    waiting.join(60)
    assert not waiting.is_alive()
    assert len(box.new()) == 1
    box.close()
    stop.close()


def test_the_stop_signal_ends_waiting_at_once(
    provider: Dovecot, collecting: Callable[[ImapMailbox, FakeProcessor], MailboxPoller]
) -> None:
    processor = FakeProcessor()
    provider.put(mail(1))
    collector = collecting(mailbox(provider), processor)
    until(lambda: processor.texts != [])
    collector.stop(20)
    assert not collector.is_alive()


def test_a_failing_provider_is_retried_and_reported_once(
    provider: Dovecot,
    collecting: Callable[[ImapMailbox, FakeProcessor], MailboxPoller],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    processor = FakeProcessor()
    collecting(mailbox(provider), processor)
    provider.put(mail(1))
    until(lambda: the_mails(provider) == [] and len(processor.texts) == 1)
    provider.stop()  # killed while it moves an email it may hold up the next move for long
    until(lambda: "will be tried until it works" in caplog.text)
    provider.start()
    provider.put(mail(2))
    until(lambda: mail(2) in processor.texts, patience=60)
    until(lambda: "works again" in caplog.text)
    assert caplog.text.count("will be tried until it works") == 1
    assert caplog.text.count("works again") == 1
    assert PASSWORD not in caplog.text
