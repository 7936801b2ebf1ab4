"""Quote an email back to its sender: only typed lines, without any password.

If an email cannot be understood, its sender is shown the lines found.  Any word in it may be a
password in an unexpected place.  So only words that are hardly passwords are shown: words of
commands, moves, short words, and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from pbmserv.commands.parser import Vocabulary
from pbmserv.intake.password_redaction import LIKE_A_BID, is_everyday, is_of_a_move, is_request
from pbmserv.security.credentials import BLANKED, SHORTEST_PASSWORD
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import OF_LETTERS, common_words, one_of, words_of
from pbmserv.text.subject_prefixes import bare_subject

MOST_LINES = 5
LONGEST_LINE = 68  # characters: an indented line fits the columns of a letter

_FEWEST_WORDS = 4  # of a sentence
_FEWEST_SHORT_WORDS = 2
_FEWEST_USUAL = 2  # words that another one may be beside
_AROUND = ".,;:!?()'\"*_…。、！？"
_SPEAKS_OF_PASSWORDS = re.compile(rf"pw\b|{one_of('passwords')}", re.IGNORECASE)


def lines_found(
    subject: str,
    typed: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
    is_safe: Callable[[str], bool] = lambda word: False,
) -> tuple[str, ...]:
    """The first lines of the typed text, as its sender may be shown them.

    Without text it is the Subject, unless the Subject is that of an answered email.  `is_safe` is
    asked for each word that may be a password.
    """
    known = {word for words in vocabulary.values() for word in words} | set(vocabulary)
    lines = [line for line in map(plain_line, typed) if line.strip()]
    if not lines and bare_subject(subject) == plain_line(subject).strip() != "":
        lines = [plain_line(subject)]
    return tuple(_without_passwords(line, known, is_move, is_safe) for line in lines[:MOST_LINES])


def speaks_of_passwords(text: str) -> bool:
    """Whether a text names passwords, in any language, so that it may tell one."""
    return _SPEAKS_OF_PASSWORDS.search(text) is not None


def _without_passwords(
    line: str, known: set[str], is_move: Callable[[str], bool], is_safe: Callable[[str], bool]
) -> str:
    words = line[: LONGEST_LINE + 1].split()
    if len(line) > LONGEST_LINE:
        words = [*words[:-1], "..."]  # the last word may be half a password
    if is_move(line) or _is_sentence(words, known):
        return " ".join(words)
    shown = []
    for place, word in enumerate(words):
        others = [*words[:place], *words[place + 1 :]]
        # A word alone, or beside a move, is where people write a password.
        is_exposed = not others or is_move(" ".join(others))
        if _is_open(word, known, is_move):
            is_shown = True
        elif is_exposed and (_is_usual(word) or _are_words(word, others)):
            # It is not the password in small letters, either.
            is_shown = is_safe(word) and is_safe(word.strip(_AROUND).lower())
        else:
            is_shown = (not is_exposed or _is_like_a_move(word)) and is_safe(word)
        shown.append(word if is_shown else BLANKED)
    return " ".join(shown)


def _are_words(word: str, others: Sequence[str]) -> bool:
    """Whether a plain word ends or begins a few usual ones: "I call horsefeathers".

    A password is rather beside a move alone, or beside a bid with digits.
    """
    plain = word.strip(_AROUND)
    is_spelled = plain.isalpha() and (plain.islower() or plain.istitle())
    usual = [each.strip(_AROUND) for each in others if _is_usual(each)]
    return (
        is_spelled and len(others) == len(usual) >= _FEWEST_USUAL and all(map(str.isalpha, usual))
    )


def _is_usual(word: str) -> bool:
    """Whether it is a usual word of one of our languages, or a first name, spelled as usual."""
    bare = word.strip(_AROUND)
    is_spelled = bare.islower() or bare.istitle()
    return is_everyday(word) or (is_spelled and bare.lower() in _usual_words())


@cache
def _usual_words() -> frozenset[str]:
    words = *words_of("prose_words"), *words_of("first_names")
    return frozenset(words).union(*map(common_words, OF_LETTERS))


def _is_like_a_move(word: str) -> bool:
    return is_of_a_move(word) or LIKE_A_BID.match(word) is not None


def _is_sentence(words: Sequence[str], known: set[str]) -> bool:
    """Whether it is prose: words of letters, several of them short, and none about passwords."""
    bare = [word.strip(_AROUND) for word in words]
    letters = [word.replace("'", "").replace("-", "").isalpha() for word in bare]
    dashes = [len(word) < SHORTEST_PASSWORD and not any(map(str.isalnum, word)) for word in words]
    spelled = all(word or dash for word, dash in zip(letters, dashes, strict=True))
    # Punctuation counts here: "ab??" is long enough to be a password.
    short = sum(
        spelt and len(word) < SHORTEST_PASSWORD for spelt, word in zip(letters, words, strict=True)
    )
    return (
        spelled
        and sum(letters) >= _FEWEST_WORDS
        and short >= _FEWEST_SHORT_WORDS
        and not speaks_of_passwords(" ".join(words))
        and bare[0].lower() not in known
    )


def _is_open(word: str, known: set[str], is_move: Callable[[str], bool]) -> bool:
    bare = word.strip(_AROUND).lower()
    is_known = bare in known or is_request(bare) or is_move(bare)
    return len(word) < SHORTEST_PASSWORD or (bare != "" and is_known)
