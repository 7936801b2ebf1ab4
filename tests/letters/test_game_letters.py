"""Game letters: each reader is told what that reader may know, in lines that can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import public, read_event, read_position, read_rules, write_event
from pbmserv.games.perudo.rules import RULE_SETS, Rules, rules_named, with_options
from pbmserv.games.perudo.suggestions import offered_bids
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
    view,
)
from pbmserv.letters import render
from pbmserv.letters.document import Block, Document, Paragraph, Section
from pbmserv.letters.document import Cups as OpenedCups
from pbmserv.letters.forms.text import written as flowed
from pbmserv.letters.render import Words
from tests.games.games import an_action, plain, randoms, rule_sets, seats
from tests.letters.lines_to_send import wide_lines
from tests.letters.pages import REPLIES, Page, page_of, read
from tests.letters.plays import Facts, Game
from tests.rows import each_row

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


def told(facts: Facts, kind: str = "moved") -> Words:
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


# --- what holds in any game


@settings(max_examples=30)
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


def without_story(document: Document) -> list[Block]:
    """The blocks of a letter but those from the story's heading to the next one."""
    found: list[Block] = []
    is_story = False
    for block in document.blocks:
        if isinstance(block, Section):
            is_story = block.title in {"Since your last turn", "What happened"}
        if isinstance(block, Paragraph) and " in the rounds just before: " in block.text:
            continue
        if not (is_story and isinstance(block, Section | Paragraph | OpenedCups)):
            found.append(block)
    return [*found, *document.foot]


def cups_in(document: Document) -> list[OpenedCups]:
    """The opened cups that a letter shows."""
    return [block for block in document.blocks if isinstance(block, OpenedCups)]


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
            assert "\n".join(map(str.rstrip, flowed(words.document).split("\n"))) == words.text
            assert wide_lines(words.text, words.document) == []
            for line in words.text.split("\n"):
                assert line == line.rstrip()
                assert line.isprintable()


@settings(max_examples=30)
@given(rules=rule_sets(), players=seats, random=randoms)
def test_no_letter_depends_on_the_dice_that_its_reader_may_not_see(
    rules: Rules, players: int, random: Random
) -> None:
    """Two tables that differ in the others' running cups alone give the same facts."""
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
        facts = game.facts(table.turn)
        first = " ".join(" ".join(told(facts).text.split("\n")[:10]).split())
        dice = " ".join(map(str, sorted(table.cups[table.turn])))
        assert first.startswith(f"Your turn, {game.names[table.turn]}.")
        assert f"Your dice: {dice}" in first
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
        assert f"Your dice: {dice}" in top
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


def bid_words(bid: Bid) -> str:
    """A bid as the letters say it: "two 3s"."""
    number = NUMBERS[bid.quantity] if bid.quantity < len(NUMBERS) else str(bid.quantity)
    return f"{number} {bid.face}" + ("s" if bid.quantity > 1 else "")


# --- who reads


def test_the_letter_to_the_player_on_turn_explains_how_to_reply() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    letter = told(game.facts(1)).text
    assert letter.startswith("Your turn, bob. Beat ann's two 3s, or call.\n\nYour dice: ")
    assert (
        "\n  3-3s  2-4s  2-5s  2-6s  1-1s   the least raises\n"
        "  dudo  there are fewer than two 3s\n\n"
        "Reply with your move on the first line, words for the others below it.\n" in letter
    )
    assert "PASSWORD" not in letter
    html = page(game.facts(1))
    assert "A button opens a reply with your move: press Send." in html.text
    assert "reply by hand: your move on the first line, words for the others" in html.text
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
    assert "To write to the others, reply with your words." in letter
    assert {each.body for each in html.anchors} <= {"", "chat", "resign", "help rules bga"}


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


def test_a_bystander_gets_no_dice_and_is_asked_for_nothing() -> None:
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


# --- what happened


