"""Boards on a server with a beacon: a call is told at once, and its cups open with the value.

The values are in a file that the tests write, as they would come from drand.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from pbmserv.boards import listing, notices, operator_actions, rerolls
from pbmserv.boards.board import load_board
from pbmserv.boards.record import record_text
from pbmserv.cli import json_output, letters_as_json
from pbmserv.database.engine import reading, writing
from pbmserv.games.perudo.beacon import EVERY, emitted_at, round_after
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import Beacon, Table, legal_calls, smallest_raises
from pbmserv.games.perudo.verify import verify
from pbmserv.letters.payloads.listings import GAMES
from pbmserv.maintenance import audit
from pbmserv.maintenance.doctor import work as doctor
from pbmserv.maintenance.status import status_of
from pbmserv.monitoring import operator_alerts
from pbmserv.schedule import tick
from pbmserv.settings import SETTINGS_FILE
from pbmserv.timeunits import DAY, HOUR
from tests.boards.contexts import context_on
from tests.boards.test_dice import (
    NAMES,
    Game,
    furnished,
    game_names,
    holds_no_other_cup,
    quiet_mail,
    read_by,
)
from tests.stories.town import MORNING, PASSWORD, Letter, Town, town_at

__all__ = ["furnished"]  # a fixture

SET = 'beacon = "drand"\nbeacon_file = "values"\n'
FIRST = round_after(MORNING)


def value_of(number: int) -> str:
    return sha256(f"drand {number}".encode()).hexdigest()


def write_values(home: Path, minutes: int = 60 * 24 * 3) -> None:
    rounds = range(FIRST, FIRST + EVERY * minutes, EVERY)
    (home / "values").write_text("".join(f"{each} {value_of(each)}\n" for each in rounds))


@contextmanager
def served(home: Path, more: str = SET) -> Iterator[Town]:
    """A town with a beacon whose file is empty."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / SETTINGS_FILE).write_text(more)
    if not (home / "values").exists():
        (home / "values").write_text("# no value yet\n")
    with town_at(home) as town:
        yield town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """ann has bid and bob has called dudo; cleo is next."""
    with served(tmp_path / "home") as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES, options=["-inorder", "--nagtime=1", "--forfeittime=2"])
        town.move("ann", "3-2s")
        town.move("bob", "dudo", text="I doubt it!")
        yield town


def later(town: Town, seconds: int = 180) -> list[Letter]:
    """The letters that the next tick brings."""
    town.now += seconds
    town.app.tick("town")
    return town.delivered()


def table_of(town: Town, board: int = 1) -> Table:
    with reading(town.engine) as connection:
        return load_board(connection, board).table


def record_of(town: Town, board: int = 1) -> str:
    with reading(town.engine) as connection:
        return record_text(connection, board)


def is_sound(town: Town, board: int = 1) -> bool:
    """The row, the record, its proofs and the rules agree."""
    report = referee(record_of(town, board), "board")
    return list(audit.problems(town.engine, board)) == [] and not report.fault


def said(letters: list[Letter], who: str) -> str:
    (letter,) = [each for each in letters if each.to == f"{who}@example.org"]
    return " ".join(letter.text.split())


def beacons_of(town: Town, board: int = 1) -> list[Beacon]:
    events = read_record(record_of(town, board)).events
    return [each for each in events if isinstance(each, Beacon)]


def test_a_seat_taken_while_a_call_waits_names_nobody_on_turn(town: Town) -> None:
    """Whose turn it is depends on the dice, which the value of the beacon opens."""
    (letter,) = town.move("cleo", "accept")
    assert letter.opening == "You have taken your seat at board 1."
    assert "turn" not in letter.text
    assert "The cups open with round" in " ".join(letter.text.split())


