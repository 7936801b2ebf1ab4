"""Compose the email of a letter from a fixed MIME skeleton.

The standard library's EmailMessage takes thirty times as long, mostly to fold headers.  This module
folds or encodes only what needs it.  No value can begin a new header: control characters become
blanks.  `pbmserv.letters.render` makes the words and their 72 columns.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from time import gmtime

from pbmserv.mail.autoresponders import MARK
from pbmserv.mail.encoded_words import encoded

ABOUT = "X-Perudo"
"""The header that says what a letter is about, for the filters of its reader."""
# Outlook sends another email when a reaction is taken back. So this asks Outlook to offer no
# reactions (Microsoft 365 message MC670444). `mail/reactions.py` reads those that come.
_NO_REACTIONS = "X-MS-Reactions: disallow"

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_LONGEST_LINE = 78  # characters; longer ones are sent as quoted-printable (RFC 5322, 2.1.1)
_FOLDED = 64  # characters of a folded Subject's lines, so that the first has space for its name
_LONGEST_OF_A_PAGE = 900  # the limit is 998 (RFC 5322, 2.1.1); browsers have no limit
_LONGEST_NAME = 50  # characters; longer ones are folded as encoded words
_MOST_REFERENCES = 20
_IDENTIFIER = re.compile(r"[!-;=?-~]{1,250}")  # printable ASCII except blanks and brackets
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*")
_STUFFED = ("\n ", "\n>", "\nFrom ")  # RFC 3676, 4.4
_PLAIN = bytes(
    [ord("\t"), ord("\n"), *range(ord(" "), ord("~") + 1)]
)  # of a body that is not encoded
_UNSAFE_IN_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]")
_UNSAFE_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\xa0<>()\[\],;:\\\"\u2028\u2029]")


def compose(
    *,
    sender_name: str,
    sender: str,
    to: str,
    subject: str,
    text: str,
    message_id: str,
    date: int,
    reply_to: str,
    in_reply_to: str,
    references: Sequence[str],
    page: Sequence[str] = (),
    flowed: bool = False,
    unsubscribe: str = "",
    list_id: tuple[str, str] | None = None,
    about: str = "",
    commitment: str = "",
    attachment: tuple[str, str] | None = None,
) -> bytes:
    """The email as it is sent, with CRLF line ends.

    `date` is in seconds since 1970.  `message_id`, `in_reply_to` and `references` are
    Message-IDs in their angle brackets; `reply_to` and `in_reply_to` may be "".  `page` is the same
    letter in HTML, in parts, or empty.  `flowed`: the text is `format=flowed` (RFC 3676).
    `unsubscribe`, an address and a Subject, is where a reader asks for no more letters, or ""
    (RFC 2369, RFC 6068).  `list_id` are the words and the identifier of a List-Id (RFC 2919).
    `about` is the value of X-Perudo, for filters, and `commitment` that of X-Perudo-Commitment.
    `attachment` is a file name and a text that must arrive unchanged.  The email is marked as
    automatic (RFC 3834) and ours.
    """
    head = [
        f"From: {_mailbox(sender_name, sender)}",
        f"To: {_address(to)}",
        f"Subject: {_unstructured(subject)}",
        f"Date: {_date(date)}",
        f"Message-ID: {_identifier(message_id)}",
    ]
    if reply_to:
        head.append(f"Reply-To: {_address(reply_to)}")
    head += _answering(_identifier(in_reply_to), references)
    head += _filed(unsubscribe, list_id, about, commitment)
    head += [f"{MARK}: letter", _NO_REACTIONS, "MIME-Version: 1.0"]
    body = _body(message_id, text, page, attachment, flowed=flowed)
    return b"".join(("\r\n".join(head).encode("utf-8", "replace"), b"\r\n", *body))


def size_of_text(text: str) -> int:
    """The bytes of a flowed text as a part of an email."""
    return len(_flowed(text))


def size_of_page(page: Sequence[str]) -> int:
    """The bytes of a page, in its parts, as a part of an email."""
    return len(_page(tuple(page)))


def _answering(answered: str, references: Sequence[str]) -> Iterator[str]:
    """The headers that say which email a letter answers, and in which thread it is."""
    if answered:
        yield f"In-Reply-To: {answered}"
    if listed := [known for known in map(_identifier, references) if known]:
        yield "References: " + "\r\n ".join(_not_too_many(listed))
    yield f"Auto-Submitted: {'auto-replied' if answered else 'auto-generated'}"


def _body(
    message_id: str,
    text: str,
    page: Sequence[str],
    attachment: tuple[str, str] | None,
    *,
    flowed: bool,
) -> Sequence[bytes]:
    """The text with its page and its attachment, including the headers of the parts, in pieces."""
    content: Sequence[bytes] = (_flowed(text) if flowed else _content(_utf_8(text)),)
    if page:
        content = _of_parts("alternative", message_id, content, (_page(tuple(page)),))
    if attachment is not None:
        content = _of_parts("mixed", message_id, content, (_attached(*attachment),))
    return content


# The letters of a move share most values of their headers, so these are kept.
@lru_cache(maxsize=8)
def _date(seconds: int) -> str:
    year, month, day, hour, minute, second, weekday, _, _ = gmtime(seconds)
    return (
        f"{_DAYS[weekday]}, {day:02} {_MONTHS[month - 1]} {year:04}"
        f" {hour:02}:{minute:02}:{second:02} +0000"
    )


def _one_line(value: str) -> str:
    """The value without control characters and with single blanks; lone surrogates become `?`."""
    if not value.isprintable():
        value = "".join(c if c.isprintable() or c > "\xa0" else " " for c in value)
        value = value.encode("utf-8", "replace").decode("utf-8")
    return " ".join(value.split())


@lru_cache(maxsize=64)
def _unstructured(value: str) -> str:
    value = _one_line(value)
    if not value.isascii() or "=?" in value:
        return encoded(value)
    if len(value) <= _LONGEST_LINE - len("Subject: "):
        return value
    words = value.split(" ")
    return _folded(words) if max(map(len, words)) < _FOLDED else encoded(value)


def _folded(words: list[str]) -> str:
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + len(word) > _FOLDED:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "\r\n ".join(lines)


@lru_cache(maxsize=64)
def _mailbox(name: str, address: str) -> str:
    name = _one_line(name)
    if not name:
        return _address(address)
    if not name.isascii() or "=?" in name or len(name) > _LONGEST_NAME:
        return f"{encoded(name)}\r\n <{_address(address)}>"
    if not _ATOMS.fullmatch(name):
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        name = f'"{escaped}"'
    return f"{name} <{_address(address)}>"


def _filed(
    unsubscribe: str, list_id: tuple[str, str] | None, about: str, commitment: str
) -> list[str]:
    """The headers for programs, which unsubscribe the reader, file the letter, or prove dice."""
    found = [f"List-Unsubscribe: <mailto:{_address(unsubscribe)}>"] if unsubscribe else []
    if list_id and (identifier := _identifier(list_id[1])):
        found.append(f"List-Id: {_listed(list_id[0], identifier)}")
    if about:
        found.append(f"{ABOUT}: {_unstructured(about)}")
    if commitment:
        found.append(f"X-Perudo-Commitment: {_unstructured(commitment)}")
    return found


@lru_cache(maxsize=64)
def _listed(words: str, identifier: str) -> str:
    """The value of a List-Id; its identifier in brackets has its own line if both are long."""
    name = _mailbox(words, "").removesuffix("<>").rstrip()
    if not name:
        return identifier
    is_long = "=?" in name or len(name) + len(identifier) >= _LONGEST_LINE - len("List-Id: ")
    return name + ("\r\n " if is_long else " ") + identifier


def _address(address: str) -> str:
    """One address and never two, for any input."""
    return _UNSAFE_IN_ADDRESS.sub("", address)


def _identifier(value: str) -> str:
    """A Message-ID in its brackets; "" for one that a header cannot contain."""
    inside = value.strip().strip("<>")
    return f"<{inside}>" if _IDENTIFIER.fullmatch(inside) else ""


def _not_too_many(references: list[str]) -> list[str]:
    """The beginning of a thread and its end: the middle may be dropped (RFC 5537, 3.4.4)."""
    if len(references) <= _MOST_REFERENCES:
        return references
    return references[:1] + references[1 - _MOST_REFERENCES :]


@lru_cache(maxsize=4)  # a letter is measured before it is composed
def _flowed(text: str) -> bytes:
    """Text whose lines may be joined; lines that could be taken for a quotation get a blank."""
    stuffed = f"\n{text}"
    for begin in _STUFFED:
        stuffed = stuffed.replace(begin, f"\n {begin[1:]}")
    return _content(_utf_8(stuffed[1:]), subtype="plain; format=flowed")


@lru_cache(maxsize=4)
def _page(page: tuple[str, ...]) -> bytes:
    """A page in ASCII, so that it needs no encoding unless a line is too long.

    In Russian each letter would be an entity of seven bytes: base64 is then smaller.
    """
    characters = sum(map(len, page))  # each takes a byte at least
    parts = [*map(_as_sent, page)]
    data = b"".join(parts)
    is_small = len(data) <= _in_base64(characters) and parts.count(b"") == page.count("")
    if is_small and data.endswith(b"\n") and _has_short_lines(data, _LONGEST_OF_A_PAGE):
        return _headed("html", "7bit") + data
    data = "".join(page).encode("ascii", "xmlcharrefreplace")
    if len(data) > _in_base64(characters):
        in_utf_8 = _utf_8("".join(page))
        data = data if len(data) <= _size_in_base64(in_utf_8) else in_utf_8
    return _content(data, subtype="html", longest=_LONGEST_OF_A_PAGE)


@lru_cache(maxsize=1024)  # pages share most of their parts
def _as_sent(part: str) -> bytes:
    """The part of a page in ASCII, with CRLF line ends; b"" if it must be encoded."""
    data = part.encode("ascii", "xmlcharrefreplace")
    if data.translate(None, _PLAIN) or _begins_with_from(data):
        return b""
    return data.replace(b"\n", b"\r\n")


def _utf_8(text: str) -> bytes:
    """The text in UTF-8; lone surrogates become `?`."""
    return text.encode("utf-8", "replace")


def _content(
    data: bytes, more: str = "", subtype: str = "plain", longest: int = _LONGEST_LINE
) -> bytes:
    """The headers and the body of one part of text; `more` are further headers of that part."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    is_long = max(map(len, data.split(b"\n"))) > longest
    if is_long or data.translate(None, _PLAIN) or _begins_with_from(data):
        encoding, body = _encoded(data)
    else:
        encoding = "7bit"
        body = data.replace(b"\n", b"\r\n")
    return _headed(subtype, encoding, more) + body


