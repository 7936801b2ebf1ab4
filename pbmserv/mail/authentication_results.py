"""Authentication-Results: whether the operator's mail server has proven or refuted the From.

Anybody can write any From.  The operator's own mail server checks DKIM, SPF and DMARC.  It reports
the result in an Authentication-Results header (RFC 8601).  A stranger can write such a header, too.
So only the topmost one counts: a server puts its own above everything that came with the email.  It
must also have the name (authserv-id) that the operator has configured.  That server must remove
headers which claim its name (RFC 8601, section 5; OpenDKIM does).  If several programs of the
server write such headers, the one that decides (OpenDMARC) must run last.  The `authserv_transport`
setting names the transport whose headers count.

A mail server checks the email as it reads it.  If another reader might see another From, nothing is
proven (`header_ambiguity`).
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
LONGEST = 4096  # characters of a header that are read: real ones have less than 1000
MOST_COMMENTS = 20  # `authres` recurses into comments
_SPF_FAILS = {"fail", "hardfail"}  # "hardfail" is the word of RFC 5451, and still used

# An email has one of each of these headers (RFC 5322, 3.6, and RFC 2045).  A signature on one of
# them does not prevent a second one above it (RFC 6376, 8.15).  We would read that first.
_SINGLE = (
    "sender", "reply-to", "to", "cc", "subject", "date", "message-id", "in-reply-to", "references",
    "mime-version", "content-type", "content-transfer-encoding",
)  # fmt: skip


class Verdict(Enum):
    """The report of the operator's mail server on a From; UNKNOWN if there is none."""

    PROVEN = "proven"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def verdict(headers: Headers, raw: bytes, authserv_id: str, own: str) -> Verdict:
    """Whether the From is proven or refuted; always UNKNOWN where `authserv_id` is "".

    `headers` were read from `raw`, the email as it came.

    An email is proven only if it is written to `own`, our address.  Its recipient could otherwise
    send it on to us, and the signature would still be valid.  No header may be there twice: the
    signature may not cover the second Subject.

    The header section must be unambiguous, with one From that holds one plain address.  The domain
    of that address must be exactly the proven one.  This is the domain of a DMARC pass.  Without a
    verdict of DMARC it is the signer of a DKIM pass.  That is `header.d`, or the domain of
    `header.i` if only that is written.  It may also be the envelope sender of an SPF pass
    (`smtp.mailfrom`).  That is the strict alignment of RFC 7489, 3.1.

    In relaxed alignment `example.org` speaks for `mail.example.org`.  It needs a list of public
    suffixes, which would become outdated.  Operators who want it run a DMARC checker, which decides
    it for us.  A domain answers for the part before the @ as well, as in all email.

    An email is refuted by dmarc=fail in any case.  If DMARC neither passed nor failed, spf=fail (or
    spf=hardfail) refutes it.  An exception is a pass for the From's domain, or for one above or
    below it.  A forwarded email fails SPF, but its signature stays valid.
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
    """The domains that passed DKIM as signer, or SPF as sender."""
    results = (
        *_results(found, "dkim", "header.d", "header.i"),
        *_results(found, "spf", "smtp.mailfrom"),
    )
    return [domain for result, domain in results if result == "pass"]


def _is_related(one: str, other: str) -> bool:
    """True if the domains are equal, or one is below the other; `org` has none below it."""
    short, long = sorted((one, other), key=len)
    return "." in short and f".{long}".endswith(f".{short}")


def _topmost(written: list[str]) -> Any:  # of authres
    """The topmost header as `authres` reads it; None if there is none or it cannot be read."""
    if not written or len(written[0]) > LONGEST or written[0].count("(") > MOST_COMMENTS:
        return None
    try:
        # Yahoo ends its list with a semicolon, which the grammar does not allow.
        return AuthenticationResultsHeader.parse(f"{HEADER}: {written[0].rstrip('; ')}")
    except AuthResError:
        return None


def _is_written_to(headers: Headers, own: str) -> bool:
    """True if To or Cc names our address, with or without a plus part."""
    written = [*headers.all("to"), *headers.all("cc")]
    known = without_extension(own)
    return any(known == without_extension(each) for value in written for each in addresses(value))


def _is_ambiguous(headers: Headers) -> bool:
    """True if a single header is repeated, or the headers are too long to read fully."""
    return headers.overlong or any(len(headers.all(name)) > 1 for name in _SINGLE)


def _from_domain(written: list[str]) -> str:
    """The domain of the only address in the only From; "" if there are more, or none."""
    if len(written) != 1:
        return ""
    found = list(addresses(written[0]))
    return found[0].rpartition("@")[2].lower() if len(found) == 1 else ""


def _results(found: Any, method: str, *names: str) -> list[tuple[str, str]]:
    """Each result of a method, with the domain in the first of these properties that it has."""
    results = []
    for each in found.results:
        if each.method.lower() == method:
            written = {f"{known.type}.{known.name}": str(known.value) for known in each.properties}
            value = next((written[name] for name in names if name in written), "")
            results.append((each.result.lower(), value.strip("<>").rpartition("@")[2].lower()))
    return results
