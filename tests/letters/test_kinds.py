"""Every kind of letter: it has a template, its payload fits, and it is readable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pbmserv.commands.calls import prepared
from pbmserv.commands.framework import GAMES, commands_of, vocabulary
from pbmserv.commands.manual import payload_of
from pbmserv.commands.parser import CommandCall, read_line
from pbmserv.games.perudo.notation import read_action, read_position
from pbmserv.games.perudo.rules import OPTIONS, rules_named
from pbmserv.games.perudo.table import Call, PlainDice, Raise, Resign
from pbmserv.games.perudo.view import legal_actions
from pbmserv.intake.answering.answer_limits import SMALL_PAYLOAD, TEXT_OF_SMALL_PAYLOAD
from pbmserv.letters import catalogues, manual_pages, render
from pbmserv.letters.catalogues import languages
from pbmserv.letters.wrapping import columns_of
from pbmserv.lobby.challenge_lines import DEFAULT_RULES
from tests.letters.lines_to_send import lines_to_send, wide_lines
from tests.letters.plays import Game
from tests.letters.samples import EVERY, RECORD, SAMPLES
from tests.letters.written_pages import written_page
from tests.rows import each_row

SOURCE = Path(render.__file__).parents[1]
GAME_KINDS = {
    "perudo/started",
    "perudo/moved",
    "perudo/ended",
    "perudo/chat",
    "perudo/offer",
    "perudo/show",
}


def templates() -> set[str]:
    """Every kind of letter of the server itself that there is a file for."""
    shared = {file.stem for file in (SOURCE / "letters" / "templates").glob("[!_]*.jinja")}
    return shared | {file.stem for file in (SOURCE / "letters" / "en").glob("*.txt")}


def test_every_letter_that_a_command_sends_has_a_template() -> None:
    sent = {
        kind
        for game in ("", *GAMES)
        for command in commands_of(game).values()
        for kind in command.letters
    }
    assert sent - GAME_KINDS <= templates()
    assert sent & GAME_KINDS == GAME_KINDS


def test_the_samples_cover_every_kind() -> None:
    assert set(SAMPLES) == templates()


@each_row(("kind", "facts"), EVERY, ids=[kind for kind, _ in EVERY])
def test_a_small_payload_makes_a_short_text(kind: str, facts: dict[str, Any]) -> None:
    """So such an answer need not be worded to be counted in a budget of kilobytes."""
    if kind not in render.PAGES and len(json.dumps(facts)) <= SMALL_PAYLOAD:
        assert len(render.word(kind, facts, "en").text.encode()) <= TEXT_OF_SMALL_PAYLOAD


@each_row("language", languages())
@each_row(("kind", "facts"), EVERY, ids=[kind for kind, _ in EVERY])
def test_a_letter_is_lines_of_72_columns(kind: str, facts: dict[str, Any], language: str) -> None:
    words = render.word(kind, facts, language)
    assert words.subject == words.subject.strip() != ""
    assert words.text.endswith("\n")
    assert not words.text.startswith("\n")
    assert "\n\n\n" not in words.text
    assert wide_lines(words.text, words.document) == []
    for line in words.text[:-1].split("\n"):
        assert line == line.rstrip()
        assert line.isprintable()


@each_row(("kind", "facts"), EVERY, ids=[kind for kind, _ in EVERY])
def test_a_letter_can_be_part_of_the_answer_to_many_lines(kind: str, facts: dict[str, Any]) -> None:
    """The same words, even for a reader without an account, who has no time zone."""
    alone = {name: fact for name, fact in facts.items() if name != "zone"}
    parts: list[Any] = [{"to": None, "kind": kind, "facts": alone}]
    several: dict[str, Any] = {"lines": [{"line": "help", "code": "", "letters": parts}]}
    words = render.word("lines", several, "en").text.removeprefix("> help\n").strip()
    by_itself = render.word(kind, {"zone": "UTC", **alone}, "en")
    attached = by_itself.attachment and by_itself.attachment[1].strip()
    assert words == attached or without_layout(words) == without_layout(by_itself.text)


def without_layout(text: str) -> str:
    """A letter's text without its layout, and without the mark above its foot."""
    return " ".join(text.replace("\n-- \n", "\n").replace("\n--\n", "\n").split())


@pytest.mark.parametrize("kind", sorted(GAME_KINDS))
def test_a_letter_of_the_game_can_be_part_of_it_too(kind: str) -> None:
    facts = Game.opened(rules_named("bga"), PlainDice([((1, 2),) * 3])).facts(0)
    said = {"from": "ann", "text": "Hello!"}
    facts |= {"message": said, "offer": {"kind": "proposed", "who": "ann", "waiting": ["bob"]}}
    parts: list[Any] = [{"to": 1, "kind": kind, "facts": facts}]
    several: dict[str, Any] = {"lines": [{"line": "x", "code": "", "letters": parts}]}
    alone, whole = (render.word(*each, "en").text for each in ((kind, facts), ("lines", several)))
    assert without_layout(alone) in without_layout(whole)


def test_a_refusal_about_a_board_says_so_in_its_subject() -> None:
    """The Subject of a refusal is `Perudo board 12: not played`."""
    facts: dict[str, Any] = {"line": "", "code": "eliminated", "facts": {}}
    subject = render.word("refused", {**facts, "board": 12}, "en").subject
    assert subject == "Perudo board 12: not played"
    assert (
        render.word("refused", {**facts, "board": None}, "en").subject == "Your command was refused"
    )


