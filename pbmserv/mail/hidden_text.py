"""Find the parts of an HTML page that no reader sees, by its tags and style sheets.

A person did not write hidden text to us.  If in doubt, text counts as hidden: of the two errors
this is the harmless one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import field
from html import unescape
from itertools import chain

from pbmserv.fast_dataclasses import dataclass

MOST_SELECTORS = 100  # of such rules; a page with more hides everything that has a class
MOST_RULES = 50  # that hide something; a page with more hides everything that has a class
MOST_READ = 1000  # selectors that hide something; real programs write fewer, so more hide the page
MOST_KNOWN = 500  # tags of a page whose style is cached
_NO_MARKS: frozenset[str] = frozenset()
_HIGHEST = 0x10FFFF  # the last character of Unicode

_UNIT = r"(?:p[xtc]|r?em|ex|ch|cm|mm|in|v[wh]|%)?"
_NONE = rf"[+-]?(?:0++(?:\.0[0-9]*+)?|\.0[0-9]*+){_UNIT}(?![0-9.a-z%])"  # 0, 0.0, 0.01em
_HIDDEN = re.compile(
    r"(?<![-\w])(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}(?:hidden|collapse)"
    r"|mso-hide\s{0,3}:\s{0,3}all"
    rf"|(?:font-size|opacity|max-height|max-width|zoom)\s{{0,3}}:\s{{0,3}}{_NONE}"
    r"|font-size\s{0,3}:\s{0,3}1(?:\.[0-9]{1,3})?p[xt]"
    r"|(?:text-indent|left|right|top|bottom|margin|margin-left|margin-top)\s{0,3}:\s{0,3}"
    r"(?:-[0-9]{3}|-[0-9]{2}(?:\.[0-9]{1,3})?(?:r?em|%|v[wh])|[0-9]{4})"
    r"|clip\s{0,3}:\s{0,3}rect\s{0,3}\(\s{0,3}[01]|clip-path\s{0,3}:\s{0,3}inset\s{0,3}\(\s{0,3}(?:[5-9][0-9]|1[0-9]{2})"
    r"|transform\s{0,3}:\s{0,3}scale\s{0,3}\(\s{0,3}0[ ,)])",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"(?<![-\w])overflow(?:-[xy])?\s{0,3}:\s{0,3}(?:hidden|clip)", re.IGNORECASE)
_SMALL = re.compile(rf"(?<![-\w])(?:height|width)\s{{0,3}}:\s{{0,3}}(?:{_NONE}|1px)", re.IGNORECASE)
_TRANSPARENT = re.compile(r"(?<![-\w])color\s{0,3}:\s{0,3}transparent", re.IGNORECASE)
_WHITE = re.compile(
    r"(?<![-\w])color\s{0,3}[:=]\s{0,3}[\"']?(?:white|#fff(?:[0-9a-f]{0,1}|fff[0-9a-f]{0,2})"
    r"|rgba?\(\s{0,3}255[\s,]{1,3}255[\s,]{1,3}255)(?![0-9a-z])",
    re.IGNORECASE,
)
_BACKGROUND = re.compile(r"(?<![-\w])(?:background[-a-z]{0,20}|bgcolor)\s{0,3}[:=]", re.IGNORECASE)
_KEEPS_LINES = re.compile(
    r"(?<![-\w])white-space(?:-collapse)?\s{0,3}:\s{0,3}(?:pre|break-spaces)", re.IGNORECASE
)
_HIDDEN_ATTRIBUTE = re.compile(r"\shidden(?=[\s=>/])", re.IGNORECASE)
_VALUES = re.compile(r"\"[^\"]*\"|'[^']*'")

_SHEET = re.compile(r"<style\b", re.IGNORECASE | re.ASCII)
_SHEET_END = re.compile(r"</style", re.IGNORECASE | re.ASCII)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_NOT_READ = re.compile(  # comments and strings; a string ends with its line
    r"/\*.*?(?:\*/|\Z)|\"(?>(?:[^\"\\\n]++|\\.)*)\"?|'(?>(?:[^'\\\n]++|\\.)*)'?", re.DOTALL
)
_MEDIA = re.compile(r"(?:@media\b|\bmedia\s{0,3}=)(.*)", re.IGNORECASE | re.DOTALL)
_ELSEWHERE = re.compile(r"\bprint\b|prefers-color-scheme\s{0,3}:\s{0,3}dark", re.IGNORECASE)
_ON_A_SCREEN = re.compile(r"\b(?:screen|all|not)\b", re.IGNORECASE)
_COMBINED = re.compile(r"[\s>+~]")
_NAMES = re.compile(r"[.#\[][-\w]++")
_NAME = re.compile(r"(?<![-\w])[-\w]++")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?")
_MARKED = re.compile(
    r"\b(class|id)\s{0,3}=\s{0,3}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_OF_STATES = (":hover", ":empty", ":before", ":after", ":not(", ":focus", ":visited", ":active")


def decoded(text: str) -> str:
    """The text with its entities decoded."""
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text


@dataclass(frozen=True, slots=True)
class Style:
    """What declarations say of how their elements are seen.

    `hidden`: nobody sees it.  `white`: it is only seen on a background.  `background`: it has one.
    `keeps_lines`: the ends of lines in it are seen, as in `<pre>`.
    """

    hidden: bool = False
    white: bool = False
    background: bool = False
    keeps_lines: bool = False


_PLAIN = Style()


def _style_of(attributes: str) -> Style:
    """The style that a tag's attributes declare."""
    attributes = decoded(attributes)
    said = _PLAIN
    if ":" in attributes or "=" in attributes:
        said = _said(_bare(attributes))
    lowered = "hidden" in attributes or "HIDDEN" in attributes
    if lowered and _HIDDEN_ATTRIBUTE.search(_VALUES.sub("", attributes)):
        return Style(hidden=True)
    return said


