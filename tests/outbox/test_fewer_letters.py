"""With `letters=turns` fewer letters leave, and no player misses what a player must know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select

from pbmserv.boards import notices, play
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.record import Played
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.games.perudo.notation import read_view
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import Action, Call, Raise, Resign, legal_calls, smallest_raises
from pbmserv.letters.payloads.letter import Letter as Written
from pbmserv.outbox.recipients import Recipient
from tests.boards.contexts import context_on, opened
from tests.examples import examples
from tests.letters.pages import Anchor, read
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"


# --- what leaves


def kept(board: Board, written: Iterable[Written], letters: str) -> dict[int, Written]:
    """By seat, the letters that leave if every player has chosen these."""
    names = {each.player: each.userid for each in board.seats}
    return {
        board.seat_of(each.to): each
        for each in written
        if isinstance(each.to, int)
        and Recipient(names[each.to], "en", "UTC", "off", letters, {}).wants(each)
    }


def reveals(lines: Iterable[str]) -> set[str]:
    """The cups that public lines open."""
    return {line.split()[1] for line in lines if line.startswith("reveal ")}


def check(before: Board, played: Played, written: list[Written]) -> None:
    """Compare the letters of `turns` about a move with those of `all`."""
    board = played.board
    turns, every = kept(board, written, "turns"), kept(board, written, "all")
    assert all(turns[seat] == every[seat] for seat in turns)
    if board.table.winner is not None:
        assert turns == every
        return
    any_letter: Any = every[board.table.turn].payload
    told = any_letter["events"]
    playing = {seat for seat, cup in enumerate(before.table.cups) if cup}
    assert set(turns) == (playing if reveals(told) else {board.table.turn})
    for seat, letter in turns.items():
        facts: Any = letter.payload
        assert read_view(facts["position"]).cups[seat] == board.table.cups[seat]
        assert reveals(told) <= reveals(line for story in facts["rounds"] for line in story)


@pytest.mark.slow
@settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rules=st.sampled_from(sorted(RULE_SETS)),
    choices=st.lists(st.integers(0, 2**16), min_size=10, max_size=40),
)
def test_every_player_learns_all_cups_their_own_dice_and_the_end(
    engine: Engine, rules: str, choices: list[int]
) -> None:
    """And each letter that asks for a move leaves exactly as it did."""
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, rules=rules, dice="2")
        for choice in choices:
            table, seat = board.table, board.table.turn
            if table.winner is not None:
                break
            calls = [Call(word) for word in legal_calls(table, seat)]
            bids = [Raise(each) for each in smallest_raises(table)]
            actions: list[Action] = [*bids, *calls, Resign()]
            action = actions[-1] if choice % 40 == 0 else actions[choice % (len(actions) - 1)]
            played = play.move(context, board, seat, action)
            check(board, played, notices.of_move(context, played, seat))
            board = played.board


def to_whom(letters: Iterable[Letter]) -> list[str]:
    return [each.to.partition("@")[0] for each in letters]


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """ann, bob and cleo play by the default letters, dan gets every one."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo", letters="turns")
        town.write("dan@example.org", f"signup dan {PASSWORD}")
        town.reply(town.last_letter_to("dan@example.org"), "yes")
        yield town


def rows(town: Town) -> int:
    with reading(town.engine) as connection:
        return connection.execute(
            select(func.count()).select_from(models.OutboxLetter)
        ).scalar_one()


def test_a_new_player_gets_fewer_letters(town: Town) -> None:
    with reading(town.engine) as connection:
        chosen = connection.execute(select(models.Player.letters).distinct()).scalars().all()
    assert chosen == ["turns"]


