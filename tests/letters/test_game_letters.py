"""Game letters: each reader is told what that reader may know, in lines that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import read_event, read_position, read_rules
from pbmserv.games.perudo.rules import RULE_SETS, Rules, rules_named, with_options
from pbmserv.games.perudo.table import (
    Bade,
    Call,
    Cups,
    Event,
    PlainDice,
    Raise,
    Resign,
    legal_bids,
    legal_calls,
    smallest_raises,
)
from pbmserv.letters import render
from pbmserv.letters.render import Words
from pbmserv.letters.wrapping import columns_of
from tests.games.games import an_action, plain, randoms, rule_sets, seats
from tests.letters.plays import Facts, Game

ROUND: Cups = ((1, 2, 2, 3, 5), (2, 4, 4, 5, 6), (1, 3, 3, 6, 6))
NEXT: Cups = ((2, 2, 3, 4), (1, 4, 4, 5, 6), (1, 3, 3, 6, 6))
HELLO = ("ann", "hello")
userids = st.lists(
    st.from_regex(r"[a-z][A-Za-z0-9._-]{1,19}", fullmatch=True),
    min_size=6,
    max_size=6,
    unique_by=str.lower,
)


def told(facts: Facts, kind: str = "moved") -> Words:
    return render.word(f"perudo/{kind}", facts, "en")


def text(facts: Facts, kind: str = "moved") -> str:
    """The letter's text with its lines run together: a sentence may fold anywhere."""
    return " ".join(told(facts, kind).text.split())


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


# --- what holds in any game


@settings(max_examples=30)
@given(rules=rule_sets(), players=seats, random=randoms)
def test_a_letter_of_an_older_version_says_the_same(
    rules: Rules, players: int, random: Random
) -> None:
    """It was queued, or its board's row written, with two rounds, each from its last bid on."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        for kind in kinds_of(game):
            facts = game.facts(0, told=kind != "show", message=HELLO) | {"open": kind == "show"}
            older = [from_the_last_bid(story) for story in facts["rounds"][-2:]]
            assert told({**facts, "rounds": older}, kind) == told(facts, kind)


def from_the_last_bid(story: list[str]) -> list[str]:
    bids = [place for place, line in enumerate(story) if isinstance(read_event(line), Bade)]
    return story[bids[-1] :] if bids else story


@settings(max_examples=30)
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
            for line in words.text.split("\n"):
                assert columns_of(line) <= 72
                assert line == line.rstrip()
                assert line.isprintable()


@settings(max_examples=30)
@given(rules=rule_sets(), players=seats, random=randoms)
def test_no_letter_depends_on_the_dice_that_its_reader_may_not_see(
    rules: Rules, players: int, random: Random
) -> None:
    """Two tables that differ in the others' running cups alone give the same letter."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        if game.table.winner is not None:
            return
        for reader in (None, random.randrange(players)):
            before = [told(game.facts(reader, message=HELLO), kind) for kind in kinds_of(game)]
            cups = game.table.cups
            others = tuple(
                cup if seat == reader else tuple(random.randint(1, rules.faces) for _ in cup)
                for seat, cup in enumerate(cups)
            )
            game.table = game.table._replace(cups=others)
            after = [told(game.facts(reader, message=HELLO), kind) for kind in kinds_of(game)]
            assert after == before
            game.table = game.table._replace(cups=cups)


