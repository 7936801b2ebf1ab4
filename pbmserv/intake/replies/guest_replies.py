"""Read the reply to an invitation by address: yes with a name, no, or never again.

A yes takes the seat of a player, and a yes with a name opens an account.  So all words of the line
must go with a yes, but one that is the name: see `intake/replies/guest_names.py`.  Words such as
"tomorrow" put the answer off: then the line is neither.  "Never" is kept for ever, so it counts
only if the line says nothing else.  The next line may take a yes back: then it does not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.commands.move_lines.conditional_answers import have_condition
from pbmserv.commands.move_lines.good_wishes import apart
from pbmserv.commands.move_lines.retractions import take_back, without_reconsidering
from pbmserv.intake.replies.affirmation import says_yes, with_accent
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.replies.guest_names import bare_words, clauses, is_evident, name_below, names_in
from pbmserv.intake.replies.language_questions import wanted
from pbmserv.intake.replies.prose import is_remark
from pbmserv.intake.replies.stop_requests import asks_to_stop
from pbmserv.lobby.invited_addresses import DOUBTFUL
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.unicode_forms import is_pictures

LONGEST = 200  # characters of the line that is read
_MOST_WORDS = 4  # of a line that answers the question for a name: "call me mia"
_YES = frozenset((*words_of("yes"), "accept"))
_NO = frozenset((*words_of("refusals"), "reject", "decline"))
_NO_REFUSAL = frozenset(words_of("no_refusal"))
_NEVER = frozenset(words_of("never"))
_MANNERS = frozenset((*words_of("thanks"), *words_of("thanked"), *words_of("behind_yes")))
_NOT_NOW = frozenset((*words_of("not_now"), *words_of("doubts")))
_PARTS = re.compile(r"[/.|]+")  # "yes/no" is not a name
_DOUBTS = frozenset(words_of("doubts"))
_DOUBTS_WITHIN = words_of("doubts_within")
_MOST_BELOW = 3  # lines below a no that may take it back
_MOST_OF_ORDER = 3  # words of a line alone below a yes that may take it back: "please unsubscribe"
_FIRST_WORDS = 3  # of such a line, in which it denies the yes: "actually no"
_LONG = 60  # characters of a line that a mail program may have wrapped
_HARMLESS_DENIAL = re.compile(rf"\b(?:{one_of('harmless_denials')})\b")

# Lines that answer as a whole, but have no yes or no as their first word: "con mucho gusto".
_AGREEING = {
    *(" ".join(bare_words(each)) for each in words_of("accepts_invitation")),
    *(" ".join(bare_words(each)) for each in words_of("accept_moves")),
}
_REFUSING = {" ".join(bare_words(each)) for each in words_of("rejects_invitation")}


def answer_of(subject: str, typed: Sequence[str], *, is_named: bool) -> tuple[str, ...]:
    """The words of `perudo rsvp` that a reply means; none where it is not clear.

    `is_named`: its writer was asked for a name, so one word is a name.  Behind a word that is not
    surely one, DOUBTFUL follows.
    """
    typed = _without_greeting(typed)
    if wanted(subject, typed):  # "no English" is a question, and no refusal
        return ()
    answer = _answer(subject, typed, is_named=is_named)
    answer = answer or _answer(subject, _without_wishes(typed), is_named=is_named)
    return () if answer == ("no",) and _takes_no_back(typed) else answer


def _takes_no_back(typed: Sequence[str]) -> bool:
    """Whether lines below a no take it back, or one of them begins with a yes: "wait, yes"."""
    below = [line for line in _below(typed) if line.strip()]
    said = [" ".join(each) for line in below[:_MOST_BELOW] for each in clauses(line)]
    said += [each for line in below[:_MOST_BELOW] for each in without_reconsidering(line)]
    if take_back(below, is_no=True) or have_condition(below, is_no=True):
        return True
    return any(each in _AGREEING or says_yes([each], in_words=True) for each in said)


def _answer(subject: str, typed: Sequence[str], *, is_named: bool) -> tuple[str, ...]:
    """The answer of a reply, all of whose first line must go with it."""
    first = with_accent(_first(typed))
    written = bare_words(first)
    words = [word.lower() for word in written]
    core = " ".join(word for word in words if word not in _NO | _MANNERS)
    if not _NEVER.isdisjoint((core, " ".join(words))) or asks_to_stop(subject, typed):
        return ("never",)
    if not words:
        return ()
    if is_pictures(first):  # no picture is a name
        return _agreed("yes", typed, is_named=is_named) if says_yes([first], in_words=True) else ()
    whole = {" ".join(words), " ".join(word for word in words if word not in _MANNERS)}
    if not first.rstrip().endswith("?") and whole & (_AGREEING | _REFUSING):
        return _agreed(first, typed, is_named=is_named) if whole & _AGREEING else ("no",)
    if words[0] in _NO and _NO_REFUSAL.isdisjoint(words[1:2]):
        return ("no",)
    if _puts_off(first, words):
        return ()
    if words[0] in _YES or says_yes(typed, in_words=True) or _begins_with_yes(first):
        return _agreed(first, typed, is_named=is_named)
    return _name_alone(first, written) if is_named else ()


def _begins_with_yes(line: str) -> bool:
    """Whether the line's first clause agrees: "with pleasure, mia"."""
    first = " ".join(clauses(line)[0]).lower()
    return first in _AGREEING or says_yes([first], in_words=True)


