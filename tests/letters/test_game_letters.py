"""Game letters: each reader is told what that reader may know, in lines that can be read."""

from __future__ import annotations

import re

import pytest

from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.rules import RULE_SETS, rules_named, with_options
from pbmserv.games.perudo.table import (
    PlainDice,
    Raise,
)
from pbmserv.letters import render
from tests.letters.game_letters import HELLO, NEXT, at, bid, both, opened, page, text, told
from tests.letters.pages import REPLIES, page_of
from tests.letters.plays import Game
from tests.rows import each_row

# --- who reads


def test_the_letter_to_the_player_on_turn_explains_how_to_reply() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(1)).text
    assert letter.startswith("Your turn, bob. Beat ann's two 3s, or call.\n\nYour dice: ")
    assert (
        "\n  3-3s  2-4s  2-5s  2-6s  1-1s   the least raises\n"
        "  dudo  there are fewer than two 3s\n\n"
        "Reply with your move on the first line, a message to others below it.\n" in letter
    )
    assert "PASSWORD" not in letter
    html = page(game.facts(1))
    assert "A button opens a reply with your move: press Send." in html.text
    assert "reply by hand: your move on the first line, a message to others" in html.text
    raises = [each for each in html.anchors if each.body == "2-4s"]
    assert [each.to for each in raises] == [REPLIES]
    assert [each.subject for each in raises] == ["Re: Your turn: Perudo board 12"]
    assert [each.text.strip() for each in raises] == ["two 4s"]


@each_row(
    ("rules", "last", "offered"),
    [
        ("pbmserv", bid(2, 3), "3-3s 2-4s 2-5s 2-6s 3-2s 3-1s"),
        ("pbmserv,raise=strict", bid(2, 3), "3-3s 2-4s 2-5s 2-6s"),
        ("pbmserv,raise=quantity", bid(2, 3), "3-3s 2-4s 2-5s 2-6s 3-2s 3-1s"),
        ("classic,raise=one_or_both", bid(2, 3), "3-3s 2-4s 2-5s 2-6s 1-1s"),
        ("classic", bid(2, 1), "3-1s 5-2s 5-3s 5-4s 5-5s 5-6s"),
        ("pyrudo", bid(2, 3), "3-3s 2-4s 2-5s 2-6s 1-1s"),
        ("pacao", bid(2, 3), "3-3s 2-4s 2-5s 2-6s 3-2s 1-1s"),
    ],
)
def test_the_letter_shows_the_least_raise_of_each_face(
    rules: str, last: Raise, offered: str
) -> None:
    game = Game.opened(read_rules(rules), PlainDice([((1, 2, 3, 4, 5),) * 3]))
    game.play(last)
    letter = text(game.facts(1))
    note = "for example" if rules == "pbmserv" else "the least raises"
    assert f" {offered} {note} dudo there " in letter
    answers = [each.body for each in page(game.facts(1)).anchors]
    assert answers[: offered.count(" ") + 1] == offered.split()


def test_a_letter_without_a_token_shows_only_the_long_form() -> None:
    game = opened("bga")
    facts = {**game.facts(0, told=False), "reply": False}
    letter = told(facts, "show").text
    assert "Reply with your move" not in letter
    assert "\n  perudo move 12 ann PASSWORD 4-2s\n" in letter
    html = page(facts, "show")
    assert "perudo move 12 ann PASSWORD 4-2s" in html.text
    assert [each.body for each in html.anchors if each.body] == []


def test_a_waiting_player_sees_whose_turn_it_is_and_their_own_dice() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(0)).text
    assert (
        "\nThe bid to beat is your two 3s (2-3s).\n\n"
        "Your dice: 1 2 2 3 5  (two of them count)\n15 dice in play, ones are wild\n\n"
        "It is bob's turn.\n" in letter
    )
    html = page(game.facts(0))
    assert "The bid to beat, by you two 3s Your dice: 1 2 2 3 5, two of them count" in html.text
    assert "It is bob's turn." in html.text
    for form in both(game.facts(0)):
        assert "You may" not in form
        assert "dudo" not in form.lower()
    assert "To write to the others, reply with your message." in letter
    answers = {"", "chat", "resign", "help rules bga", "perudo record 12"}
    assert {each.body for each in html.anchors} <= answers


