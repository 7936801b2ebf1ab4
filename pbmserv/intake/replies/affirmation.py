"""Decide whether a reply to a letter that asks for a yes says yes, in many languages.

If the sender of the request has proven to read the address, an empty reply is enough.  The letter
says "just reply".  Otherwise somebody else may have asked.  Then the first line must be a yes, with
only words that are known to go with a yes.  The lines below must not take it back.

A yes that is not recognized costs one more email.  A wrong yes may create an account or end it.  So
unknown words never count as a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice, takewhile

from pbmserv.commands.move_lines.retractions import take_back
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.security.tokens import CONFIRMATION_TOKEN_LENGTH
from pbmserv.text.normalize import plain, plain_line
from pbmserv.text.phrases import one_of, words_of

LONGEST = 160  # characters of a yes; a longer text says more
_LONGEST_READ = 4 * LONGEST  # characters of a line before it is normalised
FIRST_WORDS = 3  # among which a word such as "confirm" counts: "I hereby confirm"
_MOST_BELOW = 3  # lines below a yes that may take it back
_LONGEST_BELOW = 50  # characters of such a line
LONGEST_GREETING = 2  # words of a greeting that says nothing else: "Hello!", "Dear server,"

_YES = frozenset(words_of("yes"))
_CONFIRMING = frozenset(words_of("confirming"))
_ORDERS = frozenset(words_of("orders"))
_BESIDE = frozenset(words_of("beside_yes"))
_BEHIND = frozenset(words_of("behind_yes"))
_THANKS = frozenset(words_of("thanks"))
_THANKED = frozenset(words_of("thanked"))
# Chinese and Japanese have no blanks, so these are the words of a yes in sequence. The longest come
# first, and matches are atomic groups: that keeps the search linear.
_YES_UNPARTED = """
    是我 是的 好的 对的 對的 可以 确认 確認 同意 没问题 沒問題 是 好 对 對 行
    はい 承認 承諾 了解 承知 私です
"""
_BEHIND_UNPARTED = """
    是的 是我 好的 是 好 我 的 了 地址 账户 帳戶 确认 確認 同意 谢谢 謝謝 感谢 感謝 非常 多谢 您 你
    お願いします お願いいたします よろしく ありがとう ございます です します しました いたしました
    致しました 私 確認 了解
"""
_MORE = """
    我 谢谢 謝謝 多谢 非常 感谢 感謝 您 你
    よろしく お願いします お願いいたします ありがとう ございます どうも
