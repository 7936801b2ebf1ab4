"""Extract the text of an email from its MIME parts, as lines.

text/plain is preferred to HTML; attachments and enclosed emails are ignored.  Depth and number of
parts are limited, and one pass of `bytes.split` splits every level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbmserv.mail.charsets import decode, transferred
from pbmserv.mail.format_flowed import unflowed
from pbmserv.mail.headers import Headers, parameters, read_headers
from pbmserv.mail.html_text import plain_text

MOST_PARTS = 50
DEEPEST = 10

_HEAD_OF_A_PAGE = 1024  # bytes in which a page declares its charset (HTML standard, 13.2.3.2)
# ASCII letters were found, so the page cannot be UTF-16; UTF-8 is tried anyway.
_META = re.compile(
    rb"<meta\s[^>]{0,200}?charset\s{0,3}=\s{0,3}[\"']?(?!utf)([\w.:-]{1,40})", re.IGNORECASE
)


def body_lines(headers: Headers, body: bytes) -> list[str]:
    """The lines of text that a reader of this email would be shown."""
    reading = _Reading()
    _, lines = reading.lines(headers, body, 0)
    return lines if any(line.strip() for line in lines) else reading.named


def leaves(headers: Headers, body: bytes) -> list[tuple[Headers, bytes]]:
    """The parts without further parts, in order, within the limits; an enclosed email is one."""
    return list(_Reading().leaves(headers, body, 0))


class _Reading:
    """One email being read: counts its parts at all levels."""

    def __init__(self) -> None:
        self.parts_left = MOST_PARTS
        self.named: list[str] = []  # SMS gateways of telephone companies send texts as `text_0.txt`

    def lines(self, headers: Headers, body: bytes, depth: int) -> tuple[bool, list[str]]:
        """Whether the text was typed as plain text (not as HTML), and its lines."""
        kind, given = parameters(headers.first("content-type"))
        if kind.startswith("multipart/"):
            boundary = given.get("boundary", "")
            if not boundary or depth >= DEEPEST:
                return True, []
            return self._several(kind, boundary, body, depth)
        if kind not in ("", "text/plain", "text/html") and "/" in kind:
            return True, []
        disposition, file = parameters(headers.first("content-disposition"))
        if depth and disposition == "attachment":
            return True, []
        if depth and ("filename" in file or "name" in given):  # a file, shown below the text
            self.named = self.named or self._text(kind, given, headers, body)[1]
            return True, []
        return self._text(kind, given, headers, body)

    def _text(
        self, kind: str, given: dict[str, str], headers: Headers, body: bytes
    ) -> tuple[bool, list[str]]:
        """The lines of one part of text, its encoding and charset decoded."""
        data = transferred(body, headers.first("content-transfer-encoding"))
        charset = given.get("charset", "")
        if kind == "text/html" and not charset and (meta := _META.search(data[:_HEAD_OF_A_PAGE])):
            charset = meta[1].decode("ascii")
        text = decode(data, charset).replace("\r\n", "\n").replace("\r", "\n")
        text = text.removeprefix("\ufeff").replace("\0", "")
        if kind == "text/html":
            return False, plain_text(text)
        lines = text.split("\n")
        if given.get("format", "").lower() == "flowed":
            lines = unflowed(lines, given.get("delsp", "").lower() == "yes")
        return True, lines

    def leaves(self, headers: Headers, body: bytes, depth: int) -> Iterator[tuple[Headers, bytes]]:
        """The parts below this one, or itself."""
        kind, given = parameters(headers.first("content-type"))
        boundary = given.get("boundary", "")
        if not kind.startswith("multipart/"):
            yield headers, body
        elif boundary and depth < DEEPEST:
            for part in self._cut(body, boundary):
                yield from self.leaves(*read_headers(part), depth + 1)

    def _several(self, kind: str, boundary: str, body: bytes, depth: int) -> tuple[bool, list[str]]:
        """The best alternative, the root of a related part, or all text of other multiparts."""
        text: list[str] = []
        plain = False
        for part in self._cut(body, boundary):
            is_plain, lines = self.lines(*read_headers(part), depth + 1)
            if not any(line.strip() for line in lines):
                continue
            if kind == "multipart/alternative":
                if is_plain or not text:
                    plain, text = is_plain, lines
                if is_plain:
                    break
            else:
                plain = plain or is_plain
                text += lines
                if kind in ("multipart/related", "multipart/signed"):
                    break
        return plain, text

    def _cut(self, body: bytes, boundary: str) -> list[bytes]:
        """The parts between the boundary lines, without preamble and epilogue."""
        mark = b"\n--" + boundary.encode("utf-8", "replace")
        parts: list[bytes] = []
        joined: list[bytes] = []  # a part with lines that only begin like the boundary
        for piece in (b"\n" + body).split(mark, self.parts_left + 1)[1:]:
            line, _, rest = piece.partition(b"\n")
            ending = line.strip()
            if ending not in (b"", b"--"):
                joined += [mark, piece]
                continue
            if joined:
                parts.append(b"".join(joined))
            joined = [rest] if ending == b"" else []
            self.parts_left -= 1
            if ending == b"--" or self.parts_left < 0:
                joined = []
                break
        if joined:
            parts.append(b"".join(joined))
        return parts
