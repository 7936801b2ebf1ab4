"""Quoting a mail back to whoever wrote it: only lines that were typed, without any password.

Where a mail cannot be understood its writer is shown what was found in it.  A word in it may be
a password, in a place where nobody expects one; so only what hardly is one is shown: words of
the commands, moves, short words, and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pbmserv.commands.parser import Vocabulary
from pbmserv.players.validation import SHORTEST_PASSWORD
from pbmserv.text.normalize import bare_subject, plain_line
from pbmserv.text.phrases import one_of

MOST_LINES = 5
LONGEST_LINE = 68  # characters: with its indent a line keeps to the columns of a letter
BLANKED = "********"

_FEWEST_WORDS = 4  # of a sentence
_FEWEST_SHORT_WORDS = 2
_AROUND = ".,;:!?()'\"*_…。、！？"
_SPEAKS_OF_PASSWORDS = re.compile(rf"pw\b|{one_of('passwords')}", re.IGNORECASE)


def lines_found(
    subject: str,
    typed: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> tuple[str, ...]:
    """The first lines of what was typed, as its writer may be shown them again.

    Where nothing was, it is the Subject, unless that is another mail's that this one answers.
    """
    known = {word for words in vocabulary.values() for word in words} | set(vocabulary)
    lines = [line for line in map(plain_line, typed) if line.strip()]
    if not lines and bare_subject(subject) == plain_line(subject).strip() != "":
        lines = [plain_line(subject)]
    return tuple(_shown(line, known, is_move) for line in lines[:MOST_LINES])


def _shown(line: str, known: set[str], is_move: Callable[[str], bool]) -> str:
    words = line[: LONGEST_LINE + 1].split()
    if len(line) > LONGEST_LINE:
        words = [*words[:-1], "..."]  # the last one may be half a password
    if is_move(line) or _is_sentence(words, known):
        return " ".join(words)
    return " ".join(word if _is_open(word, known, is_move) else BLANKED for word in words)


def _is_sentence(words: Sequence[str], known: set[str]) -> bool:
    """True for prose: words of letters, several of them short, and no talk of passwords."""
    bare = [word.strip(_AROUND) for word in words]
    letters = [word.replace("'", "").replace("-", "").isalpha() for word in bare]
    dashes = [len(word) < SHORTEST_PASSWORD and not any(map(str.isalnum, word)) for word in words]
    spelled = all(word or dash for word, dash in zip(letters, dashes, strict=True))
    # Its marks count as part of a word here: "ab??" is long enough to be a password.
    short = sum(
        spelt and len(word) < SHORTEST_PASSWORD for spelt, word in zip(letters, words, strict=True)
    )
    return (
        spelled
        and sum(letters) >= _FEWEST_WORDS
        and short >= _FEWEST_SHORT_WORDS
        and not _SPEAKS_OF_PASSWORDS.search(" ".join(words))
        and bare[0].lower() not in known
    )


def _is_open(word: str, known: set[str], is_move: Callable[[str], bool]) -> bool:
    bare = word.strip(_AROUND).lower()
    return len(word) < SHORTEST_PASSWORD or (bare != "" and (bare in known or is_move(bare)))