def _headed(subtype: str, encoding: str, more: str = "") -> bytes:
    """The headers of a part of text, and the empty line below them."""
    return (
        f"Content-Type: text/{_with_charset(subtype)}\r\n"
        f"Content-Transfer-Encoding: {encoding}\r\n{more}\r\n"
    ).encode("ascii")


def _has_short_lines(data: bytes, longest: int) -> bool:
    """Whether no line has more bytes; short lines are not looked at one by one."""
    start, last = 0, len(data) - longest
    while start < last:
        start = data.rfind(b"\n", start, start + longest + 1) + 1
        if not start:
            return False
    return True


def _begins_with_from(data: bytes) -> bool:
    """Whether a line begins with "From ", which mail servers may change."""
    return b"From " in data and (data.startswith(b"From ") or b"\nFrom " in data)


def _encoded(data: bytes) -> tuple[str, bytes]:
    """The smaller encoding of a text, and the text in it.

    That is base64 for Russian or many emoji: quoted-printable takes six bytes for a letter, or
    twelve.
    """
    body = binascii.b2a_qp(data).replace(b"\n", b"\r\n")
    if len(body) > _size_in_base64(data):
        lines = base64.encodebytes(data.replace(b"\n", b"\r\n"))
        return "base64", lines.replace(b"\n", b"\r\n")
    if b"\nFrom " in body or body.startswith(b"From "):
        body = body.replace(b"\nFrom ", b"\n=46rom ")
        body = b"=46" + body[1:] if body.startswith(b"From ") else body
    return "quoted-printable", body


