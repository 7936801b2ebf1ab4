"""The HTML form of a letter: what it loads, its colours, sizes and lines."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.manual import payload_of
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import Rules, rules_named
from pbmserv.letters import render
from pbmserv.letters.document import (
    Answer,
    Answers,
    Document,
    Printed,
)
from pbmserv.letters.forms.html_texts import in_bold
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.wrapping import BOUND
from tests.games.games import plain, randoms, rule_sets, seats
from tests.letters import samples
from tests.letters.pages import REPLIES, page_of, read
from tests.letters.plays import NAMES, Game
from tests.letters.two_forms import FEW, letters_of, told

# --- the page


@pytest.mark.slow
@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_a_page_loads_nothing_and_names_its_language_and_colours(
    rules: Rules, players: int, random: Random
) -> None:
    for kind, facts in letters_of(rules, players, random, list(NAMES)):
        page = page_of(told(kind, facts))
        elements = read(page).elements
        assert elements[0][0] == "html"
        assert elements[0][1]["lang"] == "en"
        metas = {each.get("name"): each.get("content") for tag, each in elements if tag == "meta"}
        assert metas["color-scheme"] == "light dark"
        assert "color-scheme:light dark" in page
        tags = {tag for tag, _ in elements}
        assert not tags & {"img", "script", "form", "input", "iframe", "link", "object", "video"}
        for _, attributes in elements:
            assert not set(attributes) & {"src", "srcset", "background", "action"}
            assert not any(name.startswith("on") for name in attributes)
            assert attributes.get("href", "mailto:").startswith("mailto:")
        assert not re.search(r"https?:|url\(|@import", page)


@pytest.mark.slow
@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_the_preview_of_a_page_has_no_dice(rules: Rules, players: int, random: Random) -> None:
    """It is what a lock screen shows, and it says the same with any dice."""
    for kind, facts in letters_of(rules, players, random, list(NAMES)):
        page = read(page_of(told(kind, facts)))
        assert page.preview
        assert "dice" not in page.preview.replace("no dice left", "")
        position = re.sub(r"(?<=[ /])\d+(?=[/ ])", ones, facts["position"], count=1)
        assert read(page_of(told(kind, {**facts, "position": position}))).preview == page.preview


def test_a_page_has_rules_for_its_own_classes_alone() -> None:
    """A small letter, which anybody can have sent to a stranger, has no rules for dice."""
    small = [
        render.word(kind, facts, "en")
        for kind in ("confirm", "stats")
        for facts in samples.SAMPLES[kind]
    ]
    of_game = letters_of(rules_named("pbmserv"), 3, Random(1), list(NAMES))
    for words in (*small, *(told(*each) for each in of_game)):
        head, _, body = page_of(words).partition("</head>")
        named = set(re.findall(r"\.([a-z]{1,3})\b", head))
        used = {name for found in re.findall('class="([^"]*)"', body) for name in found.split()}
        dice = {"d", "dc"}
        assert used <= named | dice and named <= used | dice | {"m"}
        assert (dice <= named) == bool(dice & used)


def ones(cup: re.Match[str]) -> str:
    return "1" * len(cup[0])


@pytest.mark.slow
@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_a_button_is_at_least_44_pixels_high(rules: Rules, players: int, random: Random) -> None:
    """A finger hits what is that high; links in a line of text are not buttons."""
    for kind, facts in letters_of(rules, players, random, list(NAMES)):
        words = told(kind, facts)
        anchors = read(page_of(words, REPLIES if facts["reply"] else "")).anchors
        buttons = [each for each in anchors if each.height]
        assert all(each.height >= 44 for each in buttons)
        assert all(each.to == REPLIES for each in buttons)
        assert buttons or not (facts["reply"] and has_answers(words))


def has_answers(words: WordedLetter) -> bool:
    return any(isinstance(block, Answers) for block in words.document.blocks)


ANY = st.characters(exclude_categories=["Cs"])


@FEW
@given(said=st.text(ANY))
def test_words_of_a_player_are_escaped(said: str) -> None:
    for hostile in (f"<script>alert(1)</script>{said}", f"\"'&amp;</p></td><a href=x>{said}"):
        facts = Game.opened(rules_named("bga"), plain(Random(1))).facts(1)
        plain_facts = {**facts, "message": {"from": "ann", "text": "hello"}}
        facts["message"] = {"from": "ann", "text": hostile}
        page, harmless = (
            read(page_of(told("chat", facts))),
            read(page_of(told("chat", plain_facts))),
        )
        shown = [each for each in page.elements if each[0] not in {"br", "wbr"}]
        assert shown == harmless.elements
        printable = "".join(each for each in hostile if each.isprintable())
        assert "".join(page.said.split()) == "".join(printable.split())


@given(
    said=st.text(st.characters(exclude_categories=["Cs"]), max_size=50), times=st.integers(1, 99)
)
def test_no_line_of_a_page_has_more_than_900_characters(said: str, times: int) -> None:
    """Longer ones are encoded, which makes a page larger by a fifth."""
    facts = Game.opened(rules_named("bga"), plain(Random(1))).facts(1)
    facts["message"] = {"from": "ann", "text": said * times}
    printed = Document("en", "Hello", blocks=[Printed(said * times)])
    record = WordedLetter(printed)
    for page in (page_of(told("chat", facts)), page_of(record)):
        assert max(map(len, page.encode("ascii", "xmlcharrefreplace").split(b"\n"))) <= 900


def test_no_line_of_a_page_ends_within_a_word_with_a_hyphen() -> None:
    """A hyphen is a place where a line may end, and a phone's line often ended there."""
    facts: dict[str, Any] = {"userid": "bob-2", "address": "ann@example.org", "zone": "UTC"}
    page = str(page_of(render.word("awake", facts, "fr")))
    assert "Nos <nobr>e-mails</nobr> reprennent" in page
    assert "<nobr>bob-2</nobr>" in page
    long = {**facts, "userid": "a-name-that-is-longer-than-any-line"}  # may end in it
    assert f"{long['userid']}</h1>" in str(page_of(render.word("awake", long, "fr")))


