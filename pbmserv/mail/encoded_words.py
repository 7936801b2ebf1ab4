"""Read and write encoded words (RFC 2047) in header values: `=?utf-8?B?Wm/Dqw==?=`.

The reader joins adjacent words before decoding, because programs split them inside a character.
"""

from __future__ import annotations

import binascii
import re

from pbmserv.mail.charsets import decode, from_base64

# No part can contain a question mark, so a scan passes every character once.
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")

_INSIDE_A_CHARACTER = range(0x80, 0xC0)  # of utf-8
_FIRST_LINE = 39  # bytes that fit in a word beside the longest header name we write
_OTHER_LINES = 45  # bytes whose base64 (60) with the frame (12) keeps a word under 75 characters


def decoded(value: str) -> str:
    """A header value in plain text; malformed encoded words stay unchanged."""
    if "=?" not in value:
        return value
    out: list[str] = []
    pending = bytearray()
    charset = ""
    end = 0
    for word in _WORD.finditer(value):
        between = value[end : word.start()]
        beside_a_word = end > 0 and not between.strip()
        if pending and not (beside_a_word and word[1].lower() == charset):
            out.append(decode(bytes(pending), charset))
            pending.clear()
        if not beside_a_word:
            out.append(between)
        charset = word[1].lower()
        pending += _bytes_of(word[2], word[3])
        end = word.end()
    out.append(decode(bytes(pending), charset))
    out.append(value[end:])
    return "".join(out)


def _bytes_of(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if encoding in "bB":
        return from_base64(data)
    return binascii.a2b_qp(data, header=True)


def encoded(value: str) -> str:
    """`value` as words of at most 75 characters, one to a line, never split inside a character."""
    words: list[str] = []
    rest = value.encode("utf-8", "replace")
    room = _FIRST_LINE
    while rest:
        cut = min(room, len(rest))
        while cut < len(rest) and rest[cut] in _INSIDE_A_CHARACTER:
            cut -= 1
        base64 = binascii.b2a_base64(rest[:cut], newline=False).decode("ascii")
        words.append(f"=?utf-8?b?{base64}?=")
        rest = rest[cut:]
        room = _OTHER_LINES
    return "\r\n ".join(words)