def test_the_end_of_a_round_tells_bid_call_count_loss_and_the_next_round() -> None:
    game = opened("bga")
    game.play(bid(4, 3))
    game.play(Call("dudo"))
    facts = game.facts(0)
    letter = told(facts).text
    assert letter.startswith("bob loses a die.\n\nYour dice: 2 2 3 4\n14 dice in play, ")
    assert (
        "SINCE YOUR LAST TURN\n"
        "Bids of round 1: you four 3s. bob called dudo on your four 3s. There\n"
        "were five, with wild ones. bob lost a die.\n"
        "  ann   [1] 2  2 [3] 5    2\n"
        "  bob    2  4  4  5  6    0\n"
        "  cleo  [1][3][3] 6  6    3\n"
        "  counted; four were bid  5\n" in letter
    )
    html = page(facts)
    assert html.headings[:2] == ["bob loses a die", "Since your last turn"]
    assert (
        "bob called dudo on your four 3s. There were five, with wild ones. bob lost a die. "
        "ann 1 2 2 3 5 2 bob 2 4 4 5 6 0 cleo 1 3 3 6 6 3 counted; four were bid 5 " in html.text
    )
    for form in both(facts):
        assert "Your dice: 2 2 3 4" in form
        assert "It is bob's turn." in form
        assert "Board 12, round 2, move 3." in form


CALLS = """
bga 2345/1366 A 9 40 B:4-3s
    dudo: There were three, with wild ones. bob lost a die.
bga 2345/1 A 9 40 B:3-3s
    dudo: There were two, with wild ones. bob lost the last die and is out. You won the game!
bga 2345/2366 A 9 40 B:1-1s
    dudo: There were none. bob lost a die.
pbmserv 1245/2366 A 9 40 B:1-2s
    dudo: There were two. You lost a die.
pyrudo 2345/2366 A 9 40 B:2-2s
    calza: There were two. You got a die back.
pyrudo 22345/366 A 9 40 B:2-2s
    calza: There were two. You have all your dice already, so none comes back.
pyrudo 2345/2366 A 9 40 B:1-4s
    calza: There was one. You got a die back.
pyrudo 2345/2366 A 9 40 B:3-2s
    calza: There were two. You lost a die.
pacao 2/23466 A 9 40 B:2-2s
    pacao: There were two. bob lost a die.
pacao 2/23466 A 9 40 B:3-2s
    pacao: There were two. You lost your last die and are out. bob won the game.
"""


@pytest.mark.parametrize("case", CALLS.strip().replace("\n    ", "|").split("\n"))
def test_a_call_is_shown_with_its_result(case: str) -> None:
    position, _, rest = case.partition("|")
    call, _, said = rest.partition(": ")
    game = at(position, ((2,) * 5,) * 2)
    game.play(Call(call))
    kind = "moved" if game.table.winner is None else "ended"
    last = read_position(position).bids[-1][1]
    for form in both(game.facts(0), kind):
        assert f"You called {call} on bob's {bid_words(last)}. {said}" in form


def test_only_the_dice_that_counted_are_marked() -> None:
    """bga: in a Palifico round ones are not wild."""
    game = at("bga 1233/13/1366 B 9 40 A:2-3s palifico=B", NEXT)
    game.play(Call("dudo"))
    facts = game.facts(0)
    assert (
        "  ann    1  2 [3][3]     2\n"
        "  bob    1 [3]           1\n"
        "  cleo   1 [3] 6  6      1\n"
        "  counted; two were bid  4\n" in told(facts).text
    )
    assert [each.count("<b style") for each in rows_of_cups(facts)] == [2, 1, 1]


def rows_of_cups(facts: Facts) -> list[str]:
    """The rows of the page with the opened cups; a die that counted is a `<b>` with a style."""
    rows = page_of(told(facts)).split("<tr>")
    return [row for row in rows if "border-radius:5px" in row]


def test_the_readers_own_dice_that_count_are_marked() -> None:
    game = opened("bga")
    game.play(bid(2, 3))
    assert "Your dice: 1 2 2 3 5  (two of them count)" in told(game.facts(0)).text
    classes = [each.get("class") for tag, each in page(game.facts(0)).elements if tag == "table"]
    assert [each for each in classes if each in {"d", "dc"}] == ["d", "dc", "d", "d", "dc", "d"]


def test_a_resignation_is_shown_with_the_open_cups() -> None:
    game = opened("bga")
    game.play(Resign())
    letter = told(game.facts(1)).text
    assert (
        "ann resigned and left the game. The round was cancelled.\nThe cups of round 1:\n"
        "  ann    1  2  2  3  5\n  bob    2  4  4  5  6\n  cleo   1  3  3  6  6\n" in letter
    )
    assert (
        "ann resigned and left the game. The round was cancelled. The cups of round 1: "
        "ann 1 2 2 3 5 bob 2 4 4 5 6 cleo 1 3 3 6 6 " in page(game.facts(1)).text
    )
    assert text(game.facts(2)).startswith("ann leaves the game. ")