def test_calza_out_of_turn_is_offered_where_the_rules_have_it() -> None:
    """bga: everyone but the bidder may call it, before the next bid."""
    game = opened("bga", calza="yes")
    game.play(bid(2, 3))
    for form in both(game.facts(2)):
        assert "You may call calza before bob moves" in form
    assert "reply with calza on the first line" in text(game.facts(2))
    assert "calza" in [each.body for each in page(game.facts(2)).anchors]
    for form in both(game.facts(0)):
        assert "calza" not in form.replace("bga with calza", "").lower()
    assert "calza  there are exactly two 3s" in told(game.facts(1)).text
    assert "Calza exactly two 3s" in page(game.facts(1)).text


def test_a_spectator_gets_no_dice_and_is_asked_for_nothing() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    facts = game.facts(None, told=False)
    letter = told(facts, "show").text
    assert letter.startswith("Board 12 as a spectator sees it.\n\nThe bid to beat is two 3s (2-3s)")
    assert "It is bob's turn." in letter
    for form in both(facts, "show"):
        assert "your" not in form.lower()
        assert "PASSWORD" not in form
        assert "resign" not in form
    assert [each.body for each in page(facts, "show").anchors if each.body] == []


def test_an_eliminated_player_is_told_so() -> None:
    game = at("bga -/2345/1366 B 9 40 -", NEXT)
    game.play(bid(1, 2))
    facts = game.facts(0)
    for form in both(facts):
        assert "It is cleo's turn. You have no dice left and only watch." in form
        assert "Your dice" not in form
        assert "PASSWORD" not in form
    assert "\n  ann   out  you\n" in told(facts).text
    assert "ann you out" in page(facts).text


@pytest.mark.parametrize("kind", ["show", "chat", "offer"])
def test_a_letter_that_does_not_begin_with_the_turn_says_it_above_the_choices(kind: str) -> None:
    facts = at("bga 2/2345/1366 A 9 40 C:2-3s").facts(0, told=False, message=HELLO)
    facts["offer"] = {"kind": "proposed", "who": "bob", "waiting": ["ann", "cleo"]}
    for form in both(facts, kind):
        assert "It is your turn. Beat cleo's two 3s, or call. " in form


# --- what is special


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("bga 2/2345/1366 A 9 40 - palifico=A", "ones are not wild."),
        ("pyrudo 2/2345/1366 A 9 40 - palifico=A used=A", "ones are wild."),
        ("pyrudo,pal_wild=no 2/2345/1366 A 9 40 - palifico=A used=A", "ones are not wild."),
        ("classic,palifico=yes 2/2345/1366 A 9 40 - palifico=A", "everyone keeps the face of"),
        ("pacao 2/2345/1366 A 9 40 -", "PALIFICO: with one die left, ann must keep the face"),
        ("pbmserv 2/2345/1366 A 9 40 -", "ones are not wild"),
    ],
)  # fmt: skip
def test_the_letter_explains_the_special_rules_of_the_round(position: str, said: str) -> None:
    for form in both(at(position).facts(1, told=False), "show"):
        assert said in form


def test_a_frozen_face_is_shown_beside_the_choices() -> None:
    facts = at("bga 2/2345/1366 A 9 40 C:2-3s palifico=C").facts(0, told=False)
    for kind in ("show", "moved"):
        for form in both(facts, kind):
            assert "Bid more 3s than cleo, who bid two 3s, or call." in form
    assert "\n  3-3s  the least raise\n" in told(facts).text
    for form in both(at("pacao 2/2345/1366 B 9 40 A:2-3s").facts(1, told=False), "show"):
        assert "Bid more" not in form


def test_a_player_without_a_legal_bid_is_told_so() -> None:
    game = at("bga 2/2345/1366 A 9 40 C:9-1s")
    for kind in ("show", "moved"):
        for form in both(game.facts(0, told=False), kind):
            assert "No bid is higher than cleo's nine 1s: you must call." in form
            assert "another bid" not in form
        assert "Raise it" not in page(game.facts(0, told=False), kind).preview
    letter = told({**game.facts(0, told=False), "reply": False}, "show").text
    assert "\n  dudo  there are fewer than nine 1s\n" in letter
    assert "\n  perudo move 12 ann PASSWORD dudo\n" in letter


