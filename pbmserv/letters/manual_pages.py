"""Read a written page of the manual: prose in a small format, one file per page and language.

The pages are in `letters/LANGUAGE/help/`.  A translator keeps the marks, and what readers type:

    # Playing by email                the title of the page
    ## Options                        a heading
    Two to six players play.          a paragraph; an empty line ends it
    > perudo verify 12                a line to send, as it is
    >> signup ann secret              the Subject of an email: a shell does not change it
    Numbers:: A last word #17 means   a word with its meaning
    `4-2s`:: a bid                    the same for something that readers type
    1. Open an account                a step
    - drawn games                     a point of a list
    | rules | against | 2 |           a row of a table; the first has the heads
    To find people: `help players`    a command within a sentence

Meanings, steps and points go on in indented lines.  Those of meanings and steps may have lines to
send and rows of their own.  All other lines begin at the margin.  Lines of a paragraph are joined,
so their length is free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from itertools import groupby
from textwrap import dedent
from typing import TypeAlias

from pbmserv.letters import document
from pbmserv.letters.catalogues import Untranslated, folder
from pbmserv.letters.document import Block
from pbmserv.letters.wrapping import one_line

_MARKS = {
    "title": re.compile("# +(.*)"),
    "heading": re.compile("## +(.*)"),
    "line": re.compile("> +(.*)"),
    "subject": re.compile(">> +(.*)"),
    "table": re.compile(r"\|(.*)\|"),
    "point": re.compile("- +(.*)"),
    "step": re.compile(r"\d+\. +(.*)"),
    "typed": re.compile("(`[^`]+`::.*)"),
    "word": re.compile(r"(\w[^:`]*::.*)"),
    "text": re.compile("(.*)"),
}
_GOES_ON = {"point", "step", "typed", "word"}  # in indented lines
_TYPED = re.compile("`([^`]+)`")
_NUMBER = re.compile(r"[\d.,%?-]*")


@dataclass(slots=True)
class _Item:
    """What one mark begins: its text, and the indented lines below it."""

    kind: str
    text: str
    below: list[str]


_Items: TypeAlias = Sequence[_Item]


@cache
def subjects(language: str) -> Mapping[str, Traversable]:
    """The written pages of a language by their subjects: `rules bga` is `help/rules-bga.txt`."""
    pages = folder(language) / "help"
    found = {
        each.name.removesuffix(".txt").replace("-", " "): each
        for each in (pages.iterdir() if pages.is_dir() else ())
    }
    return dict(sorted(found.items()))


@cache
def page(subject: str, language: str) -> tuple[Block, ...]:
    """The written page about a subject; raises `Untranslated` if the language has none."""
    if (file := subjects(language).get(subject)) is None:
        raise Untranslated(subject)
    return read(file.read_text("utf-8"))


def read(source: str) -> tuple[Block, ...]:
    """The blocks of a page; raises ValueError for an indented line that belongs to nothing."""
    return _blocks(source.split("\n"))


def _blocks(lines: Sequence[str]) -> tuple[Block, ...]:
    return tuple(
        block
        for kind, items in groupby(_items(lines), lambda each: each.kind)
        for block in _MADE[kind]([*items])
    )


def _items(lines: Sequence[str]) -> Sequence[_Item]:
    found: list[_Item] = []
    is_paragraph = False  # which the next line continues
    for line in lines:
        last = found[-1] if found else None
        goes_on = last is not None and last.kind in _GOES_ON
        if last and goes_on and (line[:1] == " " or not line):
            last.below.append(line)
        elif line[:1] == " ":
            raise ValueError(f"this line is indented: {line}")
        elif line:
            kind, text = _marked(line)
            if last and is_paragraph and kind == "text":
                last.text += f" {text}"
            else:
                found.append(_Item(kind, text, []))
        is_paragraph = bool(line) and found[-1].kind == "text"
    return found


def _marked(line: str) -> tuple[str, str]:
    """What a line begins, and the line without its mark."""
    return next((kind, found[1]) for kind in _MARKS if (found := _MARKS[kind].fullmatch(line)))


def _inline(text: str) -> str:
    """The text with its commands marked."""
    return _TYPED.sub(lambda found: document.typed(found[1]), text)


def _body(text: str, below: Sequence[str]) -> tuple[Block, ...]:
    return _blocks([text, *dedent("\n".join(below)).split("\n")])


def _titles(items: _Items) -> Iterator[Block]:
    yield from (document.Headline(_inline(each.text), heading=True) for each in items)


def _headings(items: _Items) -> Iterator[Block]:
    yield from (document.Section(_inline(each.text)) for each in items)


def _lines(items: _Items) -> Iterator[Block]:
    yield document.Commands(tuple(each.text for each in items))


def _subjects(items: _Items) -> Iterator[Block]:
    yield document.Commands(tuple(each.text for each in items), of_email=True)


def _table(items: _Items) -> Iterator[Block]:
    """A table; columns of numbers are aligned to the right."""
    heads, *rows = [tuple(_inline(cell.strip()) for cell in each.text.split("|")) for each in items]
    right = {
        place
        for place in range(len(heads))
        if all(_NUMBER.fullmatch(row[place]) for row in rows if place < len(row))
    }
    yield document.Listing(heads, tuple(rows), frozenset(right))


def _steps(items: _Items) -> Iterator[Block]:
    yield document.Steps(tuple(_body(each.text, each.below) for each in items))


def _points(items: _Items) -> Iterator[Block]:
    points = (one_line(" ".join([each.text, *each.below])) for each in items)
    yield document.Items(tuple(map(_inline, points)))


def _words(items: _Items) -> Iterator[Block]:
    rows = []
    for each in items:
        term, _, text = each.text.partition("::")
        rows.append(document.Definition(term.strip("`"), _body(text.strip(), each.below)))
    yield document.Definitions(tuple(rows), typed=items[0].kind == "typed")


def _paragraphs(items: _Items) -> Iterator[Block]:
    yield from (document.Paragraph(_inline(each.text)) for each in items)


_MADE: Mapping[str, Callable[[_Items], Iterator[Block]]] = {
    "title": _titles,
    "heading": _headings,
    "line": _lines,
    "subject": _subjects,
    "table": _table,
    "point": _points,
    "step": _steps,
    "typed": _words,
    "word": _words,
    "text": _paragraphs,
}
