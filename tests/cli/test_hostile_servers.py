"""A running server with a relay and a provider that never finish an answer."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.cli.processes import served, until
from tests.stories.town import OUR_ADDRESS, mail, town_at
from tests.transports.hostile import Hostile, provider

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")


def test_sigterm_ends_the_server_though_relay_and_provider_send_slowly(home: Path) -> None:
    """It ends by itself, before the small process beside it would kill it after eight seconds."""
    with town_at(home) as town:
        town.sign_up("ann")
    drips: list[Hostile] = []
    relay = Hostile(lambda call: drips[0].drip(call, b"220-wait\r\n"))
    drips.append(relay)
    imap = Hostile(provider({"SEARCH": lambda call: drips[1].drip(call, b"* 5 EXISTS\r\n")}))
    drips.append(imap)
    settings = f"""
delivery = "smtp"
relay = "127.0.0.1:{relay.port}"
imap = "127.0.0.1:{imap.port}"
imap_security = "none"
imap_user = "game"
imap_password = "sesame"
"""
    try:
        with served(home, settings) as server:
            raw = mail("ann@example.org", "help", message_id="<1@x>")
            server.send(raw, "ann@example.org", OUR_ADDRESS)
            until(lambda: relay.said > 0 and imap.said > 0)
            begun = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(60) == 0
            assert time.monotonic() - begun < 45
            assert "is killed" not in server.log.read_text("utf-8")
    finally:
        relay.close()
        imap.close()
