"""Styles: what a page says, in tags and style sheets, that no reader sees.

Hidden text is not what a person wrote to us, whoever put it there.  Of two errors the harmless one
is made: a rule that might hide something hides it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from html import unescape

MOST_SELECTORS = 100  # of such rules: each tag of the page is compared with them
MOST_RULES = 50  # that hide something; a page with more hides all that has a class
MOST_READ = 1000  # selectors that hide something; no program writes more, so more hide the page
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
_COLOURLESS = re.compile(
    r"(?<![-\w])color\s{0,3}[:=]\s{0,3}[\"']?(?:white|transparent|#fff(?:[0-9a-f]{0,1}|fff[0-9a-f]{0,2})"
    r"|rgba?\(\s{0,3}255[\s,]{1,3}255[\s,]{1,3}255)(?![0-9a-z])",
    re.IGNORECASE,
)
_BACKGROUND = re.compile(r"background|bgcolor", re.IGNORECASE)
_HIDDEN_ATTRIBUTE = re.compile(r"\shidden(?=[\s=>/])", re.IGNORECASE)
_VALUES = re.compile(r"\"[^\"]*\"|'[^']*'")

_SHEET = re.compile(r"<style\b", re.IGNORECASE | re.ASCII)
_SHEET_END = re.compile(r"</style", re.IGNORECASE | re.ASCII)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_COMBINED = re.compile(r"[\s>+~]")
_NAMES = re.compile(r"[.#\[][-\w]++")
_NAME = re.compile(r"(?<![-\w])[-\w]++")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?")
_MARKED = re.compile(
    r"\b(class|id)\s{0,3}=\s{0,3}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_OF_STATES = (":hover", ":empty", ":before", ":after", ":not(", ":focus", ":visited", ":active")


def decoded(text: str) -> str:
    """The text with the characters that its entities stand for."""
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text


def hides(attributes: str) -> bool:
    """Whether a tag's attributes say that what is in it is not shown."""
    attributes = decoded(attributes)
    if (":" in attributes or "color" in attributes) and _hides(_bare(attributes)):
        return True
    lowered = "hidden" in attributes or "HIDDEN" in attributes
    return lowered and _HIDDEN_ATTRIBUTE.search(_VALUES.sub("", attributes)) is not None


def _hides(declarations: str) -> bool:
    if _HIDDEN.search(declarations):
        return True
    if _CUT_OFF.search(declarations) and _SMALL.search(declarations):
        return True
    return bool(_COLOURLESS.search(declarations) and not _BACKGROUND.search(declarations))


def _bare(declarations: str) -> str:
    """Without comments and escapes, which may stand anywhere in a style sheet."""
    if "/*" in declarations:
        declarations = _COMMENT.sub("", declarations)
    if "\\" in declarations:
        declarations = _ESCAPE.sub(lambda found: _character(found[1]) or found[2], declarations)
    return declarations


def _character(digits: str | None) -> str:
    number = int(digits, 16) if digits else 0
    return chr(number) if 0 < number <= _HIGHEST else ""


@dataclass(slots=True)
class Sheet:
    """What the style sheets of a page hide: by class, id or attribute, or by the tag's name.

    `marked` leads from one mark of a rule (`.class`, `#id`, `[attribute`) to all that it asks for.
    """

    marked: dict[str, set[frozenset[str]]] = field(default_factory=lambda: defaultdict(set))
    names: set[str] = field(default_factory=set)
    hides_all: bool = False

    def hides(self, name: str, attributes: str) -> bool:
        """Whether a tag with this (lower-case) name and these attributes is not shown."""
        if name in self.names or "*" in self.names:
            return True
        if not (self.marked or self.hides_all):
            return False
        marks = _marks(attributes)
        if self.hides_all and marks:
            return True
        return any(asked <= marks for mark in marks for asked in self.marked.get(mark, ()))


def sheet_of(page: str) -> Sheet:
    """What a page's style sheets hide; sheets that are fetched from elsewhere are not read."""
    sheet = Sheet()
    rules = selectors = position = 0
    while begin := _SHEET.search(page, position):
        end = _SHEET_END.search(page, begin.end())
        position = end.start() if end else len(page)
        text = page[begin.end() : position].partition(">")[2]
        for rule in _bare(text).split("}"):
            head, _, declarations = rule.rpartition("{")
            if ":" not in declarations or not _hides(declarations):
                continue
            hidden = head.rpartition("{")[2].split(",")  # within an @media, too
            rules, selectors = rules + 1, selectors + len(hidden)
            if selectors > MOST_READ:
                return Sheet(names={"*"})
            _note(sheet, hidden)
    marked = sum(map(len, sheet.marked.values()))
    sheet.hides_all = rules > MOST_RULES or marked > MOST_SELECTORS
    return sheet


def _note(sheet: Sheet, selectors: list[str]) -> None:
    """Keeps what the last part of each selector asks for: `p.x` of `div > p.x`."""
    for selector in selectors:
        part = _COMBINED.split(selector.strip().lower())[-1]
        if any(state in part for state in _OF_STATES):
            continue
        part = part.partition(":")[0]
        marks = frozenset(_NAMES.findall(part))
        if marks:
            sheet.marked[min(marks)].add(marks)
        elif part == "*" or part.isalnum():
            sheet.names.add(part)


def _marks(attributes: str) -> frozenset[str]:
    """The classes, the id and the attributes of a tag, as a style sheet writes them."""
    lowered = decoded(attributes).lower()
    found = {f"[{name}" for name in _NAME.findall(_VALUES.sub("", lowered))}
    for kind, *values in _MARKED.findall(lowered):
        sign = "." if kind == "class" else "#"
        found.update(sign + each for each in "".join(values).split())
    return frozenset(found)
