"""A letter as a page says what the plain letter says, and its moves open a reply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.letters.html import page
from pbmserv.letters.wrapping import told, wrapped
from pbmserv.mail.html_text import plain_text
from tests.stories.town import Letter, Town, town_at

GOLDEN = Path(__file__).with_name("page.html")
TEXT = st.text(alphabet=st.sampled_from("ab <>&\"'|⚀⚄ é\n"), max_size=200)


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write("bob@example.org", "set bob swordfish format=html")
        yield town


def page_in(letter: Letter) -> str:
    body = letter.message.get_body(("html",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def opened(link: str) -> tuple[str, str, str]:
    """What a mail program makes of a link: recipient, Subject and text."""
    parts = urlsplit(unescape(link))
    words = parse_qs(parts.query)
    return unquote(parts.path), words["subject"][0], words["body"][0]


def words_of(text: str) -> list[str]:
    return re.sub(r"^> ?|^\| ?", "", text, flags=re.MULTILINE).split()


@given(TEXT)
def test_the_html_page_has_the_text_of_the_letter(text: str) -> None:
    """It has the same words in the same order. No line of ours begins like a quotation."""
    plain = "\n".join(wrapped(line) for line in text.replace(">", "").split("\n"))
    assert words_of("\n".join(plain_text(page("Subject", plain)))) == words_of(plain)


@given(TEXT)
def test_words_of_others_stay_apart(text: str) -> None:
    """A message cannot contain a link or a paragraph that looks like ours."""
    made = page("Subject", f"bob writes:\n{told(text)}\nIt is your turn.")
    quotes = re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", made, re.DOTALL)
    assert "<" not in "".join(quotes).replace("<br>", "")
    assert made.count("<blockquote") == bool(text)


def test_lines_that_were_only_wrapped_are_paragraphs_again() -> None:
    text = wrapped("word " * 40)
    assert f"<p>{' '.join(['word'] * 40)}</p>" in page("Subject", text)


def test_the_page_of_a_turn(town: Town, rewrites: bool) -> None:
    """The golden page, as bob reads it; rewritten by pytest tests/letters --rewrite."""
    town.challenge("ann", "bob")
    town.move("ann", "2-2s", text="Good luck <b>Bob</b> & all!")
    letter = town.last_letter_to("bob@example.org")
    made = page_in(letter).replace(letter.token.lower(), "TOKEN")
    if rewrites:
        GOLDEN.write_text(made, "utf-8")
    assert made == GOLDEN.read_text("utf-8")
    plain = letter.message.get_body(("plain",))
    assert plain is not None
    assert letter.message.get_content_type() == "multipart/alternative"


def test_a_move_is_one_touch(town: Town) -> None:
    town.challenge("ann", "bob")
    town.move("ann", "2-2s")
    links = re.findall(r'href="(mailto:[^"]+)"', page_in(town.last_letter_to("bob@example.org")))
    offered = [opened(link) for link in links]
    assert [move for _, _, move in offered] == ["3-2s", "1-3s", "dudo"]
    to, subject, move = offered[0]
    told = town.write("bob@example.org", subject, move, to=to)
    assert ["bob bids three 2s" in each.text for each in told] == [True, False]


def test_an_answer_to_a_draw_is_one_touch(town: Town) -> None:
    town.challenge("ann", "bob")
    town.move("ann", "propose")
    links = re.findall(r'href="(mailto:[^"]+)"', page_in(town.last_letter_to("bob@example.org")))
    assert [move for _, _, move in map(opened, links)] == ["accept", "reject"]
    to, subject, move = opened(links[0])
    letters = town.write("bob@example.org", subject, move, to=to)
    assert "have agreed to a draw" in letters[0].text
