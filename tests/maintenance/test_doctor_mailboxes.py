"""`pbmserv doctor` tells the faults of a mailbox apart, and names the remedy of each."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from pathlib import Path

import pytest

from pbmserv.maintenance.doctor.mailboxes import mailboxes
from pbmserv.settings import Settings
from tests.transports.test_whims import GREETING, PASSWORD, Whimsical

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")

LOGIN = "Set imap_user and imap_password"
FOLDER = "Set imap_folder"
ENCRYPTION = "Set imap_security to what the port of `imap` uses"
PLACE = "Check that `imap` is the right HOST:PORT"
WAIT = "Wait: the server tries again"
# What the provider answers, the encryption, and the finding: its words and its remedy.
FAULTS: tuple[tuple[Mapping[str, bytes], str, str, str], ...] = (
    (
        {"LOGIN": b"TAG NO [AUTHENTICATIONFAILED] sesame?\r\n"},
        "none",
        "the login is refused: ",
        LOGIN,
    ),
    ({"LOGIN": b"TAG BAD no folder, no login\r\n"}, "none", "the login is refused: ", LOGIN),
    (
        {"LOGIN": b"TAG NO [UNAVAILABLE] later\r\n"},
        "none",
        "does not work now: [UNAVAILABLE]",
        WAIT,
    ),
    (
        {"LOGIN": b"TAG NO [LIMIT] too many\r\n"},
        "none",
        "does not work now: [LIMIT] too many",
        WAIT,
    ),
    ({"LOGIN": b"* BYE\r\n"}, "none", "the connection broke", PLACE),
    ({"": b"* BYE overloaded\r\n"}, "none", "it refuses the connection: * BYE overloaded", WAIT),
    ({"": b"220 mx.example.org ESMTP\r\n"}, "none", "unexpected response", PLACE),
    ({}, "tls", "TLS fails: ", ENCRYPTION),
    ({}, "starttls", "TLS fails: the server does not offer STARTTLS", ENCRYPTION),
    ({"STATUS": b"TAG NO no\r\n"}, "none", "there is no folder 'INBOX'", FOLDER),
    (
        {"STATUS": b"TAG NO no\r\n", "CREATE": b"TAG NO login first\r\n"},
        *("none", "the folder 'pbmserv-odd' cannot be created", FOLDER),
    ),
    ({"SELECT": b"TAG NO no right\r\n"}, "none", "'INBOX' cannot be opened: no right", FOLDER),
    ({"SELECT": b"TAG OK [READ-ONLY] look\r\n"}, "none", "is read-only: 'INBOX'", FOLDER),
    ({"SEARCH": b"TAG NO certificate?\r\n"}, "none", "it refuses a command: certificate?", WAIT),
)


def examined(home: Path, where: str, security: str) -> tuple[str, str]:
    """What the doctor says about a mailbox there, and its remedy; the password is never told."""
    chosen = Settings(
        home=home,
        imap=where,
        imap_security=security,
        imap_user="game",
        imap_password=PASSWORD,
    )
    (finding,) = mailboxes(chosen)
    assert finding.is_well is False
    assert PASSWORD not in finding.said + finding.remedy
    return finding.said, finding.remedy


def test_each_fault_of_a_mailbox_has_its_own_remedy(tmp_path: Path) -> None:
    """What a provider says decides nothing: its words may be about anything."""
    wrong = []
    for script, security, expected, cure in FAULTS:
        server = Whimsical(script, script.get("", GREETING))
        said, remedy = examined(tmp_path, f"127.0.0.1:{server.port}", security)
        server.close()
        if expected not in said or not remedy.startswith(cure):
            wrong.append((script, security, said, remedy))
    assert wrong == []


def test_a_provider_that_is_not_there_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    said, remedy = examined(tmp_path, f"127.0.0.1:{port}", "tls")
    assert said == f"imap game at 127.0.0.1:{port}, INBOX: Connection refused"
    assert remedy.startswith(PLACE)


def test_a_certificate_that_nobody_signed_is_told(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    key, signed = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed, key)
    server = Whimsical({}, context=context)
    said, remedy = examined(tmp_path, f"localhost:{server.port}", "tls")
    server.close()
    assert "its certificate is not trusted: self-signed certificate" in said
    assert remedy.startswith("Set imap to the name in its certificate")
