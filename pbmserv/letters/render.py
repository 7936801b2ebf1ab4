"""Render letters: a payload in, words out.

A letter is a template in a language's folder: the server's own in `letters/LANGUAGE/`, a game's in
`games/GAME/letters/LANGUAGE/`.  A template's first line is the Subject.  Next to them are the words
for every refusal (`refusals.toml`), the manual's pages (`help/`), and the form of dates
(`dates.toml`).  Text that a language lacks is taken from English.  `letters/perudo/view.py`
prepares what a game's templates see of a table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound

from pbmserv.letters.dates import full_date
from pbmserv.letters.payloads.listings import RECORD
from pbmserv.letters.payloads.mails import HELP, LINES, WordedLine
from pbmserv.letters.payloads.perudo import BOARDS, NAG, STARTED, Known
from pbmserv.letters.perudo import view
from pbmserv.letters.perudo.context import ByAll, Seen
from pbmserv.letters.wrapping import (
    addressed,
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
from pbmserv.text import board_subjects

DEFAULT_LANGUAGE = "en"
DEFAULT_ZONE = "UTC"  # of the dates in letters to readers without an account
NO_ACCOUNT = "USERID"  # in commands that letters show, if the reader's userid is not known
GAMES = ("perudo",)
DECLINE = "decline"  # the word with which a reader who was not asked leaves a board
ANSWERS_TO_A_DRAW = ("accept", "reject")
LAST_UNPROVEN = "last_unproven"  # a fact of any letter: what unproven email still gets
LONGEST_ANSWER = 50_000  # characters of an answer to several lines, then letters are left out
Payload: TypeAlias = Mapping[str, Any]
_INCLUDED = re.compile(r'{% include "(\w+)" %}\n')


@dataclass(frozen=True, slots=True)
class Words:
    """A letter in words; `attachment` is a file's name and its text, or None.

    `moves` are possible replies of its reader: the smallest raises, the calls, the answers to a
    draw, and the word that declines the game.
    """

    subject: str
    text: str
    attachment: tuple[str, str] | None = None
    moves: tuple[str, ...] = ()


def folder(kind: str, language: str) -> Traversable:
    """The folder of a kind of letter: the game's for `perudo/moved`, else the server's."""
    game = kind.partition("/")[0] if "/" in kind else ""
    package = f"pbmserv.games.{game}" if game in GAMES else "pbmserv"
    return files(package) / "letters" / language


class _Loader(BaseLoader):
    """Finds `perudo/moved` in the game's folder of a language and `answer` in the server's."""

    def __init__(self, language: str) -> None:
        self._language = language

    def get_source(self, _: Environment, template: str) -> tuple[str, str | None, None]:
        """The template's text, with the templates that it includes inserted.

        Jinja would include them again in every letter, at a third of the letter's cost.
        """
        return self._text(template), None, None

    def _text(self, kind: str) -> str:
        place, slash, name = kind.rpartition("/")
        for language in (self._language, DEFAULT_LANGUAGE):
            file = folder(kind, language) / f"{name}.txt"
            if file.is_file():
                text = file.read_text("utf-8")
                return _INCLUDED.sub(lambda found: self._text(place + slash + found[1]), text)
        raise TemplateNotFound(kind)


class _Environment(Environment):
    """Jinja with a faster attribute access for payloads, which are dictionaries."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`each.name`: for a dictionary its item, if there is one."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def environment(language: str) -> Environment:
    """The templates of a language, and the filters that they may use."""
    found = _Environment(
        loader=_Loader(language),
        undefined=StrictUndefined,
        autoescape=False,  # letters are plain text, so nothing needs escaping
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "addressed": addressed,
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
    moves: tuple[str, ...] = ()
    of_game: Any = payload
    if kind == BOARDS.name:
        text = _many_boards(payload, language)
    elif kind.startswith("perudo/"):
        text, moves = _game_letter(kind, of_game, language)
    else:
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
    return Words(subject.removeprefix("Subject: "), body, attachment, moves)


def _closed_up(text: str) -> str:
    """The text with several blank lines in a row reduced to one."""
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def _many_boards(payload: Payload, language: str) -> str:
    """The text of a letter about several boards, with a section for each."""
    sections = [
        _closed_up(_game_letter("perudo/section", each, language)[0]) for each in payload["boards"]
    ]
    return _template("perudo/boards", language).render({**payload, "sections": sections})


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


def _game_letter(kind: str, payload: Known, language: str) -> tuple[str, tuple[str, ...]]:
    """A game's letter, and the moves it offers; parts that are equal for all readers are cached."""
    all_see, alike, personal = _public_part(view.public_of(payload), language)
    mine = view.seen_by_one(payload, all_see)
    told_of = mine["reader"] if mine["reader"] in all_see["concerned"] else None
    text = _template(kind, language).render({**alike, **personal(told_of), **mine})
    offered = (*all_see["smallest"], *all_see["calls"]) if mine["on_turn"] else ()
    if mine["asked"] and mine["reply"] and kind in {STARTED.name, NAG.name}:
        offered = (*offered, DECLINE)
    if mine["offer"] and mine["reply"] and mine["reader"] in mine["offer"]["waiting"]:
        offered = (*ANSWERS_TO_A_DRAW, *offered)
    return text, tuple(map(str, offered))


@lru_cache(maxsize=64)  # the letters of one move follow each other; a larger cache gains nothing
def _public_part(
    public: view.Public, language: str
) -> tuple[ByAll, Seen, Callable[[str | None], Seen]]:
    """The parts of a letter that use only public facts.

    Returns the payload, the parts that are equal for every reader, and a function for the others.
    These call one player "you".  The function renders them once for each player concerned, and
    once (None) for all other readers.
    """
    all_see = view.seen_by_all(public)
    given: Seen = {**all_see}
    module = _template("perudo/public", language).make_module(given)
    alike = {name: str(getattr(module, name)()) for name in view.PARTS}

    @cache
    def personal(told_of: str | None) -> Seen:
        return {name: str(getattr(module, name)(told_of)) for name in view.PERSONAL}

    return all_see, alike | {name: given[name] for name in view.ALIKE}, personal


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
