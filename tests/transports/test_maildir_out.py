"""The outgoing Maildir transport writes each letter once, and any mail program opens it."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest

from pbmserv.mail.transport import Postponed, Transport
from pbmserv.transports.maildir_out import MaildirOut, folder_name

LETTER = b"Subject: Perudo Board 12 ann\r\n\r\nIt is your turn.\r\n"


def test_a_letter_can_be_opened_by_a_mail_program(tmp_path: Path) -> None:
    transport: Transport = MaildirOut(tmp_path / "mail")
    transport.carry(7, "", "ann@example.org", LETTER)
    transport.carry(8, "", "ann@example.org", LETTER)
    transport.close()
    box = mailbox.Maildir(tmp_path / "mail" / "ann@example.org", create=False)
    assert [message["subject"] for message in box] == ["Perudo Board 12 ann"] * 2
    (first, _) = sorted((tmp_path / "mail" / "ann@example.org" / "new").iterdir())
    assert first.read_bytes() == LETTER.replace(b"\r\n", b"\n")
    assert list((tmp_path / "mail" / "ann@example.org" / "tmp").iterdir()) == []


def test_a_letter_delivered_twice_is_stored_once(tmp_path: Path) -> None:
    for _ in range(2):
        MaildirOut(tmp_path).carry(7, "", "ann@example.org", LETTER)
    assert len(list((tmp_path / "ann@example.org" / "new").iterdir())) == 1


def test_another_letter_of_the_same_number_replaces_none(tmp_path: Path) -> None:
    """After a restore letters get numbers that others had: both are there, each once."""
    transport = MaildirOut(tmp_path)
    letters = [b"Message-ID: <7.%d@x>\r\n" % moment + LETTER for moment in (1, 2)]
    for data in (*letters, *letters):
        transport.carry(7, "", "ann@example.org", data)
    files = (tmp_path / "ann@example.org" / "new").iterdir()
    found = sorted(file.read_bytes() for file in files)
    assert found == [each.replace(b"\r\n", b"\n") for each in letters]


def test_only_the_owner_can_read_letters(tmp_path: Path) -> None:
    """The names of the folders are addresses, so they are private, too."""
    root = tmp_path / "mail"
    MaildirOut(root).carry(7, "", "ann@example.org", LETTER)
    folder = root / "ann@example.org" / "new"
    for each in (folder, folder.parent, root):
        assert each.stat().st_mode & 0o077 == 0
    assert next(folder.iterdir()).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("ann+x@example.org", "ann+x@example.org"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
        ("..", "%2E."),
        (".", "%2E"),
        ("", "%2E"),
        ("a/b\\c:d\0e@x", "a%2Fb%5Cc%3Ad%00e@x"),
        ("zoë@x", "zo%C3%AB@x"),
        ("100%@x", "100%25@x"),
    ],
)
def test_an_address_is_a_safe_name_of_a_folder(address: str, name: str, tmp_path: Path) -> None:
    assert folder_name(address) == name
    MaildirOut(tmp_path / "mail").carry(1, "", address, LETTER)
    assert [path.name for path in tmp_path.iterdir()] == ["mail"]
    assert [path.name for path in (tmp_path / "mail").iterdir()] == [name]


def test_long_addresses_have_folders_of_their_own() -> None:
    names = {folder_name("x" * 300 + end) for end in ("a", "b")}
    assert len(names) == 2
    assert all(len(name) <= 255 for name in names)


def test_a_disk_that_takes_no_letters_postpones_them(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file, where a folder should be")
    with pytest.raises(Postponed, match="Maildir: "):
        MaildirOut(tmp_path / "mail").carry(1, "", "ann@example.org", LETTER)


def test_a_folder_taken_away_is_made_again(tmp_path: Path) -> None:
    transport = MaildirOut(tmp_path / "mail")
    transport.carry(1, "", "ann@example.org", LETTER)
    (tmp_path / "mail").rename(tmp_path / "moved")
    with pytest.raises(Postponed):
        transport.carry(2, "", "ann@example.org", LETTER)
    transport.carry(2, "", "ann@example.org", LETTER)
    assert len(list((tmp_path / "mail" / "ann@example.org" / "new").iterdir())) == 1