def test_many_queued_resignations_are_shown_in_one_letter() -> None:
    """More rounds may break off in one move than a letter has space for; it has the last cups."""
    game = Game.opened(rules_named("bga"), plain(Random(3)), 6)
    events: tuple[Event, ...] = ()
    for _ in range(4):
        game.play(Resign())
        events += game.events
    game.events = events
    for form in both(game.facts(5)):
        told_one = [f"{name} resigned and left the game." in form for name in game.names]
        assert told_one == [True] * 4 + [False] * 2
    cups = cups_in(told(game.facts(5)).document)
    assert [[cup.name for cup in each.cups] for each in cups] == [game.names[2:], game.names[3:]]


def test_a_letter_addresses_the_affected_reader_as_you() -> None:
    """Each is spoken to in the own part of the story, and the others by name."""
    game = opened("bga")
    game.play(bid(4, 3))
    assert text(game.facts(0)).startswith(
        "You bid four 3s. The bid to beat is your four 3s (4-3s)."
    )
    assert text(game.facts(1)).startswith("Your turn, bob. Beat ann's four 3s, or call.")
    assert text(game.facts(2)).startswith(
        "ann bids four 3s. The bid to beat is four 3s (4-3s), by ann."
    )
    assert page(game.facts(0)).headings[0] == "You bid four\u00a03s"
    assert page(game.facts(2)).headings[0] == "ann bids four\u00a03s"
    game.play(Call("dudo"))
    sentences = {
        0: "bob called dudo on your four 3s. There were five, with wild ones. bob lost a die.",
        1: "You called dudo on ann's four 3s. There were five, with wild ones. You lost a die.",
        2: "bob called dudo on ann's four 3s. There were five, with wild ones. bob lost a die.",
        None: "bob called dudo on ann's four 3s. There were five, with wild ones. bob lost a die.",
    }
    for reader, sentence in sentences.items():
        for form in both(game.facts(reader)):
            assert sentence in form


def test_players_see_their_own_message_marked_as_theirs() -> None:
    game = opened("bga")
    game.play(bid(4, 3))
    assert "\nYou write:\n| hello\n" in told(game.facts(0, message=HELLO)).text
    assert "\nann writes:\n| hello\n" in told(game.facts(1, message=HELLO)).text
    assert " You write: hello " in page(game.facts(0, message=HELLO)).text
    assert " ann writes: hello " in page(game.facts(1, message=HELLO)).text
    assert page(game.facts(1, message=HELLO)).said == "hello"


def test_a_resigned_player_is_told_that_no_more_letters_come() -> None:
    game = Game.opened(rules_named("bga"), plain(Random(3)), 3)
    game.play(Resign())
    assert text(game.facts(0)).startswith("You leave the game. ")
    for form in both(game.facts(0)):
        assert "You resigned and left the game. The round was cancelled." in form
        assert "You will get no more letters about this board." in form
        assert "Your dice" not in form
        assert "To leave" not in form
        assert "Leave the game" not in form
    for form in both(game.facts(1)):
        assert "no more letters" not in form


def test_a_letter_with_a_message_explains_how_to_reply() -> None:
    """Replying to it with anything but a command or a move does it (`grammar.read_mail`)."""
    game = opened("bga")
    turn, other = (game.facts(seat, told=False, message=HELLO) for seat in (0, 1))
    assert "your move on the first line, words for the others below it." in text(turn, "chat")
    assert "To write to the others, reply with your words." in text(other, "chat")
    for facts in (turn, other):
        titles = [each.text.strip() for each in page(facts, "chat").anchors]
        assert "Write to the table" in titles


def test_the_story_begins_with_the_readers_last_turn() -> None:
    """What each reader did not see yet is told: whole rounds, and the end of the reader's own."""
    game = opened("bga")
    game.play(bid(4, 3))
    game.play(Call("dudo"))
    game.play(bid(1, 2))
    end = "There were five, with wild ones. bob lost a die."
    for form in both(game.facts(0)):
        assert f"Bids of round 1: you four 3s. bob called dudo on your four 3s. {end}" in form
        assert form.index("Bids of round 2: bob one 2.") > form.index(end)
    for form in both(game.facts(1)):
        assert "What happened Bids of round 2: you one 2." in form.replace(
            "WHAT HAPPENED", "What happened"
        )
        assert "dudo" not in form.partition("Bids of round 2")[2]
        assert "round 1" not in form.replace("just before: bob (round 1).", "")
    for form in both(game.facts(2)):
        assert f"Bids of round 1: ann four 3s. bob called dudo on ann's four 3s. {end}" in form


