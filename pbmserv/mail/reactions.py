"""Read reactions: a picture that a reader taps below an email, which is sent as an email.

Its text has more lines than the picture, such as "Ann reacted via Gmail".  So the part for programs
is read instead.  Its form is Gmail's ("Email reactions", developers.google.com) or RFC 9078's.
Outlook sends no such part, but a line such as "[like] Ann reacted to your message:".
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pbmserv.mail.charsets import decode, transferred
from pbmserv.mail.headers import Headers, parameters
from pbmserv.mail.parts import leaves
from pbmserv.text.unicode_forms import is_pictures

_GMAIL = "text/vnd.google.email-reaction+json"
_SIGN = "eaction"  # in each form, with a small or a capital letter before it
_OUTLOOK = {
    "like": "👍",
    "heart": "❤️",
    "celebrate": "🎉",
    "laugh": "😂",
    "surprised": "😮",
    "sad": "😢",
}
# The name of the picture is English, the sentence behind it is in the language of the reader.
_SENTENCE = re.compile(rf"\[({'|'.join(_OUTLOOK)})\]\s.{{1,200}}:", re.IGNORECASE)
_LONGEST = 1000  # bytes of the part
_LONGEST_PICTURE = 20  # characters: a picture may be joined from several


def reaction(headers: Headers, body: bytes) -> str:
    """The picture of an email with the part of a reaction, such as 👍; "" for another email."""
    kinds = headers.first("content-type") + headers.first("content-disposition")
    if _SIGN not in kinds and _SIGN.encode() not in body:
        return ""  # most emails end here, and their parts are read once
    pictures = (_picture(part, content) for part, content in leaves(headers, body))
    return next(filter(None, pictures), "")


def reaction_of_outlook(lines: Sequence[str]) -> str:
    """The picture that the first line of a text names as Outlook does; "" for another text."""
    first = next((line.strip() for line in lines if line.strip()), "")
    found = _SENTENCE.fullmatch(first)
    return _OUTLOOK[found[1].lower()] if found else ""


def _picture(headers: Headers, content: bytes) -> str:
    """The picture in a part that is a reaction; "" in another part, or in a malformed one."""
    kind, given = parameters(headers.first("content-type"))
    disposition, _ = parameters(headers.first("content-disposition"))
    if disposition == "attachment" or (kind != _GMAIL and disposition != "reaction"):
        return ""
    data = transferred(content[:_LONGEST], headers.first("content-transfer-encoding"))
    text = decode(data, given.get("charset", "utf-8"))
    found = _named_in(text) if kind == _GMAIL else text.strip()
    return found if len(found) <= _LONGEST_PICTURE and is_pictures(found) else ""


def _named_in(text: str) -> str:
    """The picture in Gmail's part; "" in one of another version, or in no JSON."""
    try:
        match json.loads(text):
            case {"version": 1, "emoji": str(found)}:
                return found.strip()
    except (ValueError, RecursionError):
        pass
    return ""
