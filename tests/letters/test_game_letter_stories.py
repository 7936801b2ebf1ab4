"""Game letters tell what happened: calls, lost dice, resignations, and the end."""

from __future__ import annotations

import re
from random import Random

import pytest

from pbmserv.games.perudo.notation import public, read_position, write_event
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import (
    Call,
    Event,
    PlainDice,
    Raise,
    Resign,
    Revealed,
    legal_bids,
)
from pbmserv.letters import render
from tests.games.games import plain
from tests.letters.game_letters import (
    HELLO,
    NEXT,
    ROUND,
    at,
    bid,
    bid_words,
    both,
    cups_in,
    opened,
    page,
    text,
    told,
)
from tests.letters.pages import page_of
from tests.letters.plays import Facts, Game
from tests.rows import each_row


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
        "were five, wild ones included. bob lost a die.\n"
        "  ann   [1] 2  2 [3] 5    2\n"
        "  bob    2  4  4  5  6    0\n"
        "  cleo  [1][3][3] 6  6    3\n"
        "  counted; four were bid  5\n" in letter
    )
    html = page(facts)
    assert html.headings[:2] == ["bob loses a die", "Since your last turn"]
    assert (
        "bob called dudo on your four 3s. There were five, wild ones included. bob lost a die. "
        "ann 1 2 2 3 5 2 bob 2 4 4 5 6 0 cleo 1 3 3 6 6 3 counted; four were bid 5 " in html.text
    )
    for form in both(facts):
        assert "Your dice: 2 2 3 4" in form
        assert "It is bob's turn." in form
        assert "Board 12, round 2, move 3." in form


CALLS = """
bga 2345/1366 A 9 40 B:4-3s
    dudo: There were three, wild ones included. bob lost a die.
bga 2345/1 A 9 40 B:3-3s
    dudo: There were two, wild ones included. bob lost their last die and is out.
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
    pacao: There were two. You lost your last die and are out.
"""


@each_row("case", CALLS.strip().replace("\n    ", "|").split("\n"))
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
    """More rounds may break off than a letter has rows for; older cups are in a line."""
    game = Game.opened(rules_named("bga"), plain(Random(3)), 6)
    events: tuple[Event, ...] = ()
    for _ in range(4):
        game.play(Resign())
        events += game.events
    game.events = events
    in_lines = [
        ", ".join(
            f"{name} {' '.join(map(str, sorted(cup)))}"
            for name, cup in zip(game.names, event.cups, strict=True)
            if cup
        )
        for event in events
        if isinstance(event, Revealed)
    ][:2]
    for form in both(game.facts(5)):
        told_one = [f"{name} resigned and left the game." in form for name in game.names]
        assert told_one == [True] * 4 + [False] * 2
        assert re.findall(r"Cups: ([^.]+)\.", form) == in_lines
    cups = cups_in(told(game.facts(5)).document)
    assert [[cup.name for cup in each.cups] for each in cups] == [game.names[2:], game.names[3:]]


def test_a_letter_addresses_the_affected_reader_as_you() -> None:
    """A reader is "you" in the story, and the others have their names."""
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
        0: "bob called dudo on your four 3s. There were five, wild ones included. bob lost a die.",
        1: "You called dudo on ann's four 3s. There were five, wild ones included. You lost a die.",
        2: "bob called dudo on ann's four 3s. There were five, wild ones included. bob lost a die.",
        None: (
            "bob called dudo on ann's four 3s. There were five, wild ones included. bob lost a die."
        ),
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


def test_a_resigned_player_is_told_which_letters_come() -> None:
    game = Game.opened(rules_named("bga"), plain(Random(3)), 3)
    game.play(Resign())
    assert text(game.facts(0)).startswith("You leave the game. ")
    for form in both(game.facts(0)):
        assert "You resigned and left the game. The round was cancelled." in form
        assert "You get no more letters about this board, unless you write to the others." in form
        assert "Your dice" not in form
        assert "To leave" not in form
        assert "Leave the game" not in form
    for form in both(game.facts(1)):
        assert "no more letters" not in form
    for form in both(game.facts(0, message=("ann", "Bye"))):
        assert "For a week you get the messages of the others" in form
        assert "no more letters" not in form
    for form in both(game.facts(1, message=("ann", "Bye"))):
        assert "For a week" not in form


def test_a_letter_with_a_message_explains_how_to_reply() -> None:
    """Replying to it with anything but a command or a move does it (`email_parser.read_mail`)."""
    game = opened("bga")
    turn, other = (game.facts(seat, told=False, message=HELLO) for seat in (0, 1))
    assert "your move on the first line, a message to others below it." in text(turn, "chat")
    assert "To write to the others, reply with your message." in text(other, "chat")
    for facts in (turn, other):
        titles = [each.text.strip() for each in page(facts, "chat").anchors]
        assert "Write to the table" in titles


def test_the_story_begins_with_the_readers_last_turn() -> None:
    """What each reader did not see yet is told: whole rounds, and the end of the reader's own."""
    game = opened("bga")
    game.play(bid(4, 3))
    game.play(Call("dudo"))
    game.play(bid(1, 2))
    end = "There were five, wild ones included. bob lost a die."
    for form in both(game.facts(0)):
        assert f"Bids of round 1: you four 3s. bob called dudo on your four 3s. {end}" in form
        assert form.index("Bids of round 2: bob one 2.") > form.index(end)
    for form in both(game.facts(1)):
        assert "What happened Bids of round 2: you one 2." in form.replace(
            "WHAT HAPPENED", "What happened"
        )
        assert "dudo" not in form.partition("Bids of round 2")[2]
        assert "round 1" not in form.replace("latest rounds: bob (round 1).", "")
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


@pytest.mark.parametrize(("made", "begins"), [(24, "Bids of"), (25, "The last 24 bids of")])
def test_a_story_of_the_last_bids_of_a_finished_round_says_so(made: int, begins: str) -> None:
    """Letters tell 24 bids of a round, to a spectator the last ones of all."""
    game = opened("pbmserv")
    for _ in range(made):
        game.play(Raise(min(each for each in legal_bids(game.table) if each.face > 1)))
    game.play(Call("dudo"))
    for form in both(game.facts(None)):
        (told,) = re.findall(rf"{begins} round 1: ([^.]*)\.", form)
        assert told.count(",") == 23


def test_dice_lost_before_the_story_are_told_in_a_line() -> None:
    game = opened("bga")
    for made in (bid(4, 3), Call("dudo"), bid(1, 2), bid(2, 2)):
        game.play(made)
    for form in both(game.facts(1)):
        assert "Other dice lost in the latest rounds: bob (round 1)." in form
    for form in both(game.facts(0)):  # whose story begins in that round
        assert "earlier rounds" not in form


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Other dice lost in the latest rounds: bob (rounds 1 and 2)."),
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
        assert "Other dice won back in the latest rounds: bob (round 4)." in form
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
        assert "perudo record 12 perudo verify 12" in form or "The proof of the dice" in form
