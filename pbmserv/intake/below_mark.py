"""Find words that a player typed below a signature mark: they are not sent, and the player is told.

The mark keeps what a mail program puts below it from the others.  A person may type there, too, and
must then be told.  So the answer mentions sentences, remarks and exclamations, but no lines of
names, addresses or titles.  A signature may be a sentence, and is the same each time: the answer
mentions a text once.  A program may change the sentence each time, so there are few mentions for an
address in a week.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.commands.parser import Vocabulary
from pbmserv.context import Context
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.stray_passwords import BELOW
from pbmserv.ratelimit import fixed_window

TOLD, TOLD_OF_WEEK = "below mark", "below mark of a week"  # what `fixed_window` counts
MOST_OF_WEEK = 3  # texts of an address that are told of
_BUTTON = re.compile(r"chat|.+ #[0-9]{1,9}", re.IGNORECASE)


def has_words(typed: Sequence[str], below: str, vocabulary: Vocabulary) -> bool:
    """Whether the text is that of a button alone, and a person wrote below its mark."""
    if not below or len(typed) != 1 or not _BUTTON.fullmatch(typed[0].strip()):
        return False
    from pbmserv.intake.replies.prose import is_prose, is_remark  # noqa: PLC0415 - it reads all phrases

    lines = below.split("\n")
    if is_remark(lines) or is_prose(lines, "", vocabulary):
        return True
    return any(is_greeting(line) or line.endswith(("!", "?")) for line in lines)


def untold(context: Context, below: str) -> tuple[str, ...]:
    """Why lines are kept back, without the text `below` the mark if its writer was told enough.

    Writes that the writer is told now.
    """
    if BELOW not in context.kept_back:
        return context.kept_back
    counted = (
        (TOLD, context.keyed(f"{context.sender} {below}"), 1),
        (TOLD_OF_WEEK, context.keyed(context.sender), MOST_OF_WEEK),
    )
    at, now = context.connection, context.now
    if all(
        fixed_window.allowed(at, what, who, most, fixed_window.LONG[what], now)
        for what, who, most in counted
    ):
        for what, who, _ in counted:
            fixed_window.note(at, what, who, fixed_window.LONG[what], now)
        return context.kept_back
    return tuple(each for each in context.kept_back if each != BELOW)
