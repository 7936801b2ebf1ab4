"""Render letters: a payload in, words out.

Every letter becomes a document (`letters/document.py`).  `letters/perudo/` says what a letter about
a board tells; each other kind has a template (`letters/templates/`).  `letters/refusals.py` words
refusals.  A language's folder has pages of the manual (`help/`).  A letter is in English, all of
it, if its language lacks any of its text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import takewhile
from typing import Any, TypeAlias, TypeVar

from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.letters import manual_pages, refusals
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, Untranslated, spoken
from pbmserv.letters.document import Block, Document, Headline, Printed, Section
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.payloads.mails import (
    HELP,
    LINES,
    STRANGER,
    UNSURE,
    WORDS_LEFT_OUT,
    AnsweredLine,
    WordedLine,
    WordsLeftOut,
)
from pbmserv.letters.payloads.perudo import BOARDS, Known
from pbmserv.letters.perudo import view
from pbmserv.letters.perudo.context import ByAll
from pbmserv.letters.perudo.letters import BOARD_LETTERS, SECTION, BoardLetter
from pbmserv.letters.perudo.sentences import Wording, sentences_about
from pbmserv.letters.refusals import DEFAULT_ZONE, NO_ACCOUNT
from pbmserv.letters.templates import template

LAST_UNPROVEN = "last_unproven"  # a key of any payload: what unproven email still gets
AGAIN_AT = "again_at"  # a key beside it: when such an email is answered again
UNSENT = "unsent"  # a key of any payload: `WordsLeftOut` about the email that its letter answers
PAGES = {HELP.name, STRANGER.name}  # many letters of these kinds say the same
_OF_READER = {"zone", "account", "text_alone"}  # keys of which a page of the manual says nothing
LONGEST_ANSWER = 16_000  # bytes of an answer to several lines, then letters are left out
AnyPayload: TypeAlias = Mapping[str, Any]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class WordedLetter:
    """A letter in words: its document, before it got a form."""

    document: Document

    @property
    def subject(self) -> str:
        """The Subject."""
        return self.document.subject

    @property
    def language(self) -> str:
        """The language that the words are in."""
        return self.document.language

    @property
    def replying(self) -> str:
        """The command that a plain reply stands for; "" for none."""
        return self.document.replying

    @property
    def attachment(self) -> tuple[str, str] | None:
        """A file's name and its text, or None."""
        return self.document.attachment

    @property
    def text(self) -> str:
        """The letter as text for a terminal."""
        return text_form.plain(text_form.written(self.document))


def whole(make: Callable[[str], Made], language: str) -> Made:
    """Make a text in a language; if that lacks any part of it, make all of it in English."""
    try:
        return make(spoken(language))
    except Untranslated:
        return make(DEFAULT_LANGUAGE)


def word(kind: str, payload: AnyPayload, language: str) -> WordedLetter:
    """Render a letter from the payload of its `Kind`, as they are read from JSON."""
    return whole(partial(word_in, kind, payload), language)


def word_in(kind: str, payload: AnyPayload, language: str) -> WordedLetter:
    """A letter in a language; raises `Untranslated`."""
    if kind not in PAGES or payload.get(LAST_UNPROVEN):
        return WordedLetter(_document(kind, payload, language))
    own = _OF_READER if kind == HELP.name else ()
    shared = {name: value for name, value in payload.items() if name not in own}
    page = _page(kind, json.dumps(shared), language)
    return WordedLetter(replace(page, blocks=[*page.blocks], foot=[*page.foot]))


@lru_cache(maxsize=128)  # the page of all commands takes 1 ms
def _page(kind: str, payload: str, language: str) -> Document:
    """A letter that says the same to many readers, from its payload as JSON; nobody changes it."""
    return _document(kind, json.loads(payload), language)


def _document(kind: str, payload: AnyPayload, language: str) -> Document:
    """The document of a letter, which is about a board or has a template."""
    writer = DocumentWriter(language)
    of_game: Any = payload
    if kind in BOARD_LETTERS:
        _game_letter(kind, of_game, language, writer)
    elif kind == HELP.name:
        written = payload.get("written")
        blocks = manual_pages.page(written, language) if written else ()
        values = {**payload, "asked": payload["subject"], "blocks": blocks}
        template(kind, language).render({**values, **writer.words()})
    else:
        values = {"zone": DEFAULT_ZONE, "account": NO_ACCOUNT, **payload}
        if kind == BOARDS.name:
            values["sections"] = [
                partial(_section, each, language, writer) for each in _boards(payload)
            ]
        if kind == LINES.name:
            values["lines"] = _lines(payload["lines"], language)
        if kind == UNSURE.name and "page" in payload:
            page = manual_pages.page(payload["page"], language)
            values["blocks"] = map(_lowered, _first_part(page))
        refuse = partial(_refuse, writer, values)
        template(kind, language).render({**values, **writer.words(), "refuse": refuse})
    if told := payload.get(UNSENT):
        _below_headline(writer.document, _unsent(told, language))
    if payload.get(LAST_UNPROVEN):
        writer.body()
        told = {"last": payload[LAST_UNPROVEN], "again_at": payload.get(AGAIN_AT, 0)}
        reader = {key: payload[key] for key in ("zone", "account") if key in payload}
        refusals.write(writer, "unproven", {**reader, **told})
    return writer.document


