"""Read `help` below a move: it is for the server, and not a message to the others.

"4-2s", and below it "help rules", is a move and a command.  So is a question such as "how do I
change my password?", which a page of the manual answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.manual import IN_SHORT, payload_of, without_manners
from pbmserv.commands.parser import CommandCall, read_call
from pbmserv.commands.spelling import MOVE
from pbmserv.errors import Refused
from pbmserv.intake.replies.questions import is_question, page_asked
from pbmserv.text.normalize import plain_line

_HELP = "help"
_MOST_LINES = 20  # of the message in which such a line is looked for
_LONGEST = 60  # characters of it
_AROUND = " *.!?¿¡"


def with_help_below(asked: ParsedText) -> ParsedText:
    """The parsed email, where a line below its move that asks for help is a command of its own."""
    call = asked.lines[0] if len(asked.lines) == 1 else None
    if not isinstance(call, CommandCall) or call.name != MOVE or not asked.message:
        return asked
    lines = asked.message.split("\n")
    found = dict(_calls(lines[:_MOST_LINES]))
    if not found:
        return asked
    message = "\n".join(line for at, line in enumerate(lines) if at not in found).strip()
    wanted = tuple(dict.fromkeys(found.values()))
    return ParsedText((call, *wanted), message, asked.cut)


def _calls(lines: Sequence[str]) -> Iterator[tuple[int, CommandCall]]:
    for at, line in enumerate(lines):
        said = plain_line(line).strip(_AROUND)
        if not said or len(said) > _LONGEST:
            continue
        if "?" in line and is_question([line]) and (page := page_asked([line])):
            yield at, CommandCall("", _HELP, (page,))
            continue
        call = read_call(said, vocabulary())
        if call is not None and call.name == _HELP and (words := _subject(call, said)):
            yield at, CommandCall("", _HELP, words)


def _subject(call: CommandCall, said: str) -> tuple[str, ...]:
    """The subject of a line that asks for help; () for words to the others: "help yourself"."""
    words = tuple(without_manners(call.words))
    if not words or is_question([said]):
        return (IN_SHORT,)
    try:
        payload_of("", words)
    except Refused:
        return ()
    return words
