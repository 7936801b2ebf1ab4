"""Greetings at the top of an email, above its commands, in many languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from pbmserv.commands.email_parser import AnsweredBoard, ParsedText, read_mail
from pbmserv.commands.move_lines.bare_moves import action_of, doubts_in_words
from pbmserv.commands.move_lines.good_wishes import are_wishes
from pbmserv.commands.parser import CommandCall, Vocabulary, read_call
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.events import Call, Raise
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of

LONGEST = 40  # characters
MOST_WORDS = 3  # of a greeting without a comma behind it, above a move
_MOST_ABOVE = 3  # polite lines above a move
_COMMAS = str.maketrans(",，、", "   ")


def read_greeted(
    subject: str,
    typed: Sequence[str],
    reply: AnsweredBoard | None,
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """Parse an email as `read_mail` does, without a greeting above a move or a command.

    If the Subject has the command, the greeting stays, for the readers of the message.  So do
    polite words above a bid or a call in a reply: "Sorry for the delay!".
    """
    whole = read_mail(subject, typed, reply, vocabulary, is_move)
    below = ungreeted(typed, vocabulary, is_move)
    if below is typed:
        words, below = _polite_above(typed) if reply and not reply.answers_words else ("", typed)
        if not words:
            return whole
        asked = read_mail(subject, below, reply, vocabulary, is_move)
        is_move_read = any(isinstance(each, CommandCall) for each in asked.lines)
        return (
            replace(asked, message=f"{words}\n{asked.message}".strip()) if is_move_read else asked
        )
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


def _polite_above(typed: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The polite lines above a bid or a call, and the lines from there on; "" for other texts.

    Greetings among them are left out, as `ungreeted` does.
    """
    words: list[str] = []
    place = _next(typed, 0)
    for _ in range(_MOST_ABOVE):
        if place is None or _names_move(line := plain_line(typed[place]).strip()):
            break
        if are_wishes(line):
            words.append(line)
        elif not is_greeting(line):
            return "", typed
        place = _next(typed, place + 1)
    if place is None or not _names_move(plain_line(typed[place])):
        return "", typed
    return "\n".join(words), typed[place:]


def _names_move(line: str) -> bool:
    """Whether a line is a bid, or a call by its name; "liar" and `resign` are not."""
    action = action_of(line)
    return isinstance(action, Raise | Call) and not doubts_in_words(line)


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
