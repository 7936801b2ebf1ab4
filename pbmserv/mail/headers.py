"""Read the header section of an email or of one of its parts: names and values, undecoded.

Limits keep hostile email cheap: the rest is left unread, and `overlong` says so.  The headers are
interpreted in `addresses`, `autoresponders`, `parts` and `reading`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote

from pbmserv.mail.charsets import decode, decode_undeclared
from pbmserv.mail.encoded_words import decoded

LARGEST_BLOCK = 64 * 1024
LARGEST_HEADER = 8 * 1024
MOST_HEADERS = 200
_LONGEST_NAME = 100
_LONGEST_JOINED = 1000  # characters of a parameter that came in pieces


@dataclass(slots=True)
class Headers:
    """Values by lower-case name, in order of arrival; `overlong` if a limit removed something.

    Each is on one line.  A byte that is not ASCII is a character of "surrogateescape".
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    overlong: bool = False

    @property
    def charset(self) -> str:
        """The charset that the email declares for its text; "" if none."""
        return parameters(self.first("content-type"))[1].get("charset", "")

    def first(self, name: str) -> str:
        """The first value of that (lower-case) name, its encoded words undecoded; "" if none."""
        values = self.values.get(name)
        return _in_text(values[0]) if values else ""

    def all(self, name: str) -> list[str]:
        """Every value of that (lower-case) name, its encoded words undecoded."""
        return [_in_text(value) for value in self.values.get(name, ())]

    def text(self, name: str) -> str:
        """The first value with its encoded words decoded, as plain text on one line."""
        value = self.values.get(name, ("",))[0]
        if not value.isascii():
            value = decode_undeclared(_bytes_of(value), self.charset)
        value = decoded(value)
        if not value.isprintable():
            value = "".join(c if c.isprintable() or c == "\xa0" else " " for c in value)
        return value.strip()


def _in_text(value: str) -> str:
    """The value with raw 8-bit text decoded."""
    return value if value.isascii() else decode(_bytes_of(value)).strip()


def _bytes_of(value: str) -> bytes:
    return value.encode("ascii", "surrogateescape")


def read_headers(raw: bytes) -> tuple[Headers, bytes]:
    """The headers and the body below them; `raw` has LF line ends.

    An email that does not begin with a header is all body.  Other lines among the headers are
    skipped, so that a broken one cannot hide the marks of an automatic email.
    """
    if raw.startswith((b"From ", b">From ")):  # the separator line of an mbox file
        raw = raw.partition(b"\n")[2]
    if raw.startswith(b"\n"):
        return Headers(), raw[1:]
    block, _, body = raw.partition(b"\n\n")
    text = block[:LARGEST_BLOCK].decode("ascii", "surrogateescape").replace("\0", "")
    # Unfolding: the blank that follows stays (RFC 5322, 2.2.3).
    lines = text.replace("\n ", " ").replace("\n\t", "\t").split("\n")
    name, colon, _ = lines[0].partition(":")
    if not colon or not _name(name):
        return Headers(), raw
    return _gathered(lines, is_cut=len(block) > LARGEST_BLOCK), body


def _gathered(lines: list[str], *, is_cut: bool) -> Headers:
    headers = Headers(overlong=is_cut)
    left = MOST_HEADERS
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not (name := _name(name)):
            continue
        if not left:
            headers.overlong = True
            break
        left -= 1
        headers.values.setdefault(name, []).append(value[:LARGEST_HEADER].strip())
    return headers


def _name(text: str) -> str:
    """The text before a colon as the name of a header in lower case; "" if it is none."""
    return _lowered(text) if len(text) < _LONGEST_NAME else ""


@lru_cache(maxsize=256)  # most emails have headers of the same names
def _lowered(name: str) -> str:
    name = name.strip(" \t")
    return name.lower() if name.isascii() and " " not in name and "\t" not in name else ""


def parameters(value: str) -> tuple[str, dict[str, str]]:
    """The lower-case head and the parameters of a value such as `text/plain; charset="utf-8"`.

    Comments behind the head are removed, pieces of a parameter joined (RFC 2231, 3).
    """
    if not value:
        return "", {}
    head, _, rest = value.partition(";")
    found: dict[str, str] = {}
    while rest:
        name, equals, rest = rest.partition("=")
        if not equals:
            break
        rest = rest.lstrip()
        if rest.startswith('"'):
            text, rest = _quoted(rest)
            rest = rest.partition(";")[2]
        else:
            text, _, rest = rest.partition(";")
            text = text.partition(" (")[0]
        name = name.rpartition(";")[2].strip().lower()
        if "*" in name:
            _join(found, name, text.strip())
        else:
            found.setdefault(name, text.strip())
    return head.partition("(")[0].strip().lower(), found


def _join(found: dict[str, str], name: str, text: str) -> None:
    """Add `charset*=utf-8''x` or `boundary*1=x` to the pieces of that parameter."""
    base, _, piece = name.partition("*")
    if piece.endswith("*") or not piece:
        text = unquote(text.rpartition("'")[2])
    if piece.rstrip("*") in ("", "0"):
        found.setdefault(base, text)
    elif len(found.get(base, "")) < _LONGEST_JOINED:
        found[base] = found.get(base, "") + text


def _quoted(text: str) -> tuple[str, str]:
    """The quoted string at the beginning of `text`, and the text behind it."""
    if "\\" not in text:
        inside, _, rest = text[1:].partition('"')
        return inside, rest
    out: list[str] = []
    position = 1
    while position < len(text) and text[position] != '"':
        if text[position] == "\\":
            position += 1
        out.append(text[position : position + 1])
        position += 1
    return "".join(out), text[position + 1 :]
