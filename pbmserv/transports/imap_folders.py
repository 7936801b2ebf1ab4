"""The folders of an IMAP mailbox, by names that every server understands.

In our names "/" replaces the folder separator of the server.  Some servers have all folders below
INBOX.  Gmail's labels are folders for us.
"""

from __future__ import annotations

import re
from contextlib import suppress

from imap_tools import BaseMailBox
from imap_tools.utils import encode_folder

from pbmserv.errors import Misconfigured

_SEPARATOR = re.compile(rb'\) "\\?([!-~])" ')


class Folders:
    """The folders of one mailbox after the login."""

    def __init__(self, box: BaseMailBox) -> None:
        self._client = box.client
        listed = self._client.list('""', '""')[1]
        found = _SEPARATOR.search(listed[0]) if listed and isinstance(listed[0], bytes) else None
        self._separator = found[1].decode("ascii") if found else "/"

    def found(self, name: str) -> str:
        """An existing folder; raises Misconfigured."""
        for each in self._names(name):
            if self._client.status(quoted(each), "(MESSAGES)")[0] == "OK":
                return each
        raise Misconfigured(f"there is no folder {name!r}")

    def found_or_made(self, name: str) -> str:
        """A folder, created if it is missing; raises Misconfigured."""
        with suppress(Misconfigured):
            return self.found(name)
        for each in self._names(name):
            if self._client.create(quoted(each))[0] == "OK":
                self._client.subscribe(quoted(each))  # otherwise mail programs may not show it
                return each
        raise Misconfigured(f"the folder {name!r} cannot be created")

    def _names(self, name: str) -> tuple[str, ...]:
        plain = name.replace("/", self._separator)
        return (plain,) if plain.upper() == "INBOX" else (plain, f"INBOX{self._separator}{plain}")


def quoted(folder: str) -> str:
    """A folder's name as an argument of a command: in IMAP's UTF-7 and in quotes."""
    return encode_folder(folder).decode("ascii")