@settings(max_examples=30)
@given(rules=rule_sets(), players=seats, random=randoms)
def test_the_player_on_turn_finds_turn_dice_and_choices_in_the_first_ten_lines(
    rules: Rules, players: int, random: Random
) -> None:
    """The first screen of a phone holds all that is needed to answer, after any event."""
    for game in first_moves(rules, players, random, ["ann", "bob", "cleo", "dan", "eve", "fay"]):
        table = game.table
        if table.winner is not None or len(game.events) > 8:
            return
        first = " ".join(" ".join(told(game.facts(table.turn)).text.split("\n")[:10]).split())
        dice = " ".join(map(str, sorted(table.cups[table.turn])))
        assert f"It is your turn, {game.names[table.turn]}." in first
        assert f"Your dice: {dice}" in first
        for word in legal_calls(table, table.turn):
            assert f"{word} " in first
        shown = smallest_raises(table)[:1] if not table.bids else smallest_raises(table)
        assert all(str(each) in first for each in shown)
        if table.bids:
            assert f"({table.bids[-1][1]}) by {game.names[table.bids[-1][0]]}" in first
        if not legal_bids(table):
            assert "you must call" in first


# --- who reads


def test_the_letter_to_the_player_on_turn_explains_how_to_reply() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(1)).text
    assert letter.startswith("ann bids two 3s (2-3s).\n\nIt is your turn, bob.\n")
    choices = "3-3s, 2-4s or 1-1s (more dice or a higher face, not both)"
    assert f"Bid at least {choices},\nor call:\n  dudo   " in letter
    assert "To answer, reply to this letter" in letter
    assert "\n  perudo move 12 bob PASSWORD 3-3s\n" in letter


@pytest.mark.parametrize(
    ("rules", "last", "choices"),
    [
        ("pbmserv", bid(2, 3), "3-3s or 1-4s (more dice or a higher face)"),
        ("pbmserv,raise=strict", bid(2, 3), "3-3s or 2-4s (more dice, a higher face, or both)"),
        ("pbmserv,raise=quantity", bid(2, 3), "3-3s or 2-4s"),
        (
            "classic,raise=one_or_both",
            bid(2, 3),
            "3-3s, 2-4s or 1-1s (more dice, a higher face, or both)",
        ),
        ("classic", bid(2, 1), "3-1s or 5-2s"),
        ("pyrudo", bid(2, 3), "3-3s, 2-4s or 1-1s (more dice or a higher face, not both)"),
        ("pacao", bid(2, 3), "3-3s, 2-4s or 1-1s"),
    ],
)
def test_the_letter_shows_the_legal_bids_of_its_rules(
    rules: str, last: Raise, choices: str
) -> None:
    game = Game.opened(read_rules(rules), PlainDice([((1, 2, 3, 4, 5),) * 3]))
    game.play(last)
    letter = " ".join(told(game.facts(1)).text.split())
    assert f"Bid at least {choices}, or call:" in letter


def test_a_letter_without_a_token_shows_only_the_long_form() -> None:
    game = opened("bga")
    letter = told({**game.facts(0, told=False), "reply": False}, "show").text
    assert "reply to this letter" not in letter
    assert "\n  perudo move 12 ann PASSWORD 1-2s\n" in letter


def test_a_waiting_player_sees_whose_turn_it_is_and_their_own_dice() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(0)).text
    assert (
        "It is bob's turn.\nYour dice: 1 2 2 3 5  (⚀ ⚁ ⚁ ⚂ ⚄)\n"
        "The bid to beat: two 3s (2-3s) by you\n" in letter
    )
    assert "You may" not in letter
    assert "You have nothing to do until it is your turn." in letter


def test_calza_out_of_turn_is_offered_where_the_rules_have_it() -> None:
    """bga: everyone but the bidder may call it, before the next bid."""
    game = opened("bga", calza="yes")
    game.play(bid(2, 3))
    assert "You may call calza before bob moves" in text(game.facts(2))
    assert "reply with the word calza" in text(game.facts(2))
    assert "calza" not in text(game.facts(0)).replace("bga with calza", "")
    assert "calza  there are exactly two 3s" in told(game.facts(1)).text


def test_a_bystander_gets_no_dice_and_is_asked_for_nothing() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(None, told=False), "show").text
    assert letter.startswith(
        "Board 12 as a spectator sees it.\n\nIt is bob's turn.\nThe bid to beat:"
    )
    assert "Your" not in letter
    assert "PASSWORD" not in letter