def test_a_second_yes_while_a_call_waits_says_when_the_cups_open(tmp_path: Path) -> None:
    """`rematch` for the second time is one.  It named the player who had called."""
    with served(tmp_path / "home") as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
        for name in NAMES:
            town.move(name, "accept")
            town.move(name, "propose")
        again = f"perudo rematch 1 cleo {PASSWORD}"
        town.write("cleo@example.org", again)
        for move in ("3-2s", "dudo"):
            town.move(NAMES[table_of(town, 2).turn], move, board=2)
        (told,) = town.write("cleo@example.org", again)
        assert told.opening == "You play at board 2 already."
        said = " ".join(told.text.split())
        assert "Somebody has called, and the cups of this round are not open yet." in said
        assert "turn" not in said


@pytest.mark.parametrize("text", ["what?", "Whose turn is it?", "help"])
@pytest.mark.parametrize("who", NAMES)
def test_a_question_while_a_call_waits_is_told_of_the_beacon(
    town: Town, who: str, text: str
) -> None:
    """It was told how to bid."""
    (told,) = town.reply(town.last_letter_to(f"{who}@example.org"), text)
    said = " ".join(told.text.split())
    assert "Somebody has called, and the cups of this round are not open yet." in said
    assert "To play, reply to this letter." not in said


def test_a_call_is_told_to_all_at_once_and_opens_with_the_value(town: Town) -> None:
    """The letters name the round and show the digest over the call's line, before the value."""
    told = town.letters[-3:]
    assert [each.to for each in told] == [f"{name}@example.org" for name in NAMES]
    for who in ("ann", "cleo"):
        words = said(told, who)
        assert "bob calls dudo" in words and "I doubt it!" in words
        assert f"The cups open with round {FIRST} of drand" in words
    lines = record_of(town).splitlines()
    assert lines[-2].startswith("B dudo salt=") and lines[-2].endswith(f" beacon={FIRST}")
    seal = lines[-1].removeprefix("seal ")
    assert all(seal in each.text for each in told)
    assert later(town) == []  # there is no value yet
    write_values(town.home)
    opened = later(town)
    assert {each.to for each in opened} == {f"{name}@example.org" for name in NAMES}
    assert "bob called dudo on your three 2s. There were four. bob lost a die." in said(
        opened, "ann"
    )
    assert beacons_of(town) == [Beacon(FIRST, value_of(FIRST))]
    assert is_sound(town)
    (answer,) = town.write("ann@example.org", f"perudo verify 1 {seal}")
    words = " ".join(answer.text.split())
    assert "covers all moves up to move 2." in words
    assert "https://api.drand.sh/NETWORK/public/ROUND" in words
    assert f"Round 2: round {FIRST} of drand {value_of(FIRST)}" in words
    assert "This server did not compare the values" in words
    assert "No value of the beacon was mixed into round 1." in words


@pytest.mark.parametrize("move", ["4-2s", "dudo", "calza", "propose", "resign"])
def test_no_other_action_counts_while_the_cups_wait(town: Town, move: str) -> None:
    """Of the next player by password, and of the caller; a refusal names the round."""
    before = record_of(town)
    letter = next(each for each in reversed(town.letters) if each.to == "bob@example.org")
    who = "bob" if move == "resign" else "cleo"
    (answer,) = town.move(who, move)
    assert f"They open with round {FIRST} of drand" in " ".join(answer.text.split())
    (queued,) = town.write("ann@example.org", f"perudo queue 1 ann {PASSWORD} 4-3s")
    assert "On board 1 bob has called first" in " ".join(queued.text.split())
    (late,) = town.reply(letter, "4-2s")
    assert f"They open with round {FIRST} of drand" in " ".join(late.text.split())
    assert record_of(town) == before
    assert is_sound(town)
    write_values(town.home)
    later(town)
    assert table_of(town).round == 2
    assert is_sound(town)


def test_a_reply_to_a_letter_from_before_the_call_is_told_of_the_call(town: Town) -> None:
    letter = [each for each in town.letters if each.to == "bob@example.org"][-2]
    (answer,) = town.reply(letter, "4-2s")
    said = " ".join(answer.text.split())
    assert "On board 1 bob has called first. The cups are not open yet." in said
    first = next(
        each for each in town.letters if each.to == "bob@example.org" and "board 1" in each.subject
    )
    (answer,) = town.reply(first, "mute")
    said = "so nothing was done. Send it again as a reply to the latest letter"
    assert said in " ".join(answer.text.split())


