"""The relay transport with TLS and a login, against aiosmtpd and a certificate of our own."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from pbmserv.mail.transport import (
    Postponed,
)
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.smtp_out import SmtpRelay
from tests.fake_relay import FakeRelay, open_relay

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Listeners
from tests.transports.relays import LETTER, OWN, carry


def _authenticated(server: Any, session: Any, envelope: Any, way: str, data: Any) -> AuthResult:
    assert isinstance(data, LoginPassword)
    return AuthResult(success=data == LoginPassword(b"perudo", b"secret"), handled=False)


@pytest.fixture
def trusting(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate[1]))


@pytest.fixture
def secure_relay(certificate: tuple[Path, Path]) -> Iterator[tuple[FakeRelay, int]]:
    """An aiosmtpd that requires STARTTLS and a login."""
    sink = FakeRelay()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate[1], certificate[0])
    with open_relay(
        sink,
        server_hostname="localhost",
        tls_context=context,
        require_starttls=True,
        auth_required=True,
        authenticator=_authenticated,
    ) as port:
        yield sink, port


def test_letters_go_through_starttls_and_a_login(
    secure_relay: tuple[FakeRelay, int], trusting: ssl.SSLContext
) -> None:
    sink, port = secure_relay
    transport = SmtpRelay("localhost", port, "starttls", "perudo", "secret", 5, context=trusting)
    for _ in range(3):
        carry(transport)
    transport.close()
    assert [each[2:] for each in sink.taken] == [(LETTER, True, True)] * 3


def test_a_wrong_relay_password_postpones_the_letter_and_stays_secret(
    secure_relay: tuple[FakeRelay, int], trusting: ssl.SSLContext
) -> None:
    sink, port = secure_relay
    transport = SmtpRelay("localhost", port, "starttls", "perudo", "hunter2", 5, context=trusting)
    with pytest.raises(Postponed, match="535") as raised:
        carry(transport)
    assert "hunter2" not in raised.value.reason
    assert sink.taken == []


def test_a_certificate_without_a_known_authority_is_not_trusted(
    secure_relay: tuple[FakeRelay, int],
) -> None:
    sink, port = secure_relay
    with pytest.raises(Postponed, match="certificate"):
        carry(SmtpRelay("localhost", port, "starttls", "perudo", "secret", 5))
    assert sink.taken == []


def test_a_certificate_for_another_name_is_not_trusted(
    secure_relay: tuple[FakeRelay, int], trusting: ssl.SSLContext
) -> None:
    sink, port = secure_relay
    with pytest.raises(Postponed, match="certificate"):
        carry(SmtpRelay("127.0.0.1", port, "starttls", "u", "p", 5, context=trusting))
    assert sink.taken == []


def test_a_relay_without_starttls_gets_no_letter_in_the_clear(listeners: Listeners) -> None:
    host, port = host_and_port(listeners.open("smtp").address)
    with pytest.raises(Postponed, match="STARTTLS"):
        carry(SmtpRelay(host, port, "starttls", timeout=60), OWN)
    assert listeners.arrived == []


def test_letters_go_through_tls_from_the_start(
    certificate: tuple[Path, Path], trusting: ssl.SSLContext, listeners: Listeners
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate[1], certificate[0])
    host, inside = host_and_port(listeners.open("smtp").address)
    server = socket.create_server(("127.0.0.1", 0))

    def pass_on() -> None:
        with (
            context.wrap_socket(server.accept()[0], server_side=True) as outer,
            socket.create_connection((host, inside)) as inner,
        ):
            back = threading.Thread(target=_copy, args=(inner, outer))
            back.start()
            _copy(outer, inner)
            inner.shutdown(socket.SHUT_RDWR)
            back.join()

    passing = threading.Thread(target=pass_on)
    passing.start()
    port = server.getsockname()[1]
    transport = SmtpRelay("localhost", port, "tls", timeout=60, context=trusting)
    carry(transport, OWN)
    transport.close()
    passing.join(60)
    server.close()
    assert [incoming.raw for incoming in listeners.arrived] == [LETTER]


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
