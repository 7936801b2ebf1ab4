"""The spellings of a domain: all of one domain are counted and banned as one."""

from __future__ import annotations

import pytest

from pbmserv.mail.addresses import mailbox, normal_domain, site
from tests.processor_time import usual_seconds
from tests.rows import each_row

SAME_DOMAIN = [
    (
        "example.org",
        ["ｅxample.org", "example。org", "example．org", "example｡org", "Example.ORG."],
    ),
    ("bücher.example", ["xn--bcher-kva.example", "BÜCHER.example", "bu\u0308cher。example."]),
    ("gmail.com", ["gmail.com.", "ｇmail.com", "googlemail。com"]),
]


@pytest.mark.parametrize(("domain", "others"), SAME_DOMAIN)
def test_all_spellings_of_a_domain_are_one_mailbox_and_one_site(
    domain: str, others: list[str]
) -> None:
    for other in others:
        assert mailbox(f"Ann+x@{other}") == mailbox(f"ann@{domain}")
        if domain != "gmail.com":
            assert site(f"ann@{other}") == site(f"bob@mx.{domain}")


@each_row(
    ("domain", "normal"),
    [
        ("", ""),
        (".", ""),
        ("xn--bücher.example", "xn--bücher.example"),
        ("ü" * 64 + ".ｅxample", "ü" * 64 + ".example"),
        ("אa。Bücher。example", "אa.xn--bcher-kva.example"),
        ("bücher..example", "xn--bcher-kva..example"),
        ("evil＠example。org", "evil＠example。org"),
        ("Ｅ" * 256 + ".", "ｅ" * 256 + "."),
    ],
)
def test_an_invalid_domain_stays_unchanged(domain: str, normal: str) -> None:
    """Label by label: one that has no ASCII form hides no other."""
    assert normal_domain(domain) == normal
    assert normal_domain(normal) == normal


@pytest.mark.parametrize("piece", ["ü", "ﷺ", "a\u0301", "\u0301\u0323", "ü.", "字" * 63 + "."])
def test_a_domain_of_a_stranger_is_read_in_linear_time(piece: str) -> None:
    def read() -> None:
        for length in (63, 255, 256, 1_000_000):
            normal_domain((piece * length)[:length])

    assert usual_seconds(read, 0.5) <= 0.5
