"""Stray passwords: find the password that a player wrote into a message, where none is needed.

Only the password's hash is known, so words are compared with it, as many as
`intake/comparison_budgets.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import filterfalse, islice
from typing import Final

from sqlalchemy import bindparam, select

from pbmserv.boards import authorship
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.disclosure.redaction import bare
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.comparison_budgets import (
    BESIDE,
    FIRST_LINES,
    LONG_LINES,
    PROVEN_BESIDE,
    PROVEN_LINES,
    PROVEN_LONG_LINES,
    PROVEN_SPELLINGS,
    SPELLINGS,
    Budget,
)
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.likely_passwords import (
    SPOKEN,
    is_frequent,
    is_of_moves,
    likely_passwords,
    likely_passwords_of_long_lines,
    named,
    names_one,
    seen,
    spellings,
    spellings_of,
    words_in,
)
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.players import accounts, login_throttle
from pbmserv.players.login_throttle import Asker
from pbmserv.security.credentials import ALLOWED, SHORTEST_PASSWORD, Identity
from pbmserv.text.phrases import single_words
from pbmserv.text.unicode_forms import plain_letters

MOST_LAST_LINES = 2  # lines of a single word at the end of a text that are compared, too
MOST_SHOWN = 4  # words of an email that are compared so that they may be shown again
MOST_BESIDE = 4  # other words of an email that are compared: each takes a tenth of a second
MOST_LONG_FIRST = 2  # of these, rare words of long lines before frequent ones of other lines
MOST_SPELLED = 4  # other spellings of those that are hardly of a language, or the only word
# Why a line of a message is left out: it has the password, or a command with one, or it may
# have one and is not compared.  Reasons for that: too many words were compared, the letter is old,
# the address is not the writer's, or nothing proves who wrote.
FOUND: Final = "password"
COMMAND: Final = "command"
OFTEN: Final = "often"
OLD: Final = "old"
ELSEWHERE: Final = "elsewhere"
UNPROVEN: Final = "unproven"
TOLD: Final = "told"  # it tells a password, such as a new one
MISTYPED: Final = "mistyped"  # it may be a password with a typing error
BELOW: Final = "below"  # it is below the mark at the end of a button's text
# Words of first and last lines, others, plain ones of long lines, and first ones spelled otherwise.
_FIRST, _OTHER, _LONG, _SPELLED = range(4)
_Budgets = tuple[Budget, Budget, Budget, Budget]  # of these kinds
_OF_PROVEN = PROVEN_LINES, PROVEN_BESIDE, PROVEN_LONG_LINES, PROVEN_SPELLINGS
_POLITE = (  # kinds of words
    *("thanks", "greetings", "manners", "turn_manners"),
    *("farewells", "familiar_words", "move_leads"),
)
_PLAYER = select(models.Player.userid_key, models.Player.password_hash).where(
    models.Player.id == bindparam("player")
)


def without_password(
    trying: CredentialCheck,
    message: str,
    userids: Mapping[int, str] | None = None,
    answered: Identity | None = None,
) -> tuple[str, tuple[str, ...]]:
    """A message without the lines that hold the password of its writer; why, if any are.

    The first line is compared with it, and the last lines of a single word, where a name may stand.
    So are a few other words that may be it, as `intake/likely_passwords.py` says.
    Here only a letter's token or address identifies the writer, so a hash may be needed.  Nothing
    is compared after too many words (OFTEN), with a spent token (OLD), or from an address that is
    not the writer's (ELSEWHERE): a letter must not help its finder to guess the password.  Then a
    first or last line that may be the password is always left out.  Greetings, remarks such as
    "Haha!", and frequent words beside others stay.  A word of such a line is also compared with
    other capitals, if there is a budget for it.

    `userids`, in lower case, are those of players that are known already.  A text without a word to
    compare then costs no query.  `answered` is who got the letter that the email answers: a command
    such as `challenge` needs no proof, but its message may have a password.
    """
    left = lines = message.split("\n")
    why: dict[str, None] = {}
    for player, shown in unspoken(trying, answered).items() if message else ():
        userid = userids.get(player, "") if userids else ""
        if left and (_has_alone(left, userid) or _beside(left, userid)):
            left = _left_of(trying, _writer(trying, shown), left, why)
    if len(left) == len(lines):
        return message, ()
    return "\n".join(left).strip(), tuple(why)


def unspoken(trying: CredentialCheck, answered: Identity | None) -> Mapping[int, Identity]:
    """The players whom a token or the address identifies, and who did not give their passwords."""
    tried = trying.credentials.tried.items()
    shown = [(word, each) for (_, word), each in tried if isinstance(each, Identity)]
    said = {each.player for word, each in shown if each.board is None and word != ALLOWED}
    found = [*([answered] if answered else ()), *(each for _, each in shown)]
    return {each.player: each for each in found if each.player not in said}


def _has_alone(lines: Sequence[str], userid: str) -> bool:
    """Whether a line may be the password alone; without a userid, that of some player."""
    compared = _compared_lines(lines)
    return any(not userid or any(_may_be_one(line, userid)) for line in compared)


def _left_of(
    trying: CredentialCheck, writer: _Writer, lines: list[str], why: dict[str, None]
) -> list[str]:
    """The lines without the writer's password, and without words that cannot be compared with it.

    Other lines are searched also if such a word was found: the password may be in one of them.
    `why` gets the reasons.
    """
    left = lines
    for line in _compared_lines(lines):
        for word in _may_be_one(line, writer.userid):
            may_be = _may_be_meant(line, word, is_first=line is lines[0])
            if found := _is_of(trying, writer, word, if_uncompared=may_be):
                left = _without(word, left)
                why[found] = None
                if found == FOUND:
                    return left
                break
    if word := _spelled_otherwise(trying, writer, left):
        why[FOUND] = None
        return _without(word, left)
    if word := _password_of(trying, writer, _beside(left, writer.userid)):
        why[FOUND] = None
        return _without(word, left)
    return left


def _beside(lines: Sequence[str], userid: str) -> Mapping[str, int]:
    """The words of a text that may be the password, the likeliest first, with their kinds.

    The first rare words of long lines come before frequent ones of short lines.
    """
    likely, hardly = likely_passwords(lines, userid)
    known = {*likely, *hardly}
    long = [each for each in likely_passwords_of_long_lines(lines, userid) if each not in known]
    first, others = long[:MOST_LONG_FIRST], long[MOST_LONG_FIRST:]
    ordered = (*likely, *first, *hardly, *others)
    return {word: _OTHER if word in known else _LONG for word in ordered}


def _password_of(trying: CredentialCheck, writer: _Writer, words: Mapping[str, int]) -> str:
    """The one of some words, of these kinds, that is the password; "" for none.

    MOST_BESIDE words that were not compared before are compared.  If they are fewer, other
    spellings are, too: these never take the place of a word.  Spellings of words that are hardly of
    a language, or of the only word, have a count of their own.
    """
    sure, others = spellings_of(words)
    refutes = partial(trying.passwords.refutes, writer.userid, writer.stored)
    for most, forms in ((MOST_BESIDE, [*words, *others]), (MOST_SPELLED, sure)):
        for form in islice(filterfalse(refutes, forms), most):
            if _is_of(trying, writer, form, words.get(form, _SPELLED), if_uncompared=False):
                return {**others, **sure}.get(form, form)
    return ""


def _spelled_otherwise(trying: CredentialCheck, writer: _Writer, lines: Sequence[str]) -> str:
    """The word of a first or last line that is the password in another spelling; "" for none."""
    for line in _compared_lines(lines) if lines else ():
        for word in _may_be_one(line, writer.userid):
            for each in spellings(word):
                if _is_of(trying, writer, each, _SPELLED, if_uncompared=False):
                    return word
    return ""


def _without(word: str, lines: Sequence[str]) -> list[str]:
    """The lines that do not have a word, nor the same word with other capitals or accents."""
    return [line for line in lines if plain_letters(word) not in plain_letters(seen(line))]


def _may_be_meant(line: str, word: str, *, is_first: bool) -> bool:
    """Whether a word of a first or last line is left out if it cannot be compared.

    A greeting or a remark such as "Haha!" is not, nor a frequent word beside others, such as that
    of "good a game!".
    """
    if is_said_often(line):
        return False
    if not is_first:
        return True
    words = words_in(line)
    return len(words) == 1 or names_one(words) or not is_frequent(word)


def is_said_often(line: str) -> bool:
    """Whether a line is a greeting, or a remark such as "Haha!"."""
    from pbmserv.intake.replies.prose import is_remark  # noqa: PLC0415 - it reads all languages' phrases

    return is_greeting(line) or is_remark([line])


def _compared_lines(lines: Sequence[str]) -> list[str]:
    """The first line of a text, and its last lines of a single word, that may be a password."""
    alone = [line for line in lines[1:] if len(line.split()) == 1][-MOST_LAST_LINES:]
    return [line for line in (lines[0], *alone) if _has_one(line)]


def comparing(trying: CredentialCheck, shown: Identity) -> Callable[[str], bool | None]:
    """A function that says whether a word is the password of the writer of an email.

    `shown` is the meaning of the letter's token, or who is proven by the address.  MOST_SHOWN words
    that were not compared before are compared with the password; for others the function says None.
    """
    writer = _writer(trying, shown)
    room = MOST_SHOWN

    def is_password(word: str) -> bool | None:
        nonlocal room
        forms = [*dict.fromkeys((word, bare(word)))]
        others = spellings(word)
        every = [each for each in (*forms, *others) if len(each) >= SHORTEST_PASSWORD]
        if not all(trying.passwords.refutes(writer.userid, writer.stored, each) for each in every):
            room -= 1
        if room < 0:
            return None
        found = [_is_of(trying, writer, each) for each in forms]
        if FOUND in found or any(
            _is_of(trying, writer, each, _SPELLED, if_uncompared=False) for each in others
        ):
            return True
        return None if any(found) else False

    return is_password


def password_among(trying: CredentialCheck, shown: Identity, words: Sequence[str]) -> str:
    """The one of some words that is the writer's password; "" for none.

    As many comparisons are made as for words beside others, from the same budgets.
    """
    return _password_of(trying, _writer(trying, shown), dict.fromkeys(words, _OTHER))


def may_hold_password(line: str) -> bool:
    """Whether a line may be a password, alone or named as one, and is left out without a check."""
    words = words_in(line)
    is_meant = (len(words) == 1 and not is_said_often(line)) or names_one(words)
    return is_meant and next(_may_be_one(line, ""), None) is not None


@dataclass(frozen=True, slots=True)
class _Writer:
    """The player of a token: userid in lower case, and hash of the password.

    `asked()` returns the kind of asker, the budgets of words, and why none is compared.
    """

    shown: Identity
    userid: str
    stored: str
    asked: Callable[[], tuple[Asker, _Budgets, str]]


def _writer(trying: CredentialCheck, shown: Identity) -> _Writer:
    """The player of a token."""
    with reading(trying.engine) as connection:
        key, stored = connection.execute(_PLAYER, {"player": shown.player}).one()
    return _Writer(shown, key, stored, cache(partial(_asked, trying, shown, key)))


def _asked(trying: CredentialCheck, shown: Identity, key: str) -> tuple[Asker, _Budgets, str]:
    """Who asks, the budgets of words, and why no word is compared where it helps to guess.

    That is so for a spent token, and for a letter that is answered from an address of others.  The
    token of a button brings few texts, so they are compared.
    """
    unproven = FIRST_LINES, BESIDE, LONG_LINES, SPELLINGS
    with reading(trying.engine) as connection:
        asker = login_throttle.asker(connection, key, trying.sender, proven=trying.is_from(key))
        if asker is Asker.STRANGER:
            return asker, unproven, ELSEWHERE
        if trying.credentials.proven and asker is Asker.PROVEN:
            return asker, _OF_PROVEN, ""
        own = {each.id for each in accounts.players_of_address(connection, trying.sender)}
        is_live = bool(shown.pressed) or authorship.counts_still(connection, shown, trying.now, own)
        return asker, unproven, "" if is_live else OLD


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
    """The words of a line that are not part of a move, nor polite ones such as "thanks"."""
    polite = single_words(*_POLITE)
    bared = ((word, bare(word.lower())) for word in words)
    return [word for word, plain in bared if not (plain in polite or is_of_moves(plain))]


def _is_of(
    trying: CredentialCheck,
    writer: _Writer,
    word: str,
    kind: int = _FIRST,
    *,
    if_uncompared: bool = True,
) -> str:
    """FOUND if a word is the writer's, else "".

    If it may not be compared, it is why, where `if_uncompared`.  `kind` says whose budget counts.
    """
    key, stored, now = writer.userid, writer.stored, trying.now
    asker, budgets, why = writer.asked()
    if why:
        return why if if_uncompared else ""
    if trying.passwords.refutes(key, stored, word):  # an earlier comparison has told it
        return ""
    budget = budgets[kind]
    with reading(trying.engine) as connection:
        if not budget.is_left(connection, writer.shown, now):
            return OFTEN if if_uncompared else ""
    if trying.passwords.remembers(key, stored, word, now):
        return FOUND
    trying.gate(asker)
    with writing(trying.engine, durable=False) as connection:
        if not budget.is_spent(connection, writer.shown, now):
            return OFTEN if if_uncompared else ""
    return FOUND if trying.passwords.prove(key, stored, word, now) else ""
