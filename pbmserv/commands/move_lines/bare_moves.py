"""Recognise a text that is a move without its command, as players write it in a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from pbmserv.commands.move_lines.good_wishes import words_apart
from pbmserv.commands.move_lines.retractions import take_back
from pbmserv.games.perudo.events import Action, Call
from pbmserv.games.perudo.meant_moves import perhaps_call
from pbmserv.games.perudo.move_parser import (
    ANSWERS,
    ENDING_MOVES,
    RESIGN,
    WORDS,
    is_bare_action,
    spelled_plainly,
    unadorned,
)
from pbmserv.games.perudo.notation import (
    bare_move,
    is_action,
    read_action,
    without_salt,
)
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked, with_plain_digits

_QUEUED, _PLAYED = ("5-4s", "dudo"), "4-2s"  # in examples
_WORD = re.compile(r"[^\W\d_]+")
_ARTICLES = {"a", "un", "una", "une"}
_AROUND = " .,;:!?#*-–—•()\"'"
_LONGEST = 160  # characters of a line
_MOVE_NUMBER = re.compile(r"(?<=\S) +#[0-9]{1,9}$")


@lru_cache(maxsize=16)  # each line of an email is read some times
def reads_as_move(text: str) -> bool:
    """Whether a text is a move, or an answer to a draw or a challenge; `#17` may follow it.

    A word for a draw with an exclamation mark alone is not one: "Nulle !" may mean something else.
    """
    if "!" in text and _names_a_draw(text):
        return False
    text, _ = without_salt(without_number(text))
    move = bare_move(text)
    return move in ANSWERS or is_bare_action(move)


def _answers_offer(text: str) -> bool:
    """Whether a text that reads as a move answers a draw or a challenge, or offers a draw."""
    return bare_move(without_number(text)) in ANSWERS


def may_jest(text: str) -> bool:
    """Whether a text is an answer or `resign` beside words for friends, or taken back.

    Such as "accept lol" and "resign - no wait": it is not carried out.  Nor is `resign` beside
    other good wishes.
    """
    if reads_as_move(text):
        return False
    first, _, rest = text.strip().partition(" ")
    if bare_move(first) in ENDING_MOVES and take_back([rest]):
        return True
    said, wishes = words_apart(text.split())
    if wishes and bare_move(" ".join(said)) == RESIGN:
        return True
    return bare_move(unadorned(spelled_plainly(text))) in ENDING_MOVES


def have_move(lines: Iterable[str], is_move: Callable[[str], bool]) -> bool:
    """Whether a line is a bid or a call, has a bid among its words, or begins with a call.

    So "- 3-2s" and "Dudo, of course" are found, too; `is_move` says what reads as a move.
    """
    return any(
        is_move(each) and not _answers_offer(each)
        for line in lines
        for each in _pieces(line[:_LONGEST])
    )


def action_of(text: str) -> Action | None:
    """The bid or the call that a text says; None for none."""
    move, _ = without_salt(without_number(text))
    return read_action(move) if is_action(move) else None


def _pieces(line: str) -> list[str]:
    """The line, its first word, and its words with a digit."""
    words = [word.strip(_AROUND) for word in line.split()]
    found = [word for word in words if any(map(str.isdigit, word))]
    return list(filter(None, (line, *words[:1], *found)))


def without_number(text: str) -> str:
    """The text of a move without `#17` behind it, and without signs around it."""
    return _MOVE_NUMBER.sub("", with_plain_digits(text).strip(" *.!"))


def doubts_in_words(text: str) -> bool:
    """Whether a text is a call in everyday words, such as "I doubt that", without a call's name."""
    if not isinstance(WORDS.get(bare_move(text)), Call):
        return False
    return _names_of_calls().isdisjoint(unadorned(spelled_plainly(text)).split())


def may_doubt_words(text: str) -> bool:
    """Whether a text that calls may answer words of others: "I doubt it", "lo dudo", "I'll call!".

    The name of a call in this game may not: `dudo`, "I call dudo".
    """
    if not isinstance(action_of(text), Call):
        return False
    words = unadorned(spelled_plainly(without_number(text))).split()
    is_name = not words_of("game_calls").known.isdisjoint(words[-1:])
    return not is_name or not words_of("call_objects").known.isdisjoint(words)


def may_call(text: str) -> bool:
    """Whether a text may call a bid, such as "show me", and not the command `show`."""
    return bool(perhaps_call(text, {"dudo", "calza"}))


def may_leave(text: str) -> bool:
    """Whether a text such as "me retiro" reads as `resign`, without that word or the game's name.

    It may mean that its writer goes to bed.
    """
    if not reads_as_move(text) or bare_move(without_number(text)) != RESIGN:
        return False
    return {RESIGN, *words_of("game_words")}.isdisjoint(_WORD.findall(spelled_plainly(text)))


@cache
def _names_of_calls() -> frozenset[str]:
    """The single words that name a call, in all languages, without "liar" and its like."""
    calls = words_of("doubt_moves"), words_of("calza_moves"), words_of("pacao_moves")
    single = {each for some in calls for each in some if " " not in each}
    return frozenset({"dudo", "dodo", "dudu", "calza", "exact", "pacao", "call"} | single) - {
        *words_of("epithets")
    }


def _names_a_draw(text: str) -> bool:
    """Whether all words are names of a draw, as in "Match nul !"."""
    words = {unmarked(word) for word in _WORD.findall(text.lower())} - _ARTICLES
    return bool(words) and words <= _names_of_draws()


@cache
def _names_of_draws() -> frozenset[str]:
    """The words of all languages for a draw, without accents."""
    return frozenset(map(unmarked, words_of("beside_draw")))


def as_reply(command: str, words: Sequence[str]) -> str:
    """The line that does the same as a move or a queue, in a reply to a game letter.

    Its moves are those in the words of the command, or examples.  It is "" for other commands.
    """
    moves = [word for word in words if reads_as_move(word)]
    if command == "queue":
        return " ".join(["queue", *(moves or _QUEUED)])
    if command != "move":
        return ""
    rest = [" ".join(words[start:]) for start in range(len(words))]
    return next(filter(reads_as_move, rest), _PLAYED)
