"""Lines that a reply to a game letter may begin with, or that may be below a command.

They are told by their words alone, before anything is known of boards and players.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from pbmserv.commands.move_lines.good_wishes import words_apart
from pbmserv.commands.spelling import of_languages
from pbmserv.text.phrases import EVERYDAY, single_words, words_of

CHAT = "chat"
_QUEUE = "queue"
_MARKS = ":,"  # behind `chat`, they show that a message to the others follows
_AROUND = ".,;:!?¡¿…"
_FEWEST = 3  # words of a line that may be for the others


def queue_in_english(line: str) -> str:
    """A line such as `очередь 4-5s` with the English word in front; "" for any other line."""
    said = line.strip()
    for word in _words_for_queue():
        if said.lower().startswith((f"{word} ", f"{word}:")):
            return f"{_QUEUE} {said[len(word) :].strip(' :')}"
    return ""


@cache
def _words_for_queue() -> Sequence[str]:
    """The words of all languages for the command, the longest first."""
    return sorted(words_of("queue_words"), key=len, reverse=True)


def unmannered(line: str, commands: Collection[str]) -> str:
    """A line such as `consejo por favor` without its polite words, if it begins with a command.

    `commands` are the English names of these; any other line stays as it is.
    """
    head, _, rest = line.partition(" ")
    is_polite = bool(rest) and of_languages().get(head.lower()) in commands
    return " ".join(words_apart(line.split())[0]) if is_polite else line


def words_behind_chat(line: str) -> str:
    """The message in a line such as `chat hello everybody`; "" for any other line.

    The word is also a cat in French, and a chat room in Russian.  So a greeting or a remark must
    follow, or a mark.  Behind the English command any everyday word will do, if no number of a
    board is there.
    """
    head, _, rest = line.strip().partition(" ")
    word = head.rstrip(_MARKS).lower()
    words = [each.strip(_AROUND).lower() for each in rest.split()]
    if of_languages().get(word, word) != CHAT or not words or words[0].isdigit():
        return ""
    is_marked = head[-1] in _MARKS
    is_said = words[0] in single_words("greetings", "thanks", "remarks", "postponing_remarks")
    is_everyday = word == CHAT and not single_words(*EVERYDAY).isdisjoint(words)
    return rest.strip() if is_marked or is_said or is_everyday else ""


def may_be_words(line: str) -> bool:
    """Whether a line directly below a command may be a message to others, and no mistyped line."""
    return len(line.split()) >= _FEWEST and not any(map(str.isdigit, line))
