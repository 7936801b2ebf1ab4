"""Letters about boards for tests: in words, as text and as pages; and boards to write about."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.rules import Rules, rules_named, with_options
from pbmserv.games.perudo.table import (
    Cups,
    PlainDice,
    Raise,
)
from pbmserv.letters import render
from pbmserv.letters.document import Cups as OpenedCups
from pbmserv.letters.document import Document
from pbmserv.letters.render import WordedLetter
from tests.games.games import an_action, plain
from tests.letters.pages import REPLIES, Page, page_of, read
from tests.letters.plays import Facts, Game

ROUND: Cups = ((1, 2, 2, 3, 5), (2, 4, 4, 5, 6), (1, 3, 3, 6, 6))
NEXT: Cups = ((2, 2, 3, 4), (1, 4, 4, 5, 6), (1, 3, 3, 6, 6))
HELLO = ("ann", "hello")
NUMBERS = [
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
userids = st.lists(
    st.from_regex(r"[a-z][A-Za-z0-9._-]{1,19}", fullmatch=True),
    min_size=6,
    max_size=6,
    unique_by=str.lower,
)


def told(facts: Facts, kind: str = "moved") -> WordedLetter:
    return render.word(f"perudo/{kind}", facts, "en")


def text(facts: Facts, kind: str = "moved") -> str:
    """The letter's text with its lines run together: a sentence may fold anywhere."""
    return " ".join(told(facts, kind).text.split())


def page(facts: Facts, kind: str = "moved") -> Page:
    """The letter's HTML form as it is read."""
    return read(page_of(told(facts, kind), REPLIES if facts["reply"] else ""))


def both(facts: Facts, kind: str = "moved") -> tuple[str, str]:
    """What the letter says in its two forms."""
    return text(facts, kind), page(facts, kind).text


def opened(rules: str, **options: str) -> Game:
    return Game.opened(with_options(rules_named(rules), options), PlainDice([ROUND, NEXT]))


def at(position: str, *rolls: Cups) -> Game:
    """A game in this position that goes on with these rolls."""
    return Game(read_position(position), PlainDice(rolls))


def bid(quantity: int, face: int) -> Raise:
    return Raise(Bid(quantity, face))


def first_moves(rules: Rules, players: int, random: Random, names: list[str]) -> Iterator[Game]:
    """A game after each of its first moves, or of all if it ends sooner."""
    game = Game.opened(rules, plain(random), players, names)
    for _ in range(12):
        yield game
        if game.table.winner is not None:
            return
        seat, action = an_action(game.table, random)
        game.play(action, seat)


def kinds_of(game: Game) -> list[str]:
    return (
        ["ended", "show"] if game.table.winner is not None else ["started", "moved", "chat", "show"]
    )


def bid_words(bid: Bid) -> str:
    """A bid as the letters say it: "two 3s"."""
    number = NUMBERS[bid.quantity] if bid.quantity < len(NUMBERS) else str(bid.quantity)
    return f"{number} {bid.face}" + ("s" if bid.quantity > 1 else "")


def cups_in(document: Document) -> list[OpenedCups]:
    """The opened cups that a letter shows."""
    return [block for block in document.blocks if isinstance(block, OpenedCups)]
