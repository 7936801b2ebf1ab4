"""The envelope of a mail that lay in a mailbox, as far as its headers still tell it.

A mailbox keeps no envelope; the mail server that filled it wrote down what it knew of it.  Which
of that may be trusted:

`Return-Path` is set above all other headers by the server that delivers last (RFC 5321, 4.4), so
the first one counts, whatever stands further down.  Where that server sets none the sender's own
may come first.  That gives nobody anything: a sender may choose the envelope's address freely at
every other door, too, and all that follows from it is that a null sender is never answered.

`Delivered-To` and `X-Original-To` are set by servers that deliver, `To` by whoever wrote the mail.
They are believed alike, but for one thing only: which address of *ours* the mail went to.  A plus
part found there is a claim, and proves itself (a letter's token is signed with the home's key)
or is worth nothing, by whatever way it came.  Other addresses are passed over: the mailbox may
well have another name at its provider than the one that players write to.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbmserv.mail.addresses import LONGEST_ADDRESS, addresses, without_extension
from pbmserv.mail.headers import LARGEST_BLOCK, Headers, read_headers
from pbmserv.mail.incoming import IncomingMail

_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "x-delivered-to", "to", "cc")


def found_in_mailbox(raw: bytes, door: str, own: str) -> IncomingMail:
    """A mail that lay in a mailbox, as `door` hands it in; `own` is our address."""
    head = raw[: 2 * LARGEST_BLOCK].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    headers, _ = read_headers(head)
    return IncomingMail(raw, _sender(headers), _recipient(headers, own), door)


def _sender(headers: Headers) -> str | None:
    """What the first Return-Path says: "" for a bounce, None where nothing can be told."""
    path = headers.first("return-path")
    if "".join(path.split()) == "<>":
        return ""
    found = next(addresses(path), "")
    return found if 0 < len(found) <= LONGEST_ADDRESS else None


def _recipient(headers: Headers, own: str) -> str:
    """Our address that the mail was sent to, one with a plus part before others; "" if none."""
    found = list(_ours(headers, without_extension(own)))
    return next((each for each in found if "+" in each), found[0] if found else "")


def _ours(headers: Headers, own: str) -> Iterator[str]:
    for name in _RECIPIENT_HEADERS:
        for value in headers.all(name):
            for address in addresses(value):
                if len(address) <= LONGEST_ADDRESS and without_extension(address) == own:
                    yield address
