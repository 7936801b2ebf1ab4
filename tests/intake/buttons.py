"""Buttons of letters that are about no board, and emails that press them, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.letters.pages import Anchor, read
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
REPLIES = pytest.mark.parametrize("replies", ["plus", "plain"])


@contextmanager
def players(home: Path, replies: str = "plus", more: str = "") -> Iterator[Town]:
    """A server with this setting, and `more`, where ann, bob and cleo have accounts."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n{more}\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(ANN, f"set ann {PASSWORD} format=both")
        yield town


def buttons(letter: Letter) -> dict[str, Anchor]:
    """The links of a letter's page, by their titles; none asks for the password."""
    page = letter.message.get_body(("html",))
    assert page is not None
    found = read(page.get_content())
    assert "PASSWORD" not in found.text
    return {" ".join(each.text.split()): each for each in found.anchors}


def press(
    town: Town, link: Anchor, sender: str = ANN, words: str = "", change: tuple[str, str] = ("", "")
) -> list[Letter]:
    """Send the email that a link opens, with words in it, and a change in its Subject."""
    body = parse_qs(urlsplit(link.href).query)["body"][0].replace("\r\n", "\n")
    assert body.endswith("\n-- \n") and link.subject
    return town.write(sender, link.subject.replace(*change), f"{words}{body}Ann\n", to=link.to)


def one(letters: list[Letter]) -> str:
    """The Subject and the words of the only letter."""
    (letter,) = letters
    return " ".join(f"{letter.subject}. {letter.text}".split())


def a_blocker(town: Town) -> Anchor:
    """The button of a letter about a blocked player."""
    return buttons(town.write(ANN, f"block ann {PASSWORD} bob")[0])["Unblock bob"]
