"""A reply to a game letter, and whether its writer is asked what it means, whatever it says.

`intake/replies/chat_replies.py` decides about the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import Connection

from pbmserv.boards.newest_letter import is_newest
from pbmserv.boards.possible_moves import PossibleMoves, possible_moves
from pbmserv.commands.email_parser import AnsweredBoard, ParsedText
from pbmserv.commands.move_lines.bare_moves import may_doubt_words, may_leave, reads_as_move
from pbmserv.commands.move_lines.retractions import is_retraction, stays
from pbmserv.commands.parser import CommandCall
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.move_parser import ENDING_MOVES, RESIGN, bare_move, begins_politely
from pbmserv.intake.password_phrases import is_about_own_password
from pbmserv.intake.replies.affirmation import with_accent
from pbmserv.intake.replies.draw_replies import DECLINE, REJECT
from pbmserv.intake.replies.prose import MOST_LINES, bare_word
from pbmserv.security.credentials import HOLDER, NEWS, TALK, Identity
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of

_UNDO = "undo"  # a command that is refused; a resignation that waits can be cancelled, though
BEHIND_YES = re.compile(rf"(?:{one_of('yes')})\s?[,.!:;]\s*(.+)")
_OFFERED = re.compile(rf"(?<!\S)(?:{one_of('offered_answers')})(?!\S)")


@dataclass(frozen=True, slots=True)
class GameReply:
    """A reply to a game letter: its sender's address, what was typed, and what the letter means.

    `written_at` is the moment of the letter, if the reply tells it.
    """

    sender: str
    reply: AnsweredBoard
    answered: Identity
    typed: Sequence[str]
    subject: str = ""
    written_at: int | None = None

    @property
    def text(self) -> str:
        """The typed text, for other people."""
        return "\n".join(line.rstrip() for line in self.typed).strip()

    def command(self, name: str, *words: str) -> CommandCall:
        """A command of the game for the player and the board of the letter."""
        return CommandCall(
            "perudo", name, (str(self.reply.board), HOLDER, self.reply.token, *words)
        )


def is_asked_about(connection: Connection, each: GameReply, asked: ParsedText) -> bool:
    """Whether a reply may take back a resignation, answer words of others, or leave for today.

    Or it is about the writer's own password: "my new password should be ...".
    """
    if _is_whole(each, asked) and is_about_own_password(each.typed):
        return True
    if _takes_back(each, asked) and _has_left(connection, each):
        return True
    if each.answered.about == TALK and _may_answer_words(first_line(each.typed)):
        return True
    if _may_decline_draw(connection, each) or _rejects_words(connection, each):
        return True
    is_agreed = each.answered.asked == RESIGN or each.answered.about == NEWS
    if is_agreed or not may_leave(first_line(each.typed)):
        return False
    return is_newest(connection, each.answered) and possible_of(connection, each).plays


def _may_answer_words(line: str) -> bool:
    """Whether a reply to words of others may answer them, although it reads as a move.

    It begins with a yes, or with words such as `ok`: "Yes, 6-1" tells of a match.  Or it gives up,
    or answers a draw, in other words than our letters: "j'abandonne" may be about a riddle, but
    "j'abandonne la partie" is about the game.  Or it doubts: "I doubt it", "je n'y crois pas".
    """
    if (found := BEHIND_YES.fullmatch(with_accent(line.lower()))) and reads_as_move(found[1]):
        return True
    if not reads_as_move(line):
        return False
    said, words = bare_move(line), list(map(bare_word, line.split()))
    if begins_politely(line) or may_doubt_words(line):
        return True
    is_offered = bool({said, "draw"}.intersection(words)) or _OFFERED.search(" ".join(words))
    return said in ENDING_MOVES and not is_offered


def _may_decline_draw(connection: Connection, each: GameReply) -> bool:
    """Whether `decline` may mean the draw on offer, and not the game: "sorry, decline"."""
    line = first_line(each.typed)
    if not reads_as_move(line) or bare_move(line) != DECLINE:
        return False
    words = {bare_word(word) for word in line.split()}
    return words.isdisjoint(words_of("game_words")) and possible_of(connection, each).draw


def _rejects_words(connection: Connection, each: GameReply) -> bool:
    """Whether `reject` answers words of others, where no draw and no invitation waits for it."""
    if each.answered.about != TALK or bare_move(first_line(each.typed)) != REJECT:
        return False
    possible = possible_of(connection, each)
    return not (possible.draw or possible.invited)


def possible_of(connection: Connection, each: GameReply) -> PossibleMoves:
    """What the player of the letter may do now."""
    if each.answered.is_void:
        return PossibleMoves()
    return possible_moves(connection, each.reply.board, each.answered.player)


def _has_left(connection: Connection, each: GameReply) -> bool:
    """Whether the player has resigned or declined, which waits for the turn."""
    possible = possible_of(connection, each)
    return possible.resigned or possible.declined


def _takes_back(each: GameReply, asked: ParsedText) -> bool:
    """Whether a reply may take back a resignation that waits: "I want to stay", "no wait", `undo`.

    Its writer is told how to cancel it.  Below the word `chat` such words are for the others.
    """
    names = {line.name for line in asked.lines if isinstance(line, CommandCall)}
    if names == {_UNDO}:
        return True
    said = [plain_line(line) for line in each.typed[:MOST_LINES]]
    return _is_whole(each, asked) and any(stays(line) or is_retraction(line) for line in said)


def _is_whole(each: GameReply, asked: ParsedText) -> bool:
    """Whether a reply has no command, and is not below the word `chat`."""
    names = {line.name for line in asked.lines if isinstance(line, CommandCall)}
    return not names or (names == {"chat"} and asked.message == each.text)


def first_line(typed: Sequence[str]) -> str:
    """The first line that is not empty, with plain signs, or ""."""
    return next(filter(None, map(str.strip, map(plain_line, typed[:MOST_LINES]))), "")
