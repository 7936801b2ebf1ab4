"""Find addresses, Message-IDs and the tokens in them, in header values.

A letter's Reply-To is `perudo+TOKEN@host` and its Message-ID is `<ANYTHING.TOKEN@host>`.  A mail
program keeps at least one of them, so a reply returns the token.  `subject_tokens.py` finds one
that a link put into a Subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbmserv.text.unicode_forms import compatible

_BASE32 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_TOKEN_LENGTHS = (26, 32)
LONGEST_ADDRESS = 320  # characters: 64 of a local part, @, 255 of a domain (RFC 5321, 4.5.3.1)
MOST_TOKENS = 50
LONGEST_DOMAIN, _LONGEST_LABEL = 255, 63  # characters (RFC 1035, 2.3.4)
_GMAIL = ("gmail.com", "googlemail.com")
MOST_REFERENCES = 100


def addresses(value: str) -> Iterator[str]:
    """Every address in a From or To value, in order, without names, comments and groups."""
    for entry in _entries(value):
        inside = entry.rpartition("<")[2].partition(">")[0]
        address = "".join(inside.split())
        local, at, domain = address.rpartition("@")
        if at and local and domain and len(address) <= LONGEST_ADDRESS and address.isprintable():
            yield address


def display_name(value: str) -> str:
    """The name in front of the first address of a decoded From value; "" without one."""
    name, bracket, _ = value.partition("<")
    return name.strip("\"' ") if bracket else ""


def _entries(value: str) -> Iterator[str]:
    """The entries of a list of addresses, without comments and quoted names."""
    if '"' in value or "(" in value:
        value = "".join(_bare(value))
    yield from value.replace(";", ",").replace(":", ",").split(",")


def _bare(value: str) -> Iterator[str]:
    """The characters outside quotation marks and comments."""
    depth = 0  # of comments, which nest
    quoting = skipping = False
    for character in value:
        if skipping:
            skipping = False
        elif character == "\\" and (quoting or depth):
            skipping = True
        elif character == '"' and not depth:
            quoting = not quoting
        elif quoting:
            continue
        elif character == "(":
            depth += 1
        elif character == ")" and depth:
            depth -= 1
        elif not depth:
            yield character


def without_extension(address: str) -> str:
    """`perudo@host` for `perudo+anything@host`, in lower case."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def normal_domain(domain: str) -> str:
    """The normal form of a domain, which has many spellings: `BÜCHER。example.`, for example.

    It is in lower case and, label by label, in ASCII where that is possible (IDNA).  A text longer
    than any domain is only put in lower case.
    """
    if len(domain) > LONGEST_DOMAIN:
        return domain.lower()
    if not domain.isascii():
        folded = compatible(domain).casefold()
        folded = compatible(folded).replace("。", ".")  # ． and ｡ have become these
        if "@" in folded:  # it was written as ＠: the address would change
            return domain.lower()
        domain = ".".join(_ascii(label) for label in folded.split("."))
    return domain.lower().rstrip(".")


def _ascii(label: str) -> str:
    """A label of a domain in ASCII; unchanged if it has no such form."""
    if label.isascii() or len(label) > _LONGEST_LABEL:  # the encoding takes quadratic time
        return label
    try:
        return label.encode("idna").decode("ascii")
    except UnicodeError:
        return label


def with_normal_domain(address: str) -> str:
    """An address in lower case, with its domain in the normal form."""
    local, at, domain = address.rpartition("@")
    return f"{local.lower()}{at}{normal_domain(domain)}"


def mailbox(address: str) -> str:
    """The mailbox that an address most likely belongs to: the name for counting.

    A plus part leads to the same mailbox everywhere, and dots are ignored at Gmail.
    """
    local, _, domain = with_normal_domain(address).rpartition("@")
    local = local.partition("+")[0]
    if domain in _GMAIL:
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}@{domain}"


def site(address: str) -> str:
    """The domain that owns an address, for counting: without the names below it.

    This is a guess, because there is no list of public suffixes.  It is two labels, or three if
    they look like `co.uk`.
    """
    labels = normal_domain(address.rpartition("@")[2]).strip(".").split(".")
    looks_public = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - as above
    return ".".join(labels[-3:] if looks_public else labels[-2:])


def message_ids(value: str) -> tuple[str, ...]:
    """The `<…>` in a References or In-Reply-To value; comments beside them do not matter."""
    found: list[str] = []
    for piece in value.split("<")[1:]:
        inside, closed, _ = piece.partition(">")
        if closed and inside:
            found.append("<" + "".join(inside.split()) + ">")
    return tuple(found[-MOST_REFERENCES:])


def tokens(
    recipients: Iterable[str], identifiers: Iterable[str], in_subject: str = ""
) -> tuple[str, ...]:
    """The possible tokens, in upper case, each once: plus parts, the Subject, Message-IDs."""
    found: dict[str, None] = {}
    for address in recipients:
        extension = address.rpartition("@")[0].partition("+")[2]
        if extension:
            _keep(extension, found)
            _keep(extension.replace("-", ".").rpartition(".")[2], found)
    _keep(in_subject, found)
    for identifier in identifiers:
        local = identifier.strip("<>").partition("@")[0]
        _keep(local.rpartition(".")[2], found)
    return tuple(found)[:MOST_TOKENS]


def _keep(text: str, found: dict[str, None]) -> None:
    if len(text) in _TOKEN_LENGTHS:
        token = text.upper()
        if _BASE32.issuperset(token):
            found[token] = None
