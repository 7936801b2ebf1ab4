"""Words below the mark of a signature that ends the text of a letter's button.

The mark keeps what a mail program puts below it from the others.  A person may type there, too, and
must then be told.  So sentences, remarks and exclamations are told of; lines of names, addresses or
titles are not.  A signature may be a sentence, and is the same each time: a text is told of once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.commands.parser import Vocabulary
from pbmserv.context import Context
from pbmserv.intake.greetings import is_greeting
from pbmserv.intake.stray_passwords import BELOW
from pbmserv.ratelimit import fixed_window

TOLD = "below mark"  # what `fixed_window` counts
_BUTTON = re.compile(r"chat|.+ #[0-9]{1,9}", re.IGNORECASE)


def has_words(typed: Sequence[str], below: str, vocabulary: Vocabulary) -> bool:
    """Whether the text is that of a button alone, and a person wrote below its mark."""
    if not below or len(typed) != 1 or not _BUTTON.fullmatch(typed[0].strip()):
        return False
    from pbmserv.intake.prose import is_prose, is_remark  # noqa: PLC0415 - it reads all phrases

    lines = below.split("\n")
    if is_remark(lines) or is_prose(lines, "", vocabulary):
        return True
    return any(is_greeting(line) or line.endswith(("!", "?")) for line in lines)


def untold(context: Context, below: str) -> tuple[str, ...]:
    """Why lines are kept back, without the text `below` the mark if its writer was told of it.

    Writes that the writer is told now.
    """
    if BELOW not in context.kept_back:
        return context.kept_back
    who, seconds = context.keyed(f"{context.sender} {below}"), fixed_window.LONG[TOLD]
    if fixed_window.allowed(context.connection, TOLD, who, 1, seconds, context.now):
        fixed_window.note(context.connection, TOLD, who, seconds, context.now)
        return context.kept_back
    return tuple(each for each in context.kept_back if each != BELOW)
