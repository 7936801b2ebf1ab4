"""Decode bytes to text, with or without a declared encoding.

Header values, bodies and encoded words all pass through `decode`; nothing here raises.
"""

from __future__ import annotations

import binascii
import re
from encodings.aliases import aliases

# These codecs are not charsets of text: they are slow on long input, or have side effects.
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})

# The registry of codecs caches every requested name.  So only names that Python knows are looked
# up: a stranger must not fill our memory with invented names.
_WITHOUT_ALIASES = {
    "koi8_u", "koi8_t", "cp720", "cp737", "cp856", "cp874", "cp1006", "mac_arabic", "mac_croatian",
    "mac_farsi", "mac_romanian",
}  # fmt: skip
_CHARSETS = (frozenset(aliases) | frozenset(aliases.values()) | _WITHOUT_ALIASES) - _NO_CHARSETS

# Names that programs write, in addition to those Python knows.
_ALSO_CALLED = {
    "iso_8859_1": "cp1252",  # as in browsers: Windows text is often declared so
    "latin1": "cp1252",
    "ks_c_5601_1987": "cp949",
    "gb2312": "gb18030",  # emails in "gb2312" contain characters of its supersets
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "x_sjis": "cp932",
    "unicode_1_1_utf_7": "utf_7",
    "iso_8859_8_i": "iso8859_8",
    "x_gbk": "gb18030",
    "windows_874": "cp874",
    "x_mac_ce": "mac_latin2",
    "ibm737": "cp737",
    "x_mac_roman": "mac_roman",
    "x_unknown": "utf_8",
}

_NARROWEST_BASE64 = 60  # characters of a line, unless it is the last one
_BASE64_NOISE = bytes(
    sorted(
        set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    )
)
_EQUALS_SIGNS = re.compile(rb"=[^A-Za-z0-9+/]*+")


# In these charsets, bytes below 128 always mean ASCII.
_BASED_ON_ASCII = ("us-ascii", "utf-8", "utf8", "iso-8859-", "windows-125", "koi8", "gb", "big5")


def decode(data: bytes, charset: str = "") -> str:
    """`data` as text: in `charset` if that is known and fits, else utf-8, else windows-1252."""
    if data.isascii() and (not charset or charset.lower().startswith(_BASED_ON_ASCII)):
        return data.decode("ascii")
    if charset and (named := _known(charset)):
        try:
            return data.decode(named)
        except (UnicodeError, LookupError, ValueError):
            pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def decode_undeclared(data: bytes, likely: str) -> str:
    """`data` without a declared charset: utf-8 if it fits, else the likely charset of its email."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return decode(data, likely)


def _known(charset: str) -> str:
    """Python's name of a charset; "" if it is unknown or means only ASCII."""
    name = charset.strip().strip("\"'").partition("*")[0].lower().replace("-", "_")
    if name in ("", "us_ascii", "ascii", "utf_8", "utf8"):
        return ""
    name = _ALSO_CALLED.get(name, name)
    if name not in _CHARSETS:
        name = name.removeprefix("x_")
    return name if name in _CHARSETS else ""


def from_base64(data: bytes) -> bytes:
    """The decoded base64; foreign characters and a broken end are ignored.

    The same is true for the footer that a gateway wrote below, without decoding the text.
    """
    data = _to_padding(_above_footer(data) if b"\n" in data else data)
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        digits = data.translate(None, _BASE64_NOISE)
        if len(digits) % 4 == 1:
            digits = digits[:-1]
        return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def _to_padding(data: bytes) -> bytes:
    """The base64 up to the padding that ends it: Python 3.13 also decodes what is behind that."""
    begin = digits = 0
    for found in _EQUALS_SIGNS.finditer(data):
        digits += len(data[begin : found.start()].translate(None, _BASE64_NOISE))
        if digits % 4 in (2, 3):
            return data[: found.start()] + b"=" * (-digits % 4)
        begin = found.end()
    return data


def _above_footer(data: bytes) -> bytes:
    """The lines of base64 above words, above a dividing line, or above a word that is not base64.

    The footer begins at the empty line above them, if there is one.
    """
    lines = data.strip(b"\n").split(b"\n")
    width = len(lines[0].strip())
    empty, above, is_together = len(lines), b"", False
    for position, line in enumerate(lines):
        text = line.strip()
        if position and not text:
            empty = min(empty, position)
        elif position and (b" " in text or not text.translate(None, _BASE64_NOISE)):
            return b"\n".join(lines[: min(empty, position)])
        elif position and lines[position - 1].strip():
            if _is_unpadded_end(above):
                return b"\n".join(lines[:position])
            is_together = True
        elif position and (
            is_together or len(above) < width or _is_unpadded_end(above) or len(text) % 4
        ):
            return b"\n".join(lines[:position])
        above = text or above
    return data


def _is_unpadded_end(line: bytes) -> bool:
    """Whether a line ends base64 that has no padding: programs break only long lines."""
    digits = line.translate(None, _BASE64_NOISE)
    return len(digits) == len(line) and len(line) < _NARROWEST_BASE64 and len(line) % 4 != 0


def transferred(data: bytes, encoding: str) -> bytes:
    """`data` with its Content-Transfer-Encoding decoded; unknown encodings leave it unchanged."""
    match encoding.replace("(", " ").replace(";", " ").strip("\"' ").partition(" ")[0].lower():
        case "base64":
            return from_base64(data)
        case "quoted-printable":
            return binascii.a2b_qp(data)
        case _:
            return data
