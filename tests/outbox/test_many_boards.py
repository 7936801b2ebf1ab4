"""Every board of a digest or a reminder has buttons, though the page has at most 24 KB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbmserv.boards import reminders
from pbmserv.games.perudo.notation import read_action, read_view
from pbmserv.games.perudo.rules import rules_named
from pbmserv.letters.payloads.perudo import BOARDS
from pbmserv.outbox.letter_sizes import LARGEST_LETTER, LARGEST_PAGE
from pbmserv.outbox.outgoing_email import worded
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from tests.games.games import plain
from tests.letters.pages import Anchor, Page, read
from tests.letters.plays import Game

LANGUAGES = ("en", "fr", "ru", "es")
TOKENS = Tokens(b"k" * 32)
ANN = 7  # the number of a player
DAY = 86_400
NOW = 1_700_000_000
BUTTON = 44  # pixels: the least height that a finger hits
MOVES = (
    "3-2s 4-2s 5-2s", "2-3s", "2-2s 3-2s dudo 2-4s", "", "3-5s 4-5s dudo 2-5s 3-5s", "4-6s",
    "2-2s 2-3s 2-5s", "3-2s 3-4s dudo 2-3s 3-3s 3-4s",
)  # fmt: skip
"""What was played at a board; the reader is on turn."""


def board(number: int, *, rules: str = "bga", late: bool = False) -> dict[str, Any]:
    """The facts of a board with four players, on some of which somebody writes."""
    game = Game.opened(rules_named(rules), plain(Random(number)), 4)
    for move in MOVES[number % len(MOVES)].split():
        game.play(read_action(move))
    said = ("bob", "Good luck, all of you!") if number % 3 == 0 else None
    facts = game.facts(game.table.turn, message=said)
    times = {"now": NOW, "nag": NOW + 7 * DAY, "late": late, "forfeit": NOW + 21 * DAY}
    times |= {"closes": 0, "standin": False}
    return {**facts, "board": number, "times": times, "zone": "Europe/Zurich"}


def sent(
    boards: list[dict[str, Any]], language: str, replies: str = "plus", *, digest: bool = True
) -> bytes:
    """A letter about these boards as it is sent."""
    numbers = [each["board"] for each in boards]
    tokens = {str(each): TOKENS.letter(each, ANN, 5) for each in numbers}
    payload = {"userid": "ann", "boards": boards, "news": [], "digest": digest, "awake": ""}
    row = {"kind": BOARDS.name, "language": language, "answers": "", "address": "ann@example.org"}
    row["payload"] = json.dumps({**payload, "zone": "Europe/Zurich", "tokens": tokens})
    places = {"id": 1, "board_id": None, "written_at": NOW, "token": TOKENS.letter(100, ANN, 5)}
    settings = Settings(home=Path(), address="perudo@perudo.example.org", replies=replies)
    return worded(settings, {**row, **places}, "A" * 24).data


def page_of(data: bytes) -> Page:
    """The page of a letter, whose sizes are as they must be."""
    assert len(data) <= LARGEST_LETTER
    message = message_from_bytes(data, policy=policy.SMTP)
    assert isinstance(message, EmailMessage)
    part = message.get_body(("html",))
    assert part is not None and len(part.as_bytes()) <= LARGEST_PAGE
    return read(part.get_content())


def buttons(page: Page) -> Iterator[Anchor]:
    return (each for each in page.anchors if each.style.get("display") == "block")


def moves_at(page: Page, number: int, replies: str) -> list[str]:
    """What the buttons about a board send, each with the token of that board."""
    token = TOKENS.letter(number, ANN, 5)
    found = [
        each
        for each in buttons(page)
        if token in ((each.subject if replies == "plain" else each.to).upper())
    ]
    ours = f"Perudo {number}" + (f" {token}" if replies == "plain" else "")
    assert {each.subject for each in found} <= {ours}
    return [each.body for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("replies", ["plus", "plain"])
@pytest.mark.parametrize("digest", [True, False])
def test_eight_boards_have_their_buttons(language: str, replies: str, *, digest: bool) -> None:
    """In Russian not every raise fits, but always some, any other bid, and the call."""
    boards = [board(number, late=not digest) for number in range(100, 108)]
    page = page_of(sent(boards, language, replies, digest=digest))
    for facts in boards:
        bodies = moves_at(page, facts["board"], replies)
        words = [each.partition(" ")[0] for each in bodies]
        opens = "rounds" in facts and not MOVES[facts["board"] % len(MOVES)]
        bids = [each for each in words if "-" in each]
        assert len(bids) >= 2 and "" in words, words
        assert ("dudo" in words) != opens
        assert all(" #" in each for each in bodies if each)
        if language != "ru":
            assert len(bids) >= (5 if opens else 2)
    assert {each.height for each in buttons(page)} == {BUTTON}


@pytest.mark.parametrize("language", LANGUAGES)
def test_small_boards_tell_what_matters(language: str) -> None:
    """The bid to beat, the dice, the time left and the words; how to answer is said once."""
    boards = [board(number) for number in range(100, 108)]
    page = page_of(sent(boards, language))
    press = {"en": "press Send", "fr": "l'envoyer", "ru": "его отправить", "es": "pulsa Enviar"}
    assert page.text.count(press[language]) == 1
    assert len(page.headings) == 1 + 8
    assert page.said.count("Good luck, all of you!") == 2
    for each in boards:
        dice = read_view(each["position"]).cups[each["reader"]]
        assert " ".join(map(str, sorted(dice))) in page.text
    assert page.text.count("23:13") == 8, "the deadlines"
    colon = " :" if language == "fr" else ":"  # behind the name of the bidder
    assert f"ann{colon} " in page.text.replace("\u00a0", " ")


def test_a_large_letter_has_the_most_urgent_boards_first_and_links_for_others() -> None:
    page = page_of(sent([board(number) for number in range(100, 118)], "en"))
    have = [number for number in range(100, 118) if moves_at(page, number, "plus")]
    assert have == [*range(100, 100 + len(have))] and len(have) >= 8
    shown = [each.subject for each in page.anchors if each.subject.startswith("perudo show")]
    assert shown == [f"perudo show {number}" for number in range(100 + len(have), 118)]


def test_boards_are_ordered_by_the_end_of_their_time() -> None:
    waiting: list[Any] = [board(number) for number in (1, 2, 3, 4)]
    waiting[1]["times"]["forfeit"] = NOW + DAY
    waiting[2]["times"]["closes"] = NOW + 2 * DAY
    assert [each["board"] for each in reminders.most_urgent_first(waiting)] == [2, 3, 1, 4]


@pytest.mark.parametrize("boards", [2, 3])
def test_few_boards_have_large_buttons(boards: int) -> None:
    page = page_of(sent([board(number) for number in range(100, 100 + boards)], "en"))
    assert min(each.height for each in buttons(page)) >= BUTTON
    assert all(each.lines for each in buttons(page)), "with words below the numbers"


def test_a_long_message_is_cut_and_the_buttons_stay() -> None:
    boards = [board(number) for number in range(100, 108)]
    for each in boards:
        each["message"] = {"from": "bob", "text": "Words, words. " * 70}
    page = page_of(sent(boards, "en"))
    assert all(moves_at(page, each["board"], "plus") for each in boards)


def test_many_dice_and_other_answers_have_room() -> None:
    """Long titles are two in a row; a board on which a draw is on offer has answers for both."""
    boards = [board(number) for number in range(100, 108)]
    boards[0]["draw"] = {"agreed": ["bob"], "waiting": [boards[0]["names"][boards[0]["reader"]]]}
    page = page_of(sent(boards, "en"))
    assert {"accept", "reject"} <= set(moves_at(page, 100, "plus"))
