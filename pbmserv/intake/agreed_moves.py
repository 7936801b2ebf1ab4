"""The reply "yes" to the question "Did you mean dudo? If so, reply with just that"."""

from __future__ import annotations

from itertools import takewhile

from sqlalchemy import Connection

from pbmserv.boards.possible_moves import possible_moves
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.affirmation import says_yes
from pbmserv.intake.draw_replies import ACCEPT, REJECT, answer_to_draw
from pbmserv.intake.greetings import is_greeting
from pbmserv.intake.prose import denies
from pbmserv.mail.reading import Mail
from pbmserv.security.credentials import Identity

_ENDS = {"resign", "propose", ACCEPT, REJECT, "decline"}  # a picture is not enough for these


def agreed(connection: Connection, mail: Mail, answered: Identity) -> Mail:
    """The reply to such a question, where a first line that agrees is what was asked about.

    A greeting may be above it.  The lines below it, up to an empty one, deny nothing.  A picture
    agrees to no end of a game.  If a draw was offered since, the reply stays as it is.
    """
    asked = answered.asked
    written = [place for place, line in enumerate(mail.typed) if line.strip()]
    if len(written) > 1 and is_greeting(mail.typed[written[0]]):
        written = written[1:]
    first = next(iter(written), 0)
    line = mail.typed[first : first + 1]
    paragraph = list(takewhile(str.strip, mail.typed[first:]))
    is_yes = answer_to_draw(line) == ACCEPT or says_yes(line, in_words=True)
    is_picture = mail.is_reaction or not any(map(str.isalpha, "".join(line)))
    if not is_yes or denies(paragraph) or (is_picture and asked in _ENDS):
        return mail
    if answered.board is None:
        return mail
    possible = possible_moves(connection, answered.board, answered.player)
    if possible.draw and asked not in {ACCEPT, REJECT}:
        return mail
    return replace(mail, typed=(asked, *mail.typed[first + 1 :]))
