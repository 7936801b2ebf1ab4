"""A reply that names one bid among a few words: its writer is asked, and nothing is played."""

from __future__ import annotations

import pytest

from pbmserv.games.perudo.notation import named_bid
from tests.letters.pages import read
from tests.rows import each_row
from tests.stories.town import Town

ANN, BOB = "ann@example.org", "bob@example.org"
SAID = [
    "ill go with three fours",
    "Let’s go 3 fours",
    "three fours for me",
    "going with three fours 🎲",
    "so three fours I guess",
    "on part sur 3 quatre",
    "me voy con tres cuatros",
    "пойду на три четвёрки",
    "я скажу три четвёрки",
]


@each_row(
    ("text", "bid"),
    [
        *((said, "3-4s") for said in SAID),
        ("I think that we should all bid three fours here", ""),  # too many words
        ("three fours or four fours", ""),
        ("not three fours", ""),
        ("threee fuors", ""),
        ("see you at five", ""),
        ("", ""),
    ],
)
def test_a_short_text_names_one_bid(text: str, bid: str) -> None:
    assert named_bid(text) == bid


@pytest.mark.parametrize("said", SAID)
def test_a_bid_among_words_is_asked_about_with_a_button(town: Town, said: str) -> None:
    """In reply to a turn letter, and in reply to the question."""
    (first,) = town.reply(town.last_letter_to(ANN), said)
    (second,) = town.reply(first, said)
    for asked in (first, second):
        assert (asked.to, asked.subject) == (ANN, "What did you mean?")
        assert "Did you mean 3-4s? If so, reply with just that." in " ".join(asked.text.split())
    body = second.message.get_body(("html",))
    assert body is not None
    (link,) = {each.body: each for each in read(body.get_content()).anchors if "3-4s" in each.body}
    assert any("three 4s" in each.opening for each in town.reply(second, link))


@pytest.mark.parametrize(
    "said", ["ill go with three fours", "so its three fours then, my old friend"]
)
def test_a_bid_that_is_not_legal_is_asked_about_and_is_not_a_message(town: Town, said: str) -> None:
    town.move("ann", "4-5s")
    (asked,) = town.reply(town.last_letter_to("bob@example.org"), said)
    assert (asked.to, asked.subject) == ("bob@example.org", "What did you mean?")
    told = " ".join(asked.text.split())
    assert "Did you mean 3-4s? That bid is not possible now. 3-4s does not raise 4-5s." in told
    assert "You could bid 5-4s, 5-5s or 1-6s, or call dudo." in told


@pytest.mark.parametrize(
    "said",
    [
        "5-2s 4-6s",
        "6-6s 7-6s",
        "Six 6s. Oops no, five 6s!\nSorry, my thumb slipped, it is late here",
        "Cinq 6 ? euh non, quatre 6.\nPardon, mon doigt a glissé, il est tard",
        "Пять шестёрок. Ой нет, четыре шестёрки!\nИзвините, меня отвлекли, у нас уже ночь",
        "Seis seises. ¡No, cinco seises!\nPerdón, se me fue el dedo, aquí es tarde",
        "Sorry, my thumb slipped, it is late here\nfive 6s",
    ],
)
def test_several_bids_in_reply_to_a_message_go_to_nobody_else(town: Town, said: str) -> None:
    """They may be meant as a move: the others would learn it before it is made."""
    town.reply(town.last_letter_to(BOB), "chat\nI wonder what you have this time, my friend.")
    letters = town.reply(town.last_letter_to(ANN), said)
    assert [(each.to, each.subject) for each in letters] == [(ANN, "What did you mean?")]
