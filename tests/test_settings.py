"""The settings: which values pbmserv.toml may have, and the errors for all others."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from pbmserv.errors import Misconfigured
from pbmserv.home import open_home
from pbmserv.settings import Settings, read_settings, settings_manual


def read(home: Path, text: str) -> Settings:
    home.mkdir(exist_ok=True)
    (home / "pbmserv.toml").write_text(text, "utf-8")
    return read_settings(home)


def test_all_settings_are_optional(home: Path) -> None:
    settings = open_home(home)
    assert settings == Settings(home=home)
    assert (settings.delivery, settings.smtp) == ("maildir", "127.0.0.1:8025")


def test_the_settings_of_the_file_are_used(home: Path) -> None:
    settings = read(
        home,
        """
        address = "perudo@example.org"
        delivery = "smtp"
        relay = "[::1]:2525"
        lmtp = "unix:/run/pbmserv/lmtp"
        smtp = ""
        largest_mail = 100_000
        """,
    )
    assert settings.address == "perudo@example.org"
    assert settings.largest_mail == 100_000
    assert settings.smtp == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('adress = "a@b.org"', "unknown setting adress; did you mean address?"),
        ("zzz = 1", "unknown setting zzz; known are database, address, name,"),
        ('home = "/tmp"', "unknown setting home"),
        ("address = 5", "address must be text in quotes"),
        ('address = "perudo"', "address must be an email address such as"),
        ('shell_group = "two words"', "shell_group must be one word such as"),
        ('address = "per udo@x"', "address must be an email address such as"),
        ('address = "me+perudo@x"', "address must have no plus"),
        ('address = "a@b@c"', "address must be an email address such as"),
        (
            'operator = "me"',
            'operator must be an email address such as "perudo@example.org", or ""',
        ),
        ('name = "a\\nb"', "name must be one line of text"),
        ('name = ""', "name must be one line of text"),
        ('smtp = "8025"', 'smtp must be HOST:PORT such as "127.0.0.1:8025", or ""'),
        ('smtp = "host:99999"', "smtp must be HOST:PORT"),
        ('smtp = "[]:18925"', 'smtp must be HOST:PORT such as "127.0.0.1:8025", or ""'),
        ('lmtp = "[]:24"', 'lmtp must be HOST:PORT or "unix:/path/of/a/socket", or ""'),
        ('relay = ""', "relay must be HOST:PORT"),
        ('lmtp = "unix:"', 'lmtp must be HOST:PORT or "unix:/path/of/a/socket", or ""'),
        ('largest_mail = "1"', "largest_mail must be a whole number"),
        ("largest_mail = true", "largest_mail must be a whole number"),
        ("largest_mail = 1", "largest_mail must be from 4096 to 10485760"),
        ('delivery = "pigeon"', 'delivery must be one of "maildir", "smtp"'),
        ('delivery = "pigeon"', 'must be one of "maildir", "smtp", "sendmail"'),
        ('sendmail = "msmtp"', 'sendmail must be a whole path such as "/usr/sbin/sendmail"'),
        ('sendmail = "/usr/sbin/"', "sendmail must be a whole path"),
        ('imap = "imap.example.org"', 'imap must be HOST:PORT such as "127.0.0.1:8025", or ""'),
        ('imap_security = "ssl"', 'imap_security must be one of "tls", "starttls", "none"'),
        ('imap_user = "a\\nb"', 'imap_user must be one line of text, or ""'),
        ('imap_folder = "a*"', "imap_folder must be the name of a folder"),
        ('imap_odd = ""', "imap_odd must be the name of a folder"),
        ('imap_done = "%"', 'imap_done must be the name of a folder, or ""'),
        ("imap_seconds = 0", "imap_seconds must be from 1 to 3600"),
        ('maildir = "\\u0000"', 'maildir must be one line of text, or ""'),
        ('beacon = "nist"', 'beacon must be one of "", "drand"'),
        ('beacon = "drand"', "beacon is set, so beacon_file or beacon_command must be"),
        ('beacon_file = "a\\nb"', 'beacon_file must be one line of text, or ""'),
        ('beacon_command = "\'"', "beacon_command must be a program with its arguments"),
        ('beacon_command = " "', "beacon_command must be a program with its arguments"),
        ("delivery = ", "not TOML"),
        ("[database]\nurl = 1", "database must be text in quotes"),
    ],
)
def test_anything_else_is_reported_in_one_line(home: Path, line: str, said: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        read(home, line)
    message = str(caught.value)
    assert message.startswith(f"{home}/pbmserv.toml: ")
    assert said in message
    assert "\n" not in message


def test_the_name_that_a_setting_had_in_an_older_version_is_known(home: Path) -> None:
    assert read(home, 'authserv_door = "socket"\n').authserv_transport == "socket"


def test_an_invalid_utf8_file_is_reported_in_one_line(home: Path) -> None:
    home.mkdir()
    (home / "pbmserv.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(Misconfigured, match="not TOML"):
        read_settings(home)


def test_unreadable_settings_are_reported_in_one_line(home: Path) -> None:
    (home / "pbmserv.toml").mkdir(parents=True)
    with pytest.raises(Misconfigured, match="cannot be read: Is a directory"):
        read_settings(home)


def test_the_manual_names_every_setting_with_its_default() -> None:
    manual = {key: (default, about) for key, default, about in settings_manual()}
    assert list(manual) == [field.name for field in fields(Settings) if field.name != "home"]
    assert manual["largest_mail"][0] == "262144"
    assert manual["smtp"][0] == '"127.0.0.1:8025"'
    assert all(about.endswith(".") for _, about in manual.values())


def test_the_defaults_of_the_manual_are_valid_settings(home: Path) -> None:
    text = "\n".join(f"{key} = {default}" for key, default, _ in settings_manual())
    assert read(home, text) == Settings(home=home)


def test_settings_do_not_change_and_do_not_show_secrets(home: Path) -> None:
    settings = read(
        home,
        'relay_password = "sesame"\nimap_password = "sesame"\n'
        'database = "postgresql://me:sesame@host/name"',
    )
    assert "sesame" not in repr(settings)
    with pytest.raises(FrozenInstanceError):
        settings.name = "other"  # type: ignore[misc]  # this is what must not work