def _first_part(page: Iterable[Block]) -> Iterable[Block]:
    """The blocks of a page of the manual up to its first section: the rest is detail."""
    return takewhile(lambda block: not isinstance(block, Section), page)


def _lowered(block: Block) -> Block:
    """A block of another document: its headline is that of a section."""
    return block._replace(level=2) if isinstance(block, Headline) else block


def _unsent(told: WordsLeftOut, language: str) -> list[Block]:
    """Why lines of a message were not sent, as the letter about that alone says it."""
    document = _document(WORDS_LEFT_OUT.name, {**told}, language)
    return [each for each in document.blocks if not isinstance(each, Headline)]


def _below_headline(document: Document, blocks: Sequence[Block]) -> None:
    """Put blocks below the headline of a letter."""
    place = 1 if document.blocks and isinstance(document.blocks[0], Headline) else 0
    document.blocks[place:place] = blocks


def _boards(payload: AnyPayload) -> Sequence[Any]:
    """The boards of a letter about several; those with a token of their own have buttons."""
    boards, tokens = payload["boards"], payload.get("tokens", {})
    is_one = len(boards) == 1
    return [
        {
            **each,
            "several": not is_one,
            "buttons": each["reply"] and (is_one or str(each["board"]) in tokens),
        }
        for each in boards
    ]


def _section(payload: Known, language: str, writer: DocumentWriter) -> str:
    """Write a board's part of a letter about several boards."""
    _game_letter(SECTION, payload, language, writer)
    return ""


def _refuse(
    writer: DocumentWriter,
    letter: AnyPayload,
    code: str,
    facts: AnyPayload,
    most: int | None = None,
) -> str:
    """Write a refusal into a letter, with the letter's time zone and userid.

    `most` is how many lines of text it may have.
    """
    facts = {"zone": letter["zone"], "account": letter["account"], **facts}
    if most is None:
        return refusals.write(writer, code, facts)
    return refusals.write_short(writer, code, facts, most)


def _lines(lines: Sequence[AnsweredLine], language: str) -> Sequence[WordedLine]:
    """The lines of an email, with the letters that answer them as documents.

    When the answer is long, letters that only answer a question are left out.  Letters about what
    has happened are always included.
    """
    found: list[WordedLine] = []
    written = 0
    for each in lines:
        left_out, letters = 0, list[Document]()
        for one in each.get("letters", ()):
            if one["to"] is None and written > LONGEST_ANSWER:
                left_out += 1
                continue
            words = word_in(one["kind"], one["facts"], language)
            letters.append(_within(words))
            text = words.attachment[1] if words.attachment else words.text
            written += len(text.encode("utf-8", "replace"))
        facts = each.get("facts", {})
        line, code = each["line"], each["code"]
        found.append(
            {"line": line, "code": code, "facts": facts, "letters": letters, "left_out": left_out}
        )
    return found


def _within(words: WordedLetter) -> Document:
    """A letter as a part of another one: instead of an attachment its text."""
    if words.attachment:
        return Document(words.language, blocks=[Printed(words.attachment[1])])
    return words.document


def _game_letter(kind: str, payload: Known, language: str, writer: DocumentWriter) -> None:
    """Write a letter about a board into a document."""
    public = view.public_of(payload)
    all_see, said = seen_by_all(public)
    mine = view.seen_by_one(payload, all_see)
    said_before = said.setdefault(language, {})
    with sentences_about(all_see, mine, language, said_before) as (say, labels):
        BoardLetter(writer, all_see, mine, say, labels).write(kind)


@lru_cache(maxsize=64)  # the letters of one move follow each other
def seen_by_all(public: view.SharedValues) -> tuple[ByAll, dict[str, Wording]]:
    """The public values of a letter, once for all its readers.

    With them are the public sentences about them, by language, as far as they are made.
    """
    return view.seen_by_all(public), {}


def refusal(code: str, payload: Mapping[str, object], language: str) -> str:
    """The words of a refusal, with what would be legal, in lines of at most 72 columns."""
    document = refusal_document(code, payload, language)
    return text_form.plain(text_form.written(document)).rstrip("\n")


def refusal_document(code: str, payload: Mapping[str, object], language: str) -> Document:
    """A refusal as a document of its own."""
    return whole(partial(refusals.document_of, code, payload), language)


def help_subjects(language: str) -> tuple[str, ...]:
    """The subjects for which the manual has a written page."""
    return tuple(manual_pages.subjects(spoken(language)))
