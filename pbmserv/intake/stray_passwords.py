"""Stray passwords: beside a text for others, although a letter's token made one unnecessary.

Only the password's hash is known, so words are compared with it, a few each hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, partial

from sqlalchemy import Connection, bindparam, select

from pbmserv.boards import authorship
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.disclosure.search import bare
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.greetings import is_greeting
from pbmserv.intake.likely_passwords import (
    SPOKEN,
    is_frequent,
    is_of_moves,
    likely_passwords,
    named,
    names_one,
    seen,
    words_in,
)
from pbmserv.players import accounts, login_throttle
from pbmserv.players.login_throttle import Asker
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.security.credentials import ALLOWED, SHORTEST_PASSWORD, Identity
from pbmserv.text.phrases import single_words
from pbmserv.timeunits import DAY
from pbmserv.values import dataclass

MOST_FIRST_LINES = 10  # words an hour that are compared with a player's password
MOST_LAST_LINES = 2  # lines of a single word at the end of a text that are compared, too
MOST_SHOWN = 4  # words of an email that are compared so that they may be shown again
MOST_BESIDE = 4  # other words of an email that are compared: each takes a tenth of a second
BESIDE_DAILY = 40  # such words of a player in a day
ALL_BESIDE_DAILY = 4000  # those of all players, a quarter of them at once, as in every bucket
HOUR = 3600  # seconds
_POLITE = "thanks", "greetings", "manners", "turn_manners", "move_leads"
_OF_ALL = Share("words beside, of all", ALL_BESIDE_DAILY)  # no address has a blank
_PLAYER = select(models.Player.userid_key, models.Player.password_hash).where(
    models.Player.id == bindparam("player")
)


@dataclass(frozen=True, slots=True)
class _Budget:
    """How many words of a player are compared in a span of seconds, and those of all in a day."""

    what: str
    most: int
    seconds: int
    shared: tuple[Share, ...] = ()

    def is_left(self, connection: Connection, player: int, now: int) -> bool:
        """Whether a word may be compared."""
        own = self.what, str(player), self.most, self.seconds, now
        is_own = fixed_window.allowed(connection, *own)
        return is_own and not (self.shared and token_bucket.waiting(connection, self.shared, now))

    def is_spent(self, connection: Connection, player: int, now: int) -> bool:
        """Whether a word is compared; counts it."""
        if not self.is_left(connection, player, now):
            return False
        fixed_window.note(connection, self.what, str(player), self.seconds, now)
        if self.shared:
            token_bucket.turn(connection, self.shared, now, patience=0)
        return True


_FIRST_LINES = _Budget("first lines", MOST_FIRST_LINES, HOUR)
_BESIDE = _Budget("words beside", BESIDE_DAILY, DAY, (_OF_ALL,))


def without_password(
    trying: CredentialCheck, message: str, userids: Mapping[int, str] | None = None
) -> str:
    """A text for others without the lines that hold the password of its writer.

    The first line is compared with it, and the last lines of a single word, where a name may stand.
    So are a few other words that may be it, as `likely_passwords` says.
    Here only a letter's token or address identifies the writer, so a hash may be needed.  If too
    many words were compared within an hour, the token is spent, or the address is not the writer's,
    nothing is compared: otherwise a letter would help its finder to guess the password.  Then a
    first or last line that may be the password is always left out, except a greeting at the end,
    and frequent words beside others.

    `userids`, in lower case, are those of players that are known already.  A text without a word to
    compare then costs no query.
    """
    left = lines = message.split("\n")
    for player, shown in _unspoken(trying).items() if message else ():
        userid = userids.get(player, "") if userids else ""
        if left and (_has_alone(left, userid) or likely_passwords(left, userid)):
            left = _left_of(trying, _writer(trying, shown), left)
    return message if len(left) == len(lines) else "\n".join(left).strip()


def _unspoken(trying: CredentialCheck) -> Mapping[int, Identity]:
    """The players whom a token or the address identifies, and who did not give their passwords."""
    tried = trying.credentials.tried.items()
    shown = [(word, each) for (_, word), each in tried if isinstance(each, Identity)]
    said = {each.player for word, each in shown if each.board is None and word != ALLOWED}
    return {each.player: each for _, each in shown if each.player not in said}


def _has_alone(lines: Sequence[str], userid: str) -> bool:
    """Whether a line may be the password alone; without a userid, that of some player."""
    compared = _compared_lines(lines)
    return any(not userid or any(_may_be_one(line, userid)) for line in compared)


def _left_of(trying: CredentialCheck, writer: _Writer, lines: list[str]) -> list[str]:
    """The lines without the writer's password, and without words that cannot be compared with it.

    Other lines are searched also if such a word was found: the password may be in one of them.
    """
    left = lines
    for line in _compared_lines(lines):
        for word in _may_be_one(line, writer.userid):
            may_be = _may_be_meant(line, word) if line is lines[0] else not is_greeting(line)
            if _is_of(trying, writer, word, if_uncompared=may_be):
                left = _without(word, left)
                if trying.passwords.remembers(writer.userid, writer.stored, word, trying.now):
                    return left
                break
    more = MOST_BESIDE
    for word in likely_passwords(left, writer.userid):
        if trying.passwords.refutes(writer.userid, writer.stored, word):
            continue
        if not more:
            break
        more -= 1
        if _is_of(trying, writer, word, _BESIDE, if_uncompared=False):
            return _without(word, left)
    return left


def _without(word: str, lines: Sequence[str]) -> list[str]:
    return [line for line in lines if word not in seen(line)]


def _may_be_meant(line: str, word: str) -> bool:
    """Whether a word of a first line is left out if it cannot be compared.

    A frequent word beside others is not, such as that of "good a game!".
    """
    words = words_in(line)
    return len(words) == 1 or names_one(words) or not is_frequent(word)


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
    words = words_in(line)
    is_meant = len(words) == 1 or names_one(words)
    return is_meant and next(_may_be_one(line, ""), None) is not None


@dataclass(frozen=True, slots=True)
class _Writer:
    """The player of a token: userid in lower case, and hash of the password.

    `asked()` returns the kind of asker, and the budgets from which words may still be compared.
    """

    player: int
    userid: str
    stored: str
    asked: Callable[[], tuple[Asker, Set[_Budget]]]


def _writer(trying: CredentialCheck, shown: Identity) -> _Writer:
    """The player of a token."""
    with reading(trying.engine) as connection:
        key, stored = connection.execute(_PLAYER, {"player": shown.player}).one()
    return _Writer(shown.player, key, stored, cache(partial(_asked, trying, shown, key)))


def _asked(trying: CredentialCheck, shown: Identity, key: str) -> tuple[Asker, Set[_Budget]]:
    """Who asks, and the budgets that have room; none where it would help to guess.

    That is so for a spent token, and for a letter that is answered from an address of others.
    """
    player, now = shown.player, trying.now
    with reading(trying.engine) as connection:
        asker = login_throttle.asker(connection, key, trying.sender, proven=trying.is_from(key))
        proves = trying.credentials.proven and asker is Asker.PROVEN
        own = {each.id for each in accounts.players_of_address(connection, trying.sender)}
        room = proves or authorship.counts_still(connection, shown, trying.now, own)
        some = () if asker is Asker.STRANGER else (_FIRST_LINES, _BESIDE)
        return asker, {each for each in some if room and each.is_left(connection, player, now)}


def _may_be_one(line: str, userid: str) -> Iterator[str]:
    """The words of a line that may be a password: alone, beside a move, or named as one.

    Each is returned as it is, then without the signs that people and mail programs put around
    words.
    """
    words = words_in(line)
    if names_one(words):
        words = named(words)
    elif len(words) > 1:
        words = [word for word in _unusual(words) if bare(word.lower()) != userid]
        words = words if len(words) == 1 else []
    for word in words:
        forms = word, bare(word), SPOKEN.split(word)[-1]
        yield from (each for each in dict.fromkeys(forms) if len(each) >= SHORTEST_PASSWORD)


def _has_one(line: str) -> bool:
    """Whether a word of the line may be the password of some player."""
    words = words_in(line)
    if len(words) <= 1 or names_one(words):
        return bool(words)
    # Only the name, which may be repeated, is beside a password.
    unusual = {bare(word.lower()) for word in _unusual(words)}
    return 0 < len(unusual) <= len(("password", "name"))


def _unusual(words: Sequence[str]) -> list[str]:
    """The words of a line that are no part of a move, nor polite ones such as "thanks"."""
    polite = single_words(*_POLITE)
    bared = ((word, bare(word.lower())) for word in words)
    return [word for word, plain in bared if not (plain in polite or is_of_moves(plain))]


def _is_of(
    trying: CredentialCheck,
    writer: _Writer,
    word: str,
    budget: _Budget = _FIRST_LINES,
    *,
    if_uncompared: bool = True,
) -> bool:
    """Whether a word is the writer's password; `if_uncompared` if it may not be compared."""
    key, stored, now = writer.userid, writer.stored, trying.now
    asker, budgets = writer.asked()
    if budget not in budgets:
        return if_uncompared
    if trying.passwords.remembers(key, stored, word, now):
        return True
    if trying.passwords.refutes(key, stored, word):
        return False
    trying.gate(asker)
    with writing(trying.engine, durable=False) as connection:
        if not budget.is_spent(connection, writer.player, now):
            return if_uncompared
    return trying.passwords.prove(key, stored, word, now)
