"""Which command a word names: in full, abbreviated, mistyped, or in another language."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from pbmserv.text.phrases import EVERYDAY, single_words, words_of
from pbmserv.text.unicode_forms import unmarked

MOVE, SIGNUP = "move", "signup"  # commands of a game, and of the server
_NO_MOVE = "pass"  # the command that is refused
LEAST_PREFIX = 3  # letters of an abbreviated command
_COLON = re.compile("[:\uff1a]")  # the second one is of East Asian keyboards
CORRECTED = {
    *("advise", "all", "games", "help", "history", "list", "preview", "record", "referee"),
    *("show", "standings", "stats", "verify", "move", "queue"),
}
"""Commands that are carried out if they are mistyped: those that only show, and moves.

All others are asked about.  So is a move that ends a game.
"""
_WITH_MOVES = {"move": 3, "queue": 3}  # words before the moves: the board, the userid, the password
_LEAST_CORRECTED = 4  # letters of a mistyped command
_OF_OPERATOR = {"status"}  # a command of the operator that is one slip from a player's


def named(word: str, spellings: Mapping[str, str], *, translated: bool = True) -> str | None:
    """The command that a word names: in full, or by a prefix that fits only one; None for none.

    `translated`: the word may also be one of another language.
    """
    word = word.lower()
    if name := in_full(word, spellings, translated=translated):
        return name
    if len(word) < LEAST_PREFIX:
        return None
    found = {name for spelling, name in spellings.items() if spelling.startswith(word)}
    return found.pop() if len(found) == 1 else None


def in_full(word: str, spellings: Mapping[str, str], *, translated: bool) -> str | None:
    """The command that a whole word names, in English or as another language has it."""
    word = word.lower()
    other = of_languages().get(word, "") if translated else ""
    return spellings.get(word) or spellings.get(other)


def corrected(
    word: str, rest: Sequence[str], spellings: Mapping[str, str], *, is_addressed: bool
) -> str | None:
    """The command that a word names with one slip: a letter missing, too many, wrong, or swapped.

    It is as good as the right word if it may be no other one and is in CORRECTED.  Words of other
    languages count, too.  `is_addressed`: a game word or our name is in front.  A move needs
    none, but the line must have all its words.
    """
    word = word.lower()
    has_board = bool(rest) and rest[0].isdecimal()
    has_move = has_board and len(rest) > min(_WITH_MOVES.values())
    if len(word) < _LEAST_CORRECTED or not (is_addressed or has_move) or word in _OF_OPERATOR:
        return None  # as almost every line of an email: a comparison with all words takes 0.3 ms
    others = {said: spellings.get(name, "") for said, name in of_languages().items()}
    known = {**others, **spellings}
    found = {name for said, name in known.items() if name and _is_slip_of(word, said)}
    name = found.pop() if len(found) == 1 else ""
    if name not in CORRECTED or _ends_a_game(name, rest) or _is_move(word):
        return None  # "perudo call" is not a mistyped `all`: it means dudo
    if name in _WITH_MOVES:
        is_addressed = has_board and _are_moves(rest[_WITH_MOVES[name] :])
    return name if is_addressed else None


def _is_move(text: str) -> bool:
    from pbmserv.games.perudo.move_parser import is_action  # `--help` does not need it

    return is_action(text)


def _are_moves(words: Sequence[str]) -> bool:
    """Whether the words behind a password are moves, or `off`: "moves 3 times a day" is prose."""
    from pbmserv.games.perudo.move_parser import without_salt  # `--help` does not need it

    said, _ = without_salt(" ".join(word for word in words if not word.startswith("#")))
    if said.lower() == "off":
        return True
    return _is_move(said) or (said != "" and all(map(_is_move, said.split())))


def is_guessed_end(word: str, name: str, rest: Sequence[str]) -> bool:
    """Whether a mistyped command that is known, such as `mvoe`, would end a game."""
    is_slip = not name.startswith(word.lower()) and _is_slip_of(word.lower(), name)
    return is_slip and _ends_a_game(name, rest)


def _ends_a_game(name: str, rest: Sequence[str]) -> bool:
    """Whether the words behind a command are a move that ends a game, or answers a question."""
    if name not in _WITH_MOVES:
        return False
    from pbmserv.games.perudo.move_parser import (  # `--help` does not need it
        ENDING_MOVES,
        bare_move,
    )

    moves = rest[_WITH_MOVES[name] :]
    return not ENDING_MOVES.isdisjoint((bare_move(" ".join(moves)), *map(bare_move, moves)))


def _is_slip_of(word: str, right: str) -> bool:
    """Whether two words differ by one letter, or by two neighbours that are swapped."""
    same = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), None)
    at = min(len(word), len(right)) if same is None else same
    mine, its = word[at:], right[at:]
    swapped = its[1:2] + its[:1] + its[2:]
    return word != right and (mine == its[1:] or mine[1:] in {its, its[1:]} or mine == swapped)


@cache
def of_languages() -> Mapping[str, str]:
    """The English command for each command word of another language, or for several words."""
    entries = (each.rpartition(" ") for each in words_of("command_words"))
    passes = {each: _NO_MOVE for each in words_of("passes") if " " in each}
    return passes | {said: name for said, _, name in entries}


def of_sign_up(words: list[str]) -> list[str]:
    """The words of a Subject, where "Signup: ann secret" and "Sign up ann secret" are a sign-up.

    French has a blank before a colon.  No other command has one: "Help: rules" is the Subject of
    our page.
    """
    said, *rest = _COLON.split(" ".join(words), maxsplit=1)
    if rest and _is_sign_up(said):
        return [SIGNUP, *rest[0].split()]
    found = (count for count in (2, 1) if _is_sign_up(" ".join(words[:count])))
    return next(([SIGNUP, *words[count:]] for count in found), words)


def sign_up_behind(names: Collection[str], words: list[str]) -> list[str]:
    """The words of a line such as "Perudo: sign up ann secret" without the name in front.

    They are as they were in any other line.
    """
    said, *rest = _COLON.split(" ".join(words), maxsplit=1)
    if not rest or said.strip().lower() not in names:
        return words
    found = of_sign_up(rest[0].split())
    return found if found[:1] == [SIGNUP] else words


def _is_sign_up(text: str) -> bool:
    said = text.strip().lower()
    return SIGNUP in (said, of_languages().get(said))


@cache
def subjects_of_languages() -> Mapping[str, str]:
    """The English subject of help for each word of another language, which has no accents."""
    entries = (each.rpartition(" ") for each in words_of("help_words"))
    return {unmarked(said): subject for said, _, subject in entries}


def asks_for_help(word: str, rest: Sequence[str]) -> bool:
    """Whether a line is `help` in another language with a subject, such as `aide règles bga`.

    The subject is one of that language, or a single word.  Other words may be prose.
    """
    if of_languages().get(word.lower()) != "help" or not rest:
        return False
    said = unmarked(" ".join(rest).lower()).strip(" .!?")
    known = subjects_of_languages()
    if any(f"{said} ".startswith(f"{each} ") for each in (*known, *known.values())):
        return True
    return len(rest) == 1 and said not in words_of("function_words")


def names_somebody(rest: Sequence[str], spellings: Mapping[str, str]) -> bool:
    """Whether the one word behind "help" is spelled as a name, and is not a subject: "Aide Bob"."""
    if len(rest) != 1 or not (rest[0].isalpha() and rest[0].istitle()):
        return False
    said = unmarked(rest[0].lower())
    known = subjects_of_languages()
    return not (said in known or said in known.values() or named(said, spellings))


def nearest(word: str, spellings: Mapping[str, str]) -> str:
    """The command that the word abbreviates, else the most similar one; "" for none.

    In a game, a move means the command `move`; elsewhere such a word may be prose.  A frequent word
    of prose, such as the French "pas", is not a mistyped `pass`. "dudo" and "uno" are not a
    mistyped `undo`.
    """
    from difflib import get_close_matches  # `--help` need not pay for these

    from pbmserv.games.perudo.move_parser import is_action
    from pbmserv.games.perudo.move_words import words_of_moves

    word = word.lower().strip("¡!¿?.,")
    if MOVE in spellings and SIGNUP not in spellings and is_action(word):
        return MOVE
    everyday = single_words(*EVERYDAY, "requests")
    if is_action(word) or not everyday.isdisjoint({word, unmarked(word)}):
        return ""
    if unmarked(word) in words_of_moves():
        return ""
    # With a smaller cutoff "hello" would match `help`.
    close = get_close_matches(word, spellings, n=1, cutoff=0.7)
    return named(word, spellings) or (spellings[close[0]] if close else "")
