"""Stray passwords: beside a text for others, although a letter's token made one unnecessary.

Only the password's hash is known, so words are compared with it, a few each hour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from unicodedata import category

from sqlalchemy import bindparam, select

from pbmserv.boards import authorship
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.disclosure.search import bare
from pbmserv.games.perudo.move_parser import MOVE_WORDS
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.greetings import is_greeting
from pbmserv.intake.password_redaction import is_bid, is_everyday
from pbmserv.players import accounts, login_throttle
from pbmserv.players.login_throttle import Asker
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import SHORTEST_PASSWORD, Identity
from pbmserv.text.phrases import single_words, words_of
from pbmserv.text.unicode_forms import unmarked
from pbmserv.values import dataclass

MOST_FIRST_LINES = 10  # words an hour that are compared with a player's password
MOST_LAST_LINES = 2  # lines of a single word at the end of a text that are compared, too
MOST_NAMED = 4  # words of a line that speaks of a password that are compared
MOST_SHOWN = 4  # words of an email that are compared so that they may be shown again
HOUR = 3600  # seconds
_POLITE = "thanks", "greetings", "manners", "turn_manners", "move_leads"
_FIRST_LINES = "first lines"
_SPOKEN = re.compile("[:=：]")  # between a name and a value: "password:swordfish"
_LONGEST_LINE = 200  # characters: a password has at most 128
_PLAYER = select(models.Player.userid_key, models.Player.password_hash).where(
    models.Player.id == bindparam("player")
)


def without_password(
    trying: CredentialCheck, message: str, userids: Mapping[int, str] | None = None
) -> str:
    """A text for others without a line that is the password of its writer.

    The first line is compared with it, and the last lines of a single word, where a name may stand.
    Here only a letter's token identifies the writer, so a hash may be needed.  If too many words
    were compared within an hour, or the token is spent, nothing is compared: otherwise an old
    letter would help to guess the password.  Then such a line is always left out, except a greeting
    at the end.

    `userids`, in lower case, are those of players that are known already.  A text without a word to
    compare then costs no query.
    """
    shown = [each for each in trying.credentials.tried.values() if isinstance(each, Identity)]
    by_token = {each.player: each for each in shown if each.board is not None}
    by_password = {each.player for each in shown if each.board is None}
    lines = message.split("\n")
    compared = _compared_lines(lines)
    for player in by_token.keys() - by_password if compared else ():
        userid = userids.get(player) if userids else None
        if userid and not any(any(_may_be_one(line, userid)) for line in compared):
            continue
        writer = _writer(trying, by_token[player])
        for line in compared:
            for word in _may_be_one(line, writer.userid):
                if_uncompared = line is lines[0] or not is_greeting(line)
                if _is_of(trying, writer, word, if_uncompared=if_uncompared):
                    left = (each for each in lines if each != line and word not in each)
                    return "\n".join(left).strip()
    return message


def _compared_lines(lines: Sequence[str]) -> list[str]:
    """The first line of a text, and its last lines of a single word, that may be a password."""
    alone = [line for line in lines[1:] if len(line.split()) == 1][-MOST_LAST_LINES:]
    return [line for line in (lines[0], *alone) if _has_one(line)]


def is_no_password(trying: CredentialCheck, shown: Identity) -> Callable[[str], bool]:
    """A function that says whether a word is not the password of the writer of a reply.

    `shown` is the meaning of the letter's token.  The first MOST_SHOWN words are compared with the
    password; for others the function says False.
    """
    writer = _writer(trying, shown)
    compared = 0

    @cache
    def is_safe(word: str) -> bool:
        nonlocal compared
        compared += 1
        forms = dict.fromkeys((word, bare(word)))
        return compared <= MOST_SHOWN and not any(_is_of(trying, writer, each) for each in forms)

    return is_safe


def may_hold_password(line: str) -> bool:
    """Whether a line may be a password, alone or named as one, and is left out without a check."""
    words = _words(line)
    is_meant = len(words) == 1 or _name_one(words)
    return is_meant and next(_may_be_one(line, ""), None) is not None


@dataclass(frozen=True, slots=True)
class _Writer:
    """The player of a token: userid in lower case, and hash of the password.

    `asked()` returns the kind of asker, and whether words may be compared with the password.
    """

    player: int
    userid: str
    stored: str
    asked: Callable[[], tuple[Asker, bool]]


def _writer(trying: CredentialCheck, shown: Identity) -> _Writer:
    """The player of a token."""
    with reading(trying.engine) as connection:
        key, stored = connection.execute(_PLAYER, {"player": shown.player}).one()
    return _Writer(shown.player, key, stored, cache(partial(_asked, trying, shown, key)))


def _asked(trying: CredentialCheck, shown: Identity, key: str) -> tuple[Asker, bool]:
    """Who asks, and whether words may be compared: a spent token must not help to guess."""
    counted = _FIRST_LINES, str(shown.player), MOST_FIRST_LINES, HOUR, trying.now
    with reading(trying.engine) as connection:
        asker = login_throttle.asker(connection, key, trying.sender, proven=trying.is_from(key))
        proves = trying.credentials.proven and asker is Asker.PROVEN
        own = {each.id for each in accounts.players_of_address(connection, trying.sender)}
        room = proves or authorship.counts_still(connection, shown, trying.now, own)
        return asker, room and fixed_window.allowed(connection, *counted)


def _may_be_one(line: str, userid: str) -> Iterator[str]:
    """The words of a line that may be a password: alone, beside a move, or named as one.

    Each is returned as it is, then without the signs that people and mail programs put around
    words.
    """
    words = _words(line)
    if _name_one(words):
        words = _named(words)
    elif len(words) > 1:
        words = [word for word in _unusual(words) if bare(word.lower()) != userid]
        words = words if len(words) == 1 else []
    for word in words:
        forms = word, bare(word), _SPOKEN.split(word)[-1]
        yield from (each for each in dict.fromkeys(forms) if len(each) >= SHORTEST_PASSWORD)


def _has_one(line: str) -> bool:
    """Whether a word of the line may be the password of some player."""
    words = _words(line)
    if len(words) <= 1 or _name_one(words):
        return bool(words)
    # Only the name, which may be repeated, is beside a password.
    unusual = {bare(word.lower()) for word in _unusual(words)}
    return 0 < len(unusual) <= len(("password", "name"))


def _words(line: str) -> list[str]:
    """The words of a line that have a letter or a digit, without invisible characters."""
    seen = "".join(each for each in line[:_LONGEST_LINE] if category(each) != "Cf")
    return [word for word in seen.split() if any(map(str.isalnum, word))]


def _name_one(words: Sequence[str]) -> bool:
    """Whether the words of a line speak of a password, so that one of them may be it."""
    said = " ".join(words).lower()
    is_named = any(part in said for part in words_of("passwords"))
    return len(words) > 1 and (is_named or any(map(_is_key, words)))


def _is_key(word: str) -> bool:
    """Whether it is a word such as "key", by which people may call a password."""
    return bare(word.lower()) in words_of("password_words")


def _named(words: Sequence[str]) -> list[str]:
    """The last word, and a few of the others that are not frequent in any text."""
    others = [each for each in words[:-1] if not is_everyday(each)]
    found = [each for each in (words[-1], *others) if not _is_key(each)]
    return found[:MOST_NAMED]


def _unusual(words: Sequence[str]) -> list[str]:
    """The words of a line that are no part of a move, nor polite ones such as "thanks"."""
    polite = single_words(*_POLITE)
    bared = ((word, bare(word.lower())) for word in words)
    return [word for word, plain in bared if not (plain in polite or _is_of_moves(plain))]


def _is_of_moves(word: str) -> bool:
    """Whether a word may be beside a password, as a part of a move."""
    return (
        word in MOVE_WORDS
        or unmarked(word) in words_of_moves()
        or word in {"perudo", "move"}
        or is_bid(word)
    )


def _is_of(
    trying: CredentialCheck, writer: _Writer, word: str, *, if_uncompared: bool = True
) -> bool:
    """Whether a word is the writer's password; `if_uncompared` if it may not be compared."""
    key, stored, now = writer.userid, writer.stored, trying.now
    asker, is_allowed = writer.asked()
    if not is_allowed:
        return if_uncompared
    if trying.passwords.remembers(key, stored, word, now):
        return True
    trying.gate(asker)
    counted = _FIRST_LINES, str(writer.player)
    with writing(trying.engine, durable=False) as connection:
        if not fixed_window.allowed(connection, *counted, MOST_FIRST_LINES, HOUR, now):
            return if_uncompared
        fixed_window.note(connection, *counted, HOUR, now)
    return trying.passwords.prove(key, stored, word, now)
