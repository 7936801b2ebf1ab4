"""No Subject of ours is a command when it comes back with any mark of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pbmserv.commands.framework import vocabulary
from pbmserv.commands.parser import CommandCall, is_template, read_line, read_mail
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.intake.request import reads_as_move
from pbmserv.letters import render
from pbmserv.text.normalize import bare_subject
from tests.letters.test_kinds import EVERY, NAMES
from tests.rows import each_row

FORMS = (
    "{}", "Re: {}", "RE : {}", "Re[2]: {}", "AW: {}", "SV: {}", "Antw: {}", "RES: {}", "Fwd: {}",
    "WG: {}", "Re: AW: Re: {}", "[games] {}", "[games] Re: {}", "Re: [games] {}", "[EXT] Re: {}",
    "  re:{}", "Automatic reply: {}",
)  # fmt: skip
GOLDEN = Path(__file__).with_name("golden")


def subjects_of_samples() -> Iterator[tuple[str, dict[str, Any]]]:
    """The Subject of every sample of a letter, with its facts."""
    for kind, facts in EVERY:
        yield render.word(kind, facts, "en").subject, facts
    for rules in RULE_SETS:
        facts = {"rules": rules, "rows": [], "newcomers": []}
        yield render.word("standings", facts, "en").subject, facts


def every_subject() -> list[str]:
    """The Subjects of all samples, and of all letters of the game."""
    of_game = (file.read_text("utf-8") for file in GOLDEN.glob("*/*.txt"))
    found = [text.partition("\n")[0].removeprefix("Subject: ") for text in of_game]
    return sorted({*found, *(subject for subject, _ in subjects_of_samples())})


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
