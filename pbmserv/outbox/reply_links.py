"""Addresses that the links of a letter open: a reply with a word, an email with a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

_SIGNATURE = "\r\n\r\n-- \r\n"  # what a mail program adds below it is nobody's words


@dataclass(frozen=True, slots=True)
class ReplyLinks:
    """The links of a letter: `address` is the server's, `reply_to` takes replies, or is ""."""

    address: str
    reply_to: str
    subject: str

    @property
    def reply(self) -> Callable[[str], str] | None:
        """Makes the address of a reply with a word; None if a reply is not understood."""
        return self._reply if self.reply_to else None

    def _reply(self, word: str) -> str:
        return _mailto(self.reply_to, f"Re: {self.subject}", word + _SIGNATURE)

    @property
    def command(self) -> Callable[[str], str]:
        """Makes the address of an email with a command as its Subject."""
        return lambda line: _mailto(self.address, line, "")


def _mailto(address: str, subject: str, body: str) -> str:
    found = f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='')}"
    return f"{found}&body={quote(body, safe='')}" if body else found