def test_an_eliminated_player_is_told_so() -> None:
    game = at("bga -/2345/1366 B 9 40 -", NEXT)
    game.play(bid(1, 2))
    letter = told(game.facts(0)).text
    assert "It is cleo's turn. You have no dice left and only watch.\n" in letter
    assert "Your dice" not in letter
    assert "PASSWORD" not in letter
    assert "  ann  out\n" in letter


# --- what happened


def test_the_end_of_a_round_tells_bid_call_count_loss_and_the_next_round() -> None:
    game = opened("bga")
    game.play(bid(4, 3))
    game.play(Call("dudo"))
    letter = told(game.facts(0)).text
    assert letter.startswith(
        "bob calls dudo on your four 3s (4-3s). There are five, wild ones\n"
        "included: the bid was good. bob loses a die. The dice are rolled for\n"
        "round 2; bob begins.\n"
    )
    assert (
        "The cups of round 1, the dice that count in [brackets]:\n  ann  [1] 2  2 [3] 5\n" in letter
    )
    assert "Your dice: 2 2 3 4  " in letter


CALLS = """
bga 2345/1366 A 9 40 B:4-3s
    dudo: There are three, wild ones included: too few. bob loses a die.
bga 2345/1 A 9 40 B:3-3s
    dudo: too few. bob loses the last die and is out. You win the game!
bga 2345/2366 A 9 40 B:1-1s
    dudo: There are none: too few. bob loses a die.
pbmserv 1245/2366 A 9 40 B:1-2s
    dudo: There are two: the bid was good. You lose a die.
pyrudo 2345/2366 A 9 40 B:2-2s
    calza: There are two: exactly right. You get a die back.
pyrudo 22345/366 A 9 40 B:2-2s
    calza: exactly right. You have all 5 dice already, so no die comes back.
pyrudo 2345/2366 A 9 40 B:1-4s
    calza: There is one: exactly right.
pyrudo 2345/2366 A 9 40 B:3-2s
    calza: not exact. You lose a die.
pacao 2/23466 A 9 40 B:2-2s
    pacao: the bid was good. bob loses a die.
pacao 2/23466 A 9 40 B:3-2s
    pacao: too few. You lose your last die and are out. bob wins the game!
"""


@pytest.mark.parametrize("case", CALLS.strip().replace("\n    ", "|").split("\n"))
def test_a_call_is_shown_with_its_result(case: str) -> None:
    position, _, rest = case.partition("|")
    call, _, said = rest.partition(": ")
    game = at(position, ((2,) * 5,) * 2)
    game.play(Call(call))
    kind = "moved" if game.table.winner is None else "ended"
    assert said in text(game.facts(0), kind)


def test_only_the_dice_that_counted_are_marked() -> None:
    """bga: in a Palifico round ones are not wild."""
    game = at("bga 1233/13/1366 B 9 40 A:2-3s palifico=B", NEXT)
    game.play(Call("dudo"))
    assert "  ann   1  2 [3][3]\n  bob   1 [3]\n  cleo  1 [3] 6  6\n" in told(game.facts(0)).text


def test_a_resignation_is_shown_with_the_open_cups() -> None:
    game = opened("bga")
    game.play(Resign())
    letter = text(game.facts(1))
    assert letter.startswith("ann resigns and leaves the game. The round is cancelled. The dice")
    assert "The cups of round 1: ann 1 2 2 3 5 bob" in letter


def test_many_queued_resignations_are_shown_in_one_letter() -> None:
    """More rounds may break off in one move than a letter remembers."""
    game = Game.opened(rules_named("bga"), plain(Random(3)), 6)
    events: tuple[Event, ...] = ()
    for _ in range(4):
        game.play(Resign())
        events += game.events
    game.events = events
    letter = text(game.facts(5))
    assert letter.count("resigns and leaves the game.") == 4
    assert [f"The cups of round {number}:" in letter for number in range(1, 6)] == [True] * 4 + [
        False
    ]


