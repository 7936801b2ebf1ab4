"""The DNS records of a domain: which ones are needed, and the findings if one is missing."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import dns.message
import dns.rcode
import dns.rrset
import pytest

from pbmserv.maintenance.doctor.dns_records import names, resolver

ADDRESS = "perudo@games.example.org"
GOOD = {
    ("games.example.org", "MX"): ["10 mx.example.org."],
    ("games.example.org", "TXT"): ["v=spf1 mx -all", "something else"],
    ("k1._domainkey.games.example.org", "TXT"): ["v=DKIM1; k=rsa; p=MIGf"],
    ("_dmarc.games.example.org", "TXT"): ["v=DMARC1; p=quarantine"],
}

REMEDIES = {
    "mx": "Publish: games.example.org. MX 10 MAILSERVER.",
    "spf": "Publish",
    "dkim": "Publish the public key of your signer (opendkim-genkey) as k1._domainkey",
    "dmarc": 'Publish: _dmarc.games.example.org. TXT "v=DMARC1; p=quarantine"',
}


def found(records: dict[tuple[str, str], list[str]], selector: str = "k1") -> dict[str, str]:
    """What is said of each check; what is wrong begins with `!` and has its remedy behind."""
    return {
        each.name: f"{'!' if each.is_well is False else ''}{each.said}{each.remedy}"
        for each in names(ADDRESS, lambda name, kind: records.get((name, kind), []), selector)
    }


def test_a_domain_with_all_its_records_passes() -> None:
    said = found(GOOD)
    assert list(said) == ["mx", "spf", "dkim", "dmarc"]
    assert not any(each.startswith("!") for each in said.values())


@pytest.mark.parametrize(
    ("check", "name", "kind", "records", "said"),
    [
        ("mx", "games.example.org", "MX", [], "!no record says where email"),
        ("spf", "games.example.org", "TXT", ["x"], "!games.example.org does not say who may send"),
        ("spf", "games.example.org", "TXT", ["v=spf1 -all", "v=spf1 mx"], "!2 records"),
        ("spf", "games.example.org", "TXT", ["v=spf1 +all"], "!it allows anybody to send"),
        ("dkim", "k1._domainkey.games.example.org", "TXT", [], "!k1._domainkey.games"),
        ("dkim", "k1._domainkey.games.example.org", "TXT", ["v=DKIM1; p="], "!k1._domainkey"),
        ("dmarc", "_dmarc.games.example.org", "TXT", ["v=spf1"], "!games.example.org does not"),
    ],
)
def test_missing_records_are_named(
    check: str, name: str, kind: str, records: list[str], said: str
) -> None:
    told = found({**GOOD, (name, kind): records})[check]
    assert told.startswith(said)
    assert REMEDIES[check] in told


def test_a_domain_without_mx_can_receive_email_at_its_own_address() -> None:
    records = {**GOOD, ("games.example.org", "MX"): [], ("games.example.org", "A"): ["192.0.2.1"]}
    assert "no MX record" in found(records)["mx"]


def test_the_parent_domain_may_have_the_policy() -> None:
    """RFC 7489, 6.6.3."""
    records = {**GOOD, ("_dmarc.games.example.org", "TXT"): []}
    records["_dmarc.example.org", "TXT"] = ["v=DMARC1; p=reject"]
    assert found(records)["dmarc"].startswith("_dmarc.example.org:")


def test_without_a_selector_no_key_is_looked_up() -> None:
    assert found(GOOD, "")["dkim"].startswith("give the selector")


@pytest.mark.parametrize("address", ["perudo@localhost", "perudo@games.test", "perudo@box.lan"])
def test_a_name_for_this_machine_alone_is_not_looked_up(address: str) -> None:
    (finding,) = names(address, None)
    assert finding.is_well is None


def test_without_dnspython_it_says_how_to_get_it() -> None:
    (finding,) = names(ADDRESS, None)
    typed = f"{sys.prefix}/bin/pip install --use-pep517 '.[dns]'"
    assert f"install the extra dns (in the source folder: {typed})" in finding.said


@contextmanager
def name_server(records: dict[tuple[str, str], list[str]]) -> Iterator[int]:
    """A real name server on a port of loopback; it answers nothing if there are no records."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))

        def serve() -> None:
            while True:
                wire, client = listening.recvfrom(2048)
                if not wire:
                    return
                query = dns.message.from_wire(wire)
                (question,) = query.question
                kind = dns.rdatatype.to_text(question.rdtype)
                answer = dns.message.make_response(query)
                texts = records.get((question.name.to_text(omit_final_dot=True), kind), [])
                quoted = [f'"{each}"' if kind == "TXT" else each for each in texts]
                if quoted:
                    answer.answer.append(
                        dns.rrset.from_text(question.name, 60, "IN", kind, *quoted)
                    )
                else:
                    answer.set_rcode(dns.rcode.NXDOMAIN)
                if records:
                    listening.sendto(answer.to_wire(), client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        listening.sendto(b"", listening.getsockname())
        thread.join()


def test_the_resolver_asks_a_name_server() -> None:
    with name_server(GOOD) as port:
        records = resolver(["127.0.0.1"], port)
        assert records is not None
        said = {each.name: each for each in names(ADDRESS, records, "k1")}
        assert said["spf"].said == "v=spf1 mx -all"
        assert said["mx"].said == "email for games.example.org goes to 10 mx.example.org."
        assert all(each.is_well for each in said.values())
        assert records("nothing.example.org", "TXT") == []


@pytest.mark.long
def test_an_unreachable_name_server_is_reported_in_one_line() -> None:
    """It does not hang, because a query has a limit of five seconds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        records = resolver(["127.0.0.1"], silent.getsockname()[1])
        (finding,) = names(ADDRESS, records)
    assert finding.is_well is False
    assert finding.said.startswith("no answer: ")
    assert "--no-dns" in finding.remedy
