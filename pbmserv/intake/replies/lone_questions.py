"""A question in an email without a command that answers no letter, and the command for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.commands.parser import CommandCall
from pbmserv.commands.spelling import of_languages
from pbmserv.intake.replies.questions import asks_about_board, is_question, page_asked
from pbmserv.mail.reading import Mail
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject

_RESET = "reset"
_MOST_LINES = 4  # a greeting and empty lines above it
_ENDS = re.compile(r"[.!?](?:\s|$)")


def command_for(mail: Mail, userids: Sequence[str], *, is_answer: bool) -> CommandCall | None:
    """The command whose answer such an email asks for; None if it asks for none.

    `userids` are the accounts of its address.  `is_answer`: it answers a letter without a board.
    """
    said = mail.typed or [bare_subject(mail.subject)]
    if len(userids) == 1 and any(map(_has_forgotten, said[:_MOST_LINES])):
        return CommandCall("", _RESET, tuple(userids))
    if page := page_asked(said):
        # No board has its rule set.
        return CommandCall("", "help", ("perudo",) if page == "rules" else (page,))
    if userids and asks_about_board(said):
        return CommandCall("perudo", "games", tuple(userids))
    return CommandCall("", "help", ()) if is_answer and is_question(mail.typed) else None


def _has_forgotten(line: str) -> bool:
    """Whether a sentence of a line is one such as "I forgot my password"."""
    sentences = (each.strip(" .!?").lower() for each in _ENDS.split(plain_line(line)))
    return any(" " in each and of_languages().get(each) == _RESET for each in sentences)
