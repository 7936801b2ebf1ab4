"""Tell a person's sentences from a text that may be a move or a request, or is a machine's.

The rules are closed and cautious.  After the end of a game no move can be meant, so more is prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from unicodedata import category

from pbmserv.commands.parser import Vocabulary
from pbmserv.games.perudo.move_parser import (
    LONGEST,
    MOVE_WORDS,
    QUANTITIES,
    spelled_plainly,
    unadorned,
)
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.intake.password_redaction import speaks_of_passwords
from pbmserv.intake.replies.addressed_words import WORDS_OF_BIDS, is_to_somebody
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.replies.language_questions import wanted
from pbmserv.intake.replies.questions import asks_how
from pbmserv.security.credentials import SHORTEST_PASSWORD
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import by_language, one_of, single_words, words_of
from pbmserv.text.unicode_forms import DICE, is_pictures, unmarked

MOST_LINES, MOST_WORDS = 40, 400  # of a text; in a longer one too much may be meant
MOST_REMARKS = 4  # lines of a text of remarks
_MOST_AGREEING = 8  # words of a line that may accept
_FEWEST, _FEWEST_SHORT = 3, 2  # words of a sentence, and short ones among them
_LIKE = 0.75  # how similar a mistyped word is to a word of a move (difflib's ratio)
_LIKE_A_COMMAND = 0.8  # the same for a command: with a smaller one "that" would be `chat`
_LEAST_PHRASE = 8  # characters of a machine's phrase that counts anywhere in a text
_DRAWS = frozenset({"propose", "accept", "reject", "decline", "draw"})
# How people say that they doubt a bid, or speak of a move.
_SAID = frozenset(
    {
        *("bluff", "bluffs", "bluffing", "lie", "lies", "lying", "believe", "doubts", "exactly"),
        *("bids", "bidding", "raises", "raising", "calls", "calling"),
    }
)
_MOVES = (MOVE_WORDS - {"a", "an"}) | _DRAWS | _SAID
_CALLS = _DRAWS - {"draw"} | {"dudo", "dodo", "dudu", "calza", "pacao", "resign", "challenge"}
_FREQUENT = frozenset((*words_of("function_words"), *words_of("frequent_words")))
# Everyday words of players' messages: they show a sentence, and are not mistyped moves.
_OF_CHATS = frozenset(words_of("chat_words"))
# Words of moves in other languages, without those that are frequent in any text.
_OF_LANGUAGES = words_of_moves() - {unmarked(each) for each in _FREQUENT}
# Words that doubt a bid, without the names of the call: they are plain where it is not legal.
_DOUBTING = (_SAID - {"bids", "bidding", "raises", "raising", "calls", "calling"}) | {
    *("doubt", "liar", "challenge"),
    *map(unmarked, single_words("doubt_moves", "perhaps_doubt_moves")),
} - _CALLS
# Behind a word such as "I have" these name the writer's dice, in the same language.
_OWN_DICE = {
    language: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, map(unmarked, leads)))})(?!\w)")
    for language, leads in by_language("own_dice_leads").items()
}
_FACES = {
    language: frozenset(unmarked(word) for face in faces for word in face.split())
    for language, faces in by_language("faces").items()
}
_MOST_BETWEEN = 2  # words
_AROUND = ".,;:!?¡¿()'\"*_~…。、！？-"
_WITHIN = str.maketrans("", "", "'-")
_THANKS = frozenset(words_of("thanks"))
# What is clearly for the table, alone or together: "Thanks, good luck!".
_THANKFUL = (each for each in words_of("manners") if not _THANKS.isdisjoint(each.split()))
_REMARKS = frozenset(
    (
        *(*words_of("remarks"), *words_of("postponing_remarks")),
        *(*_THANKS, *_THANKFUL, *words_of("greetings")),
    )
)
_BESIDE = "manners", "turn_manners", "farewells", "familiar_words", "move_leads"
_BESIDE_REMARKS = _REMARKS.union(*map(words_of, _BESIDE))
_ABOUT_BLUFF = re.compile(rf"(?<!\w)(?:{one_of('bluff_remarks')})(?!\w)", re.IGNORECASE)
_REMARK = "bravo"  # a word that is one
_LETTERS = re.compile(r"[^\W\d_]+")
# A password may end with a mark: "zoe!!" may be one, and the end of a sentence.
_MARKED_TWICE = re.compile(r"\w[!.,;:?]{2}")
_PIECES = re.compile(r"[.,;:!?…()]+| - ")
# A text with one of these may ask the server for something.
_REQUESTS = frozenset(
    unmarked(each)
    for each in (*words_of("stop_requests"), *words_of("requests"))
    if " " not in each
)
_DENIALS = frozenset(words_of("doubts"))
_REFUSALS = _DENIALS - frozenset(words_of("everyday_doubts"))
# A text that begins with one of these may answer a challenge or the offer of a draw.
_ANSWERS = frozenset((*words_of("yes"), *words_of("confirming"), "no", "nope", "not", "never"))


def is_prose(
    typed: Sequence[str],
    userid: str,
    vocabulary: Vocabulary,
    *,
    may_doubt: bool = False,
    may_bid: bool = True,
    others: Collection[str] = (),
) -> bool:
    """Whether a text is sentences of plain words, none of them like a part of a move.

    A word alone on a line, or beside the writer's `userid`, may be a password.  Other lines than
    sentences are greetings, thanks, and at the end a name.  `may_doubt`: no call is legal, so a
    sentence that doubts the bid is none.  Unless they `may_bid`, words to
    somebody may be about bids.  `others` are the userids of the other players, in small letters.
    """
    if is_remark(typed) or (may_doubt and _is_about_bluff(typed)):
        return True
    if len(typed) > MOST_LINES:
        return False
    if is_remark_to(typed, others):
        return True
    lines = [uncounted(line) for line in map(plain_line, typed) if line.strip()]
    words = [line.split() for line in lines]
    if not words or sum(map(len, words)) > MOST_WORDS or _may_mean_more(lines, userid, vocabulary):
        return False
    plain = _DOUBTING if may_doubt else frozenset()
    if may_doubt and not may_bid and is_to_somebody(lines[0]):
        plain |= WORDS_OF_BIDS
    if bare_word(words[0][0]) in _ANSWERS or any(map(tells_dice, lines)):
        return False
    if not any(_is_sentence(each, plain) for each in words):
        return False
    *above, last = zip(lines, words, strict=True)
    is_closed = _is_beside_sentences(*last, plain) or all(map(_is_name, last[1]))
    return is_closed and all(_is_beside_sentences(*each, plain) for each in above)


def uncounted(line: str) -> str:
    """The line with a plain word for numbers of other things than dice: "back in two weeks"."""
    return _counted().sub("time", line)


@cache
def _counted() -> re.Pattern[str]:
    spelled = {*QUANTITIES, *(word for each in words_of("numbers") for word in each.split())}
    numbers = "|".join(sorted(map(re.escape, spelled), key=len, reverse=True))
    counted = rf"(?:[0-9]{{1,4}}|{numbers})[ -](?:{one_of('measured_things')})"
    return re.compile(rf"(?<!\w)(?:{counted}|{one_of('plain_numbers')})(?!\w)", re.IGNORECASE)


def is_remark(typed: Sequence[str]) -> bool:
    """Whether a text is short remarks alone, as "Thanks, good luck!", or a picture; no yes or no.

    A picture such as 👍 is a yes only where a draw or an invitation waits for an answer.
    """
    lines = [line for line in typed[: MOST_REMARKS + 1] if line.strip()]
    if not lines or len(typed) > MOST_REMARKS or any(len(line) > LONGEST for line in lines):
        return False
    if not all(map(DICE.isdisjoint, lines)):
        return False
    if all(is_pictures(line) and len(line.strip()) < SHORTEST_PASSWORD for line in lines):
        return True
    pieces = [each for line in lines for each in _PIECES.split(spelled_plainly(plain_line(line)))]
    said = {each for piece in pieces if (bare := piece.strip(_AROUND)) for each in _remarks(bare)}
    is_known = said <= _BESIDE_REMARKS and said.isdisjoint(_ANSWERS)
    return is_known and not said.isdisjoint(_REMARKS)


def _is_about_bluff(typed: Sequence[str]) -> bool:
    """Whether a text is such remarks, with one like "nice bluff", which may be a doubt on turn."""
    return is_remark([_ABOUT_BLUFF.sub(_REMARK, line) for line in typed[: MOST_REMARKS + 1]])


def is_thanks(typed: Sequence[str], *, alone: bool) -> bool:
    """Whether a text says thanks or another remark, perhaps above a name; `alone`: nothing else.

    A picture counts as thanks.
    """
    lines = [line for line in typed[: MOST_REMARKS + 1] if line.strip()]
    if len(lines) > 1 and all(map(_is_name, lines[-1].split())):
        lines = lines[:-1]
    if not is_remark(lines):
        return False
    said = {bare_word(word) for line in lines for word in plain_line(line).split()}
    return not alone or said <= {"", *_THANKS, *words_of("thanked")} | set(
        filter(is_pictures, said)
    )


def _remarks(piece: str) -> Sequence[str]:
    """The piece as it is, without polite words at its end, or as two: "haha" and "nice one"."""
    bare = "".join(each for each in piece if each in DICE or category(each) != "So").rstrip(
        "\ufe0f "
    )
    every = (piece,), (bare,), piece.split(" ", 1), piece.rsplit(" ", 1), (unadorned(piece),)
    known = [parts for parts in every if _BESIDE_REMARKS.issuperset(parts)]
    best = [parts for parts in known if not _REMARKS.isdisjoint(parts)]
    return next(iter((*best, *known)), (piece,))


def is_marked_twice(line: str) -> bool:
    """Whether a word has two marks right behind it, of which one may be of a password."""
    return _MARKED_TWICE.search(line) is not None


def is_remark_to(typed: Sequence[str], others: Collection[str]) -> bool:
    """Whether a text is a greeting or a remark to somebody with a first name: "Merci Bob !".

    The name may also be that of one of the `others`.
    """
    line = plain_line(typed[0]) if len(typed) == 1 else ""
    said = line.strip(" !.")
    if " " not in said or is_marked_twice(line):
        return False
    return any(
        (bare_word(name) in words_of("first_names") or bare_word(name) in others)
        and is_remark([other.strip(" ,!.")])
        for name, other in (said.split(" ", 1), said.rsplit(" ", 1)[::-1])
    )


def tells_dice(line: str) -> bool:
    """Whether a sentence such as "j'ai des as" tells what dice its writer has."""
    plain = unmarked(spelled_plainly(line))
    return any(
        not _FACES[language].isdisjoint(_LETTERS.findall(plain[found.end() :])[: _MOST_BETWEEN + 1])
        for language in _OWN_DICE
        for found in _OWN_DICE[language].finditer(plain)
    )


def are_late_words(typed: Sequence[str], userid: str, vocabulary: Vocabulary) -> bool:
    """Whether a text to a finished board is words: its first line is not a move or a command."""
    lines = [line for line in map(plain_line, typed[:MOST_LINES]) if line.strip()]
    if not lines or _may_mean_more(lines, userid, vocabulary):
        return False
    first = lines[0].split()
    if is_remark(lines[:1]) or _is_about_bluff(lines[:1]):
        return True
    return _is_plain(first) if len(first) <= _FEWEST else all(map(_is_word, first))


def speaks_like_a_machine(typed: Sequence[str]) -> bool:
    """Whether a text says what the Subjects of automatic answers and of bounces say."""
    text = " ".join(" ".join(map(plain_line, typed[:MOST_LINES])).lower().split())
    kinds = ("automatic", "bounced", "undelivered")
    phrases = (phrase for kind in kinds for phrase in words_of(kind))
    return any(len(phrase) >= _LEAST_PHRASE and phrase in text for phrase in phrases)


def denies(typed: Sequence[str], *, may_ask: bool = False) -> bool:
    """Whether a text denies something, so that a player who was not asked may mean to decline.

    "Why not" and "no problem" deny nothing.  If it `may_ask`, nor does "who would have thought".
    """
    denials = _REFUSALS if may_ask else _DENIALS
    lines = (_harmless().sub(" ", plain_line(line).lower()) for line in typed[:MOST_LINES])
    words = {bare_word(word) for line in lines for word in line.split()}
    return not denials.isdisjoint(word.translate(_WITHIN) for word in words) or any(
        "n't" in word for word in words
    )


def may_agree(typed: Sequence[str]) -> bool:
    """Whether a text may say yes: "I have no problem with that", "that's fine with me"."""
    first = next((line for line in map(plain_line, typed) if line.strip()), "").lower()
    if len(first.split()) <= _MOST_AGREEING and _agreement().search(first):
        return True
    return any(_harmless().search(plain_line(line).lower()) for line in typed[:MOST_LINES])


@cache
def _agreement() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{one_of('perhaps_agrees')})(?!\w)")


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{one_of('harmless_denials')})(?!\w)")


def _may_mean_more(lines: Sequence[str], userid: str, vocabulary: Vocabulary) -> bool:
    """Whether a text speaks of passwords, or asks for something, or begins like a command."""
    words = [[bare_word(word) for word in line.split()] for line in lines]
    spelled = {unmarked(word) for line in words for word in line}
    if asks_how(lines) or wanted("", lines, at_table=True):
        return True
    if speaks_of_passwords(" ".join(lines)) or not _REQUESTS.isdisjoint(spelled):
        return True
    if any(userid.lower() in line and len(line) > 1 for line in words):
        return True
    known = {spelling for spellings in vocabulary.values() for spelling in spellings}
    known |= {"pbmserv", *vocabulary} - {""}
    first = words[0][0]
    return len(first) >= SHORTEST_PASSWORD and bool(
        get_close_matches(first, known, 1, _LIKE_A_COMMAND)
    )


def bare_word(word: str) -> str:
    """The word in lower case, without signs around it."""
    return word.strip(_AROUND).lower()


def _is_beside_sentences(line: str, words: Sequence[str], plain: Set[str]) -> bool:
    """Whether a line is a sentence, or may be above or below one."""
    if _is_sentence(words, plain) or is_greeting(line) or is_remark([line]):
        return True
    if len(words) == 1:
        return len(line.strip()) < SHORTEST_PASSWORD or bare_word(line.strip()) in _THANKS
    return line.rstrip().endswith((",", "!")) and _is_plain(words)


def _is_sentence(words: Sequence[str], plain: Set[str]) -> bool:
    """Whether a line has several plain words, some of them short or frequent in a language.

    One of them is enough between ¿ and ?.  `plain` are words of moves that are plain here.
    """
    spelled = [word for word in words if any(map(str.isalnum, word))]
    short = sum(
        len(bare) < SHORTEST_PASSWORD or bare in _FREQUENT or bare in _OF_CHATS
        for bare in map(bare_word, spelled)
    )
    is_question = bool(spelled) and spelled[0].startswith("¿") and spelled[-1].endswith("?")
    is_short = short >= (1 if is_question else _FEWEST_SHORT)
    return len(spelled) >= _FEWEST and is_short and _is_plain(words, plain)


def _is_plain(words: Sequence[str], plain: Set[str] = frozenset()) -> bool:
    """Whether a line has only words of letters, and signs, and none is like a part of a move."""
    few = len(words) <= _FEWEST
    near = (word for word in set(words) if unmarked(bare_word(word)) not in plain)
    return all(map(_is_spelled, words)) and not any(_is_near_a_move(each, few=few) for each in near)


def is_plain_line(line: str, *, may_doubt: bool = False) -> bool:
    """Whether a line has words of letters alone, and none of them is like a part of a move.

    `may_doubt`: words such as "liar" are plain.
    """
    return _is_plain(line.split(), _DOUBTING if may_doubt else frozenset())


def _is_word(word: str) -> bool:
    return _is_spelled(word) or word.strip(_AROUND).isdecimal()


def _is_spelled(word: str) -> bool:
    """Whether a word is letters alone, without capitals inside it, or a sign such as a smile."""
    if not any(map(str.isalnum, word)):
        return len(word) < SHORTEST_PASSWORD and DICE.isdisjoint(word)
    letters = word.strip(_AROUND).translate(_WITHIN)
    mixed = any(one.islower() and other.isupper() for one, other in pairwise(letters))
    return not mixed and all(each.isalpha() or category(each) in {"Mn", "Mc"} for each in letters)


def _is_near_a_move(word: str, *, few: bool) -> bool:
    """Whether it is a word of a move, or a mistyped one; `few` words are sooner a mistyped move."""
    bare = bare_word(word)
    known = _MOVES if few else _CALLS
    if bare in _MOVES or unmarked(bare) in _OF_LANGUAGES:
        return True
    return bare not in _OF_CHATS and bool(get_close_matches(bare, known, 1, _LIKE))


def _is_name(word: str) -> bool:
    bare = word.strip(_AROUND)
    return bare.istitle() and bare.isalpha()