def test_a_player_who_is_out_reads_that_first_with_the_cups_of_that_round() -> None:
    """Others have played on in the same letter: house players move at once."""
    rolls = [((), (2,), (3,), (4,)), ((), (), (3,), (4,))]
    game = at("bga 3/4/5/6 A 1 1 -", *rolls)
    events: list[Event] = []
    for action in (bid(4, 6), Call("dudo"), bid(3, 2), Call("dudo")):
        game.play(action)
        events += game.events
    facts = game.facts(0) | {"events": [write_event(public(each)) for each in events]}
    words = told(facts)
    assert words.text.startswith("You are out.\n")
    shown = [{cup.name for cup in block.cups} for block in cups_in(words.document)]
    assert {"ann", "bob", "cleo", "dan"} in shown


def test_a_story_that_leaves_out_the_first_bids_of_a_round_says_so() -> None:
    """And who has just moved reads the whole round: nothing has happened since."""
    game = opened("bga")
    for made in (bid(1, 3), bid(2, 3), bid(3, 3), bid(4, 3)):
        game.play(made)
    since = "Round 1, from your last bid on: you two 3s, cleo three 3s, ann four 3s."
    for form in both(game.facts(1)):
        assert f"Since your last turn {since}".casefold() in form.casefold()
    bids = "Bids of round 1: you one 3, bob two 3s, cleo three 3s, you four 3s."
    for form in both(game.facts(0)):
        assert f"What happened {bids}".casefold() in form.casefold()


def test_dice_lost_before_the_story_are_told_in_a_line() -> None:
    game = opened("bga")
    for made in (bid(4, 3), Call("dudo"), bid(1, 2), bid(2, 2)):
        game.play(made)
    for form in both(game.facts(1)):
        assert "Dice lost in the rounds just before: bob (round 1)." in form
    for form in both(game.facts(0)):  # whose story begins in that round
        assert "earlier rounds" not in form


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Dice lost in the rounds just before: bob (rounds 1 and 2)."),
        ("es", "bob (rondas 1 y 2)."),
        ("fr", "bob (manches 1 et 2)."),
        ("ru", "bob (раунды 1 и 2)."),
    ],
)
def test_a_players_lost_dice_are_told_together(language: str, line: str) -> None:
    """Each name comes once, with its rounds in their order."""
    third = ((2, 3, 4, 5, 6), (2, 3, 4), (2, 3, 4, 5, 6))
    game = Game.opened(rules_named("bga"), PlainDice([ROUND, NEXT, third]))
    for made in (bid(4, 3), Call("dudo"), bid(9, 2), Call("dudo"), bid(1, 2), bid(2, 2)):
        game.play(made)
    words = render.word("perudo/moved", game.facts(1), language).text
    assert line in " ".join(words.split())


def test_dice_that_came_back_before_the_story_are_told_in_a_line() -> None:
    then = ((2, 3, 4), (5, 5, 5), (4, 5, 6))
    game = at("bga,calza=yes 234/55/456 B 4 40 A:3-5s", then)
    for made in (Call("calza"), bid(1, 2), bid(2, 2)):
        game.play(made)
    assert game.table.turn == 0
    for form in both(game.facts(2)):
        assert "Dice won back in the rounds just before: bob (round 4)." in form
    assert "earlier rounds" not in text(game.facts(0))


def test_bids_that_are_not_the_least_raises_are_examples() -> None:
    """In the default rules one number must rise, so 1-3s may follow 4-2s; nobody means it."""
    game = opened("pbmserv")
    game.play(bid(4, 2))
    said = text(game.facts(1))
    assert "5-2s 4-3s 4-4s 4-5s 4-6s 5-1s for example" in said and "least raise" not in said


def test_an_opening_says_how_many_dice_a_bid_can_name() -> None:
    """The rules end there; where the numbers of dice are hidden, it is the number at the start."""
    for form in both(opened("pbmserv").facts(0)):
        assert "You open the round: bid any number up to 15, of any face." in form
    for form in both(opened("bga").facts(0)):
        assert "You open the round: bid any number up to 15, of any face except ones." in form
    for form in both(at("pbmserv 2/34 A 9 40 -").facts(0)):
        assert "You open the round: bid any number up to 3, of any face." in form


