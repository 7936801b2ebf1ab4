"""Redaction: remove possible passwords from text that is passed on or shown again.

People write passwords in unexpected places: below a command, or before a move.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from difflib import get_close_matches
from functools import cache

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.commands.calls import prepared
from pbmserv.commands.framework import Secret, find, vocabulary
from pbmserv.commands.parser import CommandCall, Unknown, is_addressed, read_call, read_line
from pbmserv.commands.spelling import of_languages
from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.games.perudo.notation import MOVE_WORDS, is_action, named_move, nearest_word
from pbmserv.security.credentials import BLANKED, SHORTEST_PASSWORD
from pbmserv.text.phrases import EVERYDAY, one_of, single_words
from pbmserv.text.subject_prefixes import bare_subject
from pbmserv.text.unicode_forms import unmarked, with_plain_digits

LONGEST_MESSAGE = 10_000  # characters that one player may send to the others at once
MOST_LINES = 1_000  # in the same way: many lines cost more than long ones
_MOST_READ = 2 * LONGEST_MESSAGE
UNREADABLE = "unreadable_move"  # the code of a refusal
LIKE_A_BID = re.compile(r"\W{0,3}[0-9]{1,3}[-x*][0-9]{1,2}(?![0-9])", re.ASCII)
_LIKE_PASSWORD = 0.6  # how similar a word must be to a password to be hidden
_LONGEST_SHOWN = 20  # characters of such a word; a token has more
_REQUESTS = "requests", "stop_requests"
_DRAWS, _DRAW = {"propose", "accept", "reject"}, "draw"
_LIKE = 0.75  # how similar a mistyped word must be to a word of a move (difflib's ratio)
_BID = re.compile(r"[0-9]{1,3}\W{0,3}[x*]?\W{0,3}(?:[0-9]{1,2}'?s?)?", re.ASCII | re.IGNORECASE)


def move_shown(
    words: Sequence[str], passwords: Set[str] = frozenset(), *, is_elsewhere: bool = False
) -> list[str]:
    """The words of a move as its writer may see them again.

    A word that is not even a mistyped part of a move may be a password, so it is replaced.  Words
    that make a move together are shown: `не верю`.
    `passwords` are those of the email, if the command's own is right.  Then words beside a misread
    move are shown, too.  A word alone, or beside a move, may still be another password, unless a
    shell has asked for it: then it `is_elsewhere`.
    """
    if is_action(" ".join(words)):
        return list(words)
    return [
        word
        if is_of_a_move(word)
        or (passwords and _is_misread(words, place, passwords, is_elsewhere=is_elsewhere))
        else BLANKED
        for place, word in enumerate(words)
    ]


def _is_misread(
    words: Sequence[str], place: int, passwords: Set[str], *, is_elsewhere: bool
) -> bool:
    """Whether a word of a command with the right password is hardly another password."""
    word = with_plain_digits(words[place]).lower()
    known = [each.lower() for each in passwords]
    if len(word) > _LONGEST_SHOWN or any(each in word for each in known):
        return False
    if get_close_matches(word, known, n=1, cutoff=_LIKE_PASSWORD):
        return False
    if LIKE_A_BID.match(word) or all(map(_is_like_move_word, word.split("-"))):
        return True
    if is_elsewhere or is_everyday(word):
        return True
    others = [*words[:place], *words[place + 1 :]]
    return bool(others) and not is_action(" ".join(others))


def refusal_shown(
    refusal: Refused,
    passwords: Set[str] = frozenset(),
    possible: PossibleMoves | None = None,
    *,
    is_elsewhere: bool = False,
) -> Refused:
    """A refusal of an unreadable move, without possible passwords in its text.

    It names the move that may be meant, also where the text is hidden.  `passwords` and
    `is_elsewhere` are as in `move_shown`; `possible` is what the player may do now, if that is
    known.
    """
    if refusal.code != UNREADABLE:
        return refusal
    words = str(refusal.facts["text"]).split(" ")
    shown = move_shown(words, passwords, is_elsewhere=is_elsewhere)
    text = " ".join(words)
    found: dict[str, Fact] = {"text": " ".join(shown), "hidden": BLANKED in shown}
    if possible is None:
        found |= {"nearest": nearest_word(text)}
    else:
        meant = named_move(text, possible.legal) or nearest_word(text, possible.legal)
        found |= {"nearest": meant, "legal": list(possible.examples)}
        found |= {"turn": possible.turn, "draw": possible.draw}
    return Refused(refusal.code, **{**refusal.facts, **{k: v for k, v in found.items() if v}})


def speaks_of_passwords(text: str) -> bool:
    """Whether a text names passwords, in any language, so that it may tell one."""
    return _of_passwords().search(text) is not None


@cache
def _of_passwords() -> re.Pattern[str]:
    return re.compile(rf"pw\b|{one_of('passwords')}", re.IGNORECASE)


def is_everyday(word: str) -> bool:
    """Whether a word is polite or frequent in some language, so that it is hardly a password."""
    return _plain(word) in single_words(
        *EVERYDAY, *_REQUESTS, "perhaps_doubt_moves", "perhaps_calza_moves"
    )


def is_request(word: str) -> bool:
    """Whether a word asks the server for something in some language, such as `annuler`.

    It is as good as a command, so nobody takes it for a password.
    """
    return _plain(word) in single_words(*_REQUESTS)


def _plain(word: str) -> str:
    return word.lower().strip(".,;:!?()'\"*_¡¿…")


def is_of_a_move(word: str) -> bool:
    """Whether a word is short, or a part of a move, if need be a mistyped one."""
    bare = with_plain_digits(word).lower().strip(".,;:!?()'\"*_")
    return len(word) < SHORTEST_PASSWORD or _is_like_move_word(bare)


def _is_like_move_word(bare: str) -> bool:
    """Whether a word is a bid or a word of a move, if need be a mistyped one."""
    known = {*MOVE_WORDS, *_DRAWS}
    if unmarked(bare) in words_of_moves():
        return True
    return is_bid(bare) or bare == _DRAW or bool(get_close_matches(bare, known, n=1, cutoff=_LIKE))


def is_bid(word: str) -> bool:
    """Whether a word is a bid, or a part of one."""
    return _BID.fullmatch(word) is not None


def without_commands(message: str) -> str:
    """A message without lines meant as commands, because they may have passwords.

    `perudo move 12 ann secret 4-2s` below another command, misspelled or after some prose, is not
    meant for the other players.  A text that is much longer than a message may be is not changed:
    its reader refuses it.
    """
    if len(message) > _MOST_READ:
        return message
    lines = message.split("\n")
    return "\n".join(line for line in lines if not (line and _is_command(line))).strip()


def _is_command(line: str) -> bool:
    text = bare_subject(line.removeprefix("Subject:"))
    if not is_addressed(text, vocabulary()):
        # Prose may begin with "set" or "add", but hardly with a command for a new password.
        if not _begins_with_name(text):
            return False
        call = read_call(text, vocabulary(), is_subject=True)
        return call is not None and _makes_password(call)
    read = read_line(text, vocabulary())
    if isinstance(read, CommandCall):
        return any(isinstance(each, Secret) for each in find(read).params)
    return isinstance(read, Unknown) and bool(read.nearest)


def _begins_with_name(text: str) -> bool:
    """Whether the first word is a command's own name, in full, in any language."""
    first = text.lower().split(maxsplit=1)[:1]
    return any(
        word in of_languages() or any(own.get(word) == word for own in vocabulary().values())
        for word in first
    )


def _makes_password(call: CommandCall) -> bool:
    """Whether it is a complete command with a new password, such as `change password`."""
    try:
        context = prepared(call)
    except Refused:
        return False
    return any(
        isinstance(each, Secret) and each.is_new is not None and each.is_new(context.params)
        for each in find(call).params
    )
