"""Decode a player's text, so that it reads as its readers would see it.

Quoted-printable, HTML entities and tags may remain in it where a mail program quoted a source.
Dice characters may have become their code points, or letters of a wrong character set.
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
_NUMBERED = re.compile(  # code points of the dice: JSON, JavaScript, CSS in hexadecimal; RTF
    r"(?:\\[ux]?|%u|U\+)\{?0{0,4}(?:268([0-5])|985([6-9])|986([01]))\}?[?]?", re.IGNORECASE
)
_UTF_7 = re.compile(r"\+[A-Za-z0-9+/]{3,400}-?")
# Programs misread UTF-8 as one of these; each gives other letters.
_CHARACTER_SETS = (
    *(f"cp{number}" for number in (437, 850, 852, 866, *range(1250, 1259))),
    *(f"iso8859-{number}" for number in (1, 2, 5, 7, 9, 15)),
    *("koi8-r", "mac-roman"),
)
_UNKNOWN = "\ufffd"  # programs write it in place of an invalid byte
_FEWEST_LETTERS = 3  # of a misread die: fewer may be a word of some language
_TWICE = ("cp1252", "iso8859-1")  # text that was misread once is often misread again with these
_CODED = re.compile(r"(?:=[0-9a-f]{2}){1,2000}", re.IGNORECASE)  # quoted-printable, not decoded
_TAG = re.compile(r"</?[a-z][^<>@＠]{0,300}>", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?tr|/?li)\b[^<>@＠]{0,300}>", re.IGNORECASE)
_BETWEEN = r"""\s<>()\[\]{}"',;:|@＠"""
_ENCODED = re.compile(r"[A-Za-z0-9+/]{20,}")  # base64, which may hide lines of letters
_LINK = re.compile(r"https?://\S{1,2000}")
_ADDRESS = re.compile(rf"[^{_BETWEEN}]{{0,64}}[@＠][^{_BETWEEN}]{{0,255}}")


def without_addresses(line: str) -> str:
    """The line with email addresses blanked."""
    return _ADDRESS.sub(_blanked, line) if "@" in line or "＠" in line else line


def _blanked(found: re.Match[str]) -> str:
    """The replacement for an address; text that only resembles one stays."""
    local, _, domain = found[0].replace("＠", "@").partition("@")
    is_address = (local and domain) or "." in domain.strip(".") or (local and not domain)
    return BLANKED if is_address else found[0]


def joined(lines: Sequence[str]) -> Iterator[str]:
    """The lines; those that end with the soft break of quoted-printable are joined.

    A rule such as === is not such a break: there an equals sign of the text would be =3D.
    """
    whole: list[str] = []
    for line in lines:
        whole.append(line)
        if not line.endswith("=") or line.endswith("=="):
            yield "\n".join(whole)
            whole = []
    if whole:
        yield "\n".join(whole)


def decoded(line: str) -> str:
    """The line as a reader sees it, without encodings, entities and tags."""
    line = with_tags(line)
    return _with_faces(_TAG.sub("", _BREAK.sub(" ", line))) if "<" in line else line


def with_tags(line: str) -> str:
    """The same with everything that resembles a tag: "<" and ">" may mark a quotation."""
    line = line.replace("=\n", "").replace("\n", " ")
    if "=" in line:
        line = _CODED.sub(_decode, line)
    if "&" in line:
        line = unescape(unescape(line))
    if "%" in line:
        line = unquote(line)
    return _with_faces(line)


def _with_faces(line: str) -> str:
    """The line with dice characters in place of their encoded forms."""
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
    """The decoded UTF-7 if it contains dice; plus signs may also be ordinary text."""
    coded = found[0][1:].rstrip("-")
    if len(coded) % 4 == 1:  # b64decode refuses this length
        coded = coded[:-1]
    data = b64decode(coded + "=" * (-len(coded) % 4))
    text = data[: len(data) // 2 * 2].decode("utf-16-be", "replace")
    return f" {text} " if set(text) & set(FACES) else found[0]


@cache
def _misread() -> dict[str, str]:
    """The dice characters by the text that they become in a wrong character set."""
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
    """A regular expression that finds a misread die in a line."""
    return re.compile("|".join(map(re.escape, sorted(_misread(), key=len, reverse=True))))


def _is_certain(text: str) -> bool:
    """Whether a misread text can mean one die only: no person types it."""
    return len(text) >= _FEWEST_LETTERS and text.count(_UNKNOWN) < _FEWEST_LETTERS - 1


def _read_as(name: str, data: bytes) -> set[str]:
    """The bytes decoded with that character set.

    A byte that the character set does not define is kept, replaced or removed.
    """
    signs = [
        [sign] if (sign := bytes([byte]).decode(name, "ignore")) else [chr(byte), _UNKNOWN, ""]
        for byte in data
    ]
    return {"".join(each) for each in product(*signs)}


def _decode(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace")


def is_encoded(line: str) -> bool:
    """Whether a line contains base64, which nobody can read as it is; a link does not count."""
    return any(
        any(map(str.islower, run)) and any(map(str.isupper, run)) and any(map(str.isdigit, run))
        for run in _ENCODED.findall(_LINK.sub(" ", line))
    )
