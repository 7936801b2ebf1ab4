"""`pbmserv doctor` checks the listeners, the relay and the sendmail program."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from pbmserv.maintenance.doctor.transports import outgoing
from pbmserv.settings import read_settings
from pbmserv.transports import sendmail_out
from tests.cli.processes import served, until
from tests.fake_relay import open_relay
from tests.maintenance.examining import by_relay, doctoring, examined, is_ill


def test_the_doctor_reports_a_port_in_use(healthy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        is_ill(healthy, "smtp", f"{where}: Address already in use", "perhaps a pbmserv serve")


def test_the_doctor_says_that_nobody_elsewhere_gets_a_letter(healthy: Path) -> None:
    """An address in a domain is for people elsewhere; the default of `delivery` keeps letters."""
    (healthy / "pbmserv.toml").write_text('smtp = ""\naddress = "perudo@games.example"\n')
    code, text = examined(healthy)
    assert code == 0, text
    assert "nobody elsewhere gets one" in " ".join(text.split())
    assert 'set delivery to "smtp"' in " ".join(text.split())


def test_the_doctor_reports_a_socket_in_a_missing_folder(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smtp = ""\nlmtp = "unix:/nowhere/lmtp"\n')
    is_ill(healthy, "lmtp", "/nowhere cannot be written to", "Create the folder")


class Login:
    """Who may send by a relay: me, with the right password, and from an address of mine."""

    commands: ClassVar[list[str]] = []

    def __call__(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        right = isinstance(data, LoginPassword) and data.password == b"right"
        return AuthResult(success=right, handled=False)

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not session.authenticated:
            return "530 5.7.0 Authentication required"
        if not address.startswith("perudo") and address != "only@localhost":
            return "553 5.7.1 Sender address rejected: not owned by user"
        self.commands.append("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address == "denied@else.example":
            return "454 4.7.1 Relay access denied"
        if address == "not-owned@else.example":
            return "553 5.7.1 Sender address rejected: not owned by user me"
        self.commands.append("RCPT")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_RSET(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        self.commands.append("RSET")
        return "250 OK"


@pytest.fixture
def relay() -> Iterator[str]:
    """A relay that wants a login; where it is."""
    login = Login()
    with open_relay(login, authenticator=login, auth_require_tls=False) as port:
        yield f"127.0.0.1:{port}"


def test_the_doctor_accepts_a_working_relay(healthy: Path, relay: str) -> None:
    """But it reports a password that is sent without encryption."""
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "right"')
    code, text = examined(healthy)
    assert code == 1, text
    assert "\n1 problem\n" in text
    assert f'FAIL  login      {relay}: relay_security = "none" sends the password' in text
    assert 'Set relay_security to "starttls" or "tls"' in text
    assert f"ok    letters    {relay} (none) as me: 250 OK" in text


@pytest.fixture
def sendmail(healthy: Path, tmp_path: Path) -> Path:
    """A program for `delivery = "sendmail"`, in a folder of its own."""
    path = tmp_path / "bin" / "sendmail"
    path.parent.mkdir(mode=0o755)
    path.write_text("#!/bin/sh\nexec cat > /dev/null\n")
    path.chmod(0o755)
    text = f'smtp = ""\ndelivery = "sendmail"\nsendmail = "{path}"\n'
    (healthy / "pbmserv.toml").write_text(text)
    return path


def test_the_doctor_accepts_a_working_sendmail_program(healthy: Path, sendmail: Path) -> None:
    code, text = examined(healthy)
    assert code == 0, text
    assert f"ok    letters    are handed to {sendmail}\n" in text


def test_the_doctor_reports_a_missing_sendmail_program(healthy: Path, sendmail: Path) -> None:
    sendmail.unlink()
    is_ill(healthy, "letters", f"{sendmail}: there is no such program", "Install a program")


def test_the_doctor_reports_a_sendmail_program_without_execute_permission(
    healthy: Path, sendmail: Path
) -> None:
    sendmail.chmod(0o644)
    is_ill(healthy, "letters", f"{sendmail}: cannot be run", "Set sendmail to a program")


def test_the_doctor_reports_a_sendmail_program_writable_by_others(
    healthy: Path, sendmail: Path
) -> None:
    """They could read every letter and every token; so they could with its folder."""
    sendmail.chmod(0o757)
    is_ill(healthy, "letters", f"{sendmail}: others can write to it", f"chmod go-w {sendmail}")
    sendmail.chmod(0o755)
    link = sendmail.with_name("link")
    sendmail.rename(link)
    sendmail.symlink_to(link)
    sendmail.parent.chmod(0o775)
    is_ill(healthy, "letters", f"{sendmail.parent}: others can write to it", "chmod go-w")


def test_the_doctor_reports_a_unit_that_withholds_rights_from_sendmail(
    healthy: Path, sendmail: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Postfix's `postdrop` needs its group; where it can get it, the unit is still named."""
    sendmail.with_name("postdrop").touch()
    sendmail.with_name("postdrop").chmod(0o2755)
    (tmp_path / "status").write_text("NoNewPrivs:\t0\n")
    monkeypatch.setattr(sendmail_out, "_STATUS", tmp_path / "status")
    monkeypatch.setattr(os, "getegid", lambda: sendmail.stat().st_gid + 1)
    monkeypatch.setattr(os, "getgroups", list)
    monkeypatch.setattr(os, "geteuid", lambda: sendmail.stat().st_uid or 54_321)
    found = outgoing(read_settings(healthy))
    said = f"are handed to {sendmail}; under pbmserv.service postdrop fails"
    assert (found.is_well, found.said) == (True, said)
    (tmp_path / "status").write_text("NoNewPrivs:\t1\n")
    found = outgoing(read_settings(healthy))
    assert found.is_well is False
    assert "postdrop: cannot get the rights that it needs (NoNewPrivileges)" in found.said
    assert found.remedy == 'Set delivery = "smtp" and relay = "127.0.0.1:25".'


