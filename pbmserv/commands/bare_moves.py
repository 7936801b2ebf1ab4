"""Recognise a text that is a move without its command, as players write it in a reply."""

from __future__ import annotations

import re

from pbmserv.games.perudo.notation import bare_move, is_action, without_salt
from pbmserv.text.unicode_forms import with_plain_digits

ANSWERS = {"propose", "accept", "reject", "decline"}
"""Words that answer a draw or a challenge in the place of a move."""
_MOVE_NUMBER = re.compile(r"(?<=\S) +#[0-9]{1,9}$")


def reads_as_move(text: str) -> bool:
    """Whether a text is a move, or an answer to a draw or a challenge; `#17` may follow it."""
    text = _MOVE_NUMBER.sub("", with_plain_digits(text).strip(" *.!"))
    text, _ = without_salt(text)
    return is_action(text) or bare_move(text) in ANSWERS