def test_a_reply_to_the_letter_of_a_call_makes_no_move_in_the_next_round(town: Town) -> None:
    """Its words go to the others while the cups wait; the letter does not show the next dice."""
    letters = {name: town.last_letter_to(f"{name}@example.org") for name in ("ann", "cleo")}
    heard = town.reply(letters["ann"], "chat\nWell done, bob!")
    assert "Well done, bob!" in said(
        [each for each in heard if each.to != letters["ann"].to], "bob"
    )
    write_values(town.home)
    later(town)
    before = record_of(town)
    for letter in letters.values():
        (answer,) = town.reply(letter, "1-2s")
        assert "was already made (bob called dudo)" in " ".join(answer.text.split())
    assert record_of(town) == before


def test_words_and_a_look_at_the_board_are_possible_while_the_cups_wait(town: Town) -> None:
    heard = town.write("cleo@example.org", f"perudo chat 1 cleo {PASSWORD}", "Exciting.")
    assert "Exciting." in said(heard, "ann")
    (shown,) = town.write("ann@example.org", "perudo show 1")
    assert "bob called dudo on ann's three 2s." in " ".join(shown.text.split())
    assert f"The cups open with round {FIRST} of drand" in " ".join(shown.text.split())
    (waits,) = town.write("bob@example.org", "perudo games next bob")
    assert "No board matches" in waits.text


def test_a_waiting_board_is_shown_in_lists_documents_and_the_status(town: Town) -> None:
    """Nobody is on turn; the documents have the call, the round and its time."""
    (listed,) = town.write("ann@example.org", "perudo games")
    assert "the cups wait for drand" in " ".join(listed.text.split())
    assert "to move" not in listed.text
    with reading(town.engine) as connection:
        rows = listing.rows(connection, [], "active", 9)
        shown = notices.shown(context_on(connection), load_board(connection, 1), None)
    opens = json_output.moment(emitted_at(FIRST))
    listed_rows: Any = letters_as_json.document([GAMES.to(None, {"rows": rows})])["boards"]
    (row,) = listed_rows
    assert (row["turn"], row["status"]) == (None, "active")
    assert row["beacon"] == {"number": FIRST, "opens": opens}
    shown_boards: Any = letters_as_json.document([shown])["boards"]
    (board,) = shown_boards
    assert board["call"] == {"player": "bob", "move": "dudo"}
    assert (board["turn"], board["beacon"]) == (None, row["beacon"])
    found = status_of(town.engine, town.settings, town.now)
    assert (found.boards, found.closed) == (1, 1)
    assert "beacon" not in [each.name for each in found.problems]
    found = status_of(town.engine, town.settings, emitted_at(FIRST) + HOUR + 1)
    assert "beacon" in [each.name for each in found.problems]
    write_values(town.home)
    later(town)
    found = status_of(town.engine, town.settings, town.now)
    assert (found.boards, found.closed) == (1, 0)


def test_a_resignation_of_another_player_waits_for_the_turn(town: Town) -> None:
    town.write("cleo@example.org", f"perudo resign 1 cleo {PASSWORD}")
    assert len(table_of(town).cups[2]) == 5
    write_values(town.home)
    later(town)
    assert is_sound(town)


def test_deadlines_stand_still_and_the_operator_is_told_after_an_hour(town: Town) -> None:
    """Nobody is reminded or out of the game; the board goes on waiting, never without a beacon."""
    assert doctor.beacon(town.engine, town.settings, town.now) is not None
    opens = emitted_at(FIRST)
    later(town, opens + HOUR - 1 - town.now)
    with reading(town.engine) as connection:
        assert operator_alerts.untold(connection) == []
    later(town, 1)
    with reading(town.engine) as connection:
        (section,) = operator_alerts.untold(connection)
    assert section["rows"][0]["about"] == f"boards wait for round {FIRST} of drand"
    later(town, 1)
    finding = doctor.beacon(town.engine, town.settings, town.now)
    assert finding is not None and not finding.is_well
    before = record_of(town)
    assert town.waited(24 * 3) == []
    assert record_of(town) == before
    write_values(town.home)
    letters = later(town, 3 * HOUR)  # an outage: deadlines are moved before the cups open
    opened = [each for each in letters if each.subject != "The game server was down"]
    assert "There were four. You lost a die." in said(opened, "bob")
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
    assert board.clock.since == town.now  # the next player has the whole time, as was told
    assert is_sound(town)
    finding = doctor.beacon(town.engine, town.settings, town.now)
    assert finding is not None and finding.is_well


