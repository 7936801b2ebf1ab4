"""Redact one player's text before others read it.

A reply quotes the letter that it answers, and mail programs mark quotations in countless ways.  So
this module ignores quotation marks and compares contents.  It removes a line that holds dice of the
writer's cups, a token or a password.  It also removes commands with their arguments, and lines of
letters to the writer.  It blanks email addresses.

Pure functions, linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from itertools import groupby, pairwise

from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.decoding import decoded, is_encoded, joined, with_tags, without_addresses
from pbmserv.disclosure.dice_mentions import WriterCups, between, runs
from pbmserv.disclosure.words import Words, die_of, lines_of
from pbmserv.fast_dataclasses import dataclass
from pbmserv.text.unicode_forms import is_seen, plain_letters

LONG_LINE = 6  # nobody writes so many words of a letter's line by chance
TOKEN_PIECE = 8  # characters of a token, cut by a line end, that still identify it

_TOKEN = re.compile(r"[a-z2-7]{24,}")
_RUN = re.compile(r"[a-z2-7]{8,}")
_CONFIRMATION, _STAMP = 26, 24  # characters of such tokens; one in 200 has no digit
_CONSONANTS = re.compile(r"[^aeiouy]{5}")
_DIGEST = re.compile(r"(?=[a-f]{0,15}[0-9])(?=[0-9]{0,15}[a-f])[0-9a-f]{16,}")
_LABEL = re.compile(r"[^\w:：]{0,20}[^\W\d_][^:：]{0,29}[:：]")
_FEWEST_LABELS = 3  # lines like "From: ..." that make a header
_LABEL_WORDS = 3
# The time and the day of an email, and its sender: they introduce a quotation without a colon.
_GAME = "perudo"  # within the names of most servers
_CLOCK = re.compile(r"\b\d{1,2}[:.h]\d{2}\b")
_DAY = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|20\d\d[年년]")
_LONGEST_INTRODUCTION = 160
_RULE = re.compile(r"([=_*~-])\1+")  # a line below a heading, or above a signature
_REST = 8  # characters of a word that may be the end of a word cut in two
_MOST_RESTS = 3  # lines in succession
_OF_OTHERS = re.compile(r"\W{0,20}(?:\w{1,20}[^\w|]{1,3})?\|")  # the mark of `wrapping.told`
_JUST_DICE = re.compile(r"\W{0,20}(?:\w{1,20}\W{1,5})?(\d(?:[ \t]{1,3}\d){1,9})\W{0,20}")
_PIP = re.compile("[•●]")  # of the dice that `letters/forms/letter.html` draws, or drew
_DRAWN_BID = re.compile(r"\d ?[×x*] ?[⚀-⚅]")  # on a button of a letter
_AROUND = re.compile(r"^[\W_]{1,10}|[\W_]{1,10}$")
_REMARK = re.compile(r"(?:[^\W\d_]|[ \n.,!?'])*")
_MARK = re.compile(r"(?:\w{1,20}>)?[\W_]{0,20}")
_LONG_PASSWORD = 8  # characters: nobody writes so many within a word by chance


@dataclass(frozen=True)
class Confidential:
    """What one writer knows and the readers must not.

    `cups` are the writer's own in running rounds.  `tokens` are those that are valid now, in lower
    case.  `lines` are the fingerprints of letters to the writer.  `passwords` are words of this
    email that are passwords.  `commands` are the names of commands that take a password.
    `is_token` tells whether a word is the token of any letter.
    """

    cups: Set[tuple[int, ...]] = frozenset()
    tokens: Set[str] = frozenset()
    lines: frozenset[int] = frozenset()
    passwords: Set[str] = frozenset()
    commands: Set[str] = frozenset()
    is_token: Callable[[str], bool] = lambda word: False

    @cached_property
    def secret_words(self) -> Set[str]:
        """The passwords as they are compared: a text may have other capitals and accents."""
        return frozenset(map(plain_letters, self.passwords))

    @cached_property
    def token_pieces(self) -> Set[str]:
        """All pieces of the tokens that are long enough to identify them."""
        return {
            token[place : place + TOKEN_PIECE]
            for token in self.tokens
            for place in range(len(token) - TOKEN_PIECE + 1)
        }


def is_short_remark(text: str) -> bool:
    """Whether a text is a few short words, such as "Good luck!", that hold nothing a letter told.

    They name no die, and have fewer letters than a piece of a token.  There are fewer than in a
    line that is found in a letter, and no marks of a quotation.  So only the email's passwords must
    be compared with it, not all that the writer knows.
    """
    if not _REMARK.fullmatch(text) or any(decoded(line) != line for line in text.split("\n")):
        return False
    found = fingerprint.words(fingerprint.folded(text))
    is_short = len(found) < LONG_LINE and all(len(each) < TOKEN_PIECE for each in found)
    return is_short and not any(map(die_of, found))


def undisclosed(text: str, kept_back: Confidential) -> tuple[str, bool]:
    """The text as others may read it, and whether lines were left out."""
    lines = list(joined(text.split("\n")))
    found = _Text(lines, kept_back, [decoded(line) for line in lines])
    found.find()
    tagged = [with_tags(line) for line in lines]
    if tagged != found.read:
        shown = _Text(lines, kept_back, tagged)
        shown.find()
        found.gone |= shown.gone
        found.short |= shown.short
    return found.left()


class _Text:
    """A text that is being redacted; `read` are its lines as they are read in one way."""

    def __init__(self, lines: Sequence[str], kept_back: Confidential, read: Sequence[str]) -> None:
        self.lines = list(lines)
        self.kept_back = kept_back
        self.read = read
        self.folded = [fingerprint.folded(line) for line in self.read]
        self.words = Words()
        for number, line in enumerate(self.folded):
            self.words.add(number, line)
        self.gone: set[int] = set()
        self.short: set[int] = set()  # removed only where other lines are

    def find(self) -> None:
        """Find the lines to remove."""
        addressed = self._blank_addresses()
        self._find_strings()
        first = {place for place, _ in lines_of(self.words.line)}
        marked = self.words.marks()
        bare = [self.words.without(each) for each in (first, marked | first)]
        for words in (self.words, *(bare if marked - first else bare[:1])):
            self._find_lines(words)
            self._find_dice(words)
            self._find_commands(words)
        self._find_heads(addressed)
        self._find_told()

    def left(self) -> tuple[str, bool]:
        """The remaining text, and whether lines were left out."""
        if self.gone:
            self.gone |= self.short
            self._find_shown()
            self._find_marks()
        kept = [line for number, line in enumerate(self.lines) if number not in self.gone]
        return "\n".join(kept).strip("\n"), bool(self.gone)

    def _blank_addresses(self) -> set[int]:
        """Blank every email address; returns the lines that had one."""
        found = set()
        for number, line in enumerate(self.read):
            if without_addresses(line) == line:
                continue
            found.add(number)
            self.lines[number] = without_addresses(self.lines[number])
            left = decoded(self.lines[number])
            if without_addresses(left) != left:  # the address is encoded
                self.gone.add(number)
        return found

    def _find_strings(self) -> None:
        """Find tokens and passwords: they are secret in any context."""
        pieces = self.kept_back.token_pieces
        seen = "".join(filter(is_seen, "\n".join([*self.lines, *self.read])))
        plain = plain_letters(seen) if self.kept_back.passwords else ""
        has_passwords = any(each in plain for each in self.kept_back.secret_words)
        for number, line in enumerate(self.folded):
            if any(map(self._is_token, _TOKEN.findall(line))) or _has_piece(line, pieces):
                self.gone.add(number)
            # Leaving out only the bids of a face that the writer has would reveal the last die.
            if is_encoded(self.lines[number]) or _is_drawn(line) or _DRAWN_BID.search(line):
                self.gone.add(number)
            if _DIGEST.search(line) or _OF_OTHERS.match(line):
                self.short.add(number)
            if has_passwords and self._has_password(number):
                self.gone.add(number)

    def _has_password(self, number: int) -> bool:
        """Whether a password is a word of a line; a long one may also be part of a word."""
        secrets = self.kept_back.secret_words
        for line in (self.lines[number], self.read[number]):
            seen = plain_letters("".join(filter(is_seen, line)))
            words = {form for word in seen.split() for form in (word, bare(word))}
            if words & secrets:
                return True
            if any(len(each) >= _LONG_PASSWORD and each in seen for each in secrets):
                return True
        return False

    def _is_token(self, word: str) -> bool:
        """Whether a word is a token, which looks random: words of a language have no digits."""
        if not word.isalpha():
            return True
        is_drawn = len(word) == _CONFIRMATION and _CONSONANTS.search(word) is not None
        is_stamp = len(word) == _STAMP and word.startswith("aaaa")
        return is_drawn or is_stamp or self.kept_back.is_token(word)

    def _find_lines(self, words: Words) -> None:
        """Find lines of letters to the writer, however they are wrapped."""
        if not self.kept_back.lines:
            return
        for start, end in fingerprint.matches(words.found, self.kept_back.lines):
            lines = set(words.line[start:end])
            if end - start >= LONG_LINE:
                self.gone |= lines
            elif words.are_alone(start, end):
                self.short |= lines

    def _find_dice(self, words: Words) -> None:
        """Find dice of the writer's cups: digits, joined or apart, and dice characters."""
        if not self.kept_back.cups:
            return
        cups = WriterCups(self.kept_back.cups)
        for start, end in runs(words.die):
            if cups.hold(words, start, end):
                self.gone |= set(words.line[start:end])
        bare = words.without(between(words))
        for start, end in runs(bare.die):
            if cups.are_counted_up(bare, start, end):
                self.gone |= set(bare.line[start:end])
        for number, line in enumerate(self.folded):
            found = _JUST_DICE.fullmatch(line)
            if found and cups.have(list(map(int, found[1].split()))):
                self.gone.add(number)

    def _find_commands(self, words: Words) -> None:
        """Find commands with their arguments: a board, a userid, a password, a move."""
        for start, word in enumerate(words.found):
            following = words.found[start + 1 : start + 5]
            if word != "perudo" or not following or following[0] not in self.kept_back.commands:
                continue
            if any(map(str.isdigit, following)):
                self.gone |= set(words.line[start : start + 8])

    def _find_told(self) -> None:
        """Find what a letter tells of others: a line of it, `bob writes:`, above marked words."""
        said = [number for number, line in enumerate(self.read) if line.strip()]
        for above, number in pairwise(said):
            is_told = above in self.short and self.read[above].rstrip().endswith(":")
            if is_told and _OF_OTHERS.match(self.folded[number]):
                self.gone |= {above, number}

    def _find_heads(self, addressed: Set[int]) -> None:
        """Find the header of a quoted email: labelled lines, one with an address or removed."""
        block: list[int] = []
        for number, line in enumerate([*self.read, "end"]):
            if not line.strip():
                continue
            if number < len(self.read) and _has_label(line):
                block.append(number)
                continue
            if len(block) >= _FEWEST_LABELS and (addressed | self.gone) & set(block):
                self.gone |= set(block)
            block = []

    def _find_shown(self) -> None:
        """Find what an answer shows of its reader's email: lines with the mark of the line above.

        These lines are not secrets of a letter: the writer may write them again.  The line above is
        removed and ends with a colon.  Without any mark they are indented right below it.
        """
        said = [number for number, line in enumerate(self.lines) if line.strip()]
        shows: set[int] = set()
        for above, number in pairwise(said):
            begins = above in self.gone and self.read[above].rstrip().endswith((":", "："))
            mark, line = _mark(self.lines[above]), self.lines[number]
            is_below = bool(mark) or (number == above + 1 and line.startswith(("  ", "\t")))
            if (begins or above in shows) and is_below and mark == _mark(line):
                shows.add(number)
        self.gone |= shows

    def _introduces(self, number: int) -> bool:
        """Whether the line above a quotation introduces it.

        It ends with a colon, or it names a sender beside the day or the time.
        """
        line = self.read[number].strip()
        if line.endswith((":", "：")):
            return True
        if len(line) > _LONGEST_INTRODUCTION:
            return False
        is_dated, is_timed = bool(_DAY.search(line)), bool(_CLOCK.search(line))
        if without_addresses(line) != line:
            return is_dated or is_timed
        return is_dated and is_timed and _GAME in self.folded[number]

    def _find_marks(self) -> None:
        """Find the remains of a quotation beside removed lines: its marks and the ends of words.

        The line above it that introduces it is removed, too.
        """
        said = [number for number, line in enumerate(self.lines) if line.strip()]
        places = list(zip([-1, *said], said, [*said[1:], -1], strict=False))
        for above, number, below in [*places, *reversed(places)]:  # several lines may remain
            line = self.lines[number].strip()
            beside = [self.lines[each].strip() for each in (above, below) if each in self.gone]
            introduces = below in self.gone and self._introduces(number)
            if introduces or any(each.startswith(line) for each in beside):
                self.gone.add(number)
        for left, group in groupby(said, self.gone.__contains__):
            numbers = list(group)
            if left or len(numbers) > _MOST_RESTS or said[0] in numbers:
                continue
            if said[-1] in numbers:
                if len(numbers) == 1:
                    self._find_last_rest(said[-1], said[-4:-1])
                continue
            before, after = said.index(numbers[0]) - 1, said.index(numbers[-1]) + 1
            around = [self.lines[said[place]].strip() for place in (before, after)]
            if all(_is_rest(self.lines[number].strip(), around) for number in numbers):
                self.gone |= set(numbers)

    def _find_last_rest(self, number: int, above: Sequence[int]) -> None:
        """The text ends with this line: right below a quotation without marks it is its rest.

        `above` are the three lines above.  An empty line may be above the rest, too.  Then an empty
        line is below each of them, or the rest is a rule.
        """
        line = self.lines[number].strip()
        distances = {below - each for each, below in pairwise(above)}
        is_spaced = distances == {2} and set(above) <= self.gone
        nearest = 2 if is_spaced or _RULE.fullmatch(line) else 1
        if number - above[-1] <= nearest and _is_rest(line, [self.lines[above[-1]].strip()]):
            self.gone.add(number)


