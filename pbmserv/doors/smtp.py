"""The SMTP door: mail straight from mail programs and mail servers (RFC 5321)."""

from __future__ import annotations

from pbmserv.doors.conversation import STORED, Accept, Conversation
from pbmserv.doors.listener import Listener, listen


class SmtpConversation(Conversation):
    """SMTP: one reply to a mail, however many recipients it has."""

    door = "smtp"

    async def answer_data(self, outcomes: list[str]) -> None:
        """250 only if the mail is stored for all: else the sender keeps it and sends it again."""
        await self.push(next((reply for reply in outcomes if reply != STORED), STORED))


async def listen_smtp(
    where: str,
    *,
    address: str,
    largest_mail: int,
    accept: Accept,
) -> Listener:
    """Opens the door at `where`: `127.0.0.1:8025`, `[::1]:25` or `unix:/path`.

    Takes mail for `address`, with or without a plus part, of at most `largest_mail` bytes.
    `accept` returns when a mail is durably stored.  Raises Misconfigured if nobody can listen
    there.
    """
    return await listen(SmtpConversation, where, address, largest_mail, accept)
