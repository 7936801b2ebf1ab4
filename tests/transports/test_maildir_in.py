"""The incoming Maildir transport: real folders with real files in them, some with odd names."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.transports.mailbox_poller import Beyond, MailboxPoller
from pbmserv.transports.maildir_in import MaildirMailbox
from tests.cli.processes import until
from tests.limits import no_more_files
from tests.transports.mailboxes import LARGEST, FakeProcessor, drained, mail

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A Maildir, made as our transport makes it."""
    MaildirMailbox(tmp_path / "drop").new()
    return tmp_path / "drop"


def laid(root: Path, name: str | bytes, raw: bytes, when: int = 0) -> None:
    """Deliver an email as other programs do: write it to tmp, then rename it."""
    file = os.fsencode(root / "new") + b"/" + os.fsencode(name)
    temporary = root / "tmp" / "being-written"
    temporary.write_bytes(raw)
    if when:
        os.utime(temporary, (when, when))
    os.rename(temporary, file)  # noqa: PTH104 - a name of bytes


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def test_an_email_goes_from_new_to_cur_when_it_is_safe(root: Path) -> None:
    laid(root, "1700000000.M1P2.host", mail(1))
    processor = FakeProcessor(fault=lambda incoming: TryLater("not now"))
    with pytest.raises(TryLater):
        drained(MaildirMailbox(root), processor)
    assert list(files(root / "new")) == ["1700000000.M1P2.host"]
    processor.fault = lambda incoming: None
    assert drained(MaildirMailbox(root), processor) == 1
    assert processor.accepted == [
        IncomingMail(mail(1), "ann@example.org", "perudo@perudo.example", "maildir")
    ]
    assert files(root / "new") == {}
    assert files(root / "cur") == {"1700000000.M1P2.host:2,S": mail(1)}


def test_an_email_that_cannot_be_opened_for_want_of_open_files_stays_new(root: Path) -> None:
    """It is not its fault, so the operator gets no work."""
    laid(root, "1700000000.M1P2.host", mail(1))
    mailbox = MaildirMailbox(root)
    with no_more_files(), pytest.raises(TryLater, match="Too many open files"):
        mailbox.read("1700000000.M1P2.host", LARGEST)
    assert drained(mailbox, FakeProcessor()) == 1


def test_an_email_with_a_waiting_password_stays_new_and_delays_no_other(root: Path) -> None:
    laid(root, "1.M1P2.host", mail(1))
    laid(root, "2.M1P2.host", mail(2))
    processor = FakeProcessor(postponed=(mail(1),))
    assert drained(MaildirMailbox(root), processor) == 1
    assert files(root / "new") == {"1.M1P2.host": mail(1)}
    processor.postponed = ()
    assert drained(MaildirMailbox(root), processor) == 1
    assert [each.raw for each in processor.accepted] == [mail(2), mail(1)]


def test_the_oldest_come_first_beyond_2038_too(root: Path) -> None:
    """The files' dates count, not their names."""
    for name, when in (("9.b", 1_700_000_000), ("2147483648.a", 2**31), ("10.c", 4_102_444_800)):
        laid(root, name, mail(when), when)
    processor = FakeProcessor()
    assert drained(MaildirMailbox(root), processor) == 3
    assert processor.texts == [mail(1_700_000_000), mail(2**31), mail(4_102_444_800)]


