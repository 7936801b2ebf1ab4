"""The words that a letter asks for are understood in reply to that letter, in its language."""

from __future__ import annotations

import re

import pytest

from pbmserv.letters.catalogues import catalogue, languages
from pbmserv.text.phrases import by_language, words_of
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
OFFERED = re.compile(
    r"«\s?(.+?)\s?»|(?:(?<=eply with )|(?<=accept or )|(?<=the word )|(?<=le mot ))([a-z]+)\b"
)
SAID_OF_BIDS = {
    "dudo",
    "дудо",
    "only",
    "your",
    "the",
    "my",
}  # an explanation has them, and other sentences
CHAT = {"chat", "charla", "чат"}


def offered_by(letter: Letter) -> list[str]:
    """The words in quotation marks; in English, those behind "reply with"."""
    text = " ".join(letter.body.split())
    found = dict.fromkeys(quoted or plain for quoted, plain in OFFERED.findall(text))
    return [each for each in found if each not in SAID_OF_BIDS]


def questions(language: str) -> set[str]:
    """The Subjects of answers to a reply that was not understood, or is not possible."""
    _ = catalogue(language).gettext
    refused = by_language("refused_subjects")[language][0]
    asked = [_("What did you mean?"), _("Your command was refused")]
    return {*asked, *(refused.format(board=board) for board in range(1, 6))}


def words_of_ann(town: Town, board: int) -> Letter:
    town.write(ANN, f"perudo chat {board} ann {PASSWORD}", "Can you guess it, bob?")
    return town.last_letter_to(BOB)


def tried(town: Town, letter: Letter, language: str, *, but: int = 0) -> int:
    """Reply with all words that a letter offers in turn, or without the last ones; how many."""
    offered = offered_by(letter)
    for word in offered[: len(offered) - but]:
        typed = f"{word}\n\nHello" if word in CHAT else word
        subjects = {each.subject for each in town.reply(letter, typed) if each.to == BOB}
        assert subjects and subjects.isdisjoint(questions(language)), (word, subjects)
    return len(offered)


@pytest.mark.parametrize("language", languages())
def test_the_words_that_a_letter_offers_are_understood(town_of_three: Town, language: str) -> None:
    """A letter with words of another player says how to leave, or how to answer a draw.

    While a draw waits, `decline` might mean the draw, so the letter does not offer it.
    """
    town = town_of_three
    town.write(BOB, f"set bob {PASSWORD} language={language}")
    town.move("ann", "2-2s")
    words = words_of_ann(town, 1)
    assert tried(town, words, language, but=1) == 1  # to decline
    town.move("cleo", "propose")
    words = words_of_ann(town, 1)
    assert tried(town, words, language, but=1) == 2  # to accept and reject
    town.challenge("ann", "bob")
    assert tried(town, words_of_ann(town, 2), language) == 1  # to decline
    town.challenge("ann", "bob")
    town.write(BOB, f"perudo accept bob {PASSWORD} 3")
    words = words_of_ann(town, 3)
    asked = town.reply(words, "Ok, 2-2")[-1]
    assert tried(town, asked, language, but=1) >= 1
    assert tried(town, words, language) == 1  # to leave
    assert tried(town, words_of_ann(town, 3), language) == 1  # to play again
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob")
    (asked,) = town.reply(town.last_letter_to(BOB), "What a nice idea that is!")
    assert tried(town, asked, language, but=1) == 2  # to accept or reject


def test_words_that_letters_offer_are_those_that_count_in_reply_to_words() -> None:
    """Other words for leaving may answer those: "Can you guess it?" - "j'abandonne"."""
    others = [catalogue(each).gettext for each in languages() if each != "en"]
    sentences = (
        "To leave the game, reply with resign.",
        "Don't want to play? Reply with decline: "
        "you leave the game, and it does not count for you.",
        "To answer, reply with accept or reject on the first line.",
    )
    told = " ".join(each(sentence) for each in others for sentence in sentences)
    assert {word.strip() for word in re.findall("«(.+?)»", told)} == {*words_of("offered_answers")}
