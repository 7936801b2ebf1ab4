"""The question "Did you mean dudo? If so, reply with just that", and the reply "yes" to it.

The token of the question carries what it asks about.  So a yes means that very word, at that board
and move alone: pressed twice or late, it is refused like any other late move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from pbmserv.boards.possible_moves import possible_moves
from pbmserv.games.perudo.notation import bare_move
from pbmserv.intake.affirmation import says_yes
from pbmserv.intake.draw_replies import ACCEPT, REJECT, answer_to_draw
from pbmserv.intake.greetings import is_greeting
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import REFUSED, UNSURE
from pbmserv.security.credentials import Identity
from pbmserv.security.tokens import Tokens
from pbmserv.values import replace

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

_ENDS = {"resign", "propose", ACCEPT, REJECT, "decline"}  # a picture is not enough for these


def asking(letters: Sequence[Letter], tokens: Tokens) -> list[Letter]:
    """The letters, where one that asks about a move has a token to which "yes" is a reply."""
    return [_asking(each, tokens) for each in letters]


def _asking(letter: Letter, tokens: Tokens) -> Letter:
    asked = _asked(letter)
    if not asked:
        return letter
    if letter.board is not None and letter.move is not None and letter.player is not None:
        made = tokens.asking(letter.board, letter.player, letter.move, asked)
        return replace(letter, token=made, move=None)
    meant = tokens.good(letter.token)
    if meant is None or not meant.board or meant.move is None:
        return letter
    return replace(letter, token=tokens.asking(meant.board, meant.player, meant.move, asked))


def _asked(letter: Letter) -> str:
    """The move or command that a letter asks about, with "reply with just that"; "" for none.

    Where a draw waits for an answer, too, nobody knows what a yes means.
    """
    facts: Mapping[str, Any] = letter.payload
    if letter.kind == REFUSED.name:
        facts = facts["facts"] if facts["code"] == "unreadable_move" else {}
    elif letter.kind != UNSURE.name or facts["unconfirmed"]:
        return ""
    asked = str(facts.get("nearest", ""))
    if letter.kind == UNSURE.name and facts["word"] and not facts.get("is_move"):
        return ""
    asked = bare_move(asked) if asked else ""
    is_clear = not (facts.get("draw") or facts.get("invited")) or asked in {ACCEPT, REJECT}
    return asked if is_clear else ""


def agreed(connection: Connection, mail: Mail, answered: Identity) -> Mail:
    """The reply to such a question, where a first line that agrees is what was asked about.

    A greeting may be above it.  The lines below it, up to an empty one, deny nothing.  A picture
    agrees to no end of a game.  If a draw was offered since, the reply stays as it is.
    """
    from pbmserv.intake.prose import denies  # noqa: PLC0415 - a shell command reads no email

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
