"""A board has two Subjects.  One that comes back is not a command, also if a program changed it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbmserv.commands.email_parser import AnsweredBoard, read_mail
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown, is_template, read_line
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.letters import render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, languages
from pbmserv.text.subject_prefixes import bare_subject
from tests.letters.samples import EVERY, NAMES
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, town_at

FORMS = (
    "{}", "Re: {}", "RE : {}", "Re[2]: {}", "AW: {}", "SV: {}", "Antw: {}", "RES: {}", "Fwd: {}",
    "WG: {}", "Re: AW: Re: {}", "[games] {}", "[games] Re: {}", "Re: [games] {}", "[EXT] Re: {}",
    "  re:{}", "Automatic reply: {}",
)  # fmt: skip
OURS = (
    "Your turn: Perudo board 12", "Perudo board 12", "Perudo board 12: not played", "Perudo 12",
    # Letters of older versions, and of the server that players know.
    "Perudo Board 12 ann **", "New Perudo Board 12 ann", "Reminder: Perudo Board 12 ann",
    "Nag: Perudo Board 12 ann", "Perudo Board 12 won by bob", "Perudo Board 12 refused",
    "Perudo chat 12 bob", "Draw offered: Perudo Board 12 ann **", "Invitation: Perudo Board 12 ann",
)  # fmt: skip
CHANGED = (
    "Re: Your turn : Perudo board 12", "RE: YOUR TURN: PERUDO BOARD 12",
    "Re: Your  turn:Perudo board 12",
    "Re: Your\u00a0turn\u00a0: Perudo board\u00a012",
    "[games] AW: [EXT] Your turn: Perudo board 12",
    "Fwd: Re: Your turn: Perudo board 12", "Re: Your turn: Perudo boa", "Re: Your turn: Perudo…",
    "Re: Perudo board 12: not pl...", "Re: Perudo board 12 : not played", "Re: Perudo board 12:",
    "Re: Your turn, ann", "Re: ", "",
)  # fmt: skip
REPLY = AnsweredBoard(12, "T" * 32)
MOVE = CommandCall("perudo", "move", ("12", "*", "T" * 32, "4-2s"))
GOLDEN = Path(__file__).with_name("golden")


def subjects_of_samples() -> Iterator[tuple[str, dict[str, Any]]]:
    """The Subject of every sample of a letter, with its facts."""
    for kind, facts in EVERY:
        yield render.word(kind, facts, "en").subject, facts
    for rules in RULE_SETS:
        facts = {"rules": rules, "rows": [], "newcomers": []}
        yield render.word("standings", facts, "en").subject, facts


def subjects_in_other_languages() -> set[str]:
    """The Subjects of all samples in the languages that have a catalogue."""
    others = [each for each in languages() if each != DEFAULT_LANGUAGE]
    return {render.word(kind, facts, each).subject for each in others for kind, facts in EVERY}


def every_subject() -> list[str]:
    """The Subjects of all samples, and of all letters of the game."""
    of_game = (file.read_text("utf-8") for file in GOLDEN.glob("*/*.txt"))
    found = [text.partition("\n")[0].removeprefix("Subject: ") for text in of_game]
    english = (subject for subject, _ in subjects_of_samples())
    return sorted({*found, *english, *subjects_in_other_languages()})


@pytest.mark.slow
@each_row("subject", every_subject)
def test_a_returned_subject_is_not_a_command(subject: str) -> None:
    """A template of a move or a chat asks for nothing either, until its reader fills it in."""
    for form in FORMS:
        written = form.format(subject)
        text = bare_subject(written)
        order = read_line(text, vocabulary())
        assert not isinstance(order, CommandCall) or is_template(order, text), written
        for line in read_mail(written, [], None, vocabulary(), reads_as_move).lines:
            assert not isinstance(line, CommandCall) or line.name == "chat", written


def test_no_subject_begins_with_a_name() -> None:
    """Somebody may be called "mess" or "conf", which an email may write for a command."""
    names = {*NAMES, "ann", "bob", "x"}
    for subject, _ in subjects_of_samples():
        assert subject.split()[0] not in names, subject


def every_form() -> list[str]:
    return [*(form.format(subject) for subject in OURS for form in FORMS), *CHANGED]


@each_row("subject", every_form)
def test_below_a_subject_of_ours_the_first_line_is_a_move(subject: str) -> None:
    """That is so after any change by a mail program.  Without a token it asks for nothing."""
    asked = read_mail(subject, ["4-2s", "", "Well!"], REPLY, vocabulary(), reads_as_move)
    assert asked.lines == (MOVE,)
    assert asked.message == "Well!"
    for each in read_mail(subject, ["Well!"], None, vocabulary(), reads_as_move).lines:
        assert isinstance(each, Unknown) or each.name == "chat"


@each_row(
    ("subject", "words"),
    [
        ("Re: Your turn: Perudo board 12 4-2s", MOVE.words),
        ("Re: Your turn: Perudo board 12 ann 4-2s", MOVE.words),
        ("Re: Your turn: Perudo board 12 4-2s #17", (*MOVE.words, "#17")),
        ("Re: Perudo board 12 4-2s", MOVE.words),
        ("Re: Perudo board 12: not played 4-2s", MOVE.words),
        ("Re: Perudo Board 12 ann ** 4-2s", MOVE.words),
        ("Re: Reminder: Perudo Board 12 ann 4-2s", MOVE.words),
        ("Re: Your turn: Perudo board 12 ann secret 4-2s", ("12", "ann", "secret", "4-2s")),
        ("AW: Perudo board 12 ann secret 4-2s", ("12", "ann", "secret", "4-2s")),
        ("Re: New Perudo Board 12 ann ** secret dudo", ("12", "ann", "**", "secret", "dudo")),
        ("Re: Your turn: Perudo board 13 4-2s", None),  # a template, but not of this letter
    ],
)
def test_a_subject_of_ours_is_a_template(subject: str, words: tuple[str, ...] | None) -> None:
    """With the letter's token a move is enough; a userid and a password are used as written."""
    asked = read_mail(subject, ["Well!"], REPLY, vocabulary(), reads_as_move)
    found = [each.words for each in asked.lines if isinstance(each, CommandCall)]
    assert found == ([] if words is None else [words])


