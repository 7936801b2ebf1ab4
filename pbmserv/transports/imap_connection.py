"""imaplib's client for one mailbox, within the limits of a `BoundedConnection`."""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import Sequence

from imap_tools import BaseMailBox

from pbmserv.transports.bounded_connection import BoundedConnection, Encryption, Wire, connected

_TOLD_OF = "EXISTS"  # a server announces it unasked, and we ask for it later


class ImapConnection(imaplib.IMAP4):
    """imaplib's client, in TLS from the start if there is a context."""

    def __init__(
        self, host: str, port: int, dialogue: BoundedConnection, context: ssl.SSLContext | None
    ) -> None:
        self._dialogue, self._context = dialogue, context
        super().__init__(host, port)

    def _create_socket(self, timeout: float | None) -> Wire:
        return connected(self.host, self.port, self._dialogue, self._context)

    def read(self, size: int) -> bytes:
        """A literal of so many bytes, within the limit on bytes received."""
        if size > self._dialogue.bytes_left:
            raise self.abort(f"it announces {size} bytes, more than it should")
        return super().read(size)

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Continue in TLS."""
        self.starttls(Encryption(context).as_context)

    def forget(self) -> None:
        """Discard unsolicited responses, which imaplib otherwise keeps forever."""
        said = self.untagged_responses
        for kind in set(said) - {_TOLD_OF}:
            del said[kind]
        if _TOLD_OF in said:
            del said[_TOLD_OF][:-1]


class BoundedMailBox(BaseMailBox):
    """imap-tools' mailbox around such a client."""

    def __init__(
        self, host: str, port: int, dialogue: BoundedConnection, context: ssl.SSLContext | None
    ) -> None:
        self._arguments = host, port, dialogue, context
        super().__init__()

    def _get_mailbox_client(self) -> ImapConnection:
        return ImapConnection(*self._arguments)


def last_words(parts: Sequence[object]) -> str:
    """The text at the end of an answer."""
    said = [part for part in parts if isinstance(part, bytes)]
    return said[-1].decode("utf-8", "replace") if said else "nothing said"
