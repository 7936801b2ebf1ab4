"""Order the words of a message by how likely each is its writer's password.

Only the password's hash is known, and a comparison costs as much as a hundred moves.  So few words
can be compared, and they must be chosen well.  `intake/stray_passwords.py` compares them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from unicodedata import category

from pbmserv.disclosure.redaction import bare
from pbmserv.games.perudo.move_parser import MOVE_WORDS
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.intake.password_redaction import LONGEST_MESSAGE, is_bid, is_everyday
from pbmserv.security.credentials import SHORTEST_PASSWORD
from pbmserv.text.phrases import EVERYDAY, OF_LETTERS, common_words, single_words, words_of
from pbmserv.text.unicode_forms import compatible, normalized, unmarked

SPOKEN = re.compile("[:=：]")  # between a name and a value: "password:swordfish"
_LABELLED = re.compile("[/,;|_.-]")  # the same, if one side is a name: "ann/monkey"
_JOINED = re.compile("['‘’`]")  # inside a word; no password has one
MOST_LINES = 100  # of a text that are searched
MOST_WORDS = 6  # of a short line: its plain words are likelier than those of long lines
MOST_NAMED = 4  # words of a line that speaks of a password that are compared
_LONGEST_WORD = 200  # characters: a password has at most 128
_MOST_READ = 2 * LONGEST_MESSAGE  # characters of a text that are searched
_UNWRAPPED = 200  # characters of a line that no mail program has wrapped
_SENTENCE = re.compile(r"[.!?…:]\W?$")  # the end of a word that ends a sentence
_MOST_FREQUENT = 4  # words of a line of frequent words alone that are compared
_PHRASES = (
    *(*EVERYDAY, "remarks", "postponing_remarks", "yes", "confirming", "opinion_leads"),
    *("beside_yes", "beside_name"),
    *("thanked", "perhaps_doubt_moves", "perhaps_calza_moves"),
)
_TYPED_FOR = (("ss", "ß"), ("ß", "ss"))
_QUOTES = "\"'*_()[]<>“”„«»‘’`"
_SIGNS = frozenset("#$%&@^+=~|\\")
_SEPARATORS = frozenset("'’-‐‑/.,:;!?…")
_LONGEST = 24  # characters of an unknown word
_PLAIN = re.compile(r"[0-9a-zа-яё_#$%&*+=@^-]+", re.IGNORECASE)
_DRAWN_OUT = re.compile(r"(.)\1\1|(..)\2")  # "brrr", "hihi"
_SURE, _RARE, _FREQUENT, _LAST = range(4)  # how likely a form is the password


def words_in(line: str) -> list[str]:
    """The words of a line that have a letter or a digit, without invisible characters."""
    words = (word[:_LONGEST_WORD] for word in seen(line[:LONGEST_MESSAGE]).split())
    return [word for word in words if any(map(str.isalnum, word))]


def seen(line: str) -> str:
    """A line without invisible characters, in NFC as passwords are."""
    return normalized("".join(each for each in line if category(each) != "Cf"))


def spellings(word: str) -> list[str]:
    """The other spellings that the writer of a word may have meant, the likeliest first.

    They are in small letters, and with a capital at the beginning.  Many people type "ss" for "ß",
    and "е" for "ё", and some programs add accents.  A word with digits or signs may have a "ё" for
    its only "е", and may be in capitals alone.
    """
    plain = compatible(bare(word)).replace("İ", "I").lower()
    small = [plain, *(plain.replace(*each) for each in _TYPED_FOR), _without_accents(plain)]
    loud = []
    if not plain.isalpha():
        small += [plain.replace("е", "ё")] if plain.count("е") == 1 else []
        loud = [plain.upper()]
    found = [form for each in dict.fromkeys(small) for form in (each, each.capitalize())]
    return [each for each in dict.fromkeys((*found, *loud)) if each not in {word, bare(word)}]


def _without_accents(word: str) -> str:
    """A word in small letters without accents, and with a dot on each i; "й" is a letter."""
    plain = "".join(each if each == "й" else unmarked(each) for each in word)
    return plain.replace("ı", "i")


def spellings_of(words: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The other spellings of words, each with its word, the likeliest first.

    First those of words that are hardly of a language, or of the only word, and rare words with
    capitals in small letters; then those of others.
    A word such as `language=fr` has none: the part behind the sign is a word itself.
    """
    found = dict[str, str](), dict[str, str](), dict[str, str]()
    single = [word for word in words if not SPOKEN.search(word)]
    is_only = len({bare(word) for word in single}) == 1
    every = [(place, word, each) for word in single for place, each in enumerate(spellings(word))]
    for _, word, each in sorted(every, key=lambda spelled: spelled[0]):
        if each not in words:
            is_first = is_only or _is_sure(word)
            rank = 0 if is_first else 1 if _is_small_form(each, word) else 2
            found[rank].setdefault(each, word)
    sure, small, others = found
    return {**sure, **small}, others