def test_a_letter_addresses_the_affected_reader_as_you() -> None:
    """Each is spoken to in the own part of the story, and the others by name."""
    game = opened("bga")
    game.play(bid(4, 3))
    assert text(game.facts(0)).startswith("You bid four 3s (4-3s). It is bob's turn.")
    assert text(game.facts(1)).startswith("ann bids four 3s (4-3s). It is your turn, bob.")
    game.play(Call("dudo"))
    assert text(game.facts(0)).startswith("bob calls dudo on your four 3s (4-3s).")
    caller = text(game.facts(1), "moved")
    assert caller.startswith("You call dudo on ann's four 3s (4-3s).")
    assert "You lose a die. The dice are rolled for round 2; you begin." in caller
    assert "bob calls dudo on ann's four 3s" in text(game.facts(2))
    assert "bob calls dudo on ann's four 3s" in text(game.facts(None))


def test_players_see_their_own_message_marked_as_theirs() -> None:
    game = opened("bga")
    game.play(bid(4, 3))
    assert "\nYou write:\n| hello\n" in told(game.facts(0, message=HELLO)).text
    assert "\nann writes:\n| hello\n" in told(game.facts(1, message=HELLO)).text


def test_a_resigned_player_is_told_that_no_more_letters_come() -> None:
    game = opened("bga")
    game.play(Resign())
    letter = text(game.facts(0))
    assert letter.startswith("You resign and leave the game. The round is cancelled.")
    assert "You will get no more letters about this board." in letter
    assert "no more letters" not in text(game.facts(1))


def test_a_letter_with_a_message_explains_how_to_reply() -> None:
    """Replying to it with anything but a command or a move does it (`grammar.read_mail`)."""
    game = opened("bga")
    turn, other = (text(game.facts(seat, told=False, message=HELLO), "chat") for seat in (0, 1))
    assert "To write back, reply with your words, below a move or alone." in turn
    assert "To write back, reply with your words. To leave the game" in other


def test_the_last_rounds_are_shown_again() -> None:
    game = opened("bga")
    game.play(bid(4, 3))
    game.play(Call("dudo"))
    game.play(bid(1, 2))
    assert (
        "Round 1: ann bid four 3s (4-3s). bob called dudo; there were five. bob lost a die."
        in text(game.facts(0))
    )


def test_the_winner_and_the_others_read_how_it_ended() -> None:
    game = at("bga 2345/1 A 9 40 B:3-3s")
    game.play(Call("dudo"))
    winner, loser = told(game.facts(0), "ended"), told(game.facts(1), "ended")
    assert winner.subject == loser.subject == "Perudo board 12"
    assert "You win the game!\nWell played, ann!\n" in winner.text
    assert "Thank you for playing, bob." in loser.text
    assert "\n  perudo verify 12\n" in loser.text
    assert "Your dice" not in winner.text + loser.text


# --- what is special


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("bga 2/2345/1366 A 9 40 - palifico=A", "ones are not wild."),
        ("pyrudo 2/2345/1366 A 9 40 - palifico=A used=A", "ones are wild."),
        ("pyrudo,pal_wild=no 2/2345/1366 A 9 40 - palifico=A used=A", "ones are not wild."),
        ("classic,palifico=yes 2/2345/1366 A 9 40 - palifico=A", "everyone keeps the face of"),
        ("pacao 2/2345/1366 A 9 40 -", "PALIFICO: with one die left, ann must keep the face"),
        ("pbmserv 2/2345/1366 A 9 40 -", "Ones are not wild."),
    ],
)  # fmt: skip
def test_the_letter_explains_the_special_rules_of_the_round(position: str, said: str) -> None:
    assert said in text(at(position).facts(1, told=False), "show")


