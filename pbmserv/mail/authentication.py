"""Authentication: whether a mail server of the operator's has proven who a mail is from.

Anybody can write any From.  The operator's own mail server checks DKIM, SPF and DMARC and says
what it found in an Authentication-Results header (RFC 8601), and so may a stranger who writes
one himself.  Therefore only the topmost such header counts, for a server puts its own above all
that came with the mail, and only if it bears the name (authserv-id) that the operator has
configured.  That server must take off headers which claim its name (RFC 8601, section 5;
OpenDKIM does) and where several programs of it write such headers, the one that decides
(OpenDMARC) must come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from authres import (  # type: ignore[import-untyped]  # it has no types
    AuthenticationResultsHeader,
    AuthResError,
)

from pbmserv.mail.addresses import addresses, without_extension
from pbmserv.mail.headers import Headers

HEADER = "authentication-results"
LONGEST = 4096  # characters of a header that is read: real ones have less than 1000
MOST_COMMENTS = 20  # `authres` recurses into comments

# Headers of which a mail has one (RFC 5322, 3.6, and RFC 2045).  A signature that covers one of
# them lets others be put above it, where we would read them first (RFC 6376, 8.15).
_SINGLE = (
    "to", "cc", "subject", "date", "message-id", "in-reply-to", "references", "mime-version",
    "content-type", "content-transfer-encoding",
)  # fmt: skip


def is_authenticated(headers: Headers, authserv_id: str, own: str) -> bool:
    """Whether the From is proven to be what it says; never where `authserv_id` is "".

    The mail must be written to `own`, our address: a signature survives that somebody else, to
    whom the mail was written, sends it on to us as if it were meant for us.  And nothing in it may
    be there twice: the second Subject is not the signed one.

    There must be one From with one address.  Its domain has to be the very one that was proven:
    that of a DMARC pass; or, where there is no verdict of DMARC's, the signer of a DKIM pass
    (`header.d`, or the domain of `header.i` where the checker writes that alone) or the envelope
    sender of an SPF pass (`smtp.mailfrom`).  That is the strict alignment of RFC 7489, 3.1.  The
    relaxed one, for which `example.org` speaks for `mail.example.org`, has to know where an
    organisation's domains begin, that is a list of public suffixes which grows old; whoever
    wants it runs a DMARC checker, which decides it in our place.  A domain vouches for the part
    before the @ as well, as everywhere in mail.
    """
    if not authserv_id or not _is_written_to(headers, own) or _is_ambiguous(headers):
        return False
    found = _topmost(headers.all(HEADER))
    domain = _from_domain(headers.all("from"))
    if found is None or not domain or str(found.authserv_id).lower() != authserv_id.lower():
        return False
    verdicts = set(_verdicts(found, "dmarc", domain, "header.from"))
    if verdicts & {"pass", "fail"}:
        return verdicts == {"pass"}
    return "pass" in {
        *_verdicts(found, "dkim", domain, "header.d", "header.i"),
        *_verdicts(found, "spf", domain, "smtp.mailfrom"),
    }


def _topmost(written: list[str]) -> Any:  # of authres
    """The topmost header as `authres` reads it; None where there is none that can be read."""
    if not written or len(written[0]) > LONGEST or written[0].count("(") > MOST_COMMENTS:
        return None
    try:
        # Yahoo ends its list with a semicolon, which the grammar does not have.
        return AuthenticationResultsHeader.parse(f"{HEADER}: {written[0].rstrip('; ')}")
    except AuthResError:
        return None


def _is_written_to(headers: Headers, own: str) -> bool:
    """True if To or Cc names our address, with or without a plus part."""
    written = [*headers.all("to"), *headers.all("cc")]
    known = without_extension(own)
    return any(known == without_extension(each) for value in written for each in addresses(value))


def _is_ambiguous(headers: Headers) -> bool:
    """True if a header is there twice that stands for one thing, or too much to see it all."""
    return headers.overlong or any(len(headers.all(name)) > 1 for name in _SINGLE)


def _from_domain(written: list[str]) -> str:
    """The domain of the one address in the one From; "" where there are more, or none."""
    if len(written) != 1:
        return ""
    found = list(addresses(written[0]))
    return found[0].rpartition("@")[2].lower() if len(found) == 1 else ""


def _verdicts(found: Any, method: str, domain: str, *names: str) -> Iterator[str]:
    """What a method found, wherever the first of these properties that is there is the domain."""
    for result in found.results:
        if result.method.lower() == method:
            written = {f"{each.type}.{each.name}": str(each.value) for each in result.properties}
            value = next((written[name] for name in names if name in written), "")
            if value.strip("<>").rpartition("@")[2].lower() == domain:
                yield result.result.lower()