def test_the_doctor_asks_for_a_value_before_anybody_calls(town: Town) -> None:
    """So a wrong path is known at once, not an hour after the first call."""
    now = emitted_at(FIRST) + 3 * 60
    finding = doctor.beacon_values(town.settings, now)
    assert finding is not None and finding.is_well is False
    assert finding.said.endswith(": values: no value of round " + finding.said.split()[4])
    write_values(town.home)
    finding = doctor.beacon_values(town.settings, now)
    assert finding is not None and finding.is_well
    command = replace(town.settings, beacon_file="", beacon_command="/no/such/program -q")
    finding = doctor.beacon_values(command, now)
    assert finding is not None and finding.said.endswith(
        "/no/such/program: No such file or directory"
    )
    assert doctor.beacon_values(replace(town.settings, beacon=""), now) is None


def test_the_first_value_of_a_round_counts_and_other_lines_are_skipped(town: Town) -> None:
    (town.home / "values").write_text(
        f"# drand\n\nx y z\n{FIRST} abc\n{FIRST + 1} {value_of(1)}\n"
        f"{FIRST} {value_of(2).upper()}\n{FIRST} {value_of(3)}\n"
    )
    later(town)
    assert beacons_of(town) == [Beacon(FIRST, value_of(2))]


def test_a_crash_in_between_loses_nothing(tmp_path: Path) -> None:
    """The server ends after the call, and again as it opens the cups; then it opens them once."""
    home = tmp_path / "home"
    with served(home) as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
        town.move("ann", "3-2s")
        town.move("bob", "dudo")
        called = record_of(town)
    write_values(home)
    with town_at(home) as town:
        town.now += HOUR
        with writing(town.engine) as connection:
            connection.execute(
                text(
                    "create trigger broken before insert on outbox"
                    " begin select raise(abort, 'broken'); end"
                )
            )
        town.app.tick("town")
        assert record_of(town) == called
        with writing(town.engine) as connection:
            connection.execute(text("drop trigger broken"))
        opened = later(town)
        assert {each.to for each in opened} == {f"{name}@example.org" for name in NAMES}
        assert later(town) == []
        assert len(beacons_of(town)) == 1
        assert is_sound(town)


def test_a_bug_with_one_board_keeps_no_other_cups_closed(town: Town) -> None:
    """The operator is told, and the next look at the clock tries again."""
    town.challenge(*NAMES)
    town.move("ann", "3-2s", board=2)
    town.move("bob", "dudo", board=2)
    write_values(town.home)
    with reading(town.engine) as connection:
        position = connection.execute(text("select position from boards where id = 1")).scalar()
    with writing(town.engine) as connection:
        connection.execute(text("update boards set position = 'x' where id = 1"))
    later(town)
    assert len(beacons_of(town, 2)) == 1 and is_sound(town, 2)
    with reading(town.engine) as connection:
        (section,) = operator_alerts.untold(connection)
    assert section["rows"][0]["about"] == "the cups of board 1"
    with writing(town.engine) as connection:
        mended = text("update boards set position = :position where id = 1")
        connection.execute(mended, {"position": position})
    later(town)
    assert len(beacons_of(town)) == 1 and is_sound(town)


@pytest.mark.parametrize("has_value", [False, True])
def test_a_restore_while_the_cups_wait_voids_the_call(town: Town, has_value: bool) -> None:
    """The value may be known by then: nobody loses a die, and ann opens the round again."""
    if has_value:
        write_values(town.home)
        town.now += HOUR
    assert tick.reroll(town.app.transactions, town.now) == 1
    letters = town.delivered()
    assert "this round is rolled again, with new dice" in said(letters, "bob")
    table = table_of(town)
    assert (table.pending, table.round, table.turn, table.counts) == (None, 2, 0, (5, 5, 5))
    assert is_sound(town)
    assert later(town) == []
    town.move("ann", "3-3s")
    assert table_of(town).turn == 1


