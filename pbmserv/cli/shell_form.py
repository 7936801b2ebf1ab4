"""Letters as a shell prints them: with their commands as they are typed there.

An email has `help players` as its Subject, and a shell `pbmserv help players`.  In place of a
password a shell has `-`, which asks for it.  A sentence about replies or Subjects may have another
one for shells (`Paragraph.at_shell`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from pbmserv.commands.framework import (
    ASKED,
    GAMES,
    SAMPLES,
    PlayerCommand,
    in_its_file,
    package_of,
    usage_of,
)
from pbmserv.errors import Fact
from pbmserv.fast_dataclasses import replace
from pbmserv.letters import render
from pbmserv.letters.document import (
    HTML,
    MAIL,
    Block,
    Commands,
    Definition,
    Definitions,
    Document,
    Headline,
    Items,
    Paragraph,
    Steps,
    with_commands,
)
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.payloads.mails import REFUSED, RefusedLine
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.reply_link import PASSWORD

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.context import Outcome

_OF_MAIL = {HTML, MAIL}  # a shell shows none of their blocks
_PASSWORDS = {PASSWORD, f"NEW{PASSWORD}"}  # as letters have them


def printed(words: WordedLetter) -> str:
    """The text of a letter for a shell; what emails attach is printed in full.

    Headlines and the turn are in bold; click leaves that out where there are no colours.
    """
    if words.attachment:
        return words.attachment[1]
    document = _without_mail_blocks(words.document)
    bold = text_form.emphasised(document)
    lines = text_form.plain(text_form.written(document)).split("\n")
    return "\n".join(click.style(line, bold=True) if line in bold else line for line in lines)


def refused(code: str, facts: Mapping[str, Fact], language: str) -> str:
    """The words of a refusal for a shell."""
    return _text(_without_mail_blocks(render.refusal_document(code, facts, language)))


def refused_of(outcome: Outcome, more: Mapping[str, Fact], language: str) -> str:
    """The words of an outcome that is a refusal, with `more` facts for it."""
    return _text(_without_mail_blocks(_refusal(outcome, more, language)))


def refused_line_of(outcome: Outcome, language: str) -> str:
    """The words of a refusal for a line of `multiple`, which is written as in an email."""
    document = _refusal(outcome, {}, language)
    blocks = [_at_shell(each) if isinstance(each, Paragraph) else each for each in document.blocks]
    return _text(replace(document, blocks=blocks))


def _refusal(outcome: Outcome, more: Mapping[str, Fact], language: str) -> Document:
    """A refusal, with the writer's own dice if it is of a move of the player on turn."""
    assert outcome.refusal is not None  # only called for refused lines
    code, facts = outcome.refusal.code, {**more, **outcome.refusal.facts}
    if outcome.on_turn is None:
        return render.refusal_document(code, facts, language)
    told: RefusedLine = {
        "line": "",
        "code": code,
        "facts": facts,
        "board": None,
        "brief": True,
        "words_below": "",
        "on_turn": outcome.on_turn,
    }
    return render.word(REFUSED.name, told, language).document


def _text(document: Document) -> str:
    return text_form.plain(text_form.written(document)).rstrip("\n")


def as_typed(command: str) -> str:
    """A command with the program's name if it is one of the server, and - for its password."""
    words = command.split(" ")
    game = words[0] if words[0] in GAMES else ""
    known = in_its_file(package_of(game), words[1] if game and words[1:] else words[0])
    if not isinstance(known, PlayerCommand):
        return command
    if known.takes_secret and command != usage_of(known, game):  # a usage names its words
        samples = SAMPLES if _PASSWORDS.isdisjoint(words) else _PASSWORDS
        words = [ASKED if word in samples else word for word in words]
    return " ".join(words if game else ["pbmserv", *words])


def _without_mail_blocks(document: Document) -> Document:
    blocks, foot = (_typed(each) for each in (document.blocks, document.foot))
    return Document(document.language, blocks=[*blocks], foot=[*foot])


def _typed(blocks: Iterable[Block]) -> tuple[Block, ...]:
    return tuple(_changed(each) for each in blocks if getattr(each, "only", "") not in _OF_MAIL)


def _at_shell(block: Paragraph) -> Paragraph:
    return block._replace(text=block.at_shell or block.text)


def _changed(block: Block) -> Block:
    """The block with its commands changed; a list of usages says itself how they are typed."""
    sentence = partial(with_commands, changed=as_typed)
    match block:
        case Commands() if not block.of_email:
            return Commands(tuple(map(as_typed, block.lines)))
        case Paragraph():
            shown = _at_shell(block)
            return shown._replace(text=sentence(shown.text))
        case Headline():
            return block._replace(title=sentence(block.title))
        case Items():
            return Items(tuple(map(sentence, block.items)))
        case Steps():
            return Steps(tuple(map(_typed, block.items)))
        case Definitions() if not block.stacked:
            rows = [
                Definition(as_typed(row.term) if block.typed else row.term, _typed(row.body))
                for row in block.rows
            ]
            return block._replace(rows=tuple(rows))
    return block
