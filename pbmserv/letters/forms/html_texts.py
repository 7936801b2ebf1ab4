"""Write the texts of a letter's page: escaped, in short lines of the source, with marks in bold."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

from pbmserv.letters.document import marked, outside_commands
from pbmserv.letters.wrapping import BOUND

_MOST_UNBROKEN = 12  # hyphens of a paragraph: more of such words would make a long story longer
_LONGEST_UNBROKEN = 26  # characters of a word that fits beside nothing else on a phone
_LONGEST_LINE = 80  # characters of the source
_LONGEST_WORD = 40  # characters of a word that is not divided
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_SHORTEST_LINE = 30  # characters of the source, if a paragraph goes on below it
_LONG_LINE = re.compile(".{80}(?=.)")
# one 6, round 2, ann 5; a blank is searched for faster than a letter
_NUMBERED = re.compile(r" (?<=[^\W\d_] )(?=\d{1,3}(?!\d|:\d|\u00a0))")
_DICE = re.compile(r" (?=[1-9](?:[\s,.]|$))(?<=\s[1-9] )")  # ann 1 3 6, bob 2 4
# French "à la fin", Spanish "y cleo", Russian "победа за вами": no such word ends a line
_LETTER, _SYLLABLE = "[àyoeuвкосуиа]", "(?:во|за|из|ко|на|не|ни|об|от|по|со)"
_BEFORE_WORD = r"[\s«(¡¿]"
_CLINGING = re.compile(
    rf" (?:(?<={_BEFORE_WORD}{_LETTER} )|(?<={_BEFORE_WORD}{_SYLLABLE} )"
    rf"|(?<=^{_LETTER} )|(?<=^{_SYLLABLE} ))",
    re.IGNORECASE,
)
# two-player, bob-2, 14-2s, --standin, -rules=bga
_HYPHENATED = re.compile(r"(?<![\w-])(?:--?[^\W\d_][\w=]*(?:-\w+)*|[^\W_]+(?:-[^\W_]+)+)(?![\w-])")
_LONG_ADDRESS = re.compile(r"(?<!\S)(?=\S{25})(\S+)(?=@)")
_BETWEEN = " · "  # the parts of a title, or of a cell
_AT_LINE_END = f"{BOUND}{_BETWEEN.lstrip()}"
_UNBROKEN = Markup("<nobr>{}</nobr>")
_BOLD, _NOT_BOLD = Markup("<b>"), Markup("</b>")
_MAY_BREAK = Markup("<wbr\n>")
_DIVIDED = "\x04"  # where a long word or line goes on in the next line of the source, unseen


@lru_cache(maxsize=1024)  # many bids, remarks and notes are the same in many letters
def in_bold(text: str) -> Markup:
    """The text with its marks in bold; everything else is escaped.

    No line ends between a word and its number, as in `one 6`, or between dice, or begins with a
    `·`, or ends with a short word of French, Spanish or Russian that belongs to the next one.
    Commands keep their blanks.
    """
    return verbatim(outside_commands(text, _bound).replace(_BETWEEN, _AT_LINE_END))


def _bound(text: str) -> str:
    """The text with blanks at which no line ends."""
    text = _DICE.sub(BOUND, _NUMBERED.sub(BOUND, text))
    return text if text.isascii() else _CLINGING.sub(BOUND, text)


def verbatim(text: str) -> Markup:
    """Text that a reader types, with its marks in bold and all of its blanks as they are."""
    return marked(folded(text), _BOLD, _NOT_BOLD)


@lru_cache(maxsize=1024)
def prose(text: str) -> Markup:
    """The same for wide lines: none ends within a word, name, bid or option that has a hyphen.

    A long address is divided before its `@`.
    """
    found = in_bold(_LONG_ADDRESS.sub(rf"\1{_DIVIDED}", text) if "@" in text else text)
    if not 0 < text.count("-") <= _MOST_UNBROKEN:
        return found
    return Markup(_HYPHENATED.sub(_whole, found))  # noqa: S704 - escaped


@lru_cache(maxsize=256)
def in_parts(text: str) -> Markup:
    """Prose; if a `·` is between its parts, a line ends only behind one of these."""
    parts = text.split(_BETWEEN)
    bound = _AT_LINE_END.join(part.replace(" ", BOUND) for part in parts)
    return prose(bound if len(parts) > 1 else text)


def _whole(word: re.Match[str]) -> str:
    """A word with a hyphen, kept in one line if it fits there."""
    return _UNBROKEN.format(word[0]) if len(word[0]) < _LONGEST_UNBROKEN else word[0]


def folded(text: str) -> Markup:
    """The text, escaped, in short lines: a line of an email has at most 998 characters.

    They are short enough even if every character becomes an entity.
    """
    return _escaped("\n".join(map(_in_short_lines, _with_short_words(text).split("\n"))))


def _in_short_lines(line: str) -> str:
    """The line in lines of at least 30 characters, each as short as its words allow."""
    pieces, start = [], 0
    while (end := line.find(" ", start + _SHORTEST_LINE)) >= 0:
        pieces.append(line[start:end])
        start = end + 1
    return "\n".join([*pieces, line[start:]])


def _with_short_words(text: str) -> str:
    """The text with its long words divided; most texts have none."""
    if max(map(len, text.split()), default=0) <= _LONGEST_WORD:
        return text
    return _LONG_WORD.sub(rf"\g<0>{_DIVIDED}", text)


def unbroken(line: str) -> Markup:
    """A line to send, escaped; no line ends within an option or a name that has a hyphen."""
    found = (
        _UNBROKEN.format(word)
        if "-" in word and len(word) < _LONGEST_UNBROKEN
        else _escaped(_with_short_words(word))
        for word in line.split(" ")
    )
    return escape("\n" if len(line) > _LONGEST_LINE else " ").join(found)


def kept(text: str) -> Markup:
    """The text, escaped, with the lines that it has; a long one is divided unseen."""
    return _escaped(_LONG_LINE.sub(rf"\g<0>{_DIVIDED}", text))


def _escaped(text: str) -> Markup:
    found = escape(text)
    return found.replace(_DIVIDED, _MAY_BREAK) if _DIVIDED in text else found
