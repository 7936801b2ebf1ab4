"""Proving a sender: only the transport that the settings name believes a header."""

from __future__ import annotations

import grp
import os
import smtplib
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.processes import served, typed, until
from tests.cli.test_fetching import configure, inbox, lay
from tests.stories.town import OUR_ADDRESS, mail

OURS = "mx.perudo.example"
ANN = "ann@example.org"
RAW = mail(
    ANN,
    "perudo move 1 ann - 2-2s",
    message_id="<1@x>",
    headers={"Authentication-Results": f"{OURS}; dmarc=pass header.from=example.org"},
)
BELIEVED = f'authserv_id = "{OURS}"\nauthserv_door = "{{}}"\n'
PROVEN, UNPROVEN = "perudo move", "perudo move (refused: address_not_proven)"


def became(home: Path) -> list[tuple[str, str]]:
    """The transport of each email, and its outcome."""
    return [(transport, reason) for transport, number, reason in inbox(home) if number == "<1@x>"]


def by_pipe(home: Path, settings: str) -> None:
    configure(home, settings)
    assert typed(home, "pbmserv", "receive", "--sender", ANN, text=RAW).returncode == 0


def by_pipe_beside_a_server(home: Path, settings: str) -> None:
    with served(home, settings):
        assert typed(home, "pbmserv", "receive", "--sender", ANN, text=RAW).returncode == 0
        until(lambda: [reason for _, reason in became(home)] not in ([], [""]))


def by_smtp(home: Path, settings: str) -> None:
    with served(home, settings) as server:
        server.send(RAW, ANN, OUR_ADDRESS)


def by_lmtp_on_a_port(home: Path, settings: str) -> None:
    with served(home, f'{settings}lmtp = "127.0.0.1:0"\n') as server:
        begins = "LMTP on 127.0.0.1:"
        until(lambda: begins in server.log.read_text().rpartition("\n")[0])
        port = int(server.log.read_text().partition(begins)[2].split()[0])
        with smtplib.LMTP("127.0.0.1", port, "client.example", timeout=60) as client:
            client.sendmail(ANN, [OUR_ADDRESS], RAW)


def by_maildir(home: Path, settings: str) -> None:
    configure(home, f'{settings}maildir = "drop"\n')
    lay(home, RAW)
    assert typed(home, "pbmserv", "fetch").stdout == "Emails fetched: 1\n"


Transport = Callable[[Path, str], None]
TRANSPORTS: dict[str, list[Transport]] = {
    "pipe": [by_pipe, by_pipe_beside_a_server],
    "smtp": [by_smtp],
    "lmtp": [by_lmtp_on_a_port],
    "maildir": [by_maildir],
}
EACH = [(name, transport) for name, transports in TRANSPORTS.items() for transport in transports]


@pytest.mark.parametrize(
    ("name", "transport"), EACH, ids=[transport.__name__ for _, transport in EACH]
)
@pytest.mark.parametrize("named", ["imap", "socket"])
def test_an_open_transport_proves_no_sender(
    playing: Path, named: str, name: str, transport: Transport
) -> None:
    """This holds for every transport that the settings name, and for every header."""
    transport(playing, BELIEVED.format(named))
    assert became(playing) == [(name, UNPROVEN)]


def test_the_same_email_moves_by_the_trusted_transport(playing: Path) -> None:
    """The transport makes the difference to the test above, not the email."""
    group = grp.getgrgid(os.getgid()).gr_name
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        place = f"{folder}/lmtp"
        settings = f'{BELIEVED.format("socket")}lmtp = "unix:{place}"\nlmtp_group = "{group}"\n'
        with served(playing, settings), smtplib.LMTP(place, local_hostname="x") as client:
            client.sendmail(ANN, [OUR_ADDRESS], RAW)
    assert became(playing) == [("socket", PROVEN)]
