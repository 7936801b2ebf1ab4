"""Quote an email back to its sender: only typed lines, without any password.

If an email cannot be understood, its sender is shown the lines found.  Any word in it may be a
password in an unexpected place.  So only words that are hardly passwords are shown: words of
commands, moves, short words, and sentences.  If it is known who writes, usual words are shown, too,
and rare ones that were compared with the password.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import IntEnum
from functools import cache

from pbmserv.commands.parser import Vocabulary
from pbmserv.intake.password_redaction import (
    LIKE_A_BID,
    is_everyday,
    is_of_a_move,
    is_request,
    speaks_of_passwords,
)
from pbmserv.intake.stray_passwords import is_said_often
from pbmserv.security.credentials import BLANKED, SHORTEST_PASSWORD
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import OF_LETTERS, common_words, words_of
from pbmserv.text.subject_prefixes import bare_subject

MOST_LINES = 5
LONGEST_LINE = 68  # characters: an indented line fits the columns of a letter

_FEWEST_WORDS = 4  # of a sentence
_FEWEST_SHORT_WORDS = 2
_FEWEST_USUAL = 2  # words that another one may be beside
_AROUND = ".,;:!?()'\"*_…。、！？"


class _Shown(IntEnum):
    """When a word is shown again, in the order in which words are compared with the password."""

    IF_WRONG = 0  # it was compared, and is not the password
    IF_NOT_FOUND = 1  # it was not found to be the password
    IF_USUAL = 2  # the same; it is a usual word
    ALWAYS = 3
    NEVER = 4


def lines_found(
    subject: str,
    typed: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
    is_password: Callable[[str], bool | None] | None = None,
    names: Collection[str] = (),
) -> tuple[str, ...]:
    """The first lines of the typed text, as its sender may be shown them.

    Without text it is the Subject, unless the Subject is that of an answered email.  `is_password`
    is asked for words that may be the writer's password, the likeliest first; it says None where it
    compares no more.  It is None if nobody knows who writes.  `names` in small letters are the
    writer's own.
    """
    known = {word for words in vocabulary.values() for word in words} | set(vocabulary)
    lines = [line for line in map(plain_line, typed) if line.strip()]
    if not lines and bare_subject(subject) == plain_line(subject).strip() != "":
        lines = [plain_line(subject)]
    read = [
        [*_judged(line, known, is_move, names, is_proven=is_password is not None)]
        for line in lines[:MOST_LINES]
    ]
    found: dict[str, bool | None] = {}
    doubtful = {(how, word) for words in read for word, how in words if how < _Shown.ALWAYS}
    order = [each for words in read for each, _ in words]
    for _, word in sorted(doubtful, key=lambda each: (each[0], order.index(each[1]))):
        if word not in found and is_password is not None:
            found[word] = is_password(word)

    def shown(word: str, how: _Shown) -> str:
        is_wrong = found.get(word) is False
        is_unknown = found.get(word) is None and how in {_Shown.IF_NOT_FOUND, _Shown.IF_USUAL}
        return word if how is _Shown.ALWAYS or is_wrong or is_unknown else BLANKED

    return tuple(" ".join(shown(*each) for each in words) for words in read)


def _judged(
    line: str,
    known: set[str],
    is_move: Callable[[str], bool],
    names: Collection[str],
    *,
    is_proven: bool,
) -> Iterator[tuple[str, _Shown]]:
    """The words of a line, and when each is shown."""
    words = line[: LONGEST_LINE + 1].split()
    if len(line) > LONGEST_LINE:
        words = [*words[:-1], "..."]  # the last word may be half a password
    is_sentence, is_whole_move = _is_sentence(words, known), is_move(line)
    is_remark = is_proven and is_said_often(line)
    for place, word in enumerate(words):
        others = [*words[:place], *words[place + 1 :]]
        # A word alone, or beside a move, is where people write a password.
        is_exposed = not others or is_move(" ".join(others))
        is_usual = _is_usual(word) or word.strip(_AROUND).lower() in names
        how = _Shown.IF_WRONG
        if is_whole_move or _is_open(word, known, is_move):
            how = _Shown.ALWAYS
        elif is_sentence or is_remark:
            how = _Shown.IF_USUAL if is_usual else _Shown.IF_NOT_FOUND
        elif is_exposed and not (is_usual or _are_words(word, others) or _is_like_a_move(word)):
            how = _Shown.NEVER
        elif is_usual and not is_exposed and is_proven and not speaks_of_passwords(line):
            how = _Shown.IF_USUAL
        yield word, how


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