@pytest.mark.parametrize(
    "name",
    ["a:2,S", "ä ö", "-rf", "$(x)", "new\nline", b"\xff\xfe", "x" * 255, "~", ":2,", "a:1,b"],
)
def test_odd_names_are_names(
    root: Path, name: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    laid(root, name, mail(1))
    assert drained(MaildirMailbox(root), FakeProcessor()) == 1
    assert list(files(root / "cur").values()) == [mail(1)]
    laid(root, name, mail(2, "x" * LARGEST))
    assert drained(MaildirMailbox(root), FakeProcessor()) == 0
    assert list(files(root / ".pbmserv-odd" / "new").values()) == [mail(2, "x" * LARGEST)]
    assert caplog.text.count("\n") == 1


def test_no_email_takes_the_place_of_another(root: Path) -> None:
    """Names should never come again, but a restored backup brings them again."""
    for number in range(3):
        laid(root, "1.x", mail(number))
        assert drained(MaildirMailbox(root), FakeProcessor()) == 1
    assert sorted(files(root / "cur")) == ["1.x:2,S", "1.x_2:2,S", "1.x_3:2,S"]
    assert sorted(files(root / "cur").values()) == [mail(number) for number in range(3)]


def test_too_large_an_email_is_refused_and_moved_aside_unread(root: Path) -> None:
    laid(root, "1.x", mail(1, "x" * 3 * LARGEST))
    laid(root, "2.x", mail(2))
    processor = FakeProcessor()
    assert drained(MaildirMailbox(root), processor) == 1
    assert [len(incoming.raw) for incoming in processor.refused] == [LARGEST + 1]
    assert list(files(root / ".pbmserv-odd" / "new")) == ["1.x"]
    assert processor.texts == [mail(2)]


def test_an_unprocessable_email_is_quarantined_and_delays_no_other(root: Path) -> None:
    for number in range(3):
        laid(root, f"{number}.x", mail(number), number + 1)
    processor = FakeProcessor(fault=lambda each: Beyond("bug") if each.raw == mail(1) else None)
    assert drained(MaildirMailbox(root), processor) == 2
    assert list(files(root / ".pbmserv-odd" / "new")) == ["1.x"]


def test_a_special_file_in_the_maildir_is_left_alone(root: Path) -> None:
    """A link may lead anywhere, a pipe may block for ever."""
    (root / "new" / "folder").mkdir()
    (root / "new" / "link").symlink_to("/etc/passwd")
    os.mkfifo(root / "new" / "pipe")
    (root / "new" / ".hidden").write_bytes(mail(1))
    processor = FakeProcessor()
    assert drained(MaildirMailbox(root), processor) == 0
    assert processor.accepted == []


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of the user nobody, whose rights we have meanwhile: root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid():
            yield Path(name)
            return
        os.chown(name, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


def test_an_email_that_cannot_be_read_is_put_aside(as_nobody: Path) -> None:
    root = as_nobody / "drop"
    MaildirMailbox(root).new()
    laid(root, "1.x", mail(1))
    (root / "new" / "1.x").chmod(0)
    laid(root, "2.x", mail(2))
    assert drained(MaildirMailbox(root), FakeProcessor()) == 1
    assert [each.name for each in (root / ".pbmserv-odd" / "new").iterdir()] == ["1.x"]


def test_folders_without_rights_are_misconfigured_or_tried_again(as_nobody: Path) -> None:
    root = as_nobody / "drop"
    MaildirMailbox(root).new()
    laid(root, "1.x", mail(1))
    (root / "new").chmod(0)
    with pytest.raises(Misconfigured, match="its new emails cannot be listed: Permission denied"):
        drained(MaildirMailbox(root), FakeProcessor())
    (root / "new").chmod(stat.S_IRWXU)


@pytest.mark.parametrize("part", ["new", "cur"])
def test_no_email_is_read_while_it_could_not_be_moved_away(as_nobody: Path, part: str) -> None:
    """Else it would be read again and again, for ever."""
    root = as_nobody / "drop"
    MaildirMailbox(root).new()
    laid(root, "1.x", mail(1))
    (root / part).chmod(stat.S_IRUSR | stat.S_IXUSR)
    processor = FakeProcessor()
    with pytest.raises(Misconfigured, match=f"cannot be moved: .*/{part} cannot be written to"):
        drained(MaildirMailbox(root), processor)
    assert processor.accepted == []
    (root / part).chmod(stat.S_IRWXU)
    assert drained(MaildirMailbox(root), processor) == 1


def test_an_email_that_cannot_be_moved_all_the_same_is_tried_again(root: Path) -> None:
    laid(root, "1.x", mail(1))

    def in_the_way(incoming: IncomingMail) -> None:
        (root / "cur").rmdir()
        (root / "cur").touch()

    with pytest.raises(TryLater, match="cannot move an email"):
        drained(MaildirMailbox(root), FakeProcessor(fault=in_the_way))


def test_a_path_that_cannot_be_a_maildir_is_misconfigured(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "no" / "such" / "place"):
        with pytest.raises(Misconfigured, match="cannot be a Maildir: "):
            MaildirMailbox(path).new()


def test_an_email_removed_by_another_program_is_harmless(root: Path) -> None:
    for number in range(2):
        laid(root, f"{number}.x", mail(number), number + 1)

    def taken_away(incoming: IncomingMail) -> None:
        (root / "new" / "0.x").unlink(missing_ok=True)

    assert drained(MaildirMailbox(root), FakeProcessor(fault=taken_away)) == 2
    assert list(files(root / "cur")) == ["1.x:2,S"]
    assert MaildirMailbox(root).read("0.x", 1) is None


def test_large_emails_are_not_all_held_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.transports.mailbox_poller.MOST_AT_ONCE", len(mail(1)) + 1)
    for number in range(5):
        laid(root, f"{number}.x", mail(number), number + 1)
    processor = FakeProcessor()
    assert drained(MaildirMailbox(root), processor) == 5
    assert processor.batches == [2, 2, 1]


def test_large_emails_keep_their_order_beyond_a_batch(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later email of somebody may take back what an earlier one says."""
    monkeypatch.setattr("pbmserv.transports.mailbox_poller.MOST_AT_ONCE", len(mail(1)) + 1)
    monkeypatch.setattr("pbmserv.transports.mailbox_poller.BATCH", 3)
    mails = [mail(number) for number in range(7)]
    for number, each in enumerate(mails):
        laid(root, f"{number}.x", each, number + 1)
    processor = FakeProcessor()
    assert drained(MaildirMailbox(root), processor) == 7
    assert [each.raw for each in processor.accepted] == mails


@pytest.fixture
def collecting() -> Iterator[Callable[[Path, FakeProcessor], MailboxPoller]]:
    started: list[MailboxPoller] = []

    def collect(root: Path, processor: FakeProcessor) -> MailboxPoller:
        started.append(MailboxPoller(MaildirMailbox(root), processor.receiver))
        started[-1].start()
        return started[-1]

    yield collect
    for each in started:
        each.stop()
        assert not each.is_alive()


@pytest.mark.long
def test_a_collector_looks_again_and_again(
    root: Path, collecting: Callable[[Path, FakeProcessor], MailboxPoller]
) -> None:
    processor = FakeProcessor()
    collecting(root, processor)
    laid(root, "1.x", mail(1))
    until(lambda: processor.texts == [mail(1)])
    laid(root, "2.x", mail(2))
    until(lambda: processor.texts == [mail(1), mail(2)])


@pytest.mark.long
def test_every_failure_is_reported_once_and_tried_again(
    root: Path,
    collecting: Callable[[Path, FakeProcessor], MailboxPoller],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """This includes our own bugs. The log names the code and no word of the email."""
    caplog.set_level("INFO")
    tries: list[IncomingMail] = []

    def fault(incoming: IncomingMail) -> Exception | None:
        tries.append(incoming)
        return KeyError("secret words") if len(tries) < 3 else None

    processor = FakeProcessor(fault=fault)
    laid(root, "1.x", mail(1))
    collecting(root, processor)
    until(lambda: processor.texts == [mail(1)])
    until(lambda: "works again" in caplog.text)
    assert caplog.text.count("KeyError at ") == 1
    assert "secret" not in caplog.text


def test_a_read_only_folder_alerts_the_operator_at_once(
    root: Path, collecting: Callable[[Path, FakeProcessor], MailboxPoller]
) -> None:
    """Its emails wait, with a longer pause each time."""
    laid(root, "1.x", mail(1))
    shutil.rmtree(root / "cur")
    (root / "cur").touch()
    processor = FakeProcessor()
    collecting(root, processor)
    until(lambda: bool(processor.told))
    assert processor.told == [(f"maildir {root}", "cannot be a Maildir: File exists")]
    assert processor.accepted == []


def test_a_lasting_failure_alerts_the_operator_once(
    root: Path,
    collecting: Callable[[Path, FakeProcessor], MailboxPoller],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the pause between tries has grown to its longest."""
    monkeypatch.setattr("pbmserv.transports.mailbox_poller.FIRST_DELAY", 0.01)
    monkeypatch.setattr("pbmserv.transports.mailbox_poller.LONGEST_DELAY", 0.05)
    tries: list[IncomingMail] = []

    def fault(incoming: IncomingMail) -> Exception:
        tries.append(incoming)
        return TryLater(f"no room, {len(tries)}")

    laid(root, "1.x", mail(1))
    processor = FakeProcessor(fault=fault)
    collecting(root, processor)
    until(lambda: len(tries) > 10)
    ((about, why),) = processor.told
    assert about == f"maildir {root}"
    assert why.startswith("no room, ")