def test_the_doctor_reports_a_relay_that_refuses_our_login(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "hidden"')
    is_ill(healthy, "letters", "535", "Set relay_user and relay_password", 1)
    assert "hidden" not in examined(healthy)[1]


def test_the_doctor_reports_a_relay_that_requires_a_login(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, "")
    is_ill(healthy, "letters", "530", "Set relay_user and relay_password")


def test_the_doctor_reports_a_relay_that_refuses_our_address(healthy: Path, relay: str) -> None:
    login = 'relay_user = "me"\nrelay_password = "right"\naddress = "else@localhost"'
    by_relay(healthy, relay, login)
    is_ill(healthy, "letters", "553 5.7.1 Sender address rejected", "send as `address`", 1)


def test_the_doctor_reports_a_relay_that_refuses_only_at_the_recipient(
    healthy: Path, relay: str
) -> None:
    """Postfix does so, for a sender that is not ours and for a client without a login."""
    login = 'relay_user = "me"\nrelay_password = "right"\noperator = "{}@else.example"'
    by_relay(healthy, relay, login.format("denied"))
    is_ill(healthy, "letters", "454 4.7.1 Relay access denied", "Set relay_user", 1)
    by_relay(healthy, relay, login.format("not-owned"))
    is_ill(healthy, "letters", "553 5.7.1 Sender address rejected", "send as `address`", 1)


def test_the_doctor_reports_a_relay_that_accepts_only_our_plain_address(
    healthy: Path, relay: str
) -> None:
    more = 'relay_user = "me"\nrelay_password = "right"\nenvelope = "stamped"'
    by_relay(healthy, relay, f'{more}\naddress = "only@localhost"')
    is_ill(healthy, "letters", "not owned by user (for only+b-doctor", 'envelope = "plain"', 1)


def test_the_doctor_leaves_no_letter_at_the_relay(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "right"')
    examined(healthy)
    assert Login.commands[-3:] == ["MAIL", "RCPT", "RSET"]


def test_the_doctor_reports_an_unreachable_relay(healthy: Path) -> None:
    by_relay(healthy, "127.0.0.1:9", "")
    is_ill(healthy, "letters", "Connection refused", "HOST:PORT")


def test_the_doctor_reports_a_configured_listener_that_is_closed(healthy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        where = f"127.0.0.1:{probe.getsockname()[1]}"
    with served(healthy) as server:
        until(lambda: "deadlines checked" in examined(healthy)[1])
        code, text = examined(healthy)
        assert code == 0, text
        # The file now says what the server was not started with.
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        is_ill(healthy, "smtp", "Connection refused", "Restart the server")
        assert server.process.poll() is None


def test_the_doctor_reports_another_program_at_our_listener(healthy: Path) -> None:
    with served(healthy), socket.create_server(("127.0.0.1", 0)) as other:
        until(lambda: "deadlines checked" in examined(healthy)[1])
        where = f"127.0.0.1:{other.getsockname()[1]}"
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        doctor = doctoring(healthy, "--no-letter")
        call, _ = other.accept()
        call.sendall(b"HTTP/1.0 400 Bad Request\r\n")
        call.close()
        said, _ = doctor.communicate(timeout=60)
        assert b"FAIL  smtp" in said
        assert b"Another program listens there" in said