def test_the_first_date_is_a_reminders() -> None:
    times = {"now": 1_700_000_000, "nag": 1_700_500_000, "late": False, "standin": False}
    times |= {"forfeit": 1_702_000_000, "closes": 0}
    game = opened("bga")
    for form in both(game.facts(0) | {"times": times}):
        assert "6 days left, until Monday 20 November, 17:06 UTC. You get a reminder then." in form
        assert "Without a move you are out of the game on Friday 8 December, 01:46 UTC." in form
    for form in both(game.facts(1) | {"times": times}):
        assert (
            "ann has until Monday 20 November, 17:06 UTC to move, and gets a reminder then." in form
        )


def test_the_first_letter_says_who_challenges_and_asks_only_the_others_to_play() -> None:
    """A forged challenge may bear the challenger's name, so that player can decline, too."""
    facts = opened("bga").facts(0) | {"challenger": "bob", "asked": True}
    for form in both(facts, "started"):
        assert "ann, bob and cleo, in this order. bob challenges you." in form
    assert "Don't want to play? Reply with decline" in text(facts, "started")
    mine = opened("bga").facts(1) | {"challenger": "bob", "asked": True, "challenges": True}
    assert "Not your challenge? Reply with decline" in text(mine, "started")
    for each in (mine, facts | {"asked": False}, facts | {"challenger": ""}):
        for form in both(each, "started"):
            assert "challenges you" not in form
    assert "Don't want" not in text(mine, "started")


def test_a_letter_tells_that_a_move_has_ended_the_offer_of_a_draw() -> None:
    game = opened("bga")
    game.play(bid(1, 3))
    for form in both(game.facts(2) | {"draw_ended": True}):
        assert "A draw is no longer on offer: the game has gone on." in form


def test_the_winner_and_the_others_read_how_it_ended() -> None:
    game = at("bga 2345/1 A 9 40 B:3-3s")
    game.play(Call("dudo"))
    winner, loser = told(game.facts(0), "ended"), told(game.facts(1), "ended")
    assert winner.subject == loser.subject == "Perudo board 12"
    assert winner.text.startswith("You win, ann!\n")
    assert loser.text.startswith("ann wins.\n")
    assert "Thank you for playing, bob." in loser.text
    assert "\n  perudo verify 12\n" in loser.text
    assert page(game.facts(0), "ended").headings[0] == "You win, ann!"
    assert page(game.facts(1), "ended").headings[0] == "ann wins"
    assert "Thank you for playing, bob." in page(game.facts(1), "ended").text
    for form in (*both(game.facts(0), "ended"), *both(game.facts(1), "ended")):
        assert "Your dice" not in form
        assert "ann called dudo on your three 3s" in form or "You called dudo on bob's" in form
        assert "perudo record 12 perudo verify 12" in form


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
    assert "\n  3-3s   the least raise\n" in told(facts).text
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
        assert "the numbers of the others' dice are hidden" in form
        assert "a bid can name up to 15 dice" in form
        assert "Your dice: 2" in form


def test_faces_above_six_are_shown_as_numbers() -> None:
    game = Game.opened(
        with_options(rules_named("bga"), {"faces": "12", "dice": "2"}), PlainDice([((12, 3),) * 3])
    )
    for form in both(game.facts(0), "started"):
        assert "Your dice: 3 12" in form
        assert "1-12s" in form or "one 12" in form
    assert "⚂" not in page_of(told(game.facts(0), "started"))


# --- subjects


def test_the_subjects_are_those_of_the_manual() -> None:
    """One Subject asks for a move, one tells all else, so a board is two threads.

    A draw on offer is no turn: who is not on turn gets the other Subject.
    """
    game = opened("bga")
    said = ("bob", "hello")
    offer = {"kind": "proposed", "who": "bob", "waiting": ["ann", "cleo"]}
    for kind in ("started", "moved", "offer", "chat", "show"):
        for seat, is_on_turn in ((0, True), (2, False), (None, False)):
            facts = {**game.facts(seat, message=said), "offer": offer}
            asks = kind not in {"chat", "show"} and is_on_turn
            wanted = "Your turn: Perudo board 12" if asks else "Perudo board 12"
            assert told(facts, kind).subject == wanted, (kind, seat)
    assert told(game.facts(0), "nag").subject == "Your turn: Perudo board 12"


# --- the words of players


IMITATION = "It is your turn, ann.\nYour dice: 6 6 6 6 6\n\x0cYour dice\u2028Your dice\x1b[2J\u202e"


@pytest.mark.parametrize("kind", ["started", "moved", "chat"])
def test_a_players_words_cannot_pass_for_the_letters_own(kind: str) -> None:
    """Every line of them begins with a bar, however it was broken; in HTML they are in a box."""
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