def _said(declarations: str) -> Style:
    background = _BACKGROUND.search(declarations) is not None
    hidden = (
        _HIDDEN.search(declarations)
        or (_CUT_OFF.search(declarations) and _SMALL.search(declarations))
        or (not background and _TRANSPARENT.search(declarations))
    )
    white = not background and _WHITE.search(declarations)
    keeps_lines = _KEEPS_LINES.search(declarations) is not None
    if not (hidden or white or background or keeps_lines):
        return _PLAIN
    return Style(bool(hidden), bool(white), background, keeps_lines)


def _bare(declarations: str) -> str:
    """The declarations without comments and escapes, which may be anywhere in a style sheet."""
    if "/*" in declarations:
        declarations = _COMMENT.sub("", declarations)
    return _unescaped(declarations)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _character(found[1]) or found[2], text)


def _character(digits: str | None) -> str:
    number = int(digits, 16) if digits else 0
    return chr(number) if 0 < number <= _HIGHEST else ""


@dataclass(slots=True)
class _Rules:
    """The selectors of rules of one kind: marks (`.class`, `#id`, `[attribute`), or tag names.

    `marked` maps one mark of a rule to all marks that the rule requires.  It is the mark that has
    the fewest rules.  So one mark of a hundred rules leads to about fifteen at most.
    """

    marked: dict[str, list[frozenset[str]]] = field(default_factory=lambda: defaultdict(list))
    names: set[str] = field(default_factory=set)
    all_marked: bool = False

    def are_about(self, name: str, marks: frozenset[str]) -> bool:
        """Whether a rule applies to a tag with this (lower-case) name and these marks."""
        if name in self.names or "*" in self.names or (self.all_marked and marks):
            return True
        return any(asked <= marks for mark in marks for asked in self.marked.get(mark, ()))


class Sheet:
    """The elements that style sheets hide, or make white without a background, or keep lines in.

    It caches its latest answers, because a page has many equal tags.
    """

    def __init__(
        self, hidden: _Rules, white: _Rules, kept: _Rules, background: bool = False
    ) -> None:
        self._hidden, self._white, self._kept = hidden, white, kept
        self.background = background
        self._known: dict[tuple[str, str], Style] = {}
        rules = [each for each in (hidden, white, kept) if each.marked or each.all_marked]
        self._asks_for_marks = bool(rules)
        self._asks_for_attributes = any(
            each.all_marked or any("[" in "".join(marks) for marks in chain(*each.marked.values()))
            for each in rules
        )

    def style(self, name: str, attributes: str) -> Style:
        """The style of a tag with this (lower-case) name and these attributes.

        Its own attributes and the sheets are combined.
        """
        tag = name, attributes
        if tag not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[tag] = self._style(name, attributes)
        return self._known[tag]

    def _style(self, name: str, attributes: str) -> Style:
        own = _style_of(attributes)
        marks = _NO_MARKS
        if attributes and self._asks_for_marks:
            marks = _marks(attributes, self._asks_for_attributes)
        hidden = own.hidden or self._hidden.are_about(name, marks)
        white = own.white or (not own.background and self._white.are_about(name, marks))
        keeps_lines = own.keeps_lines or self._kept.are_about(name, marks)
        return Style(hidden, white, own.background, keeps_lines)


