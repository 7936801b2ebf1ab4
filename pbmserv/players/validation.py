"""What a password and an address may look like, and which addresses are the server's own.

This module does not use the database; `players/accounts.py` knows who has which address.  The rules
for userids are in `players/userids.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pbmserv.errors import Refused
from pbmserv.mail.addresses import without_extension
from pbmserv.security.credentials import LONGEST_PASSWORD, SHORTEST_PASSWORD
from pbmserv.settings import Settings

MOST_ADDRESSES = 5  # of one account
_LONGEST_ADDRESS = 254  # RFC 5321 4.5.3.1.3: a path has 256 octets, two of them are < and >

_ADDRESS = re.compile(
    r"(?P<local>[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*)"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)",
    re.ASCII,
)
_LONGEST_LOCAL = 64  # RFC 5321 4.5.3.1.1

# Mail programs replace these with one another, and blanks, quotes and colons have a meaning in
# commands. So a password with one of them could not be typed reliably.
_UNWRITABLE = set("'\"`´:‘’‚‛“”„‟«»‹›′″")
# What our letters print where a password belongs, and in an example: everybody knows it.
_PLACEHOLDERS = {"PASSWORD", "NEWPASSWORD", "some-long-words"}


def check_password(password: str) -> None:
    """Raise Refused `bad_password` with `why`: length, characters or placeholder.

    It is never quoted.  It may not begin with `-` or `#`, which mark options and move numbers in
    commands.
    """
    why = ""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        why = "length"
    elif password[0] in "-#" or not all(map(_is_writable, password)):
        why = "characters"
    elif password in _PLACEHOLDERS:
        why = "placeholder"
    if why:
        raise Refused("bad_password", why=why, least=SHORTEST_PASSWORD, most=LONGEST_PASSWORD)


def _is_writable(character: str) -> bool:
    return character.isprintable() and character != " " and character not in _UNWRITABLE


def address_key(address: str) -> str:
    """The address as it is stored and compared: in lower case.

    Raises Refused `bad_address` if no email can be sent to it.  A word without @ may be a password
    in a wrong place, so the refusal does not name it.
    """
    found = _ADDRESS.fullmatch(address) if len(address) <= _LONGEST_ADDRESS else None
    if not found or len(found["local"]) > _LONGEST_LOCAL:
        shown = address[:_LONGEST_ADDRESS] if "@" in address else ""
        raise Refused("bad_address", address=shown)
    return address.lower()


def ours(settings: Settings) -> list[str]:
    """The addresses whose email comes to this server, each without a plus extension."""
    return [settings.address, *([settings.imap_user] if "@" in settings.imap_user else [])]


def address_keys(addresses: Iterable[str], ours: Sequence[str]) -> list[str]:
    """The addresses of an account as they are stored, without duplicates.

    Raises Refused `bad_address`, `no_address` or `too_many_addresses`.  Raises `our_address` for
    one of `ours`, with any plus extension, because email sent there comes back to this server.
    """
    written = list(dict.fromkeys(address_key(each) for each in addresses))
    if not written:
        raise Refused("no_address")
    if len(written) > MOST_ADDRESSES:
        raise Refused("too_many_addresses", most=MOST_ADDRESSES, given=len(written))
    own = {without_extension(each) for each in ours}
    if found := [each for each in written if without_extension(each) in own]:
        raise Refused("our_address", address=found[0])
    return written
