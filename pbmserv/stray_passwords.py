"""Stray passwords: one above a text for others, where a letter's token made it needless.

Only the password's hash is known, so words are tried, and few of them in an hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from sqlalchemy import select

from pbmserv import failures, limits, models
from pbmserv.accounts import SHORTEST_PASSWORD
from pbmserv.database import reading, writing
from pbmserv.desk import Voucher
from pbmserv.games.perudo.moves import MOVE_WORDS
from pbmserv.languages import words_of
from pbmserv.vouchers import Trying

MOST_FIRST_LINES = 10  # words in an hour that are compared with a player's password
HOUR = 3600  # seconds
_FIRST_LINES = "first lines"
_SPEAKS_OF_IT = words_of("passwords")
_BID = re.compile(r"[0-9]{1,3}\W{0,3}[x*]?\W{0,3}(?:[0-9]{1,2}'?s?)?", re.ASCII | re.IGNORECASE)
_SPOKEN = re.compile("[:=：]")  # between a name and a value: "password:swordfish"
_AROUND = re.compile(r"^[\W_]{1,10}|[\W_]{1,10}$")
_LONGEST_LINE = 200  # characters: a password has at most 128


def without_password(trying: Trying, message: str) -> str:
    """A text for others without its first line, where that is the password of its writer.

    Only a letter's token vouches for the writer here, so that a hash may be needed.  Where too
    many words were tried so in an hour, the line is left out, whatever it is.
    """
    shown = [each for each in trying.vouchers.tried.values() if isinstance(each, Voucher)]
    by_token = {each.player for each in shown if each.board is not None}
    by_token -= {each.player for each in shown if each.board is None}
    for player in by_token:
        first, *rest = message.split("\n")
        for word in _may_be_one(first, _userid(trying, player)):
            if _is_of(trying, player, word):
                return "\n".join(line for line in rest if word not in line).strip()
    return message


def _userid(trying: Trying, player: int) -> str:
    with reading(trying.engine) as connection:
        query = select(models.Player.userid_key).where(models.Player.id == player)
        return str(connection.execute(query).scalar_one())


def _may_be_one(line: str, userid: str) -> Iterator[str]:
    """The words of a line that may be a password: one by itself, beside a move, or spoken of.

    As it is first, then without what people and mail programs put around words.
    """
    seen = "".join(each for each in line[:_LONGEST_LINE] if category(each) != "Cf")
    words = [word for word in seen.split() if any(map(str.isalnum, word))]
    if len(words) > 1 and any(part in seen.lower() for part in _SPEAKS_OF_IT):
        words = words[-1:]
    elif len(words) > 1:
        words = [word for word in words if not _is_beside(word.lower(), userid)]
    if len(words) != 1:
        return
    (word,) = words
    forms = word, _AROUND.sub("", word), _SPOKEN.split(word)[-1]
    yield from (each for each in dict.fromkeys(forms) if len(each) >= SHORTEST_PASSWORD)


def _is_beside(word: str, userid: str) -> bool:
    """Whether a word is a move or the writer's name: a password may stand beside these."""
    bare = _AROUND.sub("", word)
    return bare in MOVE_WORDS or bare in {userid, "perudo", "move"} or bool(_BID.fullmatch(bare))


def _is_of(trying: Trying, player: int, word: str) -> bool:
    """Whether a word is the player's password, or may not be tried any more."""
    counted = _FIRST_LINES, str(player)
    with reading(trying.engine) as connection:
        row = models.Player
        query = select(row.userid_key, row.password_hash).where(row.id == player)
        key, stored = connection.execute(query).one()
        if trying.passwords.remembers(key, stored, word, trying.now):
            return True
        proven = trying.is_from(key)
        asker = failures.asker(connection, key, trying.sender, proven=proven)
        if not limits.allowed(connection, *counted, MOST_FIRST_LINES, HOUR, trying.now):
            return True
    trying.gate(asker)
    with writing(trying.engine, durable=False) as connection:
        limits.note(connection, *counted, HOUR, trying.now)
    return trying.passwords.prove(key, stored, word, trying.now)
