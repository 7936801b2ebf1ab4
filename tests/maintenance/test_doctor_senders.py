"""`pbmserv doctor` checks whether anybody can forge the proof of a sender."""

from __future__ import annotations

import grp
import os
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.maintenance.doctor.senders import senders
from pbmserv.settings import read_settings

BELIEVED = 'smtp = ""\nauthserv_id = "mx.example.org"\n'
AT_A_SOCKET = f'{BELIEVED}authserv_transport = "socket"\n'


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (BELIEVED, "is not trusted: no mail comes by imap"),
        (AT_A_SOCKET, "is not trusted: lmtp is not a unix socket"),
        (f'{AT_A_SOCKET}lmtp = "127.0.0.1:0"\n', "lmtp is not a unix socket"),
        (f'{AT_A_SOCKET}lmtp = "unix:/tmp/s"\n', "everybody may use unix:/tmp/s"),
        (f'{AT_A_SOCKET}lmtp = "unix:/tmp/s"\nlmtp_group = "nobodys"\n', "there is no group"),
        (
            f'{BELIEVED}imap = "mail.example:143"\nimap_security = "none"\n',
            "without encryption anybody can forge email there",
        ),
    ],
)
def test_the_doctor_reports_trust_in_a_header_that_anybody_can_write(
    tmp_path: Path, settings: str, said: str
) -> None:
    (tmp_path / "pbmserv.toml").write_text(settings)
    found = senders(read_settings(tmp_path), is_served=False)
    assert found.is_well is False
    assert said in found.said
    assert found.remedy


def test_the_doctor_accepts_trust_in_a_providers_mailbox(tmp_path: Path) -> None:
    (tmp_path / "pbmserv.toml").write_text(f'{BELIEVED}imap = "mail.example:993"\n')
    assert senders(read_settings(tmp_path), is_served=False).is_well
    (tmp_path / "pbmserv.toml").write_text('imap = "mail.example:993"\n')
    assert senders(read_settings(tmp_path), is_served=False).is_well is None


def test_the_doctor_reports_a_socket_open_to_others(tmp_path: Path) -> None:
    """It checks mode, group and folder. Without a running server there is no socket."""
    group = grp.getgrgid(os.getgid()).gr_name
    folder, place = tmp_path / "s", tmp_path / "s" / "lmtp"
    folder.mkdir(0o700)
    text = f'{AT_A_SOCKET}lmtp = "unix:{place}"\nlmtp_group = "{group}"\n'
    (tmp_path / "pbmserv.toml").write_text(text)
    settings = read_settings(tmp_path)
    assert senders(settings, is_served=False).is_well
    assert "No such file" in senders(settings, is_served=True).said
    place.touch()
    place.chmod(0o660)
    assert senders(settings, is_served=True).is_well
    place.chmod(0o662)
    assert "its mode is 662" in senders(settings, is_served=True).said
    place.chmod(0o660)
    folder.chmod(0o707)
    assert "everybody may write to" in senders(settings, is_served=True).said
    folder.chmod(0o700)
    other = next(each.gr_name for each in grp.getgrall() if each.gr_gid != os.getgid())
    found = senders(replace(settings, lmtp_group=other), is_served=True)
    assert "belongs to another group" in found.said
