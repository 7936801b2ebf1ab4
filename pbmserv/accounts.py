"""What a userid, a password and an address may look like.

Nothing here knows the database; who has which of them is in `players.py`.  The rules are those
of the manual: a userid is 2 to 20 letters, digits, `.`, `_`, `-` and starts with a letter.
"""

from __future__ import annotations

import re

from pbmserv.errors import Refused

SHORTEST_USERID, LONGEST_USERID = 2, 20
SHORTEST_PASSWORD, LONGEST_PASSWORD = 4, 128
_LONGEST_ADDRESS = 254  # RFC 5321 4.5.3.1.3: a path has 256 octets, two of them are < and >

_USERID = re.compile(r"[A-Za-z][A-Za-z0-9._-]*", re.ASCII)
_ADDRESS = re.compile(
    r"(?P<local>[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*)"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)",
    re.ASCII,
)
_LONGEST_LOCAL = 64  # RFC 5321 4.5.3.1.1

# Words that stand where a userid could: a player of that name could not be spoken of.
_WORDS = """
accept active add all allow board broadcast call calza challenge change chat confirm daemon
delete deliver draw dudo end everybody everyone exact games help history inactive inf limit list
mailer-daemon message move multiple next no nobody none notify off on order owner pacao pass
perudo postmaster preview propose queue rating ratings receive record referee reject reset
resign root rules seek serve server set show showas signoff signup standin standings stats
submit subscribe swap takeover undo unsubscribe vacation verify watch won yes"""
RESERVED = frozenset(_WORDS.split())
_RESERVED_BEGINNINGS = ("house", "pbmserv")

# Mail programs turn these into one another, and the grammar gives blanks, quotes and colons a
# meaning of their own: a password that holds one could not be written down reliably.
_UNWRITABLE = set("'\"`´:‘’‚‛“”„‟«»‹›′″")


def check_userid(userid: str) -> None:
    """Raise Refused `bad_userid` with `why`: length, characters or reserved."""
    why = ""
    if not SHORTEST_USERID <= len(userid) <= LONGEST_USERID:
        why = "length"
    elif not _USERID.fullmatch(userid):
        why = "characters"
    elif userid.lower() in RESERVED or userid.lower().startswith(_RESERVED_BEGINNINGS):
        why = "reserved"
    if why:
        shown = userid[:LONGEST_USERID]
        raise Refused(
            "bad_userid", userid=shown, why=why, least=SHORTEST_USERID, most=LONGEST_USERID
        )


def check_password(password: str) -> None:
    """Raise Refused `bad_password` with `why`: length or characters.  It is never quoted.

    It may not begin with `-` or `#`: those are parameters and move numbers to the grammar.
    """
    why = ""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        why = "length"
    elif password[0] in "-#" or not all(map(_is_writable, password)):
        why = "characters"
    if why:
        raise Refused("bad_password", why=why, least=SHORTEST_PASSWORD, most=LONGEST_PASSWORD)


def _is_writable(character: str) -> bool:
    return character.isprintable() and character != " " and character not in _UNWRITABLE


def address_key(address: str) -> str:
    """The address as it is kept and compared: in lower case.

    Raises Refused `bad_address` when mail cannot be sent there.
    """
    found = _ADDRESS.fullmatch(address) if len(address) <= _LONGEST_ADDRESS else None
    if not found or len(found["local"]) > _LONGEST_LOCAL:
        raise Refused("bad_address", address=address[:_LONGEST_ADDRESS])
    return address.lower()