@pytest.mark.parametrize("line", ["Perudo 12", "perudo 12 players", "perudo 12 ann secret 4-2s"])
def test_the_short_subject_is_one_only_in_a_subject(line: str) -> None:
    """A player may write such words, and then they are prose."""
    assert isinstance(read_line(line, vocabulary()), Unknown)
    is_subject = read_line(line, vocabulary(), is_subject=True)
    assert isinstance(is_subject, CommandCall) == (line == "Perudo 12")


def test_a_board_is_at_most_two_conversations(home: Path) -> None:
    """All its letters have one of two Subjects, and one message number in their References."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
        before = len(town.letters)
        play(town)
        of_board = town.letters[before:]
    assert len(of_board) > 20
    assert {each.message["References"].split()[0] for each in of_board} == {"<board-1@localhost>"}
    assert {each.subject for each in of_board} == {"Your turn: Perudo board 1", "Perudo board 1"}


def play(town: Town) -> None:
    """A game with an invitation, chats, a draw that is rejected, a reminder and an end."""
    ann, bob, cleo = (f"{name}@example.org" for name in ("ann", "bob", "cleo"))
    town.challenge("ann", "bob", "cleo")
    town.write(bob, f"perudo accept bob {PASSWORD} 1")
    town.write(cleo, f"perudo accept cleo {PASSWORD} 1")
    town.move("ann", "2-2s", text="Hello!")
    town.write(ann, f"perudo chat 1 ann {PASSWORD}", "Your turn!")
    town.write(cleo, f"perudo queue 1 cleo {PASSWORD} dudo")
    town.write(cleo, f"perudo mute 1 cleo {PASSWORD}")
    town.move("bob", "propose")
    town.move("ann", "reject")
    town.waited(7 * 24)
    town.move("bob", "3-2s")
    town.write(ann, "perudo record 1")
    town.write(ann, f"perudo showas ann {PASSWORD} 1")
    for name in ("ann", "bob"):
        town.write(f"{name}@example.org", f"perudo resign 1 {name} {PASSWORD}")


def test_our_subject_alone_is_not_a_command_and_makes_no_loop(home: Path) -> None:
    """Somebody's email gets one answer; the letter of another server of this kind gets none."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        letter = town.challenge("ann", "bob")[0]
        (asked,) = town.write("ann@example.org", letter.subject)
        assert asked.text.startswith("I found no command in your email")
        (told,) = town.write("zoe@example.net", letter.subject)
        assert told.subject == "How to play Perudo by email"
        raw = letter.raw.replace(b"localhost", b"perudo.example.net")
        assert town.carry(raw, "perudo@perudo.example.net", "perudo@localhost") == []