def _is_small_form(form: str, word: str) -> bool:
    """Whether a form is a rare word in small letters that was written with capitals."""
    return form == bare(word).lower() and not (is_frequent(word) or _is_prose(word))


def is_of_moves(word: str) -> bool:
    """Whether a word in small letters may be beside a password, as a part of a move."""
    return (
        word in MOVE_WORDS
        or unmarked(word) in words_of_moves()
        or word in {"perudo", "move"}
        or (is_bid(word) and not (word.isdecimal() and len(word) >= SHORTEST_PASSWORD))
    )


def names_one(words: Sequence[str]) -> bool:
    """Whether the words of a line speak of a password, so that one of them may be it."""
    if len(words) <= 1:
        return False
    said = " ".join(words).lower()
    is_named = any(map(said.__contains__, words_of("passwords")))  # some have a blank
    return is_named or any(map(_is_key, words))


def named(words: Sequence[str]) -> list[str]:
    """The last word, and a few of the others: first rare ones, those behind the naming word first.

    So banana is among them in "I like this game, and the password is banana, my dear friend".
    """
    behind, naming = dict[int, int](), -len(words)  # how far behind the last naming word each is
    for place, word in enumerate(words):
        naming = place if _names(word) else naming
        behind[place] = place - naming or len(words)
    others = sorted(
        enumerate(words[:-1]),
        key=lambda each: (is_everyday(each[1]), is_frequent(each[1]), behind[each[0]]),
    )
    found = [each for each in (words[-1], *(word for _, word in others)) if not _is_key(each)]
    long = [each for each in found if len(each) >= SHORTEST_PASSWORD]
    return long[:MOST_NAMED]


def _names(word: str) -> bool:
    return _is_key(word) or any(part in word.lower() for part in words_of("passwords"))


def _is_key(word: str) -> bool:
    """Whether it is a word such as "key", by which people may call a password."""
    return bare(word.lower()) in words_of("password_words")


def likely_passwords(lines: Sequence[str], userid: str) -> tuple[list[str], list[str]]:
    """The forms of words that may be the password of a text's writer, the likeliest first.

    First come words with digits, signs or capitals inside, in any line, and those of lines that
    speak of a password.  Then come the rare words of short lines, those of lines with few of them
    first.  A second list has what is hardly the password: frequent words of lines that have no
    others and are not a remark such as "Good luck!", and other forms of words.  A form is without
    the signs around a word, or with its last ones.
    """
    found = [each for line in _searched(lines) for each in _of_line(line, userid)]
    likely = {form for rank, _, form in found if rank < _FREQUENT}
    ranked = _ranked(found)
    return [each for each in ranked if each in likely], [
        each for each in ranked if each not in likely
    ]


def likely_passwords_of_long_lines(lines: Sequence[str], userid: str) -> list[str]:
    """The rare plain words of lines with more than MOST_WORDS, those of lines with few first.

    Before them come the words beside the userid.  In a line that no mail program has wrapped, its
    first and last words and those of short sentences come first, too.
    """
    return _ranked(each for line in _searched(lines) for each in _of_long_line(line, userid))


def _searched(lines: Sequence[str]) -> Iterator[str]:
    """The first lines of a text, of which at most _MOST_READ characters are searched."""
    left = _MOST_READ
    for line in lines[:MOST_LINES]:
        if left > 0:
            yield line[:left]
        left -= len(line)


def _ranked(found: Iterable[tuple[int, int, str]]) -> list[str]:
    ranked = sorted(enumerate(found), key=lambda each: (*each[1][:2], each[0]))
    return list(dict.fromkeys(form for _, (_, _, form) in ranked))


def _of_long_line(line: str, userid: str) -> Iterator[tuple[int, int, str]]:
    """The words of a line that is long, as `_of_line`, if they are not usual words of prose."""
    every = words_in(line)
    if len(every) - sum(bare(word.lower()) == userid for word in every) <= MOST_WORDS:
        return
    beside = _beside_userid(every, userid)
    rare = [word for word in every if is_rare(word) and not _is_sure(word)]
    near = _of_sentences(every) if len(line) > _UNWRAPPED else {}
    for word in dict.fromkeys((*beside, *rare)):
        form = bare(word)
        if len(form) >= SHORTEST_PASSWORD and not _JOINED.search(form) and form.lower() != userid:
            yield _RARE, 1 if word in beside else near.get(word, len(rare)), form


def _beside_userid(words: Sequence[str], userid: str) -> list[str]:
    """The words of a line beside its writer's userid that are not frequent: `bob swordfish`."""
    places = [place for place, word in enumerate(words) if bare(word.lower()) == userid]
    near = [words[each] for at in places for each in (at + 1, at - 1) if 0 <= each < len(words)]
    return [word for word in near if not is_frequent(word)]


def _of_sentences(words: Sequence[str]) -> dict[str, int]:
    """The words of a long line, each with how many its shortest sentence has.

    The first and the last word have 1, as if each were a sentence.
    """
    found, begin = dict[str, int](), 0
    for place, word in enumerate(words, 1):
        if _SENTENCE.search(word) or place == len(words):
            for each in words[begin:place]:
                found[each] = min(found.get(each, place), place - begin)
            begin = place
    return found | {words[0]: 1, words[-1]: 1}