"""


def _any_of(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


_UNPARTED = re.compile(
    f"(?>(?:我们|我)?)(?:{_any_of(_YES_UNPARTED)})(?>(?:{_any_of(_BEHIND_UNPARTED)})*)"
)
_MORE_UNPARTED = re.compile(f"(?>(?:{_any_of(_MORE)})+)")
_DOUBTS = frozenset(words_of("doubts"))
_DOUBTS_WITHIN = words_of("doubts_within")
_ASKS = frozenset(words_of("asks"))
_ASKS_WITHIN = words_of("asks_within")
# A picture is a word, and so is every sign that is not common punctuation.
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s.,;:!¡…()\"'*~\-–—、。，！：；\ufe0f🏻-🏿]")
_THAT_IS_ME = re.compile(rf"\b(?:{one_of('that_is_me')})\b")
# Without its accent, the "yes" of Spanish and Italian means "if" within a sentence.
_SI = re.compile(r"\bsi(?=\s*(?:[.,;:!]|$))", re.IGNORECASE)


def may_be_yes(asked: CommandCall | Unknown) -> bool:
    """Whether a line is not a command, or is the word confirm without a token."""
    if isinstance(asked, Unknown):
        return True
    has_token = any(len(word) == CONFIRMATION_TOKEN_LENGTH for word in asked.words)
    return (asked.game, asked.name) == ("", "confirm") and not has_token


def says_yes(typed: Sequence[str], *, in_words: bool = False) -> bool:
    """Whether the first line agrees, and the rest of its paragraph does not take it back.

    An empty text agrees, and so does a greeting alone, unless a yes must be `in_words`.  A greeting
    may be above the yes.  A signature or a disclaimer may be below the paragraph.
    """
    lines = map(_read, typed)
    read = _paragraph(lines)
    if not read:
        return not in_words
    return _says_yes(read, lines, in_words=in_words) and not _is_undone(typed)


def _says_yes(read: list[str], lines: Iterator[str], *, in_words: bool) -> bool:
    """Whether the first paragraph, which was `read`, agrees; it may be a greeting above a yes."""
    if not is_greeting(read[0]):
        return _agrees(read[0]) and not _takes_back(read)
    if len(read) == 1:
        read += _paragraph(lines)
    is_bare = not in_words and len(read) == 1 and len(_words(read[0])) <= LONGEST_GREETING
    return (is_bare or any(map(_agrees, read[:2]))) and not _takes_back(read)


def _read(line: str) -> str:
    """A line, normalised and in lower case; a line that is too long for a yes stays too long."""
    line = line.strip()
    text = plain(line[:_LONGEST_READ]).lower().strip()
    return text if len(line) <= _LONGEST_READ else text.ljust(LONGEST + 1, "…")


def _paragraph(lines: Iterator[str]) -> list[str]:
    """The next lines up to an empty one, at most `LONGEST` of them."""
    text = dropwhile(lambda line: not line, lines)
    return list(takewhile(bool, islice(text, LONGEST)))


def with_accent(line: str) -> str:
    """A line with the accent of the Spanish and Italian "yes", where it is not "if"."""
    return _SI.sub("sí", line)


def _words(line: str) -> list[str]:
    return _WORD.findall(_THAT_IS_ME.sub("yes", with_accent(line)))


def _agrees(line: str) -> bool:
    greeting, comma, rest = line.partition(",")
    words = _words(rest if comma and is_greeting(greeting + comma) else line)
    if words and is_greeting(words[0]):
        words = words[1:]
    begins = bool(words) and (words[0] in _YES or bool(_UNPARTED.fullmatch(words[0])))
    is_order = len(words) > 1 and words[0] in _ORDERS
    confirms = not is_order and not _CONFIRMING.isdisjoint(words[:FIRST_WORDS])
    return (begins or confirms) and _are_known(words, _BEHIND if begins else frozenset())


def _are_known(words: Sequence[str], known: frozenset[str]) -> bool:
    """Whether all words go with a yes; the words in `_THANKED` are allowed only after thanks."""
    known |= _YES | _CONFIRMING | _BESIDE | _THANKS
    for word in words:
        if word in _THANKS:
            known |= _THANKED
        is_unparted = _UNPARTED.fullmatch(word) or _MORE_UNPARTED.fullmatch(word)
        if not (word in known or is_unparted):
            return False
    return True


def _is_undone(typed: Sequence[str]) -> bool:
    """Whether one of the next short lines below the first takes the yes back: "just kidding".

    A longer line may be of a disclaimer.
    """
    below = [line.strip() for line in typed if line.strip()][1 : 1 + _MOST_BELOW]
    short = (plain_line(each) for each in below if len(each) <= _LONGEST_BELOW)
    return any(take_back([each]) for each in short)


def _takes_back(lines: Sequence[str]) -> bool:
    """Whether a line doubts, asks or is too long; lines of known words are ignored."""
    unknown = " ".join(line for line in lines if not _are_known(_words(line), _BEHIND | _THANKED))
    is_long = len(" ".join(lines)) > LONGEST
    within = any(each in unknown for each in (*_DOUBTS_WITHIN, *_ASKS_WITHIN))
    return is_long or within or not (_DOUBTS | _ASKS).isdisjoint(_WORD.findall(unknown))