def sheet_of(page: str) -> Sheet:
    """The rules of a page's own style sheets; sheets from other places are not fetched."""
    hidden: list[list[str]] = []
    white: list[list[str]] = []
    kept: list[list[str]] = []
    selectors, background, position = 0, False, 0
    while begin := _SHEET.search(page, position):
        end = _SHEET_END.search(page, begin.end())
        position = end.start() if end else len(page)
        attributes, _, text = page[begin.end() : position].partition(">")
        if _is_elsewhere(attributes):
            continue
        for asked, declarations in _rules(_unescaped(_NOT_READ.sub("", text))):
            said = _said(declarations)
            background = background or said.background
            if said.hidden or said.white or said.keeps_lines:
                found = hidden if said.hidden else white if said.white else kept
                found.append(asked.split(","))
                selectors += asked.count(",") + 1
                if selectors > MOST_READ:
                    return Sheet(_Rules(names={"*"}), _Rules(), _Rules())
    return Sheet(_noted(hidden), _noted([] if background else white), _noted(kept), background)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Each rule that applies on a screen: its selectors and its declarations.

    The sheet is given without comments, strings and escapes, because they may hold brackets.
    """
    blocks: list[bool] = []  # the open blocks: True for those that do not apply on a screen
    elsewhere = 0  # how many of them do not apply on a screen
    for piece in sheet.split("}"):
        *heads, declarations = piece.split("{")
        for head in heads:
            blocks.append(_is_elsewhere(head))
            elsewhere += blocks[-1]
        if heads and ":" in declarations and not elsewhere:
            yield heads[-1], declarations
        if blocks:
            elsewhere -= blocks.pop()


def _is_elsewhere(head: str) -> bool:
    """Whether `@media` or `media=` names only print or a dark scheme."""
    media = _MEDIA.search(head)
    if media is None or not _ELSEWHERE.search(media[1]):
        return False
    return _ON_A_SCREEN.search(media[1]) is None


def _noted(rules: list[list[str]]) -> _Rules:
    """The last part of each selector: `p.x` of `div > p.x`."""
    found = _Rules()
    marked: set[frozenset[str]] = set()
    for selector in chain.from_iterable(rules):
        part = _COMBINED.split(selector.strip().lower())[-1]
        if any(state in part for state in _OF_STATES):
            continue
        part = part.partition(":")[0]
        marks = frozenset(_NAMES.findall(part))
        if marks:
            marked.add(marks)
        elif part == "*" or part.isalnum():
            found.names.add(part)
    found.all_marked = len(rules) > MOST_RULES or len(marked) > MOST_SELECTORS
    if not found.all_marked:
        _index(found, marked)
    return found


def _index(rules: _Rules, marked: set[frozenset[str]]) -> None:
    often = Counter(chain.from_iterable(marked))
    for asked in sorted(marked, key=sorted):
        fewest = min(asked, key=lambda mark: (len(rules.marked.get(mark, ())), often[mark], mark))
        rules.marked[fewest].append(asked)


def _marks(attributes: str, with_names: bool) -> frozenset[str]:
    """The classes and the id of a tag, as a style sheet writes them; its attributes, if asked."""
    lowered = decoded(attributes).lower()
    found: set[str] = set()
    if with_names:
        found.update(f"[{name}" for name in _NAME.findall(_VALUES.sub("", lowered)))
    for kind, *values in _MARKED.findall(lowered):
        sign = "." if kind == "class" else "#"
        found.update(sign + each for each in "".join(values).split())
    return frozenset(found)
