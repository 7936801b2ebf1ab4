"""Unmarked repetitions of a letter's HTML form go to no other player."""

from __future__ import annotations

import re
from dataclasses import replace
from email.message import EmailMessage
from html import unescape
from itertools import product
from pathlib import Path
from random import Random

import pytest

from pbmserv.database.engine import reading
from pbmserv.disclosure.redaction import undisclosed
from pbmserv.intake.outgoing_text import passwords_commands
from pbmserv.intake.sender_secrets import of_writers
from tests.disclosure.quotations import MARKS
from tests.stories.town import PASSWORD, Letter, Town, town_at

pytestmark = pytest.mark.long

ANN, BOB = "ann@example.org", "bob@example.org"
OWN_WORDS = "I was away, sorry"


def repeated(letter: Letter, between_cells: str) -> str:
    """The page as a mail program turns it into text: its preview, its blocks, its tables by row."""
    page = letter.message.get_body(("html",))
    assert isinstance(page, EmailMessage)
    text = re.sub(r"\s+", " ", page.get_content().partition("<body")[2].partition(">")[2])
    text = re.sub(r"</t[dh]>", between_cells, text)
    text = re.sub(r"</?(?:p|div|h1|h2|tr|table|br)\b[^>]*>", "\n", text)
    return unescape(re.sub(r"<[^>]*>", "", text))


def bob_says(town: Town, words: str) -> list[str]:
    """What ann reads of the words, apart from empty lines."""
    letters = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", words)
    (told,) = [each for each in letters if each.to == ANN]
    return [line[2:] for line in told.text.split("\n") if line.startswith("| ") and line[2:]]


def test_a_page_without_marks_tells_neither_dice_nor_buttons_nor_preview(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        town.move("ann", "1-2s")
        town.move("bob", "1-3s")
        town.move("cleo", "propose")
        pages = [each for each in town.letters if each.to == BOB and "board 1" in each.subject]
        assert {each.opening.split()[0] for each in pages} >= {"Your", "You", "cleo"}
        for number, letter in enumerate(pages):
            for separator in ("", " ", "\t", "\n"):
                own = f"{OWN_WORDS} {number} {separator!r}"
                said = bob_says(town, f"{own}\n\n{repeated(letter, separator)}")
                assert set(said) - {"(quoted lines were left out)"} == {own}


def test_the_rest_of_a_page_does_not_depend_on_the_last_die(home: Path) -> None:
    """Leaving out the bids of one face would reveal that die, in every style of quotation."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo", options=("-dice=1", "-inorder"))
        town.move("ann", "1-2s")
        letter = town.last_letter_to(BOB)
        with reading(town.engine) as connection:
            secrets = of_writers(connection, {2}, town.processor.tokens, [], passwords_commands())
    found = []
    for separator, mark in product(("", " ", "\t", "\n"), [*Random(4).sample(MARKS, 6), "- "]):
        lines = [line.strip() for line in repeated(letter, separator).split("\n")]
        text = "\n".join([OWN_WORDS, "", *(f"{mark}{line}" for line in lines if line)])
        cups = [frozenset({(face,)}) for face in range(1, 7)]
        left = {undisclosed(text, replace(secrets, cups=cup))[0] for cup in cups}
        found += [(separator, mark, each) for each in left if each != OWN_WORDS]
    assert found == []


def test_a_page_with_small_boards_tells_nothing_either(home: Path) -> None:
    """The boards of a digest are smaller if there are many."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text("newcomers_daily = 20\n")
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write(BOB, f"set bob {PASSWORD} digest=daily format=both")
        town.write(BOB, f"perudo accept bob {PASSWORD}")
        for board in range(1, 7):
            town.challenge("ann", "bob")
            town.write(BOB, f"perudo accept bob {PASSWORD} {board}")
            town.move("ann", "2-3s", board=board)
        letter = next(each for each in town.waited(24) if each.to == BOB)
        page = letter.message.get_body(("html",))
        assert page is not None and "line-height:44px" in page.get_content()
        for separator in ("", " ", "\t", "\n"):
            own = f"{OWN_WORDS} {separator!r}"
            said = bob_says(town, f"{own}\n\n{repeated(letter, separator)}")
            assert set(said) - {"(quoted lines were left out)"} == {own}
