"""LMTP: email from a mail server on this machine or near it (RFC 2033)."""

from __future__ import annotations

from typing import ClassVar

from pbmserv.transports.smtp_session import IncomingSession


class LmtpIn(IncomingSession):
    """LMTP: greets with LHLO, and answers an email once for every accepted recipient."""

    transport_name = "lmtp"
    commands: ClassVar[list[str]] = [*IncomingSession.commands, "smtp_LHLO"]

    async def check_helo_needed(self, helo: str = "LHLO") -> bool:
        """Whether the greeting is missing; a reply has then asked for it."""
        return await super().check_helo_needed(helo)

    async def smtp_LHLO(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """LMTP's greeting."""
        await super().smtp_EHLO(arg)

    async def smtp_HELO(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Refuse SMTP's greeting (RFC 2033, 4.1)."""
        await self.push("500 5.5.1 This is LMTP: greet with LHLO")

    async def smtp_EHLO(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Refuse SMTP's greeting (RFC 2033, 4.1)."""
        await self.smtp_HELO(arg)

    async def answer_data(self, outcomes: list[str]) -> None:
        """One reply for each recipient, in the order of the RCPT commands (RFC 2033, 4.2)."""
        await self.push("\r\n".join(outcomes))
