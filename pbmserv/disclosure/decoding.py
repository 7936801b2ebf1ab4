"""Decoding: a player's text as its readers would see it.

Quoted-printable, entities and tags may be left in it, where a mail program has quoted a source.
Pictures of dice may have become their numbers, or the letters of a wrong character set.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from itertools import product
from urllib.parse import unquote

from pbmserv.disclosure.fingerprint import FACES

BLANKED = "***"
_NUMBERED = re.compile(  # the numbers of these faces: JSON, JavaScript, CSS in hexadecimal; RTF
    r"(?:\\[ux]?|%u|U\+)\{?0{0,4}(?:268([0-5])|985([6-9])|986([01]))\}?[?]?", re.IGNORECASE
)
_UTF_7 = re.compile(r"\+[A-Za-z0-9+/]{3,400}-?")
# UTF-8 that was taken for one of these; each names other letters.
_CHARACTER_SETS = (
    *(f"cp{number}" for number in (437, 850, 852, 866, *range(1250, 1259))),
    *(f"iso8859-{number}" for number in (1, 2, 5, 7, 9, 15)),
    *("koi8-r", "mac-roman"),
)
_UNKNOWN = "\ufffd"  # what programs write in place of a byte that is no letter
_FEWEST_LETTERS = 3  # of a misread face: fewer are a word of somebody's language
_TWICE = ("cp1252", "iso8859-1")  # that happens with these to what was misread already
_CODED = re.compile(r"(?:=[0-9a-f]{2}){1,2000}", re.IGNORECASE)  # quoted-printable, not decoded
_TAG = re.compile(r"</?[a-z][^<>@＠]{0,300}>", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?tr|/?li)\b[^<>@＠]{0,300}>", re.IGNORECASE)
_BETWEEN = r"""\s<>()\[\]{}"',;:|@＠"""
_ENCODED = re.compile(r"[A-Za-z0-9+/]{20,}")  # base64, in which lines of letters may be hidden
_LINK = re.compile(r"https?://\S{1,2000}")
_ADDRESS = re.compile(rf"[^{_BETWEEN}]{{0,64}}[@＠][^{_BETWEEN}]{{0,255}}")


def without_addresses(line: str) -> str:
    """The line with mail addresses blanked."""
    return _ADDRESS.sub(_blanked, line) if "@" in line or "＠" in line else line


def _blanked(found: re.Match[str]) -> str:
    """What stands in place of an address; what only looks like one stays."""
    local, _, domain = found[0].replace("＠", "@").partition("@")
    is_address = (local and domain) or "." in domain.strip(".") or (local and not domain)
    return BLANKED if is_address else found[0]


def joined(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those made one that end with the soft break of quoted-printable."""
    whole: list[str] = []
    for line in lines:
        whole.append(line)
        if not line.endswith("="):
            yield "\n".join(whole)
            whole = []
    if whole:
        yield "\n".join(whole)


def decoded(line: str) -> str:
    """A line as a reader sees it, whatever ways of mail and web are left in it."""
    line = with_tags(line)
    return _with_faces(_TAG.sub("", _BREAK.sub(" ", line))) if "<" in line else line


def with_tags(line: str) -> str:
    """The same with what looks like tags: "<" and ">" may be a quotation's marks."""
    line = line.replace("=\n", "").replace("\n", " ")
    if "=" in line:
        line = _CODED.sub(_decode, line)
    if "&" in line:
        line = unescape(unescape(line))
    if "%" in line:
        line = unquote(line)
    return _with_faces(line)


def _with_faces(line: str) -> str:
    """The line with pictures of dice where something stands that was made of them."""
    if "268" in line or "98" in line:
        line = _NUMBERED.sub(_face, line)
    if "+" in line:
        line = _UTF_7.sub(_of_utf_7, line)
    if not line.isascii():
        line = _misread_face().sub(lambda found: _misread()[found[0]], line)
    return line


def _face(found: re.Match[str]) -> str:
    hexadecimal, low, high = found.groups()
    return FACES[int(hexadecimal or low or high) - (6 if low else -4 if high else 0)]


def _of_utf_7(found: re.Match[str]) -> str:
    """What was written in UTF-7, where dice are in it; anybody may write plus signs."""
    coded = found[0][1:].rstrip("-")
    if len(coded) % 4 == 1:  # the last letter is no part of a byte; b64decode refuses it
        coded = coded[:-1]
    data = b64decode(coded + "=" * (-len(coded) % 4))
    text = data[: len(data) // 2 * 2].decode("utf-16-be", "replace")
    return f" {text} " if set(text) & set(FACES) else found[0]


@cache
def _misread() -> dict[str, str]:
    """What becomes of a picture of a die in a wrong character set."""
    found: dict[str, str] = {}
    for face in FACES:
        once = {text for name in _CHARACTER_SETS for text in _read_as(name, face.encode())}
        twice = {
            text
            for name in _TWICE
            for before in _read_as(name, face.encode())
            for text in _read_as(name, before.encode())
        }
        found |= dict.fromkeys(filter(_is_certain, once | twice), face)
    return found


@cache
def _misread_face() -> re.Pattern[str]:
    """What finds that in a line."""
    return re.compile("|".join(map(re.escape, sorted(_misread(), key=len, reverse=True))))


def _is_certain(text: str) -> bool:
    """Whether nobody writes this, and it stands for one face alone."""
    return len(text) >= _FEWEST_LETTERS and text.count(_UNKNOWN) < _FEWEST_LETTERS - 1


def _read_as(name: str, data: bytes) -> set[str]:
    """The bytes in that character set; one that it does not know is kept, replaced or lost."""
    signs = [
        [sign] if (sign := bytes([byte]).decode(name, "ignore")) else [chr(byte), _UNKNOWN, ""]
        for byte in data
    ]
    return {"".join(each) for each in product(*signs)}


def _decode(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace")


def is_encoded(line: str) -> bool:
    """Whether a line holds base64, which nobody reads as it is; a link is none."""
    return any(
        any(map(str.islower, run)) and any(map(str.isupper, run)) and any(map(str.isdigit, run))
        for run in _ENCODED.findall(_LINK.sub(" ", line))
    )
