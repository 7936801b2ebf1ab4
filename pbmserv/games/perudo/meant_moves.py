"""Find the move that a text may mean, although it does not read as one.

Its writer is asked whether the move was meant.  Nothing that is found here is ever played.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from itertools import pairwise

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.event_notation import write_bid
from pbmserv.games.perudo.events import Call
from pbmserv.games.perudo.move_parser import (
    ENDING_MOVES,
    FACES,
    LONGEST,
    QUANTITIES,
    WORDS,
    bare_move,
    spelled_plainly,
    unadorned,
)
from pbmserv.games.perudo.move_words import (
    in_english,
    perhaps_calls,
    perhaps_ends,
    phrases_of_moves,
    words_of_faces,
    words_of_numbers,
)
from pbmserv.text.phrases import EVERYDAY, OF_LETTERS, common_words, single_words, words_of
from pbmserv.text.unicode_forms import compatible, unmarked

_LIKE = 0.75  # how similar a mistyped word must be to a word of a move (difflib's ratio)
_LIKE_A_NUMBER = 0.8  # the same for words of bids: with a smaller one "nice" would be "once"
_LIKE_A_REST = 0.6  # the same for what a phrase and a text do not have in common
_LONGEST_MISTYPED = 24  # characters of such a word
_FEWEST_LETTERS = 4  # of a mistyped word of a bid
_MOST_WORDS = 4  # of a text in which words of bids may be mistyped; longer ones are sooner prose
_FEWEST_WORDS_WITH_NAME = 2
_AROUND_NAME = " .!?…"
_MOST_WORDS_BESIDE = 8  # words of a text that is a bid with little else
_MOST_WORDS_AROUND = 12  # words of a text in which a clause may be a call
_MOST_BEHIND = 3  # words of a clause behind a move that takes it back
_MOST_ANSWERS = 3  # sentences behind a question that may answer it with a no
_MOST_DIGITS = 3
_LARGEST_FACE = 9  # that a word says: "4 doces" are sooner twos than twelves
_PART = re.compile(r"[0-9]+|[^\W\d_]+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")  # "dudooo"
_SENTENCE_ENDS = re.compile(r"[.!?…]+")
_CLAUSE_ENDS = re.compile(r"[.,;:!?…]| - ")
# Words between both numbers of a bid; English articles are not numbers here.
_BETWEEN = frozenset(
    (
        *("x", "х", "of", "times", "de", "des", "fois", "le", "les", "por", "a", "an"),
        *("del", "el", "veces", "dado", "dados"),
        *("по", "на", "штука", "штуки", "штук", "шт", "кубик", "кубика", "кубиков"),
        *("кость", "кости", "костеи"),  # as unmarked
    )
)


def named_move(text: str, legal: Set[str]) -> str:
    """The one bid or call that a text names, alone or among other words; "" for none or several.

    A call is its English name, whatever the text says, because our letters teach that one.  Only
    moves that are `legal` count, such as `4-2s` and `dudo`.  Words such as "bluff" name one only if
    they are the whole text, or a clause of a short one: "hmm no way, I call bluff".  A bid there
    that is not legal, as the one that stands, changes nothing: "no way, three 6s? you bluff".
    """
    bids = [*_named_bids(text, like=False)] or _named_bids(text, like=True)
    found = {*map(write_bid, bids), *_calls_of_opinions((text, *_without_name(text)))}
    for said in _without_name(text):
        if isinstance(call := WORDS.get(bare_move(said)), Call):
            found.add(call.word)
    found |= calls_in(text)
    if not found & legal and not has_call(text):  # a call that has a name may be denied
        found = _calls_of_opinions(_short_clauses(text))
    meant = [*(found & legal)]
    return meant[0] if len(meant) == 1 else ""


def _without_name(text: str) -> Iterator[str]:
    """The text without a name that it begins or ends with: "I doubt it, Luc", "Luc, I doubt it".

    A name is a word beyond a comma that is not an everyday word, a first name, or a last word
    with a capital letter.
    """
    words = compatible(text[:LONGEST]).split()
    if len(words) < _FEWEST_WORDS_WITH_NAME:
        return
    *before, last = words
    bare = last.strip(_AROUND_NAME)
    is_set_off = before[-1].endswith(",") and unmarked(bare.lower()) not in _everyday()
    if bare.isalnum() and (is_set_off or bare.istitle() or bare.lower() in words_of("first_names")):
        yield " ".join(before).rstrip(",")
    first, *behind = words
    if first.endswith(",") and unmarked(first[:-1].lower()) not in _everyday():
        yield " ".join(behind)


def _calls_of_opinions(texts: Iterable[str]) -> set[str]:
    """The calls that texts such as "bluff" may mean."""
    opinions = (each for text in texts for each in _opinions(text))
    return {*filter(None, map(perhaps_calls().get, opinions))}


def _short_clauses(text: str) -> list[str]:
    """The clauses of a text that is short enough to be a call with an exclamation beside it."""
    words = len(text.split())
    return _CLAUSE_ENDS.split(text) if words <= _MOST_WORDS_AROUND else []


def named_bid(text: str) -> str:
    """The one bid that a short text names, legal or not, such as `3-4s`; "" for none or several.

    Its words are not mistyped, as in "i'll go with three fours then".
    """
    found = _bids_of_few_words(text)
    return found.pop() if len(found) == 1 else ""


def names_bids(text: str) -> bool:
    """Whether a short text names a bid, or several: "5-2s 4-6s", "six 6s, oops no, five 6s"."""
    return bool(_bids_of_few_words(text))


def _bids_of_few_words(text: str) -> set[str]:
    return bids_in(text) if len(text.split()) <= _MOST_WORDS_BESIDE else set()


def bids_in(text: str) -> set[str]:
    """The bids that the beginning of a text names, such as `3-4s`."""
    return {write_bid(each) for each in _named_bids(text, like=False)}


def perhaps_call(text: str, legal: Set[str]) -> str:
    """The legal call that a phrase such as "bluff" may mean; "" for none."""
    found = filter(None, map(perhaps_calls().get, _opinions(text)))
    return next((each for each in found if each in legal), "")


def may_raise(text: str) -> bool:
    """Whether a text may mean a bid without a number and a face, such as "one more"."""
    return not _raises().isdisjoint(_opinions(text))


def _opinions(text: str) -> tuple[str, ...]:
    """The text without accents, without words such as "I think" in front, and with all of them.

    A phrase may begin with a word that is left out elsewhere: "a ver los dados", "i raise it".
    """
    plain = unmarked(bare_move(text).strip("¿? "))
    whole = unmarked(unadorned(" ".join(spelled_plainly(text).split())).strip("¿? "))
    return plain, _opinion_leads().sub("", plain), whole


@cache
def _opinion_leads() -> re.Pattern[str]:
    leads = "|".join(map(re.escape, map(unmarked, words_of("opinion_leads"))))
    return re.compile(rf"^(?>(?:(?:{leads})(?:(?<=')|[ ,.!:]+))+)")


@cache
def _raises() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("perhaps_raise_moves")))


@cache
def _calls_and_answers() -> tuple[dict[str, str], ...]:
    """The words of moves that are not bids, each with the word to show; English comes first."""
    names = {word: getattr(action, "word", "resign") for word, action in WORDS.items()}
    return {word: word for word in ENDING_MOVES} | names, dict(phrases_of_moves())


@cache
def _call_names() -> dict[str, str]:
    """The names of calls, and the phrases of all languages, each with the call in English."""
    names = {action.word: action.word for action in WORDS.values() if isinstance(action, Call)}
    phrases = ((each, in_english(each)) for each in phrases_of_moves())
    return names | {each: call for each, call in phrases if call in names}


@cache
def _call_pattern() -> re.Pattern[str]:
    """Finds the name of a call in a line."""
    every = "|".join(map(re.escape, sorted(_call_names(), key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{every})(?!\w)")


def calls_in(text: str) -> set[str]:
    """The calls that a line names, and does not deny, such as `dudo` in `well dudo it is`."""
    plain = _spelled(text)
    found = _call_pattern().finditer(plain)
    return {_call_names()[each[0]] for each in found if not _is_denied(plain, *each.span())}


def has_call(text: str) -> bool:
    """Whether a line has the name of a call, although it may be denied."""
    return _call_pattern().search(_spelled(text)) is not None


def _spelled(text: str) -> str:
    return _DRAWN_OUT.sub(r"\1", unmarked(" ".join(spelled_plainly(text).split())))


@cache
def _denial() -> re.Pattern[str]:
    """Finds a word that denies: "n'en", "don't" and "неверю" have one as a part.

    A phrase with one is not meant by a text without it, such as "верю", nor is the reverse.
    """
    words = "|".join(map(re.escape, map(unmarked, words_of("denials"))))
    return re.compile(rf"(?<!\w)(?:n'|не|(?:{words})(?!\w))|n't(?!\w)")


def _is_denied(plain: str, start: int, end: int) -> bool:
    """Whether a denial is in front of these words in their clause, or right behind them.

    Behind words that deny themselves it denies no more: "no te creo ni un poco".
    """
    if _denial().search(_CLAUSE_ENDS.split(plain[:start])[-1]):
        return True
    denies = _denial().search(plain[start:end]) is not None
    return not denies and _denies_what_is_before(plain[end:])


def _denies_what_is_before(rest: str) -> bool:
    """Whether a text that goes on like this takes a move back: `no`, `? ha, no`, `, no gracias`.

    "4-2s, no problem" and "4-2s, no?" take nothing back, nor does a new sentence.
    """
    if rest.lstrip().startswith("?") and not rest.rstrip().endswith("?"):
        answer = _harmless_denials().sub("", rest)
        return any(map(_denial().search, _SENTENCE_ENDS.split(answer)[:_MOST_ANSWERS]))
    behind = rest.lstrip(" .,;:!?…-")
    found = _denial().match(behind)
    words = behind.split()
    if found is None or (words[1:] and words[1].strip(".,;:!?…") in words_of("no_refusal")):
        return False
    is_answer = len(words) <= _MOST_BEHIND and not behind.endswith("?")
    return is_answer or behind == rest.removeprefix(" ")


@cache
def _harmless_denials() -> re.Pattern[str]:
    phrases = map(unmarked, words_of("harmless_denials"))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)")


def perhaps_end(text: str) -> str:
    """The move of a text that may mean to leave the game, or to offer a draw; "" for none.

    Both are possible in the turn of others, too.
    """
    return next(filter(None, map(perhaps_ends().get, _opinions(text))), "")


def nearest_word(text: str, legal: Set[str] | None = None) -> str:
    """The move that a mistyped word may mean, such as `dudo` for `duddo`; "" for none.

    It is never a bid.  A call is its English name, as in `named_move`; another move may be a word
    of the language of the text.  A call counts only if it is `legal`; None means that each may be.
    "I quit" may mean `resign`, if it is all.
    """
    if end := perhaps_end(text):
        return end
    plain = _DRAWN_OUT.sub(r"\1", unmarked(unadorned(text[:LONGEST].lower())))
    is_raise = not _raises().isdisjoint(_opinions(text))  # "je monte" is not a mistyped "je doute"
    if is_raise or len(plain) > _LONGEST_MISTYPED or _joins_denial(plain):
        return ""
    denies = bool(_denial().search(plain))
    close = (
        known[each]
        for known in _calls_and_answers()
        for each in get_close_matches(plain, _denying(known, denies=denies), 1, _LIKE)
        if _differ_little(plain, each)
    )
    word = next(close, "")
    move = bare_move(word)
    if move in ENDING_MOVES and _is_prose(plain):  # "не понимаю" is not a mistyped "не принимаю"
        return ""
    shown = move if isinstance(WORDS.get(move), Call) else word
    return shown if legal is None or move in ENDING_MOVES or move in legal else ""


def _is_prose(text: str) -> bool:
    """Whether a text is several words, and all of them are known ones of our languages."""
    words = text.split()
    return len(words) > 1 and all(each in _known() for each in words)


@cache
def _known() -> frozenset[str]:
    return frozenset(unmarked(word) for name in OF_LETTERS for word in common_words(name))


def _differ_little(text: str, phrase: str) -> bool:
    """Whether the words that only one of them has are alike: "проверяю почту" checks no bid."""
    mine, its = text.split(), phrase.split()
    one = " ".join(each for each in mine if each not in its)
    other = " ".join(each for each in its if each not in mine)
    return SequenceMatcher(None, one, other).ratio() >= _LIKE_A_REST


def _joins_denial(text: str) -> bool:
    """Whether a text is the name of a call and a word that denies it, without a blank: "nodudo"."""
    ends = ((text.removesuffix(each), text.removeprefix(each)) for each in _call_names())
    return any(not _denials().isdisjoint(rest.strip("- ") for rest in both) for both in ends)


@cache
def _denials() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("denials")))


def _denying(phrases: Iterable[str], *, denies: bool) -> list[str]:
    """The phrases that deny something, or the others."""
    return [each for each in phrases if bool(_denial().search(each)) == denies]


def _named_bids(text: str, *, like: bool) -> Iterator[Bid]:
    """The bids that a line may name: a number, and a face behind it, alone or among words.

    `like`: their words may be mistyped, unless the line has many words.
    """
    plain = unmarked(spelled_plainly(text))
    parts = [each for each in _PART.finditer(plain) if each[0] not in _BETWEEN]
    words = sum(each[0].isalpha() and len(each[0]) > 1 for each in parts)
    like = like and words <= _MOST_WORDS
    for one, other in pairwise(parts):
        quantity = _number(one[0], _quantities(), like=like)
        face = _number(other[0], _faces(), like=like) if quantity else 0
        end = other.end() + plain[other.end() :].startswith("s")
        if face and not _is_denied(plain, one.start(), end):
            yield Bid(quantity, face)


def _number(word: str, words: Mapping[str, int], *, like: bool) -> int:
    """The number that a word says; 0 for none.  `like`: the word may be mistyped."""
    if word.isdecimal():
        return int(word) if len(word) <= _MOST_DIGITS else 0
    if word in words or not like or len(word) < _FEWEST_LETTERS:
        return words.get(word, 0)
    if word in _everyday():  # "there" is not a mistyped "three"
        return 0
    close = get_close_matches(word, words, 1, _LIKE_A_NUMBER)
    close += [each for each in words if sorted(each) == sorted(word)]  # "fvie"
    return words[close[0]] if close else 0


@cache
def _everyday() -> frozenset[str]:
    return frozenset(map(unmarked, single_words(*EVERYDAY)))


@cache
def _quantities() -> Mapping[str, int]:
    perhaps = (each.split() for each in words_of("perhaps_numbers"))
    counted = {unmarked(word): int(number) for word, number in perhaps}
    return {**counted, **words_of_numbers(), **QUANTITIES}


@cache
def _faces() -> Mapping[str, int]:
    every = {**words_of_faces(), **FACES}
    return {word: face for word, face in every.items() if face <= _LARGEST_FACE}
