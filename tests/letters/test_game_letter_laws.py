"""Laws of game letters, for any game and any reader."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from pbmserv.games.perudo.notation import read_event
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.suggestions import offered_bids
from pbmserv.games.perudo.table import (
    Bade,
    legal_bids,
    legal_calls,
    view,
)
from pbmserv.letters.document import Block, Commands, Document, Paragraph, Section
from pbmserv.letters.document import Cups as OpenedCups
from pbmserv.letters.forms.text import written as flowed
from pbmserv.letters.perudo.sentences import sentences_about
from pbmserv.letters.perudo.view import public_of, seen_by_one
from pbmserv.letters.render import seen_by_all
from tests.examples import examples
from tests.games.games import randoms, rule_sets, seats
from tests.letters.game_letters import (
    HELLO,
    bid_words,
    cups_in,
    first_moves,
    kinds_of,
    opened,
    page,
    told,
    userids,
)
from tests.letters.lines_to_send import wide_lines


@settings(max_examples=examples(30))
@given(rules=rule_sets(), players=seats, random=randoms)
def test_a_letter_of_an_older_version_differs_in_its_story_alone(
    rules: Rules, players: int, random: Random
) -> None:
    """It was queued, or its board's row written, with two rounds, each from its last bid on."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        for kind in kinds_of(game):
            facts = game.facts(0, told=kind != "show", message=HELLO) | {"open": kind == "show"}
            older = [from_the_last_bid(story) for story in facts["rounds"][-2:]]
            before, after = told({**facts, "rounds": older}, kind), told(facts, kind)
            assert before.subject == after.subject
            assert without_story(before.document) == without_story(after.document)
            if game.table.cups[0]:  # who is out sees the cups of the last own round, too
                assert set(cups_in(after.document)) <= set(cups_in(before.document))


@settings(max_examples=examples(30))
@given(rules=rule_sets(), players=seats, random=randoms)
def test_a_letter_does_not_depend_on_the_letter_of_its_move_made_before(
    rules: Rules, players: int, random: Random
) -> None:
    """The letters of a move share the sentences that read no value of one reader."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        for kind in kinds_of(game):
            facts = [game.facts(seat, message=HELLO) for seat in range(players)]
            seen_by_all.cache_clear()
            forward = [told(each, kind) for each in facts]
            seen_by_all.cache_clear()
            backward = [told(each, kind) for each in reversed(facts)]
            assert forward == backward[::-1]


def test_a_sentence_reads_no_value_of_a_letter_that_is_written() -> None:
    """The prepared sentences are kept for the next letter."""
    facts: Any = opened("pbmserv").facts(0, message=HELLO)
    everybody, _ = seen_by_all(public_of(facts))
    with sentences_about(everybody, seen_by_one(facts, everybody), "en", {}) as (say, _):
        assert "board 1" in say("above").lower()
    with pytest.raises(UndefinedError, match="'board' is undefined"):
        say("above")


def without_story(document: Document) -> list[Block]:
    """The blocks of a letter but those from the story's heading to the next one."""
    found: list[Block] = []
    is_story = False
    for block in document.blocks:
        if isinstance(block, Section):
            is_story = block.title in {"Since your last turn", "What happened"}
        if isinstance(block, Paragraph) and " in the latest rounds: " in block.text:
            continue
        if not (is_story and isinstance(block, Section | Paragraph | Commands | OpenedCups)):
            found.append(block)
    return [*found, *document.foot]


def from_the_last_bid(story: list[str]) -> list[str]:
    bids = [place for place, line in enumerate(story) if isinstance(read_event(line), Bade)]
    return story[bids[-1] :] if bids else story


@settings(max_examples=examples(30))
@given(rules=rule_sets(), players=seats, random=randoms, names=userids, said=st.text())
def test_every_letter_is_readable_lines_of_72_columns(
    rules: Rules, players: int, random: Random, names: list[str], said: str
) -> None:
    for game in first_moves(rules, players, random, names):
        reader = random.choice([None, *range(players)])
        for kind in kinds_of(game):
            words = told(game.facts(reader, message=(names[0], "x" + said)), kind)
            assert words.subject == words.subject.strip()
            assert "\n\n\n" not in words.text
            assert words.text[0] != "\n"
            assert "\n".join(map(str.rstrip, flowed(words.document).split("\n"))) == words.text
            assert wide_lines(words.text, words.document) == []
            for line in words.text.split("\n"):
                assert line == line.rstrip()
                assert line.isprintable()


@settings(max_examples=examples(30))
@given(rules=rule_sets(), players=seats, random=randoms)
def test_no_letter_depends_on_the_dice_that_its_reader_may_not_see(
    rules: Rules, players: int, random: Random
) -> None:
    """Two tables that differ in the others' running cups alone give the same payload."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        if game.table.winner is not None:
            return
        for reader in (None, random.randrange(players)):
            before = game.facts(reader, message=HELLO)
            cups = game.table.cups
            others = tuple(
                cup if seat == reader else tuple(random.randint(1, rules.faces) for _ in cup)
                for seat, cup in enumerate(cups)
            )
            game.table = game.table._replace(cups=others)
            after = game.facts(reader, message=HELLO)
            assert after == before  # so both forms of each letter are the same
            game.table = game.table._replace(cups=cups)


@settings(max_examples=examples(30))
@given(rules=rule_sets(), players=seats, random=randoms)
def test_the_player_on_turn_finds_turn_dice_and_choices_in_the_first_ten_lines(
    rules: Rules, players: int, random: Random
) -> None:
    """The first screen of a phone holds all that is needed to answer, after any event."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        table = game.table
        if table.winner is not None or len(game.events) > 8:
            return
        facts = game.facts(table.turn)
        first = " ".join(" ".join(told(facts).text.split("\n")[:10]).split())
        dice = " ".join(map(str, sorted(table.cups[table.turn])))
        assert first.startswith(f"Your turn, {game.names[table.turn]}.")
        own = f"{'Your dice' if ' ' in dice else 'Your die'}: {dice}"
        assert own in first
        for word in legal_calls(table, table.turn):
            assert f" {word} there " in first
        shown = list(map(str, offered_bids(view(table, None))))
        assert not shown or "  ".join(shown) in told(facts).text
        assert all(each in first for each in shown)
        if table.bids:
            bidder, last = table.bids[-1]
            assert any(
                f"{whose} {bid_words(last)}" in first
                for whose in (
                    f"{game.names[bidder]}'s",
                    f"{game.names[bidder]}, who bid",
                    "your own",
                )
            )
        if not legal_bids(table):
            assert "you must call" in first
        above = page(facts)
        assert above.headings[0] == f"Your turn, {game.names[table.turn]}"
        top = above.text.partition(above.headings[1])[0]
        assert own in top
        answers = [each.body for each in above.anchors if each.body][: len(shown) + 2]
        assert answers[: len(shown)] == shown
        for word in legal_calls(table, table.turn):
            assert word in answers
            assert f"{word.capitalize()} " in top
        if table.bids:
            whose = f"by {game.names[bidder]}" if bidder != table.turn else "by you"
            assert f"The bid to beat, {whose} {bid_words(last)} " in top
        if not legal_bids(table):
            assert "you must call" in top
