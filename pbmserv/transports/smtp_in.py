"""The SMTP door: mail straight from mail programs and mail servers (RFC 5321)."""

from __future__ import annotations

from pbmserv.transports.smtp_session import STORED, SmtpSession


class SmtpIn(SmtpSession):
    """SMTP: one reply to a mail, however many recipients it has."""

    door = "smtp"

    async def answer_data(self, outcomes: list[str]) -> None:
        """250 only if the mail is stored for all: else the sender keeps it and sends it again."""
        await self.push(next((reply for reply in outcomes if reply != STORED), STORED))
