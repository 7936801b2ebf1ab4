"""Read the reply to an invitation by address: yes with a name, no, or never again.

A yes takes the seat of a player, and a yes with a name opens an account.  So all words of the line
must go with a yes, but one that is the name.  Words such as "tomorrow" put the answer off: then the
line is neither.  "Never" is kept for ever, so it counts only if the line says nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pbmserv.intake.affirmation import says_yes, with_accent
from pbmserv.intake.stop_requests import asks_to_stop
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, single_words, words_of

LONGEST = 200  # characters of the line that is read
_MOST_WORDS = 4  # of a line that answers the question for a name: "call me mia"
_YES = frozenset((*words_of("yes"), "accept"))
_NO = frozenset((*words_of("refusals"), "reject", "decline"))
_NO_REFUSAL = frozenset(words_of("no_refusal"))
_NEVER = frozenset(words_of("never"))
_MANNERS = frozenset((*words_of("thanks"), *words_of("thanked"), *words_of("behind_yes")))
_BESIDE_NAME = _YES | {*words_of("beside_name"), *words_of("thanks")}
_BESIDE_NAME |= single_words("harmless_denials")
_NOT_NOW = frozenset((*words_of("not_now"), *words_of("doubts")))
_HARMLESS_DENIAL = re.compile(rf"\b(?:{one_of('harmless_denials')})\b")
_BEFORE_THINGS = frozenset(words_of("before_things"))
_AROUND = " .,!¡?*_\"'()[]:;-–—„“”«»<>"


def _bare(line: str) -> list[str]:
    """The words of a line, without what stands around them."""
    return [word for each in line.split() if (word := each.strip(_AROUND))]


# Lines that answer as a whole, but have no yes or no as their first word: "con mucho gusto".
_AGREEING = {
    *(" ".join(_bare(each)) for each in words_of("accepts_invitation")),
    *(" ".join(_bare(each)) for each in words_of("accept_moves")),
}
_REFUSING = {" ".join(_bare(each)) for each in words_of("rejects_invitation")}


def answer_of(subject: str, typed: Sequence[str], *, is_named: bool) -> tuple[str, ...]:
    """The words of `perudo rsvp` that a reply means; none where it is not clear.

    `is_named`: its writer was asked for a name, so one word is a name.
    """
    first = with_accent(plain_line(next((line for line in typed if line.strip()), ""))[:LONGEST])
    written = _bare(first)
    words = [word.lower() for word in written]
    core = " ".join(word for word in words if word not in _NO | _MANNERS)
    if not _NEVER.isdisjoint((core, " ".join(words))) or asks_to_stop(subject, typed):
        return ("never",)
    if not words:
        return ()
    whole = {" ".join(words), " ".join(word for word in words if word not in _MANNERS)}
    if not first.rstrip().endswith("?") and whole & (_AGREEING | _REFUSING):
        return ("yes",) if whole & _AGREEING else ("no",)
    if words[0] in _NO and _NO_REFUSAL.isdisjoint(words[1:2]):
        return ("no",)
    if _puts_off(first, words):
        return ()
    agrees = words[0] in _YES or says_yes(typed, in_words=True)
    names = [each for each in written if each.lower() not in _BESIDE_NAME] or (
        written if is_named and len(written) == 1 and not agrees else []
    )
    if not (agrees or (is_named and names and len(words) <= _MOST_WORDS)):
        return ()
    if any(before.lower() in _BEFORE_THINGS for before, each in pairwise(written) if each in names):
        return ()
    return ("yes", *names) if len(names) <= 1 else ()


def _puts_off(line: str, words: Sequence[str]) -> bool:
    """Whether a line asks, denies, says "not now", or tells how its writer is."""
    kept = _HARMLESS_DENIAL.sub("", " ".join(words)).split()
    return not _NOT_NOW.isdisjoint(kept) or (line.rstrip().endswith("?") and kept == list(words))


def below_answer(typed: Sequence[str]) -> str:
    """The text below the line with the answer: it is for the other players."""
    lines = list(typed)
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first + 1 :]).strip()
