"""Authentication: whether a mail server of the operator's has proven, or refuted, a mail's From.

Anybody can write any From.  The operator's own mail server checks DKIM, SPF and DMARC and says
what it found in an Authentication-Results header (RFC 8601), and so may a stranger who writes
one himself.  Therefore only the topmost such header counts, for a server puts its own above all
that came with the mail, and only if it bears the name (authserv-id) that the operator has
configured.  That server must take off headers which claim its name (RFC 8601, section 5;
OpenDKIM does) and where several programs of it write such headers, the one that decides
(OpenDMARC) must come last.  From which doors such a header is taken at all, `reception` decides.

What a mail server has checked is the mail as it reads it: where another reader might see another
From, nothing is proven (`plainness`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from authres import (  # type: ignore[import-untyped]  # it has no types
    AuthenticationResultsHeader,
    AuthResError,
)

from pbmserv.mail.addresses import addresses, without_extension
from pbmserv.mail.header_ambiguity import has_plain_head, plain_address
from pbmserv.mail.headers import Headers

HEADER = "authentication-results"
LONGEST = 4096  # characters of a header that is read: real ones have less than 1000
MOST_COMMENTS = 20  # `authres` recurses into comments
_SPF_FAILS = {"fail", "hardfail"}  # the second was the word of RFC 5451, and some still write it

# Headers of which a mail has one (RFC 5322, 3.6, and RFC 2045).  A signature that covers one of
# them lets others be put above it, where we would read them first (RFC 6376, 8.15).
_SINGLE = (
    "sender", "reply-to", "to", "cc", "subject", "date", "message-id", "in-reply-to", "references",
    "mime-version", "content-type", "content-transfer-encoding",
)  # fmt: skip


class Verdict(Enum):
    """What the operator's mail server says of a mail's From; UNKNOWN where it says nothing."""

    PROVEN = "proven"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def verdict(headers: Headers, raw: bytes, authserv_id: str, own: str) -> Verdict:
    """Whether the From is proven or refuted; always UNKNOWN where `authserv_id` is "".

    `headers` were read out of `raw`, the mail as it came.

    A mail is proven only if it is written to `own`, our address: a signature survives that somebody
    else, to whom the mail was written, sends it on to us as if it were meant for us.  And nothing
    in it may be there twice: the second Subject is not the signed one.

    The head must be plain, and there must be one From with one plain address.  Its domain has to
    be the very one that was proven: that of a DMARC pass; or, where there is no verdict of DMARC's,
    the signer of a DKIM pass (`header.d`, or the domain of `header.i` where the checker writes that
    alone) or the envelope sender of an SPF pass (`smtp.mailfrom`).  That is the strict alignment of
    RFC 7489, 3.1.  The relaxed one, for which `example.org` speaks for `mail.example.org`, has to
    know where an organisation's domains begin, that is a list of public suffixes which grows old;
    whoever wants it runs a DMARC checker, which decides it in our place.  A domain vouches for the
    part before the @ as well, as everywhere in mail.

    A mail is refuted by dmarc=fail, whatever else is said.  Where DMARC neither passed nor failed
    it is refuted by spf=fail (or spf=hardfail), unless something passed for the From's domain, or
    for one above or below it: a mail that was forwarded fails SPF, and its signature still holds.
    """
    found = _topmost(headers.all(HEADER)) if authserv_id else None
    if found is None or str(found.authserv_id).lower() != authserv_id.lower():
        return Verdict.UNKNOWN
    froms = headers.all("from")
    if _is_refuted(found, _from_domain(froms)):
        return Verdict.REFUTED
    if _is_ambiguous(headers) or not has_plain_head(raw) or not _is_written_to(headers, own):
        return Verdict.UNKNOWN
    address = plain_address(froms[0]) if len(froms) == 1 else ""
    domain = address.rpartition("@")[2]
    return Verdict.PROVEN if domain and _is_proven(found, domain) else Verdict.UNKNOWN


def _is_refuted(found: Any, domain: str) -> bool:
    dmarc = {result for result, _ in _results(found, "dmarc")}
    if dmarc & {"pass", "fail"}:
        return "fail" in dmarc
    if not _SPF_FAILS & {result for result, _ in _results(found, "spf")}:
        return False
    return not any(_is_related(passed, domain) for passed in _passed(found))


def _is_proven(found: Any, domain: str) -> bool:
    return ("pass", domain) in _results(found, "dmarc", "header.from") or domain in _passed(found)


def _passed(found: Any) -> list[str]:
    """The domains that signed the mail, or sent it, by what passed DKIM and SPF."""
    results = (
        *_results(found, "dkim", "header.d", "header.i"),
        *_results(found, "spf", "smtp.mailfrom"),
    )
    return [domain for result, domain in results if result == "pass"]


def _is_related(one: str, other: str) -> bool:
    """True if the domains are the same, or one is below the other; none counts as below `org`."""
    short, long = sorted((one, other), key=len)
    return "." in short and f".{long}".endswith(f".{short}")


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


def _results(found: Any, method: str, *names: str) -> list[tuple[str, str]]:
    """Each result of a method, with the domain in the first of these properties that is there."""
    results = []
    for each in found.results:
        if each.method.lower() == method:
            written = {f"{known.type}.{known.name}": str(known.value) for known in each.properties}
            value = next((written[name] for name in names if name in written), "")
            results.append((each.result.lower(), value.strip("<>").rpartition("@")[2].lower()))
    return results
