"""A request: an email with its commands and its checked credentials, for one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.commands.email_parser import AnsweredBoard
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.parser import is_template, read_call
from pbmserv.context import Outcome
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.command_lines import Line
from pbmserv.intake.known_senders import KnownSender
from pbmserv.mail.incoming import IncomingMail
from pbmserv.security.credentials import BY_ADDRESS, NEWS, TALK, Credentials, Identity
from pbmserv.text.numbers import whole_of_any_script
from pbmserv.text.subject_prefixes import bare_subject

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail


@dataclass(frozen=True, slots=True)
class Request:
    """A request: an email that was read, with its commands line by line, and its credentials.

    `kept_back` is why lines of its message were left out: `stray_passwords` has the
    reasons.
    `found` are its first lines, as its sender may be shown them.  `token` is the letter's token of
    the email, for a reply to our answer, and `answered` its meaning.  `unconfirmed` is the token of
    a letter that asked for a yes, if the text is not one.  `done` are the outcomes of the first
    lines, if they were executed before the email's transaction.  `known` is what the database knew
    of its sender a moment ago; None if that may have changed.  `wants_help`: it asks how to go on
    at the board of the answered letter.
    """

    incoming: IncomingMail
    mail: Mail
    lines: tuple[Line, ...]
    message: str
    cut: str
    credentials: Credentials
    kept_back: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    token: str = ""
    answered: Identity | None = None
    unconfirmed: str = ""
    done: tuple[Outcome, ...] = ()
    known: KnownSender | None = None
    wants_help: bool = False


def reply_by_subject(subject: str) -> AnsweredBoard | None:
    """The board of a reply without a token: the one in its Subject, if that is a game letter's."""
    text = bare_subject(subject)
    if not any(map(str.isdigit, text)):  # as most Subjects of strangers: it names no board
        return None
    call = read_call(text, vocabulary())
    if call is None or call.name != "move" or not is_template(call, text):
        return None
    number = whole_of_any_script(call.words[0] if call.words else "", LARGEST_NUMBER)
    return None if number is None else AnsweredBoard(number, BY_ADDRESS)


def reply_of(mail: Mail, token: str, answered: Identity | None) -> AnsweredBoard | None:
    """What an email replies to about a board: by its token, or by its Subject if it is proven."""
    if answered and answered.board is not None:
        return AnsweredBoard(answered.board, token, answered.about == TALK, answered.about == NEWS)
    return reply_by_subject(mail.subject) if mail.authenticated else None
