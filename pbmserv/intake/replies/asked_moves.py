"""Ask about a move that a reply may mean: "Did you mean dudo? If so, reply with just that".

Its token carries what it asks about.  So a yes means that very word, at that board and move alone:
pressed twice or late, it is refused like any other late move.  `agreed_moves` reads the yes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.notation import bare_move
from pbmserv.intake.replies.subject_moves import MOST_LINES, written_move
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import REFUSED, UNSURE
from pbmserv.security.tokens import Tokens
from pbmserv.text.normalize import plain_line

_OF_DRAWS = {"accept", "reject"}  # they answer the offer of a draw, too


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

    If the offer of a draw waits for an answer, too, a yes has two meanings.
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
    is_clear = not (facts.get("draw") or facts.get("invited")) or asked in _OF_DRAWS
    return asked if is_clear else ""


def move_below(typed: Sequence[str], possible: PossibleMoves) -> str:
    """The possible move that is a line of its own, if it is the only move; "" for none.

    So "How do I play?" above "4-2s" is answered, and the move asked about.
    """
    moves = {*map(written_move, map(plain_line, typed[:MOST_LINES]))} - {""}
    return moves.pop() if len(moves) == 1 and moves <= _moves_of(possible) else ""


def _moves_of(possible: PossibleMoves) -> set[str]:
    """The moves that are legal now, and words that leave the game or answer an offer."""
    return {
        *possible.legal,
        *(["resign"] if can_resign(possible) else ()),
        *(_OF_DRAWS if possible.draw or possible.invited else ()),
        *(["decline"] if possible.declines else ()),
    }


def can_resign(possible: PossibleMoves) -> bool:
    """Whether the player may leave the game, and cannot do so without a penalty."""
    return possible.plays and not (possible.declines or possible.resigned or possible.declined)
