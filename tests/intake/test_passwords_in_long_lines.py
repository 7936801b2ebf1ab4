"""The right password in a line that no mail program has wrapped goes to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

import pytest

from pbmserv.intake.likely_passwords import likely_passwords, likely_passwords_of_long_lines, named
from pbmserv.intake.password_redaction import LONGEST_MESSAGE
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

TRIP = (
    "We went to the sea and it rained all day long, but it was fun. My brother Robert from "
    "Copenhagen, who likes Mallorca, said that kangaroos are funny. "
)
SECRET = "frogspawn"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with town_at(tmp_path_factory.mktemp("homes") / "home") as town:
        town.sign_up("ann", "bob")
        town.write("ann@example.org", f"change password ann {PASSWORD} {SECRET}")
        town.challenge("bob", "ann")
        town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Your turn soon!")
        yield town


@pytest.fixture
def letter_of_bob(town: Town) -> Letter:
    return next(each for each in town.letters if each.opening == "A message from bob.")


@each_row("times", [2, 6, 30])
@each_row(
    "line",
    [
        f"TRIP {SECRET}", f"TRIP password: {SECRET}", f"TRIP ann {SECRET}", f"{SECRET} TRIP",
        f"TRIP Ann: {SECRET} and TRIP", f"TRIP {SECRET.capitalize()}. TRIP",
        f"TRIP password: {SECRET} and TRIP", f"TRIP the password is {SECRET}, isn't it? TRIP",
        f"TRIP password: {SECRET} TRIP So that was my password until we came home again.",
        f"ann {SECRET} TRIP", f"TRIP {SECRET}\nAnn",
    ],
)  # fmt: skip
def test_a_password_anywhere_in_a_long_line_goes_to_nobody(
    line: str, times: int, town: Town, letter_of_bob: Letter
) -> None:
    town.now += 3601  # a few words an hour are compared
    words = line.replace("TRIP", (TRIP * times).strip())
    letters = town.reply(letter_of_bob, f"chat\nHello bob!\n{words}")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert "| Hello bob!" in to_bob.text
    assert SECRET not in to_bob.body.lower()


def test_a_long_line_without_the_password_is_sent(town: Town, letter_of_bob: Letter) -> None:
    town.now += 3601
    letters = town.reply(letter_of_bob, f"chat\nHello bob!\n{TRIP * 6}")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert to_bob.text.replace("\n| ", " ").count("kangaroos are funny") == 6


def test_words_beside_the_userid_and_at_the_ends_of_a_long_line_come_first() -> None:
    words = f"walrus {TRIP}bob summer {TRIP}Herring. {TRIP}trout"
    first = likely_passwords_of_long_lines([words], "bob")[:4]
    assert first == ["summer", "walrus", "Herring", "trout"]


def test_words_behind_one_that_names_a_password_come_in_the_order_of_their_distance() -> None:
    words = f"{TRIP}My password: herring and so we went home. The password was fun then, Robert"
    assert named(words.split())[:2] == ["Robert", "herring"]


@each_row("words", ["zzorf. ", "ann zzorf ", "password zzorf ", "a ", ":", "a.b.", "é\u0301 "])
def test_a_long_line_is_searched_in_a_moment(words: str) -> None:
    """A line beyond the limit of a message is refused, so its end is not searched."""
    line = words * (25 * LONGEST_MESSAGE // len(words))
    began = process_time()
    likely_passwords([line] * 3, "ann")
    likely_passwords_of_long_lines([line] * 3, "ann")
    assert process_time() - began < 0.3