def _of_line(line: str, userid: str) -> Iterator[tuple[int, int, str]]:
    """The forms of a line: each with how likely it is, and among how many words it is."""
    words = [word for word in words_in(line) if bare(word.lower()) != userid]
    sure = [word for word in words if _is_sure(word)]
    spoken = named(words) if names_one(words) else []
    for word in dict.fromkeys((*sure, *spoken)):
        yield from _forms(word, userid, _SURE, len(words))
    if len(words) > MOST_WORDS:
        return
    rare = [word for word in words if word not in sure and not is_frequent(word)]
    for word in reversed(rare):
        yield from _forms(word, userid, _RARE, len(rare))
    if sure or rare or len(words) > _MOST_FREQUENT:
        return
    from pbmserv.intake.replies.prose import is_remark  # noqa: PLC0415 - it reads all languages' phrases

    for word in reversed(words) if not is_remark([line]) else ():
        yield from _forms(word, userid, _FREQUENT, len(words))


def _forms(word: str, userid: str, rank: int, beside: int) -> Iterator[tuple[int, int, str]]:
    """The word as a password: without its signs, with those at its end, and as it stands."""
    value = max(_JOINED.split(SPOKEN.split(word.rstrip(".,;:"))[-1]), key=len)
    plain, quoted = bare(value), value.strip(_QUOTES).rstrip(".,;:")
    is_loud = quoted.endswith(("!", "?")) or rank == _SURE
    forms = {plain: rank, quoted: rank if is_loud else _LAST, value: _LAST, word: _LAST}
    forms |= {bare(word): rank, plain: rank}
    forms[_unlabelled(plain, userid)] = rank
    for form, how in forms.items():
        if len(form) >= SHORTEST_PASSWORD and not _JOINED.search(form):
            yield how, beside, form


def _unlabelled(word: str, userid: str) -> str:
    """The part beside the userid, or beside a word for passwords: monkey of `ann/monkey`.

    Or beside the same again: monkey of `monkey,Monkey`.
    """
    first, *others = _LABELLED.split(word)
    if others and _is_label(first, userid):
        return word[len(first) + 1 :]
    if others and _is_label(others[-1], userid):
        return word[: -len(others[-1]) - 1]
    is_twice = all(each.lower() == first.lower() for each in others)
    return first if is_twice else word


def _is_label(part: str, userid: str) -> bool:
    said = part.lower()
    return said == userid or _is_key(said) or any(each in said for each in words_of("passwords"))


def _is_sure(word: str) -> bool:
    """Whether a word hardly is one of a language: it has digits, signs or capitals inside."""
    inner = bare(word)
    if is_bid(inner.lower()) or "://" in word:
        return False
    has_digit, has_letter = any(map(str.isdigit, inner)), any(map(str.isalpha, inner))
    has_sign = not _SIGNS.isdisjoint(word) or any(
        not each.isalnum() and each not in _SEPARATORS and category(each)[0] != "M"
        for each in inner
    )
    is_mixed = any(one.islower() and other.isupper() for one, other in pairwise(inner))
    return (has_digit and has_letter) or has_sign or is_mixed


def is_frequent(word: str) -> bool:
    """Whether a word is one that any text may have, or a part of a move."""
    plain = bare(word.lower())
    return plain in _frequent() or is_of_moves(plain)


def is_rare(word: str) -> bool:
    """Whether a word is hardly one of usual prose."""
    return _is_sure(word) or not (is_frequent(word) or _is_prose(word))


def is_unknown(word: str) -> bool:
    """Whether a word may be a password: of no language, and neither a name nor an address.

    Words such as "hihi" and "brrr", and those of other alphabets, are none.
    """
    inner = bare(word)
    if not SHORTEST_PASSWORD <= len(inner) <= _LONGEST or not _PLAIN.fullmatch(unmarked(inner)):
        return False
    if "@" in inner.strip("@") or (inner.istitle() and inner.isalpha()) or inner.isdecimal():
        return False
    if not is_rare(word) or _DRAWN_OUT.search(inner.lower()):
        return False
    known = words_of("first_names"), words_of("remarks"), words_of("wishes")
    return all(inner.lower() not in each for each in known)


def _is_prose(word: str) -> bool:
    """Whether a word is usual in prose, so that in a long line it is hardly a password."""
    return bare(word.lower()) in _prose()


@cache
def _prose() -> frozenset[str]:
    """The usual words of prose, and all that are known in the languages of our letters."""
    return frozenset(words_of("prose_words")).union(*map(common_words, OF_LETTERS))


@cache
def _frequent() -> frozenset[str]:
    """The words that any text may have, such as those of a remark, and by which people call one."""
    spoken = (*words_of("passwords"), *words_of("password_words"))
    return single_words(*_PHRASES) | frozenset(spoken)