def test_no_line_of_a_page_ends_within_an_option() -> None:
    page = str(page_of(render.word("help", payload_of("", ["house"]), "ru")))
    assert "с <nobr>--standin</nobr> компьютерный" in " ".join(page.split())


def test_no_line_of_a_page_ends_with_a_short_word_that_belongs_to_the_next() -> None:
    facts: dict[str, Any] = {"userid": "bob", "address": "ann@example.org", "zone": "UTC"}
    for language, bound in (("fr", "à ann@"), ("ru", "на ann@")):
        page = str(page_of(render.word("awake", facts, language)))
        assert bound.replace(" ", BOUND) in page


@pytest.mark.parametrize("text", ["Cups: bob~3, cleo~3~6.", "14 2 pm, move~7", "ann~5 14-2s"])
def test_no_line_of_a_page_ends_between_a_name_and_its_dice(text: str) -> None:
    assert in_bold(text.replace("~", " ")) == text.replace("~", BOUND)


def test_a_button_with_a_long_title_has_a_row_of_its_own() -> None:
    short, long = "Search again: bga, 3", "Search again: bga, calza, hidden, to1=exact, 3"
    for title, columns in ((short, 2), (long, 1)):
        answers = Answers(
            (), tuple(Answer("", "", title=each, command=each) for each in (short, title))
        )
        page = str(page_of(WordedLetter(Document("en", blocks=[answers])), ""))
        row = page.partition("border-collapse:separate;table-layout:fixed")[2].partition("</tr>")[0]
        assert row.count("<td ") == columns


def test_buttons_of_bids_have_their_words_in_one_line() -> None:
    """Three are in a row, or two if a phone has not enough room for their words."""
    game = Game.opened(rules_named("bga"), plain(Random(1)))
    game.play(read_action("4-2s"))
    for language, columns in (("en", 3), ("ru", 2)):
        page = str(page_of(render.word("perudo/moved", game.facts(1), language), REPLIES))
        row = page.partition("border-collapse:separate;table-layout:fixed")[2].partition("</tr>")[0]
        assert row.count("<td ") == columns, language


def test_bids_of_a_table_are_of_one_size() -> None:
    game = Game.opened(rules_named("bga"), plain(Random(1)))
    for bid in ("2-2s", "4-2s"):
        game.play(read_action(bid))
    page = str(page_of(render.word("perudo/moved", game.facts(2), "ru"), REPLIES))
    for words in ("две двойки", "четыре двойки"):
        assert re.search(rf"font-size:13px\">{words}</td>", page)


def test_the_words_of_a_bid_are_in_one_line_beside_its_dice() -> None:
    """Long ones are smaller: at 320 pixels Russian ones did not fit."""
    game = Game.opened(rules_named("bga"), plain(Random(1)))
    game.play(read_action("4-2s"))
    facts = game.facts(1)
    for language, words, size in (("en", "four 2s", 22), ("ru", "четыре двойки", 17)):
        page = str(page_of(render.word("perudo/moved", facts, language), REPLIES))
        assert re.search(rf"font-size:{size}px;[^>]*>{words}<", page)
