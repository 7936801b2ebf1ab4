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
    """Values by lower-case name, in order of arrival; `overlong` if a limit removed something."""

    values: dict[str, list[bytes]] = field(default_factory=dict)
    overlong: bool = False

    @property
    def charset(self) -> str:
        """The charset that the email declares for its text; "" if none."""
        return parameters(self.first("content-type"))[1].get("charset", "")

    def first(self, name: str) -> str:
        """The first value of that (lower-case) name, undecoded but on one line; "" if none."""
        values = self.values.get(name)
        return _one_line(values[0]) if values else ""

    def all(self, name: str) -> list[str]:
        """Every value of that (lower-case) name, undecoded, each on one line."""
        return [_one_line(value) for value in self.values.get(name, ())]

    def text(self, name: str) -> str:
        """The first value with its encoded words decoded, as plain text on one line."""
        values = self.values.get(name, [b""])
        raw = values[0] if values[0].isascii() else self._undeclared(values[0])
        value = decoded(_one_line(raw))
        if not value.isprintable():
            value = "".join(c if c.isprintable() or c == "\xa0" else " " for c in value)
        return value.strip()

    def _undeclared(self, value: bytes) -> bytes:
        """Raw 8-bit text as utf-8."""
        return decode_undeclared(value, self.charset).encode("utf-8", "replace")


def _one_line(value: bytes) -> str:
    text = decode(value)
    if not text.isprintable():
        # Unfolding: the blank that follows stays (RFC 5322, 2.2.3).
        text = text.replace("\n", "").replace("\0", "")
    return text.strip()


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
    headers = Headers(overlong=len(block) > LARGEST_BLOCK)
    lines = block[:LARGEST_BLOCK].split(b"\n")
    if not _name(lines[0]):
        return Headers(), raw
    _gather(lines, headers)
    return headers, body


def _gather(lines: list[bytes], headers: Headers) -> None:
    values = headers.values
    count = 0
    position = 0
    while position < len(lines):
        name = _name(lines[position])
        start = position
        position += 1
        while position < len(lines) and lines[position].startswith((b" ", b"\t")):
            position += 1
        if not name:
            continue
        count += 1
        if count > MOST_HEADERS:
            headers.overlong = True
            return
        value = lines[start].partition(b":")[2]
        if position > start + 1:
            value = b"\n".join((value, *lines[start + 1 : position]))
        values.setdefault(name, []).append(value[:LARGEST_HEADER])


def _name(line: bytes) -> str:
    """The name of a header in lower case, or "" if this line begins none."""
    end = line.find(b":", 0, _LONGEST_NAME)
    return _lowered(line[:end]) if end > 0 else ""


@lru_cache(maxsize=256)  # most emails have headers of the same names
def _lowered(name: bytes) -> str:
    """The text before a colon as the name of a header in lower case; "" if it is none."""
    name = name.strip(b" \t")
    if not name.isascii() or b" " in name or b"\t" in name:
        return ""
    return name.decode("ascii").lower()


def parameters(value: str) -> tuple[str, dict[str, str]]:
    """The lower-case head and the parameters of a value such as `text/plain; charset="utf-8"`.

    Comments behind the head are removed, pieces of a parameter joined (RFC 2231, 3).
    """
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
