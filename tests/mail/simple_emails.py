"""Simple emails, for tests."""

from __future__ import annotations

from pbmserv.mail.reading import Mail, read

OWN = "perudo@perudo.example"


def simple(head: str = "", body: str = "5-5s\n", **envelope: str | None) -> Mail:
    raw = f"From: ann@example.org\n{head}\n{body}".encode()
    given: dict[str, str | None] = {"envelope_sender": "ann@example.org", "recipient": OWN}
    given.update(envelope)
    return read(
        raw,
        envelope_sender=given["envelope_sender"],
        recipient=given["recipient"] or "",
        own=OWN,
    )
