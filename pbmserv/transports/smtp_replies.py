"""The replies of a relay (RFC 5321, 4.2), and whether each belongs to what was asked.

A relay that sends one reply too many is out of step.  It may be waiting for the data of a letter
that we have given up.  Then our next commands, and the next letter, would become part of that
letter, and would go to its recipient.  So nothing more may be sent on such a connection.
"""

from __future__ import annotations

import smtplib
from typing import Any

from pbmserv.text.printable import printable

START_OF_DATA = 354
PERMANENT = 500
_POSITIVE, _NEGATIVE = range(200, 300), range(400, 600)
_SHOWN = 200  # bytes of what nobody asked for, as the operator is shown it

Reply = tuple[int, str]


class OutOfStep(smtplib.SMTPException):
    """A reply that cannot be the one to its command."""


def reply_of(smtp: smtplib.SMTP) -> Reply:
    """The next reply, with its text on one line; raises OSError or SMTPException."""
    code, words = smtp.getreply()
    if code < 0:
        raise smtplib.SMTPServerDisconnected("not an SMTP reply")
    return code, printable(words)


def is_positive(reply: Reply) -> bool:
    """Whether the relay agreed: 2xx."""
    return reply[0] in _POSITIVE


def require_envelope(mail: Reply, recipient: Reply, start: Reply) -> None:
    """Raise OutOfStep if these cannot be the replies to MAIL, RCPT and DATA.

    DATA is begun by 354 alone, and a recipient is not accepted after a refused sender.
    """
    are_final = is_positive(mail) or (_is_negative(mail) and not is_positive(recipient))
    are_final &= is_positive(recipient) or _is_negative(recipient)
    if not are_final or not (start[0] == START_OF_DATA or _is_negative(start)):
        codes = f"{mail[0]}, {recipient[0]}, {start[0]}"
        raise OutOfStep(f"{codes} cannot be the replies to MAIL, RCPT and DATA")


def require_end(final: Reply) -> None:
    """Raise OutOfStep if this cannot be the reply to the data of a letter."""
    if not (is_positive(final) or _is_negative(final)):
        raise OutOfStep(f"{final[0]} cannot be the reply to the data")


def require_silence(smtp: smtplib.SMTP) -> None:
    """Raise SMTPServerDisconnected if the relay has said something that nobody asked for."""
    connection: Any = smtp.sock
    if smtp.file is None:
        return
    connection.settimeout(0)
    said = smtp.file.peek(1)
    connection.settimeout(None)
    if said:
        unasked = printable(said[:_SHOWN].split(b"\n")[0])
        raise smtplib.SMTPServerDisconnected(f"it said unasked: {unasked}")


def _is_negative(reply: Reply) -> bool:
    """Whether the relay refused: 4xx or 5xx."""
    return reply[0] in _NEGATIVE
