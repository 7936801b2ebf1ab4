"""A question in an email without a command that answers no letter, and the command for it."""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.commands.parser import CommandCall
from pbmserv.intake.replies.questions import asks_about_board, is_question, page_asked
from pbmserv.mail.reading import Mail
from pbmserv.text.subject_prefixes import bare_subject


def command_for(mail: Mail, userids: Sequence[str], *, is_answer: bool) -> CommandCall | None:
    """The command whose answer such an email asks for; None if it asks for none.

    `userids` are the accounts of its address.  `is_answer`: it answers a letter without a board.
    """
    said = mail.typed or [bare_subject(mail.subject)]
    if page := page_asked(said):
        # No board has its rule set.
        return CommandCall("", "help", ("perudo",) if page == "rules" else (page,))
    if userids and asks_about_board(said):
        return CommandCall("perudo", "games", tuple(userids))
    return CommandCall("", "help", ()) if is_answer and is_question(mail.typed) else None
