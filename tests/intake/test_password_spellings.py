"""A password of another spelling, or among rare words, goes to nobody below a move."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import update

from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.disclosure.fingerprint import folded
from tests.rows import each_row
from tests.stories.town import Letter, Town, town_at

ANN, BOB, CLEO = (f"{name}@example.org" for name in ("ann", "bob", "cleo"))


def with_password_of_ann(town: Town, password: str) -> None:
    with writing(town.engine) as connection:
        stored = town.processor.passwords.hash(password)
        mine = update(models.Player).where(models.Player.userid == "ann")
        connection.execute(mine.values(password_hash=stored))


def replied(folder: Path, password: str, text: str) -> list[Letter]:
    """The letters that a reply of ann's brings, to the letter of her turn at a board of three."""
    with town_at(Path(mkdtemp(dir=folder)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        with_password_of_ann(town, password)
        return town.reply(town.last_letter_to(ANN), text)


@each_row(
    ("password", "lines"),
    [
        ("kestrel", "hello all\nkestrel Rivendell wessex"),
        ("kestrel", "hello all\nkestrel Pantagruel Quixote zaphod"),
        ("kestrel", "Hi bob\nuser kestrel yesss mississippi"),
        ("kestrel", "Hi bob\nkestrel Albatross Wessex Knossos"),
        ("moineau", "bonjour à tous\nmoineau Cosette Gavroche Fantine"),
        ("gorrión", "hola a todos\ngorrión Quijote Ulises Dulcinea"),
        ("воробей", "всем привет\nворобей Онегин Печорин Чичиков"),
    ],
)
def test_other_spellings_take_the_place_of_no_word(
    password: str, lines: str, tmp_path: Path
) -> None:
    """Four words of an email are compared, in whichever of its lines they are."""
    first, *_ = lines.split("\n")
    letters = replied(tmp_path, password, f"2-2s\n{lines}")
    for reader in (BOB, CLEO):
        (told,) = [each for each in letters if each.to == reader]
        assert f"| {first}" in told.text
    assert not any(folded(password) in folded(each.text) for each in letters)


@pytest.mark.parametrize(
    "line",
    [
        "kestrel Rivendell wessex",
        "Albatross, Wessex and Knossos are lovely",
        "Gavroche et Fantine, quelle histoire",
        "Dulcinea y Quijote, vaya pareja",
        "Онегин и Печорин, вот это да",
    ],
)
def test_rare_words_that_are_not_a_password_are_sent(line: str, tmp_path: Path) -> None:
    letters = replied(tmp_path, "sparrow", f"2-2s\nhello all\n{line}")
    assert all(any(f"| {line}" in e.text for e in letters if e.to == to) for to in (BOB, CLEO))