def _size_in_base64(data: bytes) -> int:
    """The bytes that lines of base64 take for a text, with the line end that each line has."""
    return _in_base64(len(data) + data.count(b"\n"))


def _in_base64(size: int) -> int:
    """The bytes that lines of base64 take for so many bytes: 78 for 57."""
    return size * 78 // 57


def _with_charset(subtype: str) -> str:
    kind, semicolon, more = subtype.partition(";")
    return f"{kind}; charset=utf-8{semicolon}{more}"


def _attached(name: str, content: str) -> bytes:
    safe_name = _UNSAFE_IN_FILE_NAME.sub("_", name)[:60]
    return _content(_utf_8(content), f'Content-Disposition: attachment; filename="{safe_name}"\r\n')


def _of_parts(subtype: str, message_id: str, *parts: Sequence[bytes]) -> Sequence[bytes]:
    """A body of several parts, each in pieces, so that their bytes are copied only once."""
    # Not made from the content: a header tells nothing of the dice.
    boundary = f"=_{sha256(f'{subtype} {message_id}'.encode()).hexdigest()[:32]}"
    found = [f'Content-Type: multipart/{subtype}; boundary="{boundary}"\r\n\r\n'.encode("ascii")]
    for part in parts:
        found += (f"--{boundary}\r\n".encode("ascii"), *part, b"\r\n")
    found.append(f"--{boundary}--\r\n".encode("ascii"))
    return found
