"""Recognise the call of a command that the words below it take back: `resign`, and "no wait"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.move_lines.held_moves import is_held_back
from pbmserv.commands.move_lines.replaced_moves import have_other_moves, is_taken_back
from pbmserv.commands.move_lines.retractions import is_retraction, says_why
from pbmserv.commands.move_lines.unmeant_moves import is_for_another, is_put_off
from pbmserv.commands.parser import CommandCall
from pbmserv.commands.spelling import MOVE
from pbmserv.games.perudo.move_parser import ENDING_MOVES

_WORDS_ALONE = {"chat", "message", "broadcast", "multiple"}  # their text may say anything
_WITH_WORDS = {"challenge", "report", "signup"}  # their text is for people
_REFUSING = {"reject", "decline"}
_QUEUE, _REMATCH = "queue", "rematch"
_MOST_BELOW = 8  # lines below a move that may say that it is for another board
_BEFORE_MOVE = 3  # words: the board, the userid and the password


def is_call_taken_back(
    call: CommandCall, below: Sequence[str], is_move: Callable[[str], bool]
) -> bool:
    """Whether the lines below a call take it back, or have another move.

    Below a move, an answer and `rematch` the rule is that of a reply:
    `replaced_moves.is_taken_back`.
    Where the text is for other people, the next line must say nothing but a retraction.  Below
    other commands a denial is enough, because nobody else reads it, and so are words that ask to
    wait.  Below a queue, so is the name of a move that is not in it.
    """
    if call.name in _REFUSING:  # by command, this may be why: a player may call a challenge off
        below = [line for line in below if not says_why(line)]
    move = _move_of(call)
    if move:
        board = next(iter(call.words), "")
        is_elsewhere = any(is_for_another(each, board) for each in below[:_MOST_BELOW])
        return is_elsewhere or is_taken_back(move, below, is_move)
    if call.name == _REMATCH:  # it accepts one for which another player has asked
        lines = [each for each in below if each.strip()][:_MOST_BELOW]
        return any(map(is_put_off, lines)) or is_taken_back("accept", below, is_move)
    line = next(filter(str.strip, below), "")
    if not line or call.name in _WORDS_ALONE:
        return False
    if call.name in _WITH_WORDS:
        return is_retraction(line)
    if call.name == _QUEUE and have_other_moves(call.words[_BEFORE_MOVE:], below):
        return True
    return is_retraction(line, or_denial=True) or is_held_back(line)


def is_taken_back_by(parsed: click.Context, text: str) -> bool:
    """Whether the message takes a parsed command back, as for a call in an email."""
    words = *("",) * _BEFORE_MOVE, *parsed.params.get("move", ())
    call = CommandCall("", parsed.command.name or "", words)
    return is_call_taken_back(call, text.split("\n"), reads_as_move)


def _move_of(call: CommandCall) -> str:
    """The bid, call or answer that a command makes; "" for another command."""
    if call.name == MOVE:
        return " ".join(call.words[_BEFORE_MOVE:])
    return call.name if call.name in ENDING_MOVES else ""