def test_a_void_board_opens_no_cups_before_it_is_rolled_again(town: Town) -> None:
    write_values(town.home)
    town.now += HOUR
    with writing(town.engine) as connection:
        rerolls.mark(connection, town.now, town.processor.seed)
    town.app.tick("town")
    town.delivered()
    assert beacons_of(town) == []
    assert is_sound(town)


def test_the_operator_can_stop_a_board_while_the_cups_wait(town: Town) -> None:
    with writing(town.engine) as connection:
        town.app.transactions.execute(
            connection, lambda work: operator_actions.stopped(work, 1, "asked for")
        )
    assert "Reason: asked for" in said(town.delivered(), "ann")
    assert is_sound(town)
    write_values(town.home)
    assert later(town) == []


def test_signing_off_while_the_cups_wait_takes_effect_after_them(town: Town) -> None:
    town.write("bob@example.org", f"signoff bob {PASSWORD}")
    town.write("bob@example.org", f"confirm {town.asked_of('bob@example.org')}")
    assert table_of(town).pending is not None
    write_values(town.home)
    later(town)
    table = table_of(town)
    assert table.round == 2 and is_sound(town)
    town.move("ann", "1-2s")
    assert table_of(town).pending is not None  # bob's resignation waits for the next round
    later(town)
    assert table_of(town).cups[1] == ()
    assert is_sound(town)


def test_a_resignation_waits_and_its_player_cannot_take_it_back(tmp_path: Path) -> None:
    with served(tmp_path / "home") as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
        told = town.move("ann", "resign")
        assert "You leave the game." in said(told, "ann")
        (again,) = town.move("ann", "resign")
        assert f"round {FIRST} of drand" in " ".join(again.text.split())
        write_values(town.home)
        opened = later(town)
        assert "ann resigned and left the game. The round was cancelled." in said(opened, "bob")
        assert table_of(town).cups[0] == ()
        assert [each.round for each in beacons_of(town)] == [FIRST]
        assert is_sound(town)


def test_without_the_setting_waiting_cups_open_and_the_proof_says_so(town: Town) -> None:
    """The way out if the beacon is gone for good: a public line, which verify tells."""
    home, now = town.home, town.now
    (home / SETTINGS_FILE).write_text("")
    with town_at(home) as after:
        after.now = now
        later(after)
        assert beacons_of(after) == [Beacon(FIRST, None)]
        assert record_of(after).count(f"beacon {FIRST} -\n") == 1
        (answer,) = after.write("ann@example.org", "perudo verify 1")
        words = " ".join(answer.text.split())
        assert "No value of the beacon was mixed into rounds 1 and 2." in words
        assert is_sound(after)
        after.move("bob", "1-2s")
        after.move("ann", "1-2s")
        after.move("bob", "dudo")
        assert table_of(after).round == 3  # calls act at once again
        assert is_sound(after)


def test_after_a_clock_is_set_back_a_call_names_no_old_round(town: Town) -> None:
    """Its value may be known to the server; verify would say so."""
    write_values(town.home)
    later(town)
    town.now = MORNING
    on_turn = NAMES[table_of(town).turn]
    town.move(on_turn, "3-3s")
    town.move(NAMES[table_of(town).turn], "dudo")
    later(town, 2 * HOUR)
    first, second = beacons_of(town)
    assert (first.round, second.round) == (FIRST, FIRST + EVERY)
    (answer,) = town.write("ann@example.org", "perudo verify 1")
    assert "proves nothing" not in answer.text