def test_a_record_is_attached_as_it_is() -> None:
    words = render.word("record", {"board": 12, "record": RECORD}, "en")
    assert words.attachment == ("board-12.txt", RECORD)


@pytest.mark.parametrize("language", languages())
def test_every_language_is_complete(language: str) -> None:
    """A language has every page of help that English has; tests/letters/test_catalogues.py."""
    assert catalogues.pages(language) == catalogues.pages("en")


def test_an_unknown_language_falls_back_to_english() -> None:
    assert render.word("bug", {}, "tlh") == render.word("bug", {}, "en")
    assert render.refusal("no_message", {}, "tlh") == render.refusal("no_message", {}, "en")
    game = Game.opened(rules_named("bga"), PlainDice([((1, 2),) * 3]))
    assert render.word("perudo/moved", game.facts(0), "tlh").subject == "Your turn: Perudo board 12"


def test_every_written_page_of_the_manual_is_lines_of_72_columns() -> None:
    for subject in render.help_subjects("en"):
        page = written_page(subject)
        assert page is not None
        assert all(columns_of(line) <= 72 and line.isprintable() for line in page.split("\n"))


@pytest.mark.parametrize("name", OPTIONS)
def test_every_rule_set_has_its_page(name: str) -> None:
    """It explains every option. The page of all rule sets has the common ones."""
    page = written_page(f"rules {name}")
    assert page is not None and name in page.split("\n")[0]
    everywhere = written_page("rules") or ""
    for option in OPTIONS[name]:
        assert f"  -{option}" in page + everywhere, option


def page(game: str, subject: Sequence[str]) -> str:
    """The manual's page about a subject, as the letter says it."""
    return render.word("help", payload_of(game, subject), "en").text


@each_row("game", ["", "perudo"])
@each_row("subject", render.help_subjects("en"))
def test_every_written_page_can_be_requested(game: str, subject: str) -> None:
    """An alias of a command, such as ratings for standings, has no page before the command's."""
    written = written_page(subject)
    assert written is not None and written.strip() in page(game, subject.split())


def examples(subject: str) -> Iterator[str]:
    """The commands of a page: those on lines of their own and in sentences, but no moves."""
    for example in lines_to_send(manual_pages.page(subject, "en")):
        if example in MOVES:
            continue
        if isinstance(read_line(example, vocabulary()), CommandCall):
            yield example


@each_row("subject", render.help_subjects("en"))
def test_the_examples_of_a_page_are_commands_that_work(subject: str) -> None:
    """They are read by the parser, and their words are what the command takes."""
    for example in examples(subject):
        order = read_line(example, vocabulary())
        assert isinstance(order, CommandCall)
        if order.name == "help" and order.words:
            assert page(order.game, order.words)
        prepared(order)


def test_the_list_of_commands_says_what_each_does_in_a_whole_sentence() -> None:
    text = page("", ["commands"]).split("\n")
    said = [line.strip() for line in text if re.match("    [A-Z]", line)]
    assert len(said) > 30
    for sentence in said:
        assert re.fullmatch(r"[A-Z].*[^.]\.", sentence), sentence


def test_the_page_of_perudo_points_to_all_commands() -> None:
    assert "\n  help commands  " in page("perudo", ["perudo"])


@pytest.mark.parametrize("subject", ["perudo", "tutorial"])
def test_a_first_page_has_an_example_of_the_order_of_bids_in_the_default_rules(
    subject: str,
) -> None:
    told = " ".join(page("", [subject]).split())
    assert "default rules" in told and "1-3s" in told
    assert DEFAULT_RULES == "pbmserv"
    table = read_position("pbmserv 22222/34566 B 3 9 A:4-2s")
    raises = {each for each in legal_actions(table) if isinstance(each, Raise)}
    assert {read_action("1-3s"), read_action("5-2s")} <= raises


def test_the_tutorial_has_every_command_of_a_first_game() -> None:
    assert [line.split()[0] for line in examples("tutorial")] == [
        "signup",
        "perudo",
        "perudo",
        "help",
        "list",
        "perudo",
        *["help"] * 4,
    ]


@each_row("subject", [*render.help_subjects("en"), "commands"])
def test_every_page_that_a_page_names_is_there(subject: str) -> None:
    """`help rules bga`, anywhere in a page."""
    text = " ".join(page("", subject.split()).split())
    for named in re.findall(r"\bhelp (rules (?:pbmserv|classic|bga|pyrudo|pacao)|[a-z]+)", text):
        assert page("", named.split())


@each_row("subject", [*render.help_subjects("en"), "commands"])
def test_a_page_can_be_asked_for_and_is_lines_of_72_columns(subject: str) -> None:
    assert all(columns_of(line) <= 72 for line in page("", subject.split()).split("\n"))


MOVES = """4-2s|4-2|4x2|4 2s|bid 4 2|4 twos|four 2s|4 pacos|dudo|call|challenge|doubt|dodo|dudu|
liar|sleep|calza|exact|pacao|resign"""


@each_row("move", MOVES.replace("\n", "").split("|"))
def test_a_move_that_the_page_of_perudo_shows_can_be_read(move: str) -> None:
    assert move in " ".join((written_page("perudo") or "").split())
    assert isinstance(read_action(move), Raise | Call | Resign)


def test_an_unwritten_page_does_not_exist() -> None:
    assert written_page("nothing of that kind") is None
