"""Reconstruct the envelope of a fetched email from its headers.

A mailbox does not keep the envelope, but the delivering mail server records it in headers.  This is
how far each header is trusted:

The server that delivers last sets `Return-Path` above all other headers (RFC 5321, 4.4).  So only
the first one counts.  If that server sets none, the first one may be the sender's.  This gives the
sender no advantage: at other transports a sender chooses the envelope's address freely, too.  Its
only effect is that a null sender is never answered.

Delivering servers set `Delivered-To` and `X-Original-To`; the sender sets `To`.  All three are only
used to find which address of *ours* the email was sent to.  A plus part found there is a claim.
Its token must be signed with the home's key, or it has no effect.  Other addresses are ignored,
because the provider may know the mailbox by another name.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbmserv.mail.addresses import LONGEST_ADDRESS, addresses, without_extension
from pbmserv.mail.headers import LARGEST_BLOCK, Headers, read_headers
from pbmserv.mail.incoming import IncomingMail

_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "x-delivered-to", "to", "cc")


def found_in_mailbox(raw: bytes, transport: str, own: str) -> IncomingMail:
    """The email from a mailbox as incoming mail of a transport; `own` is our address."""
    head = raw[: 2 * LARGEST_BLOCK].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    headers, _ = read_headers(head)
    return IncomingMail(raw, _sender(headers), _recipient(headers, own), transport)


def _sender(headers: Headers) -> str | None:
    """The address in the first Return-Path: "" for a bounce, None if it is unknown."""
    path = headers.first("return-path")
    if "".join(path.split()) == "<>":
        return ""
    found = next(addresses(path), "")
    return found if 0 < len(found) <= LONGEST_ADDRESS else None


def _recipient(headers: Headers, own: str) -> str:
    """Our address that the email was sent to, preferably one with a plus part; "" if none."""
    found = list(_ours(headers, without_extension(own)))
    return next((each for each in found if "+" in each), found[0] if found else "")


def _ours(headers: Headers, own: str) -> Iterator[str]:
    for name in _RECIPIENT_HEADERS:
        for value in headers.all(name):
            for address in addresses(value):
                if len(address) <= LONGEST_ADDRESS and without_extension(address) == own:
                    yield address