def bare(word: str) -> str:
    """A word without the punctuation that people and mail programs put around it."""
    return _AROUND.sub("", word)


def _mark(line: str) -> str:
    """The signs with which a line begins, such as `//`, also behind a name: `ann>`."""
    return _MARK.match(line)[0].strip()  # type: ignore[index]  # it matches every line


def _is_rest(line: str, around: Sequence[str]) -> bool:
    """Whether a line between two of a quotation is the end of one: their mark, then one word."""
    if _RULE.fullmatch(line):
        return True
    mark, blank, word = line.rpartition(" ")
    if len(word) > _REST:
        return False
    if not blank:
        return word[0].isalnum() and all(each.removeprefix("- ")[:1].isalnum() for each in around)
    return all(each.startswith(mark.strip()) for each in around)


def _has_piece(line: str, pieces: Set[str]) -> bool:
    """Whether a line contains a piece of a token; a repeated single letter does not count."""
    return bool(pieces) and any(
        (piece := run[place : place + TOKEN_PIECE]) in pieces and len(set(piece)) > 1
        for run in _RUN.findall(line)
        for place in range(len(run) - TOKEN_PIECE + 1)
    )


def _is_drawn(line: str) -> bool:
    """Whether a line is a row of the picture of a die, below a mark of at most one word."""
    if (pip := _PIP.search(line)) is None or len(line[: pip.start()].split()) > 1:
        return False
    return not any(map(str.isalnum, line[pip.end() :]))


def _has_label(line: str) -> bool:
    found = _LABEL.match(line)
    return found is not None and len(found[0].split()) <= _LABEL_WORDS
