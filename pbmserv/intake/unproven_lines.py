"""Find lines that may be a password beside other words, in a text that nothing proves.

Nothing is compared with a password there: who has forged the email must not learn whether a guess
was right.  So a line such as `bob swordfish` is held, as people write it below a command that takes
a userid and a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import permutations

from pbmserv.disclosure.redaction import bare
from pbmserv.intake.likely_passwords import (
    MOST_WORDS,
    is_frequent,
    is_of_moves,
    is_rare,
    words_in,
)
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.stray_passwords import is_said_often, may_hold_password
from pbmserv.security.credentials import SHORTEST_PASSWORD
from pbmserv.text.phrases import words_of

_MOST_BESIDE_USERID = 2  # words that are not frequent
_MOST_OF_GREETING = 2  # words of a greeting of somebody who is not named: "Hello Bobby!"
_BETWEEN = re.compile("[:=：/,;|]")  # between a name and another word: `bob:swordfish`
_ENDING = re.compile(r",\s{0,3}\S{1,40}\s{0,3}$")  # a comma and the last word of a line
_POLITE = (  # kinds of words that people write beside one: `ok swordfish`
    *("thanks", "greetings", "manners", "turn_manners", "farewells", "familiar_words"),
    *("move_leads", "yes", "remarks"),
)


def may_tell_password(
    line: str, own: Callable[[], Collection[str]], named: Collection[str]
) -> bool:
    """Whether a line may hold the password of its writer, whose userids `own` returns.

    A short line has a userid and one or two words that are not frequent, or one rare word beside
    polite words, moves and names.  A longer one begins or ends with a userid and a rare word.
    Userids are in lower case.  `named` are the players whom the command names, and the writer's own
    name.
    """
    if may_hold_password(line):
        return True
    words = [part for word in words_in(line) for part in _BETWEEN.split(word) if bare(part)]
    if len(words) > MOST_WORDS:
        return any(_has_userid(ends, own, named) for ends in (words[:2], words[-2:]))
    if all(is_frequent(word) or not _is_long(word) for word in words):
        return False
    bared, userids = [bare(word.lower()) for word in words], own()
    names = {*userids, *named}
    others = [word for word, each in zip(words, bared, strict=True) if each not in names]
    if not set(bared).isdisjoint(userids) and _is_beside_userid(
        others, is_signed=bared[-1] in userids and _ENDING.search(line) is not None
    ):
        return True
    if is_said_often(line) and not (is_greeting(line) and _greets_too_many(line, words)):
        return False
    unusual = [word for word in others if not _is_polite(bare(word.lower()))]
    return len(unusual) == 1 and is_rare(unusual[0]) and _is_long(unusual[0])


def _has_userid(
    pair: Sequence[str], own: Callable[[], Collection[str]], named: Collection[str]
) -> bool:
    """Whether two words are a userid of the writer's and a rare word."""
    return any(
        _is_long(word)
        and is_rare(word)
        and bare(word.lower()) not in named
        and bare(other.lower()) in own()
        for word, other in permutations(pair)
    )


def _is_beside_userid(others: Sequence[str], *, is_signed: bool) -> bool:
    """Whether one of the words of a line beside its writer's userid may be a password.

    A word of prose may be, if only names are there, too: `bob summer`.  Before a name that signs
    it is none: "Cheers, Bob".
    """
    unusual = [word for word in others if not is_frequent(word)]
    if not 0 < len(unusual) <= _MOST_BESIDE_USERID:
        return False
    may_be_prose = len(others) == 1 and not is_signed
    return any(_is_long(word) and (may_be_prose or is_rare(word)) for word in unusual)


def _greets_too_many(line: str, words: Collection[str]) -> bool:
    """Whether a greeting may have a password behind a name: "hi ann, swordfish!"."""
    return len(words) > _MOST_OF_GREETING and not line.rstrip().endswith((",", "，"))


def _is_polite(word: str) -> bool:
    """Whether a word in small letters is polite by itself, or a part of a move."""
    return any(word in words_of(kind).known for kind in _POLITE) or is_of_moves(word)


def _is_long(word: str) -> bool:
    return len(bare(word)) >= SHORTEST_PASSWORD
