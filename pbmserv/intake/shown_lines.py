"""The lines of an email without a command, as its sender may be shown them."""

from __future__ import annotations

from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.intake.command_lines import is_unknown
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.request import Request
from pbmserv.intake.stray_passwords import comparing


def lines_shown(request: Request, check: CredentialCheck) -> tuple[str, ...]:
    """The first lines of an email without a command, as its sender may be shown them.

    No password is expected in a reply to a game letter, or from a proven address.  So most words
    are shown but the password itself.  At another address than the player's, that would help to
    guess it.
    """
    if request.mail.automatic or not all(map(is_unknown, request.lines)):
        return ()
    from pbmserv.intake.excerpt import lines_found  # noqa: PLC0415 - a shell command reads no email

    written = request.mail.subject, request.mail.typed, vocabulary(), reads_as_move
    writer = request.answered
    if writer is None and request.mail.authenticated:
        writer = check.only_player()
    if writer is None or writer.is_void or not check.is_at_own_address(writer):
        return lines_found(*written)
    return lines_found(*written, comparing(check, writer), request.mail.name.lower().split())