def test_a_clock_that_was_wrong_closes_no_cups_for_ever(tmp_path: Path) -> None:
    """A call at a clock of next year: the doctor says so, and the operator can open the cups."""
    home = tmp_path / "home"
    with served(home) as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
        town.move("ann", "3-2s")
        right = town.now
        town.now += 365 * DAY
        town.move("bob", "dudo")
        town.now = right + HOUR
        finding = doctor.beacon(town.engine, town.settings, town.now)
        assert finding is not None and finding.is_well is False
        assert "the clock was wrong" in finding.said
    (home / SETTINGS_FILE).write_text("")
    with town_at(home) as town:
        town.now = right + 2 * HOUR
        town.app.tick("town")
        (beacon,) = beacons_of(town)
        assert beacon.value is None and is_sound(town)


def test_a_running_game_uses_the_beacon_from_the_day_of_the_setting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with served(home, "") as town:
        town.sign_up(*NAMES)
        town.challenge(*NAMES)
        town.move("ann", "3-2s")
        town.move("bob", "dudo")
        assert table_of(town).round == 2
    (home / SETTINGS_FILE).write_text(SET)
    write_values(home)
    with town_at(home) as town:
        town.move("bob" if table_of(town).turn else "ann", "1-2s")
        town.move(NAMES[table_of(town).turn], "dudo")
        assert table_of(town).pending is not None
        later(town)
        assert record_of(town).startswith("pbmserv record 2\n")
        assert [each.beacon is not None for each in verify(read_record(record_of(town)))] == [
            False,
            False,
            True,
        ]
        assert is_sound(town)


def test_bots_wait_for_the_beacon_like_people(tmp_path: Path) -> None:
    """A whole game against them: every round but the first has a value in its dice."""
    with served(tmp_path / "home") as town:
        write_values(town.home)
        town.sign_up("ann")
        town.challenge("ann", "house", "house", options=["-inorder", "-dice=2"])
        for _ in range(300):
            table = table_of(town)
            if table.winner is not None:
                break
            if table.pending or not table.cups[0]:
                later(town)
            elif calls := legal_calls(table, 0):
                town.move("ann", calls[0])
            else:
                town.move("ann", str(smallest_raises(table)[0]))
        assert table_of(town).winner is not None
        found = verify(read_record(record_of(town)))
        assert len(found) > 3
        assert all(each.proven and each.beacon and each.beacon.value for each in found[1:])
        assert is_sound(town)


@pytest.mark.long
@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rules=st.sampled_from(sorted(RULE_SETS)),
    choices=st.lists(st.integers(0, 2**16), min_size=4, max_size=12),
    seed=st.integers(0, 2**16),
)
def test_no_letter_about_a_waiting_call_depends_on_the_others_dice(
    furnished: Path, rules: str, choices: list[int], seed: int
) -> None:
    """With other dice of the others, every byte of a player's letters would be the same.

    This holds for the letters that tell a call, and for all others until its cups are opened.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(shutil.copytree(furnished, Path(folder) / "home"))
        (home / SETTINGS_FILE).write_text(SET)
        write_values(home)
        with town_at(home, seed) as town:
            game = Game(town)
            rows = game.mailed("ann", f"perudo challenge -dice=2 -rules={rules} {' '.join(NAMES)}")
            for choice in choices:
                game.settle(rows)
                table, names = game.table(), game_names(game)
                if table.winner is not None:
                    break
                if table.pending and choice % 3 == 0:
                    town.now += 180
                    town.app.tick("town")
                    rows = game.mailed("ann", "perudo show 1")
                    continue
                turn, reader = names[table.turn], choice % len(NAMES)
                written = quiet_mail(choice, table, names)
                if "dudo" in legal_calls(table, table.turn):
                    written = (turn, f"perudo move 1 {turn} {PASSWORD} dudo", "Aha!")
                with game.elsewhere(reader):
                    there = read_by(game, game.mailed(*written), reader)
                rows = game.mailed(*written)
                assert read_by(game, rows, reader) == there
                assert all(map(holds_no_other_cup, rows))


def test_programs_are_told_that_nobody_is_on_turn(town: Town) -> None:
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
        work = town.app.transactions.unit_of_work(connection)
        shown = letters_as_json.document([notices.shown(work, board, None)])
    boards: Any = shown["boards"]
    (told,) = boards
    assert told["turn"] is None
    assert told["bids"] == [{"player": "ann", "bid": "3-2s"}]