def _agreed(line: str, typed: Sequence[str], *, is_named: bool) -> tuple[str, ...]:
    """A yes with the name that is in its line, or alone below it; none if words are not clear.

    Who was asked for a name is asked again, and so is told how to write it.
    """
    if _is_taken_back(line, _below(typed)):
        return ()
    if " ".join(bare_words(line.lower())) in _AGREEING:
        names: list[str] | None = []
    else:
        names = names_in(line, is_named=is_named)
    if names is None:
        return ("yes",) if is_named else ()
    below = "" if names else name_below(_below(typed), line)
    found = [*names, *filter(None, [below])]
    if found and not is_named and not is_evident(found[0], below or line):
        found.append(DOUBTFUL)
    return ("yes", *found)


def _name_alone(line: str, written: Sequence[str]) -> tuple[str, ...]:
    """A yes with the name, if a line gives only a name; () if it gives no name."""
    if len(written) == 1:
        is_answer = any(each in _YES | _NO for each in _PARTS.split(written[0].lower()))
        return () if is_answer else ("yes", *written)
    names = names_in(line, is_named=True) if len(written) <= _MOST_WORDS else None
    return ("yes", *names) if names else ()


def _without_greeting(typed: Sequence[str]) -> Sequence[str]:
    """The lines of a reply without a greeting at the top, if there are others."""
    lines = [place for place, line in enumerate(typed) if line.strip()]
    is_greeted = len(lines) > 1 and is_greeting(typed[lines[0]])
    return typed[lines[1] :] if is_greeted else typed


def _without_wishes(typed: Sequence[str]) -> Sequence[str]:
    """The lines of a reply without good wishes behind its answer: "yes, good luck!"."""
    line, _ = apart(_first(typed))
    return [line, *_below(typed)]


def _first(typed: Sequence[str]) -> str:
    return plain_line(next((line for line in typed if line.strip()), ""))[:LONGEST]


def _puts_off(line: str, words: Sequence[str]) -> bool:
    """Whether a line asks, denies, says "not now", or tells how its writer is."""
    kept = _HARMLESS_DENIAL.sub("", " ".join(words)).split()
    return not _NOT_NOW.isdisjoint(kept) or (line.rstrip().endswith("?") and kept == list(words))


def _is_taken_back(line: str, below: Sequence[str]) -> bool:
    """Whether the line below a yes denies it or puts it off: "Yes,", "but not this week".

    It is directly below, or is the only one and short.  Another line may be for the other players.
    So may a sentence that doubts something later: "I hope that I am not late".
    """
    others = [each for each in below if each.strip()][:2]
    if not others or is_remark(others[:1]):
        return False
    is_next = bool(below[0].strip())
    said = plain_line(others[0])[:LONGEST].lower()
    words = bare_words(said)
    is_short = len(others) == 1 and len(words) <= _MOST_OF_ORDER
    if not (is_next or is_short):
        return False
    if take_back(others[:1]) or have_condition(others[:1]):
        return True
    kept = _HARMLESS_DENIAL.sub("", " ".join(words)).split()
    goes_on = is_next and (line.rstrip().endswith(",") or len(line) >= _LONG)
    first = kept if goes_on else kept[:_FIRST_WORDS]
    if not (_NOT_NOW if goes_on else _DOUBTS).isdisjoint(first) or not _NO.isdisjoint(kept[:1]):
        return True
    is_denied = any(each in " ".join(first) for each in _DOUBTS_WITHIN)
    return is_denied or asks_to_stop("", others[:1])


def below_answer(typed: Sequence[str]) -> str:
    """The text below the line with the answer: it is for the other players."""
    return "\n".join(_below(typed)).strip()


def message_of(typed: Sequence[str], answer: Sequence[str]) -> str:
    """The text of a guest's reply for the other players; a name that is all of it is not.

    Good wishes behind the answer are part of it.
    """
    typed = _without_greeting(typed)
    below = below_answer(typed)
    below = "" if bare_words(below) == list(answer[1:2]) else below
    wishes = apart(_first(typed))[1]
    is_more = not _MANNERS.issuperset(map(str.lower, bare_words(wishes)))
    return f"{wishes}\n{below}".strip() if is_more else below


def _below(typed: Sequence[str]) -> Sequence[str]:
    first = next((place for place, line in enumerate(typed) if line.strip()), 0)
    return typed[first + 1 :]
