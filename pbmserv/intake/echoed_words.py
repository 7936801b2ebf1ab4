"""Find the sender's password among the words of a command that takes none: `help swordfish`.

The refusal of such a command shows its words again, and a letter with them is stored.  So words
that are not known are compared with the sender's password, as many as in other texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

import click

from pbmserv.commands import manual
from pbmserv.commands.framework import Secret, vocabulary
from pbmserv.database.engine import reading
from pbmserv.errors import Refused
from pbmserv.intake.password_redaction import is_everyday, is_of_a_move
from pbmserv.players import accounts
from pbmserv.security.credentials import (
    ALLOWED,
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
    Identity,
)

if TYPE_CHECKING:
    from pbmserv.intake.credential_check import CredentialCheck

UNKNOWN = "unknown_command"  # the code of a refusal
_PARTS = re.compile("[,;:/]")  # between words that somebody has written as one
_MOST_READ = 20  # words of an email that are looked at


def stray_password(
    lines: Sequence[click.Context | Refused], check: CredentialCheck, answered: Identity | None
) -> str:
    """The word of parsed lines that has the sender's password, where nothing asked for one; or "".

    The sender is the reader of the answered letter, or the only player of the address.  A command
    with the right password has blanked it already.
    """
    if not check.sender or any(
        isinstance(each, Identity) and each.board is None and word != ALLOWED
        for (_, word), each in check.credentials.tried.items()
    ):
        return ""
    if len(lines) == 1 and isinstance(lines[0], Refused) and not lines[0].facts.get("nearest"):
        return ""  # its word is not shown again
    shown = {part: word for line in lines for word in _echoed(line) for part in _PARTS.split(word)}
    doubtful = [*islice(filter(_may_be_password, shown), _MOST_READ)]
    unknown = _without_userids(check, doubtful)
    writer = (answered or check.only_player()) if unknown else None
    if writer is None or writer.is_void or not check.is_at_own_address(writer):
        return ""
    from pbmserv.intake.stray_passwords import password_among  # noqa: PLC0415 - it reads phrases

    return shown.get(password_among(check, writer, unknown), "")


def _echoed(line: click.Context | Refused) -> Iterator[str]:
    """The words of a parsed line that its refusal may show again.

    A line that could not be parsed hides most of them already, but not the first word, where no
    command is called so.
    """
    if isinstance(line, Refused):
        yield from str(line.facts["word"]).split() if line.code == UNKNOWN else ()
        return
    secrets = {each.name for each in line.command.params if isinstance(each, Secret)}
    for name, value in line.params.items():
        for text in _texts(value) if name not in secrets else ():
            yield from (word for each in text.split() for word in each.split("="))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, tuple) else []


def _may_be_password(word: str) -> bool:
    """Whether a word has the length of a password, and no command, page or move has it."""
    said = word.lower()
    if not SHORTEST_PASSWORD <= len(word) <= LONGEST_PASSWORD or "@" in word:
        return False
    return said not in _known() and not is_everyday(said) and not is_of_a_move(word)


@cache
def _known() -> frozenset[str]:
    """The words of commands, and of the names of pages."""
    commands = (word for words in vocabulary().values() for word in words)
    return frozenset((*commands, *(word for page in manual.pages() for word in page.split())))


def _without_userids(check: CredentialCheck, words: Sequence[str]) -> list[str]:
    """The words that name no player."""
    if not words:
        return []
    with reading(check.engine) as connection:
        return [word for word in words if accounts.find(connection, word) is None]
