"""Read a first line with a move and a message to the others: "Dudo. Sorry bob".

The move is played only if the words behind it are plainly for the others.  Words that may take the
move back, that ask, or that tell of a move are unknown words: the sender is asked about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from functools import cache
from itertools import pairwise

from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.move_lines.bare_moves import action_of, doubts_in_words, reads_as_move
from pbmserv.commands.move_lines.good_wishes import apart, is_of_wishes, words_apart
from pbmserv.commands.move_lines.teasing_questions import without_teasing
from pbmserv.commands.parser import CommandCall
from pbmserv.commands.spelling import MOVE
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.events import Call, Raise
from pbmserv.games.perudo.meant_moves import perhaps_call
from pbmserv.games.perudo.move_parser import bare_move, spelled_plainly, unadorned
from pbmserv.intake.password_redaction import speaks_of_passwords
from pbmserv.intake.replies.prose import (
    bare_word,
    is_marked_twice,
    is_plain_line,
    is_remark,
    tells_dice,
)
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.unicode_forms import DICE, unmarked

_LONGEST = 160  # characters of the line
_PARTS = re.compile(r"(?P<move>[^.!?…]+?)\s?(?:\.|!+)\s+(?P<words>[^.!?…\s].*|\W{1,4})")
_TEASED = re.compile(r"(?P<move>[^.!?…,]+?)\s?(?:\.|!+|,)\s+(?P<words>\S.*)")
_CLAUSES = re.compile(r"(?<=[^\s.!,])\s?[.!,]++\s++(?=\S)")
_BEFORE_MOVE = 3  # words of a call: the board, the userid and the password
_WITH_WISHES = {"queue", "accept", "reject", "decline"}  # commands, like moves
_MOST_ABOVE = 2  # lines: a greeting and the move
_QUOTING = frozenset('"“”„«»')  # around words of somebody else
_SENTENCES = re.compile(r"(?<![.!])[.!]++(?=\s|$)")
_DUDO = "dudo"
_CALLS = {_DUDO, "calza", "exact", "pacao"}
_FEWEST = 2  # words of a sentence
_FEWEST_DOUBTS = 2  # parts of a line that says twice that it doubts


def move_and_words(line: str, names: Collection[str]) -> tuple[str, str] | None:
    """The bid or call at the beginning of a line, and the words to the table behind it.

    `names` are the userids of the players in lower case.  None for any other line.
    """
    if len(line) > _LONGEST or not _QUOTING.isdisjoint(line):
        return None
    if found := _TEASED.fullmatch(line.strip()):
        said, words = found["move"], found["words"]
        if _is_about_bluff(said, words, names):
            return said, words
    if twice := _call_said_twice(line, names):
        return twice
    found = _PARTS.fullmatch(line.strip())
    said, words = (found["move"], found["words"]) if found else _with_wishes_apart(line, names)
    if not words or not reads_as_move(said) or _is_epithet(said):
        return None
    move = bare_move(said)
    if move not in _CALLS and not isinstance(action_of(said), Raise):
        return None
    if _may_say_more(words):
        return None
    sentences = filter(str.strip, _SENTENCES.split(words)) if found else ()  # wishes are clear
    if not all(_is_to_others(each.strip(), move, names) for each in sentences):
        return None
    return said, words


def _may_say_more(words: str) -> bool:
    """Whether words behind a move ask, count, or may have a password or dice in them."""
    if any(map(str.isdigit, words)) or "?" in words or "…" in words or ".." in words:
        return True
    if not DICE.isdisjoint(words) or tells_dice(words):
        return True
    return speaks_of_passwords(words) or is_marked_twice(words)


def _call_said_twice(line: str, names: Collection[str]) -> tuple[str, str] | None:
    """The call of a line that doubts the bid in other words, too, and its polite words.

    Such as "no te creo, dudo" or "nah, no way. Dudo! Sorry Ann".  The name of the call comes last.
    Laughter in front is enough: "haha, dudo!"
    """
    if "?" in line or any(map(str.isdigit, line)) or is_marked_twice(line):
        return None
    parts = [*_parts_of_call(line), ""]
    doubts = [each for each in parts if _doubts(each)]
    named = [each for each in doubts if not doubts_in_words(each) and action_of(each)]
    laughs = bare_word(parts[0]) in words_of("familiar_words")
    if len(doubts) + laughs < _FEWEST_DOUBTS or named != doubts[-1:]:
        return None
    for each, following in pairwise(parts):
        is_known = each in doubts or is_of_wishes(each, names, _closings()) or _is_name(each, names)
        is_no = bare_word(each) in words_of("refusals") and following in doubts[:-1]
        if not (is_known or is_no):
            return None
    return named[0], ", ".join(filter(None, parts[parts.index(named[0]) + 1 :]))


def _doubts(text: str) -> bool:
    """Whether a text is a call of dudo, or may be one: "no way"."""
    return action_of(text) == Call(_DUDO) or bool(perhaps_call(text, {_DUDO}))


def _is_name(text: str, names: Collection[str]) -> bool:
    return bare_word(text) in names or bare_word(text) in words_of("first_names")


def _parts_of_call(line: str) -> Iterator[str]:
    """The sentences of a line, and the clauses of those that are not calls as a whole."""
    for sentence in filter(str.strip, _SENTENCES.split(line)):
        parts = [sentence] if _doubts(sentence) else sentence.split(",")
        yield from (each.strip() for each in parts if each.strip())


def _is_about_bluff(said: str, words: str, names: Collection[str]) -> bool:
    """Whether words behind a move are about a bluff, and leave no doubt of the move.

    Behind a bid they may ask, as below it: "4-3s. Are you bluffing?"  Behind a call they may say
    the same again: "dudo, you're bluffing!"
    """
    action = action_of(said)
    if isinstance(action, Raise):
        return _is_teasing(words, names)
    return action == Call(_DUDO) and not _is_epithet(said) and _doubts_too(words, names)


def _is_teasing(words: str, names: Collection[str]) -> bool:
    """Whether words are nothing but a question about a bluff to a player, who may be named."""
    rest = without_teasing(words)
    known = {*names, *words_of("first_names"), *words_of("second_person")}
    known.update(words_of("joining_words"))
    return rest != words and known.issuperset(filter(None, map(bare_word, rest.split())))


def _doubts_too(words: str, names: Collection[str]) -> bool:
    """Whether words behind "dudo" say the same again: "you're bluffing, ann!", "liar"."""
    if "?" in words or any(map(str.isdigit, words)):
        return False
    others = " ".join(each for each in words.split() if bare_word(each) not in names)
    return _is_epithet(others) or perhaps_call(others, {_DUDO}) == _DUDO


def _with_wishes_apart(line: str, names: Collection[str]) -> tuple[str, str]:
    """The move of a line such as "Dudo, sorry Ann", and its polite words; "" for none."""
    said, words = _closing_apart(line, names, _closings(is_bid=True))
    if isinstance(action_of(said), Raise):
        return said, words
    return _closing_apart(line, names, _closings())


def _closing_apart(line: str, names: Collection[str], closings: Set[str]) -> tuple[str, str]:
    move, words = apart(line.strip(), names, closings)
    said = move.rstrip()
    head, _, last = said.rpartition(" ")
    said = head.rstrip() if last.lower() in words_of("joining_words") else said
    return ("", "") if said.endswith((".", "!", "?", "…", "-")) else (said.rstrip(","), words)


def with_polite_words(asked: ParsedText, typed: Sequence[str]) -> ParsedText:
    """The parsed reply, where polite words behind its move are for the others, as words below it.

    Such as "4-2s. Good luck!", "4-2s, see you tomorrow" or "4-2s good luck all", also behind the
    move of a command.  Thanks need a sentence, or name others: "thanks all".  Words such as
    "please" are part of the move.
    """
    call = asked.lines[0] if len(asked.lines) == 1 else None
    if isinstance(call, CommandCall) and call.name in _WITH_WISHES:
        return _without_wishes(asked, call)
    if not isinstance(call, CommandCall) or call.name != MOVE:
        return asked
    lines = list(filter(str.strip, typed))[:_MOST_ABOVE]
    lines.append(" ".join(call.words[_BEFORE_MOVE:]))
    words = next(filter(None, map(_polite_words, lines)), "")
    if not words:
        return asked
    followed = replace(call, is_followed=True)
    return replace(asked, lines=(followed,), message=f"{words}\n{asked.message}".strip())


def _without_wishes(asked: ParsedText, call: CommandCall) -> ParsedText:
    """The parsed command, with good wishes behind its words as the beginning of its message."""
    at = _BEFORE_MOVE - 1  # the word in front of moves is not a wish, nor is a board
    words, wishes = words_apart(call.words[at:])
    if not wishes:
        return asked
    said = _said_to_others(" ", wishes)
    lines = (replace(call, words=(*call.words[:at], *words)),)
    return replace(asked, lines=lines, message=f"{said}\n{asked.message}".strip())


def _polite_words(line: str) -> str:
    """The polite words behind the move of a line that is a move with them; "" for other lines."""
    line = plain_line(line).strip()
    ends = [] if len(line) > _LONGEST else [*_CLAUSES.finditer(line), *_blanks().finditer(line)]
    if not ends or not reads_as_move(line):
        return ""
    ends.sort(key=re.Match.start)
    found = (each for each in ends if reads_as_move(line[: each.start()]))
    return next(filter(None, (_said_to_others(each[0], line[each.end() :]) for each in found)), "")


def _said_to_others(end: str, words: str) -> str:
    """The polite words behind a move and the end of its clause; "" if they are part of it."""
    said = unadorned(spelled_plainly(words))
    is_sentence = not {".", "!"}.isdisjoint(end)
    if not words_of("thanks").known.isdisjoint(said.split()) and not is_sentence:
        return words if said in words_of("wishes") else ""
    if not end.strip() and (not said or said in words_of("familiar_words")):
        return ""
    is_closing = said in words_of("turn_manners") or said in words_of("wishes")
    return words if is_closing or is_remark([words]) else ""


@cache
def _blanks() -> re.Pattern[str]:
    """What may be between a move and words to others without a mark: "4-2s and good luck"."""
    return re.compile(rf"\s+(?:(?:{one_of('joining_words')})\s+)?", re.IGNORECASE)


def _is_epithet(move: str) -> bool:
    """Whether a call is also what people shout at each other: "Liar! You promised to come"."""
    return unadorned(spelled_plainly(move)) in words_of("epithets")


def _is_to_others(sentence: str, move: str, names: Collection[str]) -> bool:
    """Whether a sentence behind a move is plainly to the others, and takes nothing back."""
    if bare_move(sentence) == move or (move in _CALLS and perhaps_call(sentence, {move})):
        return True
    if is_of_wishes(sentence, names, _closings(is_bid=move not in _CALLS)):
        return True
    plain = unadorned(spelled_plainly(sentence))
    said = [each for each in map(bare_word, plain.split()) if each]
    called = [each for each in said if each in names or each in words_of("first_names")]
    others = [each for each in said if each not in called]
    words, text = set(map(unmarked, others)), " ".join(others)
    if _is_taken_back(text):
        return False
    if words.isdisjoint(_words_taking_back()):
        is_polite = set(others) <= _polite()
        if is_polite or is_remark([sentence]) or (called and is_remark([text])):
            return True
    if not _taking_back().isdisjoint(words) or any("n't" in each for each in said):
        return False
    is_to_others = bool(called) or not words_of("second_person").known.isdisjoint(said)
    is_plain = is_plain_line(text, may_doubt=move == "dudo")
    return is_to_others and len(said) >= _FEWEST and is_plain


def _is_taken_back(text: str) -> bool:
    """Whether a sentence has a phrase of several words that may take the move back."""
    plain = f" {unmarked(text)} "
    return any(each in plain for each in _phrases_taking_back())


@cache
def _phrases_taking_back() -> tuple[str, ...]:
    return tuple(f" {unmarked(each)} " for each in words_of("takes_back") if " " in each)


@cache
def _words_taking_back() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("takes_back")))


@cache
def _closings(*, is_bid: bool = False) -> frozenset[str]:
    """Words that may end the line of a move; elsewhere some of them refuse something.

    Behind a bid there may be more: "here we go".
    """
    known = {*words_of("manners"), *words_of("turn_manners"), *words_of("farewells")}
    return frozenset(known.union(words_of("wishes"), words_of("bid_remarks") if is_bid else ()))


@cache
def _polite() -> frozenset[str]:
    words = (*words_of("manners"), *words_of("familiar_words"))
    words += (*words_of("thanks"), *words_of("greetings"))
    return frozenset(each for each in words if " " not in each)


@cache
def _taking_back() -> frozenset[str]:
    """The words that may deny a move or take it back, that make it a condition, or tell of one."""
    words = (*words_of("takes_back"), *words_of("doubts"), *words_of("denials"))
    words += (*words_of("requests"), *words_of("stop_requests"), *words_of("password_words"))
    return frozenset(unmarked(each) for each in words if " " not in each)
