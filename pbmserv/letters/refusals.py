"""Write refusals into documents: each code has a macro, in a shared template of its topic.

The server's are in `letters/templates/refusals/`, a game's in `games/GAME/letters/refusals/`.  A
macro finds the facts of its refusal by their names.  It calls the words of a `DocumentWriter`, and
two more: `refuse(code, facts)` writes another refusal, and `in_a_line(code, facts)` is its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial

from jinja2 import DictLoader, Template

from pbmserv.games import GAMES
from pbmserv.letters.document import Block, Document, Items
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.templates import environment, source, templates_in
from pbmserv.letters.wrapping import one_line

DEFAULT_ZONE = "UTC"  # of the dates in letters to readers without an account
NO_ACCOUNT = "USERID"  # in commands that letters show, if the reader's userid is not known
_FOLDER = "refusals"
_MACRO = re.compile(r"\{%-? macro (\w+)\(")
_END = re.compile(r"\{%-? endmacro -?%\}")


def write(writer: DocumentWriter, code: str, facts: Mapping[str, object]) -> str:
    """Add the words of a refusal to a document; values of every letter may be among its facts."""
    language = writer.document.language
    values = {"account": NO_ACCOUNT, "zone": DEFAULT_ZONE, **facts}
    own = {
        "refuse": partial(_refuse, writer, values),
        "in_a_line": partial(_in_a_line, language, values),
    }
    module = _compiled(code, language).make_module({**values, **writer.words(), **own})
    getattr(module, code)()
    return ""


def write_short(writer: DocumentWriter, code: str, facts: Mapping[str, object], most: int) -> str:
    """Add as much of a refusal to a document as has at most so many lines of text."""
    left = most
    for block in _parts(document_of(code, facts, writer.document.language)):
        left -= len(text_form.lines(block))
        if left < 0:
            break
        if isinstance(block, Items):
            writer.item(*block.items)
        else:
            writer.add(block)
    return ""


def _parts(document: Document) -> Iterator[Block]:
    """The blocks of a document, with each item of a list as a list of its own."""
    for block in document.blocks:
        if isinstance(block, Items):
            yield from (Items((item,)) for item in block.items)
        else:
            yield block


def document_of(code: str, facts: Mapping[str, object], language: str) -> Document:
    """A refusal as a document of its own."""
    writer = DocumentWriter(language)
    write(writer, code, facts)
    return writer.document


def codes() -> frozenset[str]:
    """The codes of all refusals that have words."""
    return frozenset(_macros())


def _refuse(
    writer: DocumentWriter, outer: Mapping[str, object], code: str, facts: Mapping[str, object]
) -> str:
    return write(writer, code, _within(outer, facts))


def _in_a_line(
    language: str, outer: Mapping[str, object], code: str, facts: Mapping[str, object]
) -> str:
    document = document_of(code, _within(outer, facts), language)
    return one_line(text_form.written(document))


def _within(outer: Mapping[str, object], facts: Mapping[str, object]) -> Mapping[str, object]:
    """The facts of a refusal within another one, which has the reader's zone and userid."""
    return {"account": outer["account"], "zone": outer["zone"], **facts}


@cache
def _compiled(code: str, language: str) -> Template:
    """The macro of a code alone: a whole file takes 30 ms, and a shell needs one refusal."""
    found, name = environment(language), f"refusal {code}"
    return DictLoader({name: _macros()[code]}).load(found, name, found.make_globals(None))


def macros_of(text: str) -> Mapping[str, str]:
    """The macro of each code in a template, with the macros that it calls in front."""
    begins, ends = _MACRO.finditer(text), _END.finditer(text)  # no macro is within another one
    found = {
        begin[1]: text[begin.start() : end.end()] for begin, end in zip(begins, ends, strict=True)
    }
    shared = {name: macro for name, macro in found.items() if name.startswith("_")}
    return {
        name: "".join(each for part, each in shared.items() if f"{part}(" in macro) + macro
        for name, macro in found.items()
        if name not in shared
    }


@cache
def _macros() -> Mapping[str, str]:
    folders = [_FOLDER, *(f"{game}/{_FOLDER}" for game in GAMES)]
    names = [name for folder in folders for name in templates_in(folder)]
    return {code: macro for name in names for code, macro in macros_of(source(name) or "").items()}
