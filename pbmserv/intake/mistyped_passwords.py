"""Lines of a reply that may be its writer's password with a typing error.

The server knows only the hash of a password, so no comparison finds such a word.  Its line has
little else than a word that no language of our letters knows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from pbmserv.commands.framework import vocabulary
from pbmserv.commands.spelling import of_languages
from pbmserv.disclosure.redaction import bare
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.likely_passwords import is_of_moves, is_unknown, words_in
from pbmserv.intake.password_redaction import MOST_LINES
from pbmserv.intake.request import Request
from pbmserv.intake.stray_passwords import MISTYPED, is_said_often, unspoken, without_password
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_MOST_ALONE = 2  # such lines of a text: more of them are a list
_MOST_SIGNING = 6  # words of a line that begins like a command with a password
_ENDS = (".", "!", "?", "…", ",", ":", ";", ")")
_SEPARATORS = re.compile(r"[/,;:|=]")  # between a userid and a password


def without_passwords(
    check: CredentialCheck, request: Request, userids: Mapping[int, str]
) -> tuple[str, tuple[str, ...]]:
    """The message of a request without the password of its writer; why, if lines are left out.

    In a reply without a password, a line that may be a mistyped one is left out, too, unless it is
    below the word `chat`.  `userids` are those of players that are known, in small letters.
    """
    message, why = without_password(check, request.message, userids, request.answered)
    is_too_long = message.count("\n") >= MOST_LINES  # it is refused
    if not message or is_too_long or not request.mail.tokens or _is_meant(request):
        return message, why
    if not unspoken(check, request.answered):
        return message, why
    left = _without_mistyped(message, set(userids.values()))
    return left, why if left == message else (*why, MISTYPED)


def _without_mistyped(message: str, userids: Collection[str]) -> str:
    """A message without the lines that may be a mistyped password: "luc swordfsh", "swordfsh".

    `userids` are the writer's own ones, in small letters.  A name with a capital letter, a remark
    and a word with a mark behind it stay.
    """
    lines = message.split("\n")
    beside = [each for each in lines if _has_beside(each, userids)]
    alone = [each for each in lines if _is_alone(each, userids)]
    out = {*beside, *(alone if len(alone) <= _MOST_ALONE else ())}
    if not out:
        return message
    return "\n".join(each for each in lines if each not in out).strip()


def _is_alone(line: str, names: Collection[str]) -> bool:
    """Whether a line is one unknown word, without a mark of a sentence behind it."""
    words = words_in(line)
    is_closed = line.rstrip().endswith(_ENDS) and not line.lstrip().startswith("(")
    if len(words) != 1 or is_closed or is_said_often(line):
        return False
    return is_unknown(words[0]) and bare(words[0].lower()) not in names


def _has_beside(line: str, userids: Collection[str]) -> bool:
    """Whether an unknown word is beside the writer's userid, or behind words such as "sign off".

    Words of moves may be there, too, but nothing else.
    """
    words = words_in(_SEPARATORS.sub(" ", line))
    if len(words) > _MOST_SIGNING or len(words) < len(("userid", "password")):
        return False
    said = " ".join(bare(each.lower()) for each in words)
    signing = _signing().match(unmarked(said))
    others = words[len(signing[0].split()) :] if signing else words
    own = [each for each in others if bare(each.lower()) in userids]
    rest = [each for each in others if each not in own and not is_of_moves(bare(each.lower()))]
    is_beside = len(rest) == 1 and bool(own or signing)
    return is_beside and is_unknown(rest[0]) and not is_said_often(line)


@cache
def _signing() -> re.Pattern[str]:
    """The beginning of a line like a command with a password, such as "sign off"."""
    every = sorted(map(unmarked, words_of("signing_words")), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, every))})(?!\w)")


def _is_meant(request: Request) -> bool:
    """Whether all of a reply's words are below the word `chat`, and so are meant for the others."""
    first, *_ = [*filter(str.strip, map(plain_line, request.mail.typed)), ""]
    word = first.lower().strip(" .:!")
    return {**of_languages(), **vocabulary()["perudo"]}.get(word) == "chat"
