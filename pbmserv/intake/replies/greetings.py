"""Greetings at the top of an email, above its commands, in many languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from pbmserv.commands.email_parser import AnsweredBoard, ParsedText, read_mail
from pbmserv.commands.parser import Vocabulary, read_call
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of

LONGEST = 40  # characters
MOST_WORDS = 3  # of a greeting without a comma behind it, above a move
_COMMAS = str.maketrans(",，、", "   ")


def read_greeted(
    subject: str,
    typed: Sequence[str],
    reply: AnsweredBoard | None,
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """Parse an email as `read_mail` does, without a greeting above a move or a command.

    If the Subject has the command, the greeting stays: it is for the readers of the message.
    """
    whole = read_mail(subject, typed, reply, vocabulary, is_move)
    below = ungreeted(typed, vocabulary, is_move)
    if below is typed:
        return whole
    asked = read_mail(subject, below, reply, vocabulary, is_move)
    return whole if whole.lines == asked.lines else asked


def ungreeted(
    typed: Sequence[str], vocabulary: Vocabulary, is_move: Callable[[str], bool]
) -> Sequence[str]:
    """The typed lines without a greeting above a move or a command; prose keeps its greeting."""
    first = _next(typed, 0)
    if first is None or not (words := _words(typed[first])):
        return typed
    below = _next(typed, first + 1)
    if below is None:
        return typed
    line = plain_line(typed[below])
    if is_greeting(typed[first]):
        meant = is_move(line) or read_call(line, vocabulary) is not None
    else:
        is_short = len(words) <= MOST_WORDS or " ".join(words) in words_of("move_leads")
        meant = is_short and is_move(line)
    return typed[below:] if meant else typed


def _next(lines: Sequence[str], position: int) -> int | None:
    """The index of the first line from here on that is not empty."""
    return next((n for n in range(position, len(lines)) if lines[n].strip()), None)


def is_greeting(line: str) -> bool:
    """Whether a line is like `Hello,` or `Dear server!`: a few words, the first of them known."""
    words = _words(line)
    return len(words) == 1 or (len(words) > 1 and line.strip()[-1] in ",!:.，！：。")


def _words(line: str) -> list[str]:
    """The words of a line that begins with a greeting and is short; else none."""
    text = line.strip()[: LONGEST + 1].lower()
    words = text.translate(_COMMAS).split()
    is_one = words and len(text) <= LONGEST and words[0].strip("!.:！。：") in _greetings()
    return words if is_one else []


@cache  # made at its first use, because it reads the words of all languages
def _greetings() -> frozenset[str]:
    return frozenset(words_of("greetings"))
