"""Check the DNS records of our address's domain: which servers may send its email.

The resolver is an argument; `resolver()` makes one if dnspython is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pbmserv.extras import how_to_add
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.text.printable import printable

Resolver: TypeAlias = Callable[[str, str], list[str]]
"""The records of a name and a type, such as "TXT"; [] if there are none.  Raises OSError."""

LONGEST_RECORD = 4096  # characters: a key of 4096 bits has 800
PATIENCE = 5.0  # seconds for one answer
LOCAL = ("localhost", "local", "test", "example", "invalid", "internal", "lan", "home", "arpa")


def resolver(servers: Sequence[str] = (), port: int = 53) -> Resolver | None:
    """This machine's resolver, or one that asks these servers; None without dnspython."""
    try:
        import dns.exception  # noqa: PLC0415 - an extra that may be missing
        import dns.resolver  # noqa: PLC0415 - an extra that may be missing
    except ModuleNotFoundError:
        return None

    def records(name: str, kind: str) -> list[str]:
        try:
            asked = dns.resolver.Resolver(configure=not servers)
            if servers:
                asked.nameservers, asked.port = list(servers), port
            found = asked.resolve(name, kind, lifetime=PATIENCE)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return []
        except dns.exception.DNSException as problem:
            raise OSError(str(problem)) from problem
        return [_text(each) for each in found]

    def _text(record: object) -> str:
        strings = getattr(record, "strings", None)
        return printable(b"".join(strings) if strings else str(record), LONGEST_RECORD)

    return records


def names(address: str, records: Resolver | None, selector: str = "") -> Iterator[Finding]:
    """Findings about the DNS records for email to and from the domain of our address.

    `selector` is the name of the DKIM key that the relay signs with, "" if unknown.
    """
    domain = address.rpartition("@")[2].lower()
    if "." not in domain or domain.rpartition(".")[2] in LOCAL:
        yield unseen("dns", f"{domain} is a name only for this machine")
        return
    if records is None:
        yield unseen("dns", f"dnspython is not installed: {how_to_add('dns')}")
        return
    try:
        yield _exchange(domain, records)
        yield _senders(domain, records)
        yield _key(domain, records, selector)
        yield _policy(domain, records)
    except OSError as problem:
        remedy = "Check that this machine can reach a name server, or skip this check: --no-dns."
        yield ill("dns", f"no answer: {str(problem)[:100]}", remedy)


def _exchange(domain: str, records: Resolver) -> Finding:
    if found := records(domain, "MX"):
        return well("mx", f"email for {domain} goes to {', '.join(sorted(found)[:3])}")
    if records(domain, "A") or records(domain, "AAAA"):
        return well("mx", f"{domain} has no MX record: email goes to its own address")
    remedy = f"Publish: {domain}. MX 10 MAILSERVER. (the host where Postfix or your provider is)"
    return ill("mx", f"no record says where email for {domain} goes", remedy)


def _senders(domain: str, records: Resolver) -> Finding:
    """SPF (RFC 7208): exactly one record, which ends with a restriction."""
    found = [each for each in records(domain, "TXT") if each.lower().startswith("v=spf1")]
    if len(found) == 1 and "+all" not in found[0].lower().split():
        return well("spf", found[0])
    if len(found) > 1:
        return ill(
            "spf",
            f"{len(found)} records: none of them counts",
            f"Publish only one of them: {domain}. TXT",
        )
    said = "it allows anybody to send" if found else f"{domain} does not say who may send for it"
    remedy = f'Publish: {domain}. TXT "v=spf1 mx -all" (or what your provider says)'
    return ill("spf", said, remedy)


def _key(domain: str, records: Resolver, selector: str) -> Finding:
    """DKIM (RFC 6376): the key of our relay's signatures."""
    if not selector:
        return unseen("dkim", "give the selector of your relay's signatures: --dkim SELECTOR")
    name = f"{selector}._domainkey.{domain}"
    for text in records(name, "TXT"):
        tags = dict(tag.strip().partition("=")[::2] for tag in text.split(";"))
        if tags.get("p", "").strip():
            return well("dkim", f"{name} has a key")
    remedy = f"Publish the public key of your signer (opendkim-genkey) as {name}. TXT"
    return ill("dkim", f"{name} has no key", remedy)


def _policy(domain: str, records: Resolver) -> Finding:
    """DMARC (RFC 7489): what receivers do with forgeries; a parent domain may have the record."""
    labels = domain.split(".")
    for place in range(len(labels) - 1):
        name = "_dmarc." + ".".join(labels[place:])
        for text in records(name, "TXT"):
            if text.upper().startswith("V=DMARC1"):
                return well("dmarc", f"{name}: {text}")
    remedy = f'Publish: _dmarc.{domain}. TXT "v=DMARC1; p=quarantine" (p=none to begin with)'
    return ill("dmarc", f"{domain} does not say what to do with forgeries", remedy)
