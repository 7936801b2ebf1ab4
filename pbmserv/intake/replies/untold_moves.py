"""Tell nobody a move that a reply out of turn has among its words, nor a part of one on turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.parser import Unknown
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.move_parser import ENDING_MOVES, bare_move
from pbmserv.intake.replies.coming_moves import is_part_of_move
from pbmserv.intake.replies.game_replies import GameReply
from pbmserv.intake.replies.guest_replies import below_answer
from pbmserv.intake.replies.off_turn_moves import doubts_what_was_said, hidden_move, tells_move
from pbmserv.intake.replies.prose import MOST_LINES
from pbmserv.security.credentials import BY_ADDRESS, NEWS, TALK
from pbmserv.text.normalize import plain_line

_MOST_OPENING = 3  # lines of words to others that may begin with a move


def move_with_words(each: GameReply, move: str, words: str) -> ParsedText:
    """A move with words behind it in its line, and the text below."""
    below = f"{words}\n{below_answer(each.typed)}".strip()
    call = replace(each.command("move", *move.split()), is_followed=True)
    return ParsedText((call,), below)


def without_hidden_move(
    each: GameReply, meant: ParsedText, possible: PossibleMoves, names: Collection[str]
) -> ParsedText:
    """What a reply means, where words that begin with a move out of turn are that move.

    It is refused, and the words go to nobody.  Where it might be legal its writer is asked.
    `names` are the userids of the players in small letters.
    """
    is_chat = meant.lines == (each.command("chat"),) and meant.message == each.text
    is_unknown = all(isinstance(line, Unknown) for line in meant.lines)
    if each.answered.about == NEWS or not (is_chat or is_unknown):
        return meant
    lines = [*_lines(each)] if possible.plays else []
    found = [hidden_move(line, possible, names) for line in lines[:_MOST_OPENING]]
    if each.answered.about == TALK:
        found = [("", "") if doubts_what_was_said(*one) else one for one in found]
    if not any(move for move, _ in found):
        tells = partial(tells_move, answers_words=each.answered.about == TALK)
        is_told = is_chat and not possible.legal
        if is_told and any(tells(line, possible, names) for line in lines):
            return ParsedText((Unknown("", ""),), "")
        return meant
    ends = bare_move(found[0][0]) in ENDING_MOVES  # "me rindo, no sé la respuesta" answers a riddle
    is_elsewhere = ends or each.reply.token == BY_ADDRESS or not found[0][0]
    if possible.legal or not possible.turn or is_elsewhere:
        return ParsedText((Unknown("", ""),), "") if is_chat else meant
    return move_with_words(each, *found[0])


def tells_part_of_move(each: GameReply, possible: PossibleMoves, names: Collection[str]) -> bool:
    """Whether a reply on turn has a line that is a part of a move: "Five!", "raise to five"."""
    return bool(possible.legal) and any(is_part_of_move(line, names) for line in _lines(each))


def _lines(each: GameReply) -> Iterator[str]:
    """The lines of a reply that are not empty, with plain signs."""
    return filter(str.strip, map(plain_line, each.typed[:MOST_LINES]))
