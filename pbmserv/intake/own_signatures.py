"""Leave out the writer's own name at the end of a reply, and words such as "Best," above it.

People sign emails so without a line of dashes.  The name is not meant for the other players.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence, Set
from functools import cache
from typing import TYPE_CHECKING

from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.move_parser import RESIGN, bare_move
from pbmserv.intake.known_senders import KnownSender
from pbmserv.security.credentials import Identity
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import DICE, unmarked

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

_LONGEST = 80  # characters of a line of a signature
_SHORTEST = 2  # letters of a name; one letter may be an answer
_MOST_WORDS = 3  # of a name
_MARK = "--"  # of a signature; where its line end is lost, others may be, too
_BEFORE_NAME = " -–—,/"
_ASKING = ("?", "¿", "…", "..")  # marks of a line whose writer is not sure
_WORD = re.compile(r"[^\W_]+")
# A name is none of these words: they may answer, ask or deny something.
_MEANT = (
    *("yes", "confirming", "doubts", "denials", "requests", "stop_requests", "thanks"),
    *("greetings", "remarks", "postponing_remarks", "function_words", "frequent_words"),
)
# Commands that send a text, so a name alone is one.
_SENDING = {"chat", "message", "broadcast", "report"}


def unsigned_reply(mail: Mail, known: KnownSender, answered: Identity | None) -> Mail:
    """The email; a reply to a letter is without its writer's own name at the end."""
    if answered is None or not any(map(str.strip, mail.typed)):
        return mail
    userids = {each.player_id: each.userid for each in known.rows}
    own = userids.pop(answered.player, "")
    names = names_of_writer(own, mail.name, mail.sender, userids.values())
    return replace(mail, typed=_unsigned_move(unsigned(mail.typed, names), names))


def _unsigned_move(typed: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """The typed lines, where a first line such as "4-2s - Bob" is without its writer's own name.

    A line that asks stays, and so does `resign` with a name: it cannot be taken back.
    """
    first = next(place for place, line in enumerate(typed) if line.strip())
    line = plain_line(typed[first]).strip()
    if len(line) > _LONGEST or not names or reads_as_move(line) or _MARK in line:
        return tuple(typed)
    if any(each in line for each in _ASKING):
        return tuple(typed)
    words = line.split()
    for count in range(1, min(len(words), _MOST_WORDS + 1)):
        move, name = " ".join(words[:-count]).rstrip(_BEFORE_NAME), " ".join(words[-count:])
        is_signed = _spelled(name) in names and not reads_as_move(name)
        if is_signed and reads_as_move(move) and bare_move(move) != RESIGN:
            return (*typed[:first], move, *typed[first + 1 :])
    return tuple(typed)


def with_unsigned_message(asked: ParsedText, mail: Mail, known: KnownSender) -> ParsedText:
    """The commands of an email, with the message below them without its writer's own name.

    A name alone stays if it is the text that a command sends.
    """
    calls = [each.name for each in asked.lines if isinstance(each, CommandCall)]
    if not asked.message or not calls:
        return asked
    userids = [each.userid for each in known.rows]
    own, others = (userids[0], ()) if len(userids) == 1 else ("", userids)
    names = names_of_writer(own, mail.name, mail.sender, others)
    above = () if calls[-1] in _SENDING else (calls[-1],)  # below it a name alone is a signature
    left = unsigned((*above, *asked.message.split("\n")), names)[len(above) :]
    return replace(asked, message="\n".join(left).strip())


def unsigned(typed: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """The typed lines without a signature at their end: one of the writer's `names`.

    The name is alone on the last line, or behind closing words: "Best, Ann".  Closing words alone
    on the line above are left out, too, and "Best," at the end.  Lines that are nothing but a
    signature stay.
    """
    lines = list(typed)
    if _is_closed(lines):
        return tuple(_without_last(lines))
    if not _is_signed(lines, names):
        return tuple(typed)
    left = _without_last(lines)
    if left and _spelled(left[-1]) in _sign_offs():
        left = _without_last(left)
    return tuple(left) or tuple(typed)


def names_of_writer(userid: str, name: str, address: str, others: Iterable[str]) -> Set[str]:
    """The names with which a writer signs, as `unsigned` compares them.

    They are the userid ("" if it is not known), the name beside the address, its first word, and
    the local part of the address.  `others` are userids of other players at the same address.
    """
    local = address.partition("@")[0].partition("+")[0]
    every = {_spelled(each) for each in (userid, name[:_LONGEST], local)}
    every |= {each.partition(" ")[0] for each in (_spelled(name[:_LONGEST]),)}
    every -= {_spelled(each) for each in others}
    return {each for each in every if len(each) >= _SHORTEST and each not in _meant()}


def _is_signed(lines: Sequence[str], names: Collection[str]) -> bool:
    """Whether the last of several lines is a name, or closing words and a name."""
    if len(lines) <= 1 or not names or len(lines[-1]) > _LONGEST:
        return False
    last = lines[-1]
    if "?" in last or not DICE.isdisjoint(last):
        return False
    said = _spelled(last)
    ends = (said[: -len(each)] for each in names if f" {said}".endswith(f" {each}"))
    is_name = any(not each or each.strip() in _sign_offs() for each in ends)
    return is_name and not reads_as_move(last)


def _is_closed(lines: Sequence[str]) -> bool:
    """Whether the last line, below others, is closing words without a name: "Best,".

    Warm ones without a comma may be a message: "un abrazo".
    """
    last = lines[-1].strip() if lines else ""
    if not any(map(str.strip, lines[:-1])) or len(last) > _LONGEST:
        return False
    said = _spelled(last)
    return said in _sign_offs() and (last.endswith(",") or said not in _warm())


def _without_last(lines: Sequence[str]) -> list[str]:
    left = list(lines[:-1])
    while left and not left[-1].strip():
        left.pop()
    return left


def _spelled(text: str) -> str:
    """The words of a line in lower case, without accents and signs."""
    return " ".join(_WORD.findall(unmarked(plain_line(text)).lower()))


@cache
def _sign_offs() -> frozenset[str]:
    return frozenset(map(_spelled, words_of("sign_offs")))


@cache
def _warm() -> frozenset[str]:
    return frozenset(map(_spelled, words_of("warm_sign_offs")))


@cache
def _meant() -> frozenset[str]:
    """The words that are not taken for names: commands, and those of `_MEANT`."""
    commands = {spelling for spellings in vocabulary().values() for spelling in spellings}
    words = (word for kind in _MEANT for word in words_of(kind))
    return frozenset(map(_spelled, (*commands, *vocabulary(), *words)))