def test_a_bid_brings_one_letter_and_costs_one_row(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    before = rows(town)
    assert to_whom(town.move("ann", "2-2s")) == ["bob"]
    assert rows(town) == before + 1
    assert to_whom(town.move("bob", "3-2s", text="Well, Cleo?")) == ["ann", "cleo"]
    assert to_whom(town.move("cleo", "dudo")) == ["ann", "bob", "cleo"]


def test_a_player_who_wants_every_letter_gets_the_receipt_as_well(town: Town) -> None:
    town.write(CLEO, f"set cleo {PASSWORD} letters=all")
    town.challenge("ann", "bob", "cleo")
    assert to_whom(town.move("ann", "2-2s")) == ["bob", "cleo"]
    town.write(ANN, f"set ann {PASSWORD} letters=all")
    assert to_whom(town.move("bob", "3-2s")) == ["ann", "cleo"]
    assert to_whom(town.move("cleo", "4-2s")) == ["ann", "cleo"]


def test_games_has_the_same_cut(town: Town) -> None:
    town.write(CLEO, f"set cleo {PASSWORD} letters=games")
    town.challenge("ann", "bob", "cleo")
    assert to_whom(town.move("ann", "2-2s")) == ["bob"]


def test_words_that_a_player_has_muted_bring_no_letter(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    town.write(CLEO, f"perudo mute cleo {PASSWORD} 1")
    assert to_whom(town.move("ann", "2-2s", text="Hello!")) == ["bob"]


def test_a_player_who_watches_a_board_gets_its_every_letter(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    for name in ("cleo", "dan"):
        town.write(f"{name}@example.org", f"perudo subscribe 1 {name} {PASSWORD}")
    assert to_whom(town.move("ann", "2-2s")) == ["bob", "cleo", "dan"]


def test_a_player_without_dice_gets_messages_and_the_end(town: Town) -> None:
    """And each letter, if that player watches or wants them all."""
    town.challenge("ann", "bob", "cleo", "dan", options=("-inorder", "-dice=1"))
    town.move("ann", "4-6s")
    assert to_whom(town.move("bob", "dudo")) == ["ann", "bob", "cleo", "dan"]
    (loser,) = {"ann", "bob"} & set(out(town))
    assert loser not in to_whom(town.move(turn(town), "1-2s"))
    assert loser in to_whom(town.move(turn(town), "1-3s", text="Hello!"))
    words = town.reply(town.last_letter_to(f"{loser}@example.org"), "That is all right for me")
    assert len(to_whom(words)) == 4
    assert loser not in to_whom(town.move(turn(town), "propose"))
    assert loser not in to_whom(town.move(turn(town), "dudo"))
    town.write(f"{loser}@example.org", f"perudo subscribe 1 {loser} {PASSWORD}")
    assert loser in to_whom(town.move(turn(town), "1-2s"))
    town.write(f"{loser}@example.org", f"perudo unsubscribe 1 {loser} {PASSWORD}")
    assert set(to_whom(town.move(turn(town), "dudo"))) == {"ann", "bob", "cleo", "dan"}


def test_the_daily_digest_tells_the_same(home: Path, tmp_path: Path) -> None:
    """It is made of the board, of what ended, and of words; of bids it needs no letter."""
    told = []
    for place, letters in ((home, "turns"), (tmp_path / "other", "all")):
        with town_at(place) as town:
            town.sign_up("ann", "bob", "cleo", letters=letters)
            for name in ("bob", "cleo"):
                town.write(f"{name}@example.org", f"set {name} {PASSWORD} digest=daily")
            town.challenge("ann", "bob", "cleo")
            town.move("ann", "4-6s")
            town.move("bob", "dudo", text="Never!")
            town.move(turn(town), "1-2s")
            told.append([(each.to, each.text) for each in town.waited(24) if each.to != ANN])
    assert told[0] == told[1] != []


def board_of(town: Town) -> Any:
    with reading(town.engine) as connection:
        return load_board(connection, 1)


def out(town: Town) -> list[str]:
    board = board_of(town)
    return [name for name, cup in zip(board.names, board.table.cups, strict=True) if not cup]


def turn(town: Town) -> str:
    return str(board_of(town).on_turn.userid)


# --- replies to the newest letter, which may be some moves old


WORDS = "I was at the wedding of my sister"


def test_words_reach_the_table_by_the_newest_letter_until_the_next_turn(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    first = town.last_letter_to(ANN)
    town.reply(first, "2-2s")
    town.move("bob", "3-2s")
    assert to_whom(says(town.reply(first, WORDS), WORDS)) == ["bob", "cleo"]
    assert says(town.write("eve@example.net", "Re: x", WORDS, to=first.reply_to), WORDS) == []
    town.move("cleo", "4-2s")
    (told,) = town.reply(first, f"{WORDS}!")
    assert "You answered an old letter" in told.text


def test_a_reply_to_a_chat_reaches_the_table_some_moves_later(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Where were you?")
    asked = town.last_letter_to(CLEO)
    town.move("ann", "2-2s")
    assert to_whom(says(town.reply(asked, WORDS), WORDS)) == ["ann", "bob"]
    assert to_whom(says(town.reply(asked, f"chat\n{WORDS}!"), WORDS)) == ["ann", "bob"]
    assert to_whom(says(town.reply(asked, f"5-2s\n{WORDS}..."), WORDS)) == ["ann", "bob"]


def test_after_a_deal_an_older_letter_is_not_the_newest(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    first = town.last_letter_to(ANN)
    town.move("ann", "4-6s")
    town.move("bob", "dudo")
    starter, other = turn(town), "ann" if turn(town) == "bob" else "bob"
    newest = town.last_letter_to(f"{other}@example.org")
    town.move(starter, "1-2s")
    assert len(says(town.reply(newest, WORDS), WORDS)) == 2
    assert says(town.reply(first, f"{WORDS}!"), WORDS) == []


def test_the_link_that_leaves_works_in_a_letter_that_is_some_moves_old(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    for name, move in (("ann", "1-2s"), ("bob", "1-3s"), ("cleo", "1-4s"), ("ann", "dudo")):
        town.move(name, move)
    starter = turn(town)
    town.move(starter, "1-2s")
    (waiting,) = {"ann", "bob", "cleo"} - {starter, turn(town)}
    newest = town.last_letter_to(f"{waiting}@example.org")
    (leave,) = [each for each in links(newest) if each.text == "Leave the game"]
    (told,) = town.write(newest.to, leave.subject, leave.body, to=leave.to)
    assert "You will leave board 1" in told.text


def links(letter: Letter) -> list[Anchor]:
    page = letter.message.get_body(("html",))
    assert isinstance(page, EmailMessage)
    return read(page.get_content()).anchors


def test_a_late_answer_to_a_draw_accepts_no_later_one(town: Town) -> None:
    town.challenge("ann", "bob", "cleo")
    town.write(CLEO, f"perudo chat 1 cleo {PASSWORD}", "I am here")
    town.move("ann", "propose")
    offered = town.last_letter_to(CLEO)
    town.move("ann", "2-2s")
    town.move("ann", "propose")
    for text in ("accept", "yes"):
        told = town.reply(offered, text)
        assert not any("accepts" in each.text for each in told), text


def test_a_calza_by_an_older_letter_is_refused_with_the_bid_of_now(town: Town) -> None:
    """It would call another bid than the one that its player has read of."""
    options = ("-inorder", "-rules=bga", "-calza")
    town.challenge("ann", "bob", "cleo", options=options)
    assert "letters=all" in town.last_letter_to(CLEO).text
    town.move("ann", "1-2s", text="What do you think?")
    read = town.last_letter_to(CLEO)
    town.move("bob", "2-2s")
    (told,) = town.reply(read, "calza")
    assert "came too late" in " ".join(told.text.split())


def says(letters: Iterable[Letter], words: str) -> list[Letter]:
    return [each for each in letters if f"| {words}" in each.text]
