"""A reply to a game letter with a move in its Subject: "4-2s", and below it "dudo".

Such a Subject is not a command, so it is never carried out.  If the text is not the same move, the
writer is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pbmserv.commands.email_parser import AnsweredBoard, ParsedText
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall, read_call, read_line
from pbmserv.commands.spelling import MOVE
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.notation import bare_move, is_action, read_action, write_bid
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject

MOST_LINES = 40  # of a text in which a move is looked for
_MOST_ABOVE = 3  # lines of the text, such as a greeting, the move and a name
_SENTENCE = re.compile(r"[.!]\s")


def subject_move(subject: str) -> str:
    """The move that is all of a Subject, such as `4-2s`; "" for any other Subject."""
    return written_move(bare_subject(subject))


def is_unclear_below(
    subject: str, typed: Sequence[str], asked: ParsedText, reply: AnsweredBoard
) -> bool:
    """Whether a Subject is a move that the text, so parsed, contradicts.

    A Subject that asks for help or for no more letters is unclear above a move.  A command with a
    password of its own, or a request for no more letters, is clear below it.
    Words that take back a move or a rematch behind the letter's own Subject are not for the others.
    """
    if move_below_stop(subject, typed):
        return True
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if any(reply.token not in each.words for each in calls):
        return False
    if not calls and _goes_behind(subject, reply.board):
        return True
    is_below_help = not calls and bool(move_below_help(subject, typed))
    return is_below_help or is_contradicted(subject, typed)


def _goes_behind(subject: str, board: int) -> bool:
    """Whether a letter's own Subject has a move or `rematch` behind it: "Perudo board 1 4-2s"."""
    call = read_line(bare_subject(subject), vocabulary(), is_subject=True)
    if not isinstance(call, CommandCall) or call.name != MOVE:
        return False
    number, *words = [word for word in call.words if word != "**"] or [""]
    said = " ".join(words)
    return number == str(board) and (reads_as_move(said) or said.lower() == "rematch")


def is_contradicted(subject: str, typed: Sequence[str]) -> bool:
    """Whether a Subject is a move, and the text below it is other words, or another move.

    The same move may stand below a greeting, in other words, or in front of a sentence.
    """
    meant = _meaning(bare_subject(subject))
    lines = [*filter(str.strip, map(plain_line, typed))][:_MOST_ABOVE]
    if meant is None or not lines:
        return False
    said = (_meaning(each) for line in lines for each in (line, _SENTENCE.split(line.strip())[0]))
    return next((each for each in said if each is not None), None) != meant


def asks_just_to_stop(subject: str, typed: Sequence[str], reply: AnsweredBoard | None) -> bool:
    """Whether an email asks for no more letters; a reply to a game letter has no move, too."""
    from pbmserv.intake.replies.stop_requests import asks_to_stop  # noqa: PLC0415 - a shell command reads no email

    return asks_to_stop(subject, typed) and not (reply and move_below_stop(subject, typed))


def move_below_stop(subject: str, typed: Sequence[str]) -> str:
    """The first move alone on its line, below a Subject that asks for no more letters, or ""."""
    from pbmserv.intake.replies.stop_requests import asks_to_stop  # noqa: PLC0415 - as above

    if not asks_to_stop(subject, ()):
        return ""
    moves = (written_move(plain_line(line)) for line in typed[:MOST_LINES])
    return next(filter(None, moves), "")


def move_below_help(subject: str, typed: Sequence[str]) -> str:
    """The move of the first line of a text below a Subject that asks for help, or ""."""
    call = read_call(bare_subject(subject), vocabulary())
    return first_move(typed) if call and call.name == "help" else ""


def first_move(typed: Sequence[str]) -> str:
    """The move of the first line of a text; "" if that is none."""
    return written_move(next(filter(str.strip, map(plain_line, typed)), ""))


def has_move_alone(typed: Sequence[str], moves: Collection[str]) -> bool:
    """Whether a line is nothing but one of the moves, such as `resign` below other words."""
    return any(written_move(plain_line(line)) in moves for line in typed[:MOST_LINES])


def _meaning(text: str) -> Action | str | None:
    """The move that a text is, however it is worded; None for any other text."""
    if not text.strip() or not reads_as_move(text):
        return None
    return read_action(text) if is_action(text) else bare_move(text)


def written_move(text: str) -> str:
    """A text that is a move, as we write it: a bid as `4-2s`; "" for any other text."""
    meaning = _meaning(text)
    if meaning is None:
        return ""
    return write_bid(meaning.bid) if isinstance(meaning, Raise) else bare_move(text)
