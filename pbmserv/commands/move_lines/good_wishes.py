"""Split good wishes from the end of a line that answers something: "yes, good luck!"."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from pbmserv.commands.move_lines.retractions import take_back
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_AROUND = " .,;:!¡*_\"'()-–—…"
_PIECES = re.compile(r"[.,;:!…()]+|\s[-–—]\s")
_WORD = re.compile(r"\S+")
_MARKS = ".,;:!"  # behind a move, in front of a wish
_MOST_WORDS = 12  # of a line


def apart(
    line: str, names: Collection[str] | None = None, also: Collection[str] = ()
) -> tuple[str, str]:
    """A line without the good wishes at its end, and these; "" for none.

    One of the `names`, in small letters, or a first name may be beside a wish; with None there is
    no name.  A line of nothing but wishes stays whole.  Words that are `also` wishes may refuse
    something elsewhere, such as "sorry".
    """
    starts = [word.start() for word in _WORD.finditer(line)][1:_MOST_WORDS]
    found = (at for at in starts if is_of_wishes(line[at:], names, also))
    at = next(found, None)
    return (line, "") if at is None else (line[:at], line[at:])


def words_apart(words: Sequence[str]) -> tuple[list[str], str]:
    """The words of a command without good wishes at their end, and these: `4-2s good luck all`."""
    said, wishes = apart(" ".join(words))
    kept = [each.rstrip(_MARKS) for each in said.split()]
    if not wishes:
        return list(words), ""
    if kept[-1].lower() in words_of("joining_words"):
        kept.pop()
    return [*filter(None, kept)], wishes


def are_wishes(line: str) -> bool:
    """Whether a line is nothing but polite words, with a greeting in front or a first name.

    A yes, such as "ok", may mean more.
    """
    if len(line.split()) > _MOST_WORDS:
        return False
    first, _, rest = line.partition(" ")
    is_greeted = spelled_plainly(first).strip(_AROUND) in words_of("greetings")
    every = (line, rest.lstrip(_AROUND)) if is_greeted else (line,)
    return any(is_of_wishes(each, (), _polite()) for each in every)


@cache
def _polite() -> frozenset[str]:
    """The polite words, without those that mean yes."""
    return words_of("manners").known - words_of("yes").known


def is_wish(line: str) -> bool:
    """Whether a line is one wish, alone: it neither answers nor takes anything back."""
    return spelled_plainly(line).strip(_AROUND) in wishes()


def behind_wishes(line: str) -> str:
    """A line without the wishes at its beginning: "no wait" of "good luck, no wait"."""
    at = 0
    for mark in _PIECES.finditer(line):
        if not is_wish(line[at : mark.start()]):
            break
        at = mark.end()
    return line[at:]


def is_of_wishes(text: str, names: Collection[str] | None, also: Collection[str] = ()) -> bool:
    """Whether a text is wishes alone, as `apart` finds them at the end of a line."""
    pieces = [each.strip(_AROUND) for each in _PIECES.split(spelled_plainly(text))]
    said = [_unnamed(each, names) for each in pieces if each]
    is_known = bool(said) and all(_is_wish(each) or each in also for each in said if each)
    return is_known and any(said) and not take_back([text])


def _is_wish(piece: str) -> bool:
    """Whether a piece is a wish, or is two: "have fun everyone"."""
    every = (piece,), piece.split(" ", 1), piece.rsplit(" ", 1)
    return any(map(wishes().issuperset, every))


def _unnamed(piece: str, names: Collection[str] | None) -> str:
    """The piece without a player's name or a first name at one of its ends."""
    if names is None:
        return piece
    words = piece.split()
    for first, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if first in names or first in words_of("first_names"):
            return " ".join(rest)
    return piece


@cache
def wishes() -> frozenset[str]:
    """Words that neither answer nor take anything back: thanks, wishes, farewells."""
    kinds = "remarks", "thanks", "manners", "familiar_words"
    known = {each for kind in kinds for each in words_of(kind)}
    known.update(words_of("good_wishes"))
    answers = {*words_of("yes"), *words_of("refusals"), *words_of("confirming")}
    doubtful = {unmarked(each) for kind in ("takes_back", "denials") for each in words_of(kind)}
    kept = (each for each in known if doubtful.isdisjoint(unmarked(each).split()))
    return frozenset(kept) - answers | frozenset(words_of("farewells"))
