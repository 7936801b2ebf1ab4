"""The message in an email: what was typed, without commands and without its own move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pbmserv.commands.framework import vocabulary
from pbmserv.errors import Refused
from pbmserv.intake import below_mark
from pbmserv.intake.password_redaction import without_commands
from pbmserv.intake.replies.repeated_moves import without_repeated_move
from pbmserv.intake.stray_passwords import BELOW, COMMAND, TOLD
from pbmserv.intake.told_passwords import without_told_passwords
from pbmserv.text.subject_prefixes import bare_subject

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail


def message_for_others(
    mail: Mail, text: str, asked: Sequence[click.Context | Refused], *, is_reply: bool
) -> tuple[str, tuple[str, ...]]:
    """The text below the commands `asked` as it may be sent, and why lines of it are kept back."""
    message, why = without_commands(text), list[str]()
    if _has_lost_a_command(mail, text, message):
        why.append(COMMAND)
    # A line with a command, or read as one, may announce the password below it.
    told = without_commands(without_told_passwords(text, _above(mail, text)))
    if told != message:
        message, why = told, [*why, TOLD]
    if is_reply and below_mark.has_words(mail.typed, mail.below, vocabulary()):
        why.append(BELOW)
    return without_repeated_move(message, asked), tuple(why)


def _above(mail: Mail, text: str) -> list[str]:
    """The Subject and the typed lines above a text."""
    typed, left = "\n".join(mail.typed).rstrip(), text.strip()
    is_end = bool(left) and typed.endswith(left)
    return [bare_subject(mail.subject), *(typed.removesuffix(left).split("\n") if is_end else ())]


def _has_lost_a_command(mail: Mail, text: str, left: str) -> bool:
    """Whether a text has lost lines meant as commands, other than the Subject again."""
    if len(left) >= len(text.strip()):
        return False
    kept, again = left.split("\n"), bare_subject(mail.subject)
    lost = (each for each in text.strip().split("\n") if each not in kept)
    return any(bare_subject(each) != again for each in lost)
