"""Recognise commands of a reply that lack words, or have other ones: "accept with pleasure".

Its writer is asked, or they are read as an answer.  Nobody is told that a password is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from pbmserv.commands.email_parser import MOST_WORDS, ParsedText
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.commands.spelling import of_languages
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.move_parser import ENDING_MOVES
from pbmserv.text.phrases import EVERYDAY, single_words, words_of

_BESIDE_ANSWERS = (  # kinds of words
    *("beside_answer", "beside_draw", "beside_invitation", "accepts_invitation"),
    *("remarks", "postponing_remarks", "good_wishes", "wishes", "harmless_denials"),
    *("not_now", "alternatives"),
)
_AROUND = ".,;:!?"
_CHALLENGE, _QUEUE, _RESET = "challenge", "queue", "reset"
_OF_ACCOUNTS = {
    *("all", "change", "games", "history", "message", "move", "record", "report", "reset", "seek"),
    *("set", "show", "standings", "stats", "vacation"),
}
"""Commands with names that everyday sentences begin with, and which need a userid."""


def has_words_above(asked: ParsedText) -> bool:
    """Whether a reply has other words above a command that lacks its words: "wow", and `resign`.

    At its top the letter would tell them.
    """
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if not calls or not isinstance(asked.lines[0], Unknown):
        return False
    return any(len(each.words) <= MOST_WORDS.get(each.name, -1) for each in calls)


def has_words_behind(asked: ParsedText, userids: Collection[str]) -> bool:
    """Whether a reply is an answer or `resign` with everyday words behind: "accept with pleasure".

    So is a queue of moves and other words, and talk that begins with another command: "All is
    well", "Vacation was great".  They are neither a userid nor a wrong password.
    "Challenge accepted!" names no player.  `userids` are the writer's own: "reset mia" is clear,
    and so are first names.
    """
    call = asked.lines[0] if len(asked.lines) == 1 else None
    if not isinstance(call, CommandCall) or not call.words:
        return False
    words = [each.lower().strip(_AROUND) for each in call.words]
    if call.name == _CHALLENGE:
        return len(words) == 1 and words[0] in _behind_challenge()
    if call.name == _QUEUE:
        return reads_as_move(words[0])  # "queue 5-2s or dudo"
    if call.name in _OF_ACCOUNTS:
        if not all(map(_is_letters, words)):  # as of every move: no more is read of it
            return False
        is_own = not {each.lower() for each in userids}.isdisjoint(words)
        return not is_own and not _everyday().isdisjoint(words)
    if call.name not in ENDING_MOVES or words[0].isdigit():
        return False
    is_sign = "" in words  # "decline - too busy"
    return is_sign or not single_words(*EVERYDAY, *_BESIDE_ANSWERS).isdisjoint(words)


@cache
def _everyday() -> frozenset[str]:
    """The single words of prose, without first names."""
    return single_words(*EVERYDAY) - words_of("first_names").known


def _is_letters(word: str) -> bool:
    """Whether a word has letters alone, as no day, board or setting has."""
    return word.replace("'", "").isalpha()


def with_own_userid(asked: ParsedText, userids: Sequence[str]) -> ParsedText:
    """The parsed email; `reset` alone, or "I forgot my password", is completed with its userid.

    `userids` are the accounts of the sender's address; of several none is chosen.
    """
    if len(userids) != 1 or CommandCall("", _RESET, ()) not in asked.lines:
        return asked
    lines = [
        replace(each, words=(userids[0],))
        if isinstance(each, CommandCall) and (each.name, each.words) == (_RESET, ())
        else each
        for each in asked.lines
    ]
    return replace(asked, lines=tuple(lines))


@cache
def _behind_challenge() -> frozenset[str]:
    """The words behind a word for `challenge` with which a line accepts one."""
    pairs = (each.split() for each in words_of("accepts_invitation"))
    known = {_CHALLENGE: _CHALLENGE, **of_languages()}
    return frozenset(
        each[1] for each in pairs if len(each) > 1 and known.get(each[0]) == _CHALLENGE
    )
