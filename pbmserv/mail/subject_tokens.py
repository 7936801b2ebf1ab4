"""Find a letter's token in the Subject of its answer.

A link in a letter puts it there if the server has no plus addresses: `Re: Your turn: Perudo board
12 TOKEN`.  A mail program that opens a link keeps no header of the letter.
"""

from __future__ import annotations

import re

from pbmserv.text.board_subjects import subject_as_command
from pbmserv.text.subject_prefixes import bare_subject

_TOKEN = re.compile(r"(?:^|\s)([A-Za-z2-7]{32})(?=\s|$)")
_OF_A_BOARD = re.compile(r"perudo board \d{1,10} ([A-Za-z2-7]{32})")


def parted(subject: str) -> tuple[str, str]:
    """The Subject without its token, and the token in upper case; "" if it has none.

    Only a Subject of a board's letters has one, as its last word.  In any other Subject such a word
    may be a part of a command.
    """
    if not _TOKEN.search(subject):
        return subject, ""
    found = _OF_A_BOARD.fullmatch(subject_as_command(bare_subject(subject)))
    if found is None or found[1] not in subject:
        return subject, ""
    return " ".join(subject.replace(found[1], " ", 1).split()), found[1].upper()
