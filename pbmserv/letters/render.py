"""Render letters: a payload in, words out.

A letter about a board becomes a document (`letters/document.py`).  All other letters are templates
in a language's folder, `letters/LANGUAGE/`; a template's first line is the Subject.  Next to them
are the words for every refusal (`refusals.toml`), the manual's pages (`help/`), and the form of
dates (`dates.toml`).  Text that a language lacks is taken from English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound

from pbmserv.letters.dates import full_date
from pbmserv.letters.document import Document, strong
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.payloads.listings import RECORD
from pbmserv.letters.payloads.mails import HELP, LINES, WordedLine
from pbmserv.letters.payloads.perudo import BOARDS, Known
from pbmserv.letters.perudo import view
from pbmserv.letters.perudo.context import ByAll
from pbmserv.letters.perudo.letters import BOARD_LETTERS, SECTION, BoardLetter
from pbmserv.letters.templates import PayloadEnvironment, is_shared, template
from pbmserv.letters.wrapping import (
    column,
    dashed,
    filled,
    lined,
    plural,
    printable,
    quoted,
    told,
    wrapped,
)
from pbmserv.letters.writer import Writer
from pbmserv.text import board_subjects

DEFAULT_LANGUAGE = "en"
DEFAULT_ZONE = "UTC"  # of the dates in letters to readers without an account
NO_ACCOUNT = "USERID"  # in commands that letters show, if the reader's userid is not known
GAMES = ("perudo",)
LAST_UNPROVEN = "last_unproven"  # a fact of any letter: what unproven email still gets
LONGEST_ANSWER = 50_000  # characters of an answer to several lines, then letters are left out
Payload: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """A letter in words; `attachment` is a file's name and its text, or None.

    `document` is the letter before it got a form, and `written` the text of one without a document.
    """

    subject: str
    written: str
    attachment: tuple[str, str] | None = None
    document: Document | None = None

    @property
    def text(self) -> str:
        """The letter as text for a terminal."""
        return self.written if self.document is None else text_form.plain(self.flowed)

    @property
    def flowed(self) -> str:
        """The letter as text in which a mail program may join lines."""
        return self.written if self.document is None else text_form.written(self.document)


def folder(language: str) -> Traversable:
    """The folder of the server's words in a language."""
    return files("pbmserv") / "letters" / language


class _Loader(BaseLoader):
    """Finds a letter of the server in the folder of a language, else in English."""

    def __init__(self, language: str) -> None:
        self._language = language

    def get_source(self, _: Environment, template: str) -> tuple[str, str | None, None]:
        """The template's text."""
        for language in (self._language, DEFAULT_LANGUAGE):
            file = folder(language) / f"{template}.txt"
            if file.is_file():
                return file.read_text("utf-8"), None, None
        raise TemplateNotFound(template)


@cache
def environment(language: str) -> Environment:
    """The templates of a language, and the filters that they may use."""
    found = PayloadEnvironment(
        loader=_Loader(language),
        undefined=StrictUndefined,
        autoescape=False,  # letters are plain text, so nothing needs escaping
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "column": column,
        "dashed": dashed,
        "full_date": partial(full_date, language=language),
        "lined": lined,
        "plural": plural,
        "printable": printable,
        "quoted": quoted,
        "told": told,
        "wrapped": wrapped,
    }
    found.globals |= {
        "turn_subject": partial(board_subjects.of_turn, language=language),
        "board_subject": partial(board_subjects.of_board, language=language),
        "refused_subject": partial(board_subjects.of_refusal, language=language),
    }
    return found


@lru_cache
def languages() -> tuple[str, ...]:
    """The languages of letters: those with a folder for the server and for each game."""
    packages = ("pbmserv", *(f"pbmserv.games.{game}" for game in GAMES))
    folders = [
        {each.name for each in (files(package) / "letters").iterdir() if each.is_dir()}
        for package in packages
    ]
    return tuple(sorted(set.intersection(*folders) - {"__pycache__"}))


def spoken(language: str) -> str:
    """The language if letters are written in it, else English."""
    return language if language in languages() else DEFAULT_LANGUAGE


def _template(kind: str, language: str) -> Template:
    return environment(language).get_template(kind)


def word(kind: str, payload: Payload, language: str) -> Words:
    """Render a letter from the payload of its `Kind`, as they are read from JSON."""
    language = spoken(language)
    if kind.startswith("perudo/") or is_shared(kind):
        document = _document(kind, payload, language)
        return Words(document.subject, "", document.attachment, document)
    payload = {"zone": DEFAULT_ZONE, "account": NO_ACCOUNT, **payload}
    if kind == LINES.name:
        payload = {**payload, "lines": _lines(payload, language)}
    if kind == HELP.name and "written" in payload:
        payload = {**payload, "page": help_page(str(payload["written"]), language)}
    if isinstance(inner := payload.get("facts"), Mapping) and payload.get("code"):
        payload = {**payload, "why": _refused(payload["code"], inner, payload, language)}
    text = _template(kind, language).render(payload)
    subject, _, body = text.partition("\n")
    attachment = None
    if kind == RECORD.name:
        attachment = (f"board-{payload['board']}.txt", str(payload["record"]))
    body = _closed_up(body.strip("\n")) + "\n"
    if payload.get(LAST_UNPROVEN):
        body += "\n" + refusal("unproven", {"last": payload[LAST_UNPROVEN]}, language) + "\n"
    return Words(subject.removeprefix("Subject: "), body, attachment)