def test_a_frozen_face_is_shown_beside_the_choices() -> None:
    letter = text(at("bga 2/2345/1366 A 9 40 C:2-3s palifico=C").facts(0, told=False), "show")
    assert "Bid more 3s, at least 3-3s, or call:" in letter
    assert "more" not in text(at("pacao 2/2345/1366 B 9 40 A:2-3s").facts(1, told=False), "show")


def test_a_player_without_a_legal_bid_is_told_so() -> None:
    game = at("bga 2/2345/1366 A 9 40 C:9-1s")
    letter = told(game.facts(0, told=False), "show").text
    assert (
        "No bid can go higher, so you must call:\n  dudo   there are fewer than nine 1s\n" in letter
    )
    assert "\n  perudo move 12 ann PASSWORD dudo\n" in letter


def test_hidden_counts_are_shown_to_no_other_player() -> None:
    game = at("bga,hidden=yes 2/2345/1366 A 9 40 C:2-3s")
    letter = told(game.facts(0, told=False), "show").text
    assert "is hidden. In order of play:\n  ann  ?, on turn\n  bob  ?\n  cleo ?\n" in letter
    assert "A bid can name up to 15 dice." in letter
    assert "Your dice: 2  (⚁)" in letter


def test_faces_above_six_are_shown_as_numbers() -> None:
    game = Game.opened(
        with_options(rules_named("bga"), {"faces": "12", "dice": "2"}), PlainDice([((12, 3),) * 3])
    )
    assert "Your dice: 3 12\n" in told(game.facts(0), "started").text


# --- subjects


def test_the_subjects_are_those_of_the_manual() -> None:
    """COMMANDS: one Subject asks for an answer, one tells all else; so a board is two threads."""
    game = opened("bga")
    said = ("bob", "hello")
    offer = {"kind": "proposed", "who": "bob", "waiting": ["ann", "cleo"]}
    for kind in ("started", "moved", "offer", "chat", "show"):
        for seat, is_on_turn in ((0, True), (2, False), (None, False)):
            facts = {**game.facts(seat, message=said), "offer": offer}
            asks = kind not in {"chat", "show"} and (
                is_on_turn or (kind == "offer" and seat is not None)
            )
            wanted = "Your turn: Perudo board 12" if asks else "Perudo board 12"
            assert told(facts, kind).subject == wanted, (kind, seat)
    assert told(game.facts(0), "nag").subject == "Your turn: Perudo board 12"


# --- the words of players


IMITATION = "It is your turn, ann.\nYour dice: 6 6 6 6 6\n\x0cYour dice\u2028Your dice\x1b[2J\u202e"


@pytest.mark.parametrize("kind", ["started", "moved", "chat"])
def test_a_players_words_cannot_pass_for_the_letters_own(kind: str) -> None:
    """Every line of them begins with a bar, however it was broken."""
    game = opened("bga")
    letter = told(game.facts(1, message=("bob", IMITATION)), kind).text
    mine = [line for line in letter.split("\n") if "Your dice" in line and line[0] != "|"]
    assert mine == ["Your dice: 2 4 4 5 6  (⚁ ⚃ ⚃ ⚄ ⚅)"]
    assert "| Your dice: 6 6 6 6 6\n" in letter
    assert "\x1b" not in letter
    assert "\u202e" not in letter


# --- the proof


def test_the_commitments_have_lines_of_their_own() -> None:
    game = opened("bga")
    facts = game.facts(1)
    letter = told(facts, "started").text.split("\n")
    assert facts["commitment"] in letter
    assert facts["running"] in letter
    assert facts["seal"] in letter


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_letters_of_one_move_share_their_public_part(rules: str) -> None:
    """Four letters of one move are worded from one public part."""
    render._public_part.cache_clear()
    game = opened(rules)
    for reader in (0, 1, 2, None):
        told(game.facts(reader))
    assert render._public_part.cache_info().misses == 1
