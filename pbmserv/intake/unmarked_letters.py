"""Find a letter of ours that a mail program repeats below a reply, without any marks.

Such a program says nothing of what it repeats.  So the lines are compared with those of the letters
that were sent to the writer.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from pbmserv.disclosure.redaction import Confidential, undisclosed
from pbmserv.intake.sender_secrets import lines_of_letters

_LONGEST = 64 * 1024  # characters of a text that is compared: words above our longest letter
_FEWEST = 2  # lines of a letter: a single one may be words of the writer


def above_letter(connection: Connection, sender: str, typed: Sequence[str]) -> Sequence[str]:
    """The lines above a letter to `sender` that is repeated; all of them if none is.

    The letter must be all of the rest: words below it may belong to it or not.
    """
    if sum(map(len, typed)) > _LONGEST:
        return typed
    known = Confidential(lines=lines_of_letters(connection, sender))
    left, _ = undisclosed("\n".join(typed), known)
    above = left.split("\n")
    repeated = [line for line in typed[len(above) :] if line.strip()]
    is_above = [line.strip() for line in above] == [line.strip() for line in typed[: len(above)]]
    return typed[: len(above)] if is_above and left and len(repeated) >= _FEWEST else typed
