"""The first letter of a player's first game explains a bid of ones, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.letters.pages import read
from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
PLAIN = "2-1s is a bid of two ones. Ones are not wild: they count only as ones."
FRENCH = "2-1s, c'est une annonce de deux as. Les as sont jokers : ils comptent aussi"
RUSSIAN = "2-1s — это ставка «две единицы». Единицы — джокеры: они считаются и за любой"
WILD = "2-1s is a bid of two ones. Ones are wild: they count for every other face, too."


def begun(town: Town, *names: str, rules: str = "pbmserv") -> dict[str, str]:
    """The words of the first letters of a new board, by the address."""
    letters = town.challenge(*names, options=("-inorder", f"-rules={rules}"))
    return {each.to: " ".join(each.text.split()) for each in letters}


@pytest.mark.parametrize(
    ("rules", "said"),
    [("pbmserv", PLAIN), ("bga", WILD), ("classic", WILD), ("pyrudo", WILD), ("pacao", WILD)],
)
def test_each_new_player_is_told_once(home: Path, rules: str, said: str) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        first = begun(town, "ann", "bob", rules=rules)
        assert said in first[ANN]
        assert said in first[BOB]
        second = begun(town, "cleo", "ann", rules=rules)
        assert said in second[CLEO]
        assert "is a bid of two ones" not in second[ANN]
        letters = [*town.move("cleo", "2-2s", board=2), *town.move("ann", "3-2s", board=2)]
        assert not [each for each in letters if "is a bid of two ones" in each.text]


def test_the_page_has_the_line_too_and_each_language(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write(ANN, f"set ann {PASSWORD} language=fr")
        town.write(BOB, f"set bob {PASSWORD} language=ru")
        letters = town.challenge("ann", "bob", options=("-inorder", "-rules=bga"))
        for letter, said in zip(letters, (FRENCH, RUSSIAN), strict=True):
            body = letter.message.get_body(("html",))
            assert body is not None
            for form in (letter.text, read(body.get_content()).text):
                assert said in " ".join(form.replace("\xa0", " ").split())