def _document(kind: str, payload: Payload, language: str) -> Document:
    """The document of a letter that has a shared template, or is about a board."""
    writer = Writer(language)
    of_game: Any = payload
    if kind in BOARD_LETTERS:
        game_letter(kind, of_game, language, writer)
    else:
        values = {"zone": DEFAULT_ZONE, "account": NO_ACCOUNT, **payload}
        sections = [partial(_section, each, language, writer) for each in payload.get("boards", ())]
        if kind == BOARDS.name:
            values["sections"] = sections
        template(kind, language).render({**values, **writer.words()})
    if payload.get(LAST_UNPROVEN):
        writer.p(refusal("unproven", {"last": payload[LAST_UNPROVEN]}, language))
    return writer.document


def _section(payload: Known, language: str, writer: Writer) -> str:
    """Write a board's part of a letter about several boards."""
    game_letter(SECTION, payload, language, writer)
    return ""


def _closed_up(text: str) -> str:
    """The text with several blank lines in a row reduced to one."""
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def _refused(code: str, payload: Payload, letter: Payload, language: str) -> str:
    """The words of a refusal in a letter, with the letter's time zone and userid."""
    return refusal(
        code, {"zone": letter["zone"], "account": letter["account"], **payload}, language
    )


def _lines(payload: Payload, language: str) -> list[WordedLine]:
    """The parts of an answer to several lines, rendered: the reason of a refusal, or the letters.

    When the answer is long, letters that only answer a question are left out.  Letters about what
    has happened are always included.
    """
    found: list[WordedLine] = []
    written = 0
    for each in payload["lines"]:
        left_out, parts = 0, list[str]()
        if each["code"]:
            parts = [_refused(each["code"], each["facts"], payload, language)]
        else:
            for one in each["letters"]:
                if one["to"] is None and written > LONGEST_ANSWER:
                    left_out += 1
                    continue
                words = word(one["kind"], one["facts"], language)
                parts.append(words.attachment[1] if words.attachment else words.text)
                written += len(parts[-1])
        text, ok = "\n\n".join(parts), not each["code"]
        found.append({"line": each["line"], "ok": ok, "text": text, "left_out": left_out})
    return found


def game_letter(kind: str, payload: Known, language: str, writer: Writer) -> None:
    """Write a letter about a board into a document."""
    all_see = seen_by_all(view.public_of(payload))
    mine = view.seen_by_one(payload, all_see)
    words: Any = template("perudo/words", language).module
    sentences: Any = template("perudo/sentences", language).make_module(
        {**all_see, **mine, "strong": strong, "numbers": words.numbers}
    )

    def say(name: str, *values: object) -> str:
        return " ".join(str(getattr(sentences, name)(*values)).split())

    BoardLetter(writer, all_see, mine, say, words.labels).write(kind)


@lru_cache(maxsize=64)  # the letters of one move follow each other
def seen_by_all(public: view.Public) -> ByAll:
    """The public values of a letter, once for all its readers."""
    return view.seen_by_all(public)


@lru_cache
def _refusals(language: str) -> Mapping[str, Template]:
    """The words for every refusal of the server and of the games, as templates."""
    found = {} if language == DEFAULT_LANGUAGE else {**_refusals(DEFAULT_LANGUAGE)}
    for package in ("pbmserv", *(f"pbmserv.games.{game}" for game in GAMES)):
        file = files(package) / "letters" / language / "refusals.toml"
        written = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        for code, text in written.items():
            found[code] = environment(language).from_string(text)
    return found


def refusal_codes(language: str) -> frozenset[str]:
    """The codes of all refusals that have words."""
    return frozenset(_refusals(spoken(language)))


def refusal(code: str, payload: Mapping[str, object], language: str) -> str:
    """The words of a refusal, with what would be legal, in lines of at most 72 columns."""

    def inner(code: str, payload: Mapping[str, object]) -> str:
        return " ".join(refusal(code, payload, language).split())

    payload = {"account": NO_ACCOUNT, **payload}
    return filled(_refusals(spoken(language))[code].render(payload, refusal=inner))


@lru_cache
def _pages(language: str) -> Mapping[str, Traversable]:
    found = {} if language == DEFAULT_LANGUAGE else {**_pages(DEFAULT_LANGUAGE)}
    folder = files("pbmserv") / "letters" / language / "help"
    for each in folder.iterdir() if folder.is_dir() else ():
        found[each.name.removesuffix(".txt").replace("-", " ")] = each
    return dict(sorted(found.items()))


def help_subjects(language: str) -> tuple[str, ...]:
    """The subjects for which the manual has a written page."""
    return tuple(_pages(spoken(language)))


def help_page(subject: str, language: str) -> str | None:
    """The manual's written page about a subject, or None."""
    file = _pages(spoken(language)).get(subject)
    return None if file is None else file.read_text("utf-8").rstrip("\n")
