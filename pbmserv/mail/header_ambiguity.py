"""Check that every reader of an email sees the same headers and the same From address.

A mail server checks the email as it reads it, and we read it again.  Where the rules allow two
readings, a forger shows one to the server and the other one to us.  Forgers use a bare CR or a NUL,
or a line that is not a header.  They also hide an address in a comment, a group or a name.
"""

from __future__ import annotations

import re

from pbmserv.mail.addresses import LONGEST_ADDRESS

# A header section by RFC 5322, 2.2 and 3.6, without the obsolete forms. Names have no blanks, and
# the tab is the only control character. No folded line is empty. There is one kind of line end, and
# a blank line at the end.
_TEXT = rb"[^\x00-\x08\x0a-\x1f\x7f]*+"
_HEADER = rb"[!-9;-~]++:%(text)s%(end)s(?>(?:[ \t]++[^ \t\x00-\x1f\x7f]%(text)s%(end)s)*)"
_PLAIN_HEADS = tuple(
    re.compile(rb"(?>(?:%(header)s)+)%(end)s" % {b"header": _HEADER % parts, b"end": parts[b"end"]})
    for parts in ({b"text": _TEXT, b"end": end} for end in (rb"\r\n", rb"\n"))
)

# One address, alone or in angle brackets behind a name (RFC 5322, 3.4). It has no comment, group,
# quoted local part, route or domain in brackets.
_ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]++"
_LABEL = r"[a-z0-9-]++"
_ADDRESS = rf"{_ATOM}(?>(?:\.{_ATOM})*)@{_LABEL}(?>(?:\.{_LABEL})+)"
_NAME = r'(?>(?:"[^"\\<>]*+"|[^"\\<>()\[\]:;@,])*)'
_ONE_ADDRESS = re.compile(
    rf"(?P<bare>{_ADDRESS})|(?P<name>{_NAME})<(?P<inside>{_ADDRESS})>", re.ASCII | re.IGNORECASE
)


def has_plain_head(raw: bytes) -> bool:
    """True if the raw email has a header section that can be read in one way only."""
    found = next(filter(None, (each.match(raw) for each in _PLAIN_HEADS)), None)
    if found is None:
        return False
    try:
        found[0].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def plain_address(value: str) -> str:
    """The one address of a From in lower case; "" if readers could disagree about it."""
    found = _ONE_ADDRESS.fullmatch(value)
    if found is None:
        return ""
    address = str(found["bare"] or found["inside"]).lower()
    name = (found["name"] or "").strip(' "').lower()
    if len(address) > LONGEST_ADDRESS or "=?" in address or ("@" in name and name != address):
        return ""
    return address