def test_hidden_counts_are_shown_to_no_other_player() -> None:
    game = at("bga,hidden=yes 2/2345/1366 A 9 40 C:2-3s")
    facts = game.facts(0, told=False)
    letter = told(facts, "show").text
    assert "THE TABLE\n  ann   ?  you, now\n  bob   ?  next\n  cleo  ?  2-3s\n" in letter
    html = page(facts, "show")
    assert "The table ann you, now ? bob next ? cleo ? two 3s" in html.text
    assert "■" not in page_of(told(facts, "show"))
    for form in both(facts, "show"):
        assert "The numbers of the others' dice are hidden" in form
        assert "a bid can name up to 15 dice" in form
        assert "Your die: 2" in form


def test_faces_above_six_are_shown_as_numbers() -> None:
    game = Game.opened(
        with_options(rules_named("bga"), {"faces": "12", "dice": "2"}), PlainDice([((12, 3),) * 3])
    )
    for form in both(game.facts(0), "started"):
        assert "Your dice: 3 12" in form
        assert "2-12s" in form or "two 12s" in form
    assert "⚂" not in page_of(told(game.facts(0), "started"))


# --- subjects


def test_the_subjects_are_those_of_the_manual() -> None:
    """One Subject asks for a move, one tells all else, so a board is two threads.

    The offer of a draw asks each player who has not answered, on turn or not.
    """
    game = opened("bga")
    said = ("bob", "hello")
    offer = {"kind": "proposed", "who": "bob", "waiting": ["ann", "cleo"]}
    for kind in ("started", "moved", "offer", "chat", "show"):
        for seat, is_on_turn in ((0, True), (1, False), (2, False), (None, False)):
            facts = {**game.facts(seat, message=said), "offer": offer}
            is_asked = is_on_turn or (kind == "offer" and seat == 2)
            asks = kind not in {"chat", "show"} and is_asked
            wanted = "Your turn: Perudo board 12" if asks else "Perudo board 12"
            assert told(facts, kind).subject == wanted, (kind, seat)
    assert told(game.facts(0), "nag").subject == "Your turn: Perudo board 12"


# --- the words of players


IMITATION = "It is your turn, ann.\nYour dice: 6 6 6 6 6\n\x0cYour dice\u2028Your dice\x1b[2J\u202e"


@pytest.mark.parametrize("kind", ["started", "moved", "chat"])
def test_a_players_words_cannot_pass_for_the_letters_own(kind: str) -> None:
    """Every line of them begins with a bar, after any line break; in HTML they are in a box."""
    game = opened("bga")
    facts = game.facts(1, message=("bob", IMITATION))
    letter = told(facts, kind).text
    mine = [line for line in letter.split("\n") if "Your dice" in line and line[0] != "|"]
    assert mine == ["Your dice: 2 4 4 5 6"]
    assert "| Your dice: 6 6 6 6 6\n" in letter
    html = page(facts, kind)
    assert html.said.count("Your dice") == 3
    assert html.text.count("Your dice") == 4
    assert "Your dice" not in html.preview or html.preview.startswith("You write: ")
    for form in (letter, page_of(told(facts, kind))):
        assert "\x1b" not in form
        assert "\u202e" not in form


# --- the proof


@pytest.mark.parametrize("kind", ["started", "moved"])
def test_a_letter_ends_with_one_line_of_proof(kind: str) -> None:
    """The digest covers every commitment, so no letter needs them."""
    facts = opened("bga").facts(1)
    letter = told(facts, kind).text
    assert letter.endswith(f"\nProof of the dice, move 1:\n{facts['seal']}\n")
    html = page(facts, kind).text
    assert html.endswith(f"Proof of the dice, move 1: {facts['seal']}")
    for form in (letter, html):
        assert re.findall("[0-9a-f]{64}", form) == [facts["seal"]]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_letters_of_one_move_share_their_public_part(rules: str) -> None:
    """Four letters of one move are worded from one public part."""
    render.seen_by_all.cache_clear()
    game = opened(rules)
    for reader in (0, 1, 2, None):
        told(game.facts(reader))
    assert render.seen_by_all.cache_info().misses == 1
