"""SMTP: email directly from mail programs and mail servers (RFC 5321)."""

from __future__ import annotations

from pbmserv.transports.smtp_session import STORED, IncomingSession


class SmtpIn(IncomingSession):
    """SMTP: one reply to an email with any number of recipients."""

    transport_name = "smtp"

    async def answer_data(self, outcomes: list[str]) -> None:
        """Answer 250 only if the email is stored for all: else the sender must send it again."""
        await self.push(next((reply for reply in outcomes if reply != STORED), STORED))
