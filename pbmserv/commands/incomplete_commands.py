"""Recognise commands of a reply that lack words, or have other ones: "accept with pleasure".

Its writer is asked, or they are read as an answer.  Nobody is told that a password is missing.
"""

from __future__ import annotations

from functools import cache

from pbmserv.commands.email_parser import MOST_WORDS, ParsedText
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.commands.spelling import of_languages
from pbmserv.games.perudo.move_parser import ENDING_MOVES
from pbmserv.text.phrases import EVERYDAY, single_words, words_of

_BESIDE_ANSWERS = (  # kinds of words
    *("beside_answer", "beside_draw", "beside_invitation", "accepts_invitation"),
    *("remarks", "postponing_remarks", "good_wishes", "wishes", "harmless_denials"),
)
_AROUND = ".,;:!?"
_CHALLENGE = "challenge"


def has_words_above(asked: ParsedText) -> bool:
    """Whether a reply has other words above a command that lacks its words: "wow", and `resign`.

    At its top the letter would tell them.
    """
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if not calls or not isinstance(asked.lines[0], Unknown):
        return False
    return any(len(each.words) <= MOST_WORDS.get(each.name, -1) for each in calls)


def has_words_behind(asked: ParsedText) -> bool:
    """Whether a reply is an answer or `resign` with everyday words behind: "accept with pleasure".

    They are neither a userid nor a wrong password.  "Challenge accepted!" names no player.
    """
    call = asked.lines[0] if len(asked.lines) == 1 else None
    if not isinstance(call, CommandCall) or not call.words:
        return False
    word = call.words[0].lower().strip(_AROUND)
    if call.name == _CHALLENGE:
        return len(call.words) == 1 and word in _behind_challenge()
    known = single_words(*EVERYDAY, *_BESIDE_ANSWERS)
    return call.name in ENDING_MOVES and word in known


@cache
def _behind_challenge() -> frozenset[str]:
    """The words behind a word for `challenge` with which a line accepts one."""
    pairs = (each.split() for each in words_of("accepts_invitation"))
    known = {_CHALLENGE: _CHALLENGE, **of_languages()}
    return frozenset(
        each[1] for each in pairs if len(each) > 1 and known.get(each[0]) == _CHALLENGE
    )
