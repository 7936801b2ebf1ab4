"""Echoes: a dialogue with a machine that answers every letter ends, for every command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbmserv.intake.answering.answer_limits import MOST_ALIKE, MOST_SIMILAR
from pbmserv.mail.incoming import IncomingMail
from tests.commands.badinput import furnish
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, mail, town_at

pytestmark = pytest.mark.long

LINES = [
    line.partition(" | ")[0]
    for line in (Path(__file__).parents[1] / "commands" / "right.txt").read_text().splitlines()
    if not line.startswith("#")
]
BOB = "bob@example.org"


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("furnished") / "home"
    furnish(home)
    return home


def sent(town: Town, *mails: tuple[str, str, dict[str, str]]) -> list[Letter]:
    """Send emails of bob's machine; returns the letters to it."""
    incoming_mails = [
        IncomingMail(
            mail(BOB, subject, text, message_id=town.next_message_id(), headers=headers),
            BOB,
            OUR_ADDRESS,
            "smtp",
        )
        for subject, text, headers in mails
    ]
    town.processor.accept(incoming_mails)
    return [each for each in town.delivered() if each.to == BOB]


@pytest.mark.slow
def test_an_echo_of_every_answer_ends_soon(furnished: Path, tmp_path: Path) -> None:
    """The echo sends each letter back: its Subject, its words, and which letter it answers."""
    with town_at(shutil.copytree(furnished, tmp_path / "home")) as town:
        town.now += 24 * 3600
        letters = sent(town, *((line, "Hello!", {}) for line in LINES))
        assert len({each.subject for each in letters}) > 20
        came = 0
        while letters:
            came += len(letters)
            assert came < 3 * MOST_ALIKE + len(LINES) + 50
            echoes = [(f"Re: {each.subject}", each.text, answering(each)) for each in letters]
            letters = sent(town, *echoes)


@pytest.mark.parametrize(
    "line",
    [
        "perudo standings", "help", f"perudo showas bob {PASSWORD}", f"set bob {PASSWORD}",
        "perudo show 1", f"signoff bob {PASSWORD}", f"perudo notify bob {PASSWORD}", "list",
        f"multiple\nset bob {PASSWORD}\nhelp",
    ],
)  # fmt: skip
def test_a_machine_that_sends_a_command_over_and_over_is_let_alone(
    furnished: Path, tmp_path: Path, line: str
) -> None:
    """The same words end after ten a day; a command whose answer changes each time, after forty."""
    with town_at(shutil.copytree(furnished, tmp_path / "home")) as town:
        town.now += 24 * 3600
        subject, _, text = line.partition("\n")
        letters = sent(town, *[(subject, text, {})] * (MOST_SIMILAR + 10))
        answers = {str(each.message["In-Reply-To"]) for each in letters}
        assert 0 < len(answers) <= (MOST_SIMILAR if "notify" in line else MOST_ALIKE)
