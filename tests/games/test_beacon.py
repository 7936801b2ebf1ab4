"""The beacon: a call names a later round, its cups open with that round's value, and all is proven.

The server and the player who moves last know the seed; they do not know the value.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.commands.perudo.verify import of_beacon
from pbmserv.errors import Refused
from pbmserv.games.perudo import beacon
from pbmserv.games.perudo.beacon import EVERY
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.dice import SealedDice
from pbmserv.games.perudo.notation import (
    read_event,
    read_position,
    read_view,
    write_event,
    write_position,
    write_view,
)
from pbmserv.games.perudo.record import Record, read_record, write_lines
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.games.perudo.table import (
    Beacon,
    Call,
    Called,
    Dealt,
    Event,
    Raise,
    Resign,
    Resigned,
    Restored,
    Table,
    after_all,
    legal_actions,
    legal_bids,
    legal_calls,
    new_table,
    open_cups,
    play,
    roll_again,
    start,
    stop,
    view,
)
from pbmserv.games.perudo.verify import verify
from tests.examples import examples
from tests.games.games import write_record
from tests.rows import each_row

from .games import NOW, plain, proven_game, randoms, rule_sets, seats, value_of

ROUND = beacon.round_after(NOW)


def waiting_table(rules: Rules, players: int, random: Random, action: Call | Resign) -> Table:
    """A table after one bid, and a call or resignation that waits for the beacon."""
    table = new_table(rules, players)
    table = after_all(table, start(table, plain(random)))
    bid = legal_bids(table)[0]
    table = after_all(table, play(table, 0, Raise(bid), plain(random)))
    waiting = replace(action, beacon=ROUND)
    return after_all(table, play(table, 1, waiting, plain(random)))


@given(st.integers(beacon.GENESIS - 10**6, 4 * 10**9))
def test_a_call_waits_one_to_two_minutes(moment: int) -> None:
    """The round is the first one of the full minutes that leaves a minute for the letters."""
    number = beacon.round_after(moment)
    assert number >= beacon.EVERY and number % beacon.EVERY == 0
    opens = beacon.emitted_at(number)
    assert opens >= moment + beacon.AHEAD
    earlier = number - beacon.EVERY
    assert earlier < 1 or beacon.emitted_at(earlier) < moment + beacon.AHEAD


def test_the_moments_of_rounds_are_those_of_quicknet() -> None:
    """A client of drand for Ruby says so of round 27946612: midnight of 20 April 2026 in UTC."""
    assert beacon.emitted_at(27_946_612) == 1_776_643_200
    assert beacon.emitted_at(1) == beacon.GENESIS
    for number in (1, 2, 340, 27_946_612):
        opens = beacon.emitted_at(number)
        assert [beacon.round_at(opens + each) for each in (-1, 0, 2)] == [
            number - 1,
            number,
            number,
        ]


@settings(max_examples=examples(30))
@given(rule_sets(), seats, randoms)
def test_a_game_with_a_beacon_is_proven_and_reads_back(
    rules: Rules, players: int, random: Random
) -> None:
    """Each round from the second on tells the beacon's round and value that its dice depend on."""
    record = proven_game(rules, players, random, 60, beacons=True)
    text = write_record(record)
    assert read_record(text) == record
    found = verify(record)
    opened = {each.round for each in record.events if isinstance(each, Beacon)}
    assert {each.beacon.round for each in found if each.beacon} <= opened
    for each in found[1:]:
        assert each.beacon is not None
        assert each.beacon.value == value_of(each.beacon.round)
    assert referee(text, "game.txt").fault == {}


@settings(max_examples=examples(60))
@given(rule_sets(), st.integers(3, 6), randoms, st.sampled_from([Call("dudo"), Resign()]))
def test_nobody_can_act_while_the_cups_wait(
    rules: Rules, players: int, random: Random, action: Call | Resign
) -> None:
    """No bid, call or resignation of any seat; and the announcement shows no die of others."""
    table = waiting_table(rules, players, random, action)
    assert table.pending is not None and table.pending.beacon == ROUND
    assert legal_bids(table) == () and legal_actions(table) == ()
    for seat in range(players):
        assert legal_calls(table, seat) == ()
        for other in (Raise(Bid(9, 2)), Call("dudo"), Call("calza"), Resign()):
            with pytest.raises(Refused) as refused:
                play(table, seat, other, plain(random))
            assert refused.value.code == "beacon_awaited"
            assert refused.value.facts == {"beacon": ROUND, "opens": beacon.emitted_at(ROUND)}
        seen = view(table, seat)
        assert not any(any(cup) for place, cup in enumerate(seen.cups) if place != seat)
        assert read_view(write_view(seen)) == seen
    assert read_position(write_position(table)) == table


def test_a_value_has_64_hexadecimal_digits_in_lower_case() -> None:
    assert beacon.is_value("0f" * 32)
    assert not any(map(beacon.is_value, ("", "0f" * 31, "0F" * 32, "0f" * 33, "0g" * 32)))


@pytest.mark.parametrize("pending", ["B:2-5s:340", "B:dudo:0", "B:dudo:", "B:dudo:x", "x:dudo:340"])
def test_a_position_with_another_pending_move_is_refused(pending: str) -> None:
    """Only a call or a resignation waits, for a round from 1."""
    position = "bga 13556/22346 A 1 2 A:2-5s"
    assert read_position(f"{position} pending=B:dudo:340").pending == Called(1, "dudo", "", 340)
    with pytest.raises(Refused):
        read_position(f"{position} pending={pending}")


@settings(max_examples=examples(60))
@given(rule_sets(), st.integers(3, 6), randoms, st.sampled_from([Call("dudo"), Resign()]))
def test_the_beacon_changes_nothing_but_the_dice(
    rules: Rules, players: int, random: Random, action: Call | Resign
) -> None:
    """The call has the same results as without a beacon."""
    waiting = waiting_table(rules, players, random, action)
    before = waiting._replace(pending=None, move=waiting.move - 1)
    at_once = play(before, 1, action, plain(Random(1)))
    opened = open_cups(waiting, Beacon(ROUND, value_of(ROUND)), plain(Random(1)))
    assert opened == (Beacon(ROUND, value_of(ROUND)), *at_once[1:])
    assert after_all(waiting, opened) == after_all(before, at_once)


def test_the_dice_depend_on_the_value() -> None:
    """The same seed and the same lines but another value give other cups: 25 dice."""
    rules = RULE_SETS["classic"]
    waiting = waiting_table(rules, 5, Random(4), Call("dudo"))
    dice = SealedDice(bytes(32), bytes([1]) * 32, bytes([2]) * 32, bytes(32))
    rolled = {
        next(
            event.cups
            for event in open_cups(waiting, Beacon(ROUND, value), dice)
            if isinstance(event, Dealt)
        )
        for value in (value_of(1), value_of(2), None)
    }
    assert len(rolled) == 3


def test_a_resignation_that_ends_the_game_waits_for_nothing() -> None:
    """No dice are rolled after it. That a call ends the game would tell dice: it always waits."""
    table = new_table(RULE_SETS["pbmserv"], 2)
    table = after_all(table, start(table, plain(Random(1))))
    events = play(table, 0, Resign(beacon=ROUND), plain(Random(1)))
    assert events[0] == Resigned(0) and after_all(table, events).winner == 1
    table = after_all(table, play(table, 0, Raise(Bid(1, 2)), plain(Random(1))))
    assert play(table, 1, Call("dudo", beacon=ROUND), plain(Random(1))) == (
        Called(1, "dudo", "", ROUND),
    )


@pytest.mark.parametrize("action", [Call("dudo"), Resign()])
def test_a_waiting_call_is_void_after_a_restore_and_when_the_game_is_stopped(
    action: Call | Resign,
) -> None:
    table = waiting_table(RULE_SETS["classic"], 3, Random(2), action)
    again = roll_again(table, commitment(bytes(32)), plain(Random(3)))
    assert isinstance(again[0], Restored) and isinstance(again[-1], Dealt)
    after = after_all(table, again)
    assert after.pending is None and after.round == 2 and after.turn == 0
    assert after.counts == table.counts
    stopped = after_all(table, stop(table, plain(Random(3))))
    assert stopped.pending is None and stopped.winner is not None


@each_row(
    "line event",
    [
        ("A dudo beacon=20", Called(0, "dudo", "", 20)),
        ("B calza salt=9f86d081 beacon=340", Called(1, "calza", "9f86d081", 340)),
        ("C resign beacon=1", Resigned(2, "", 1)),
        (f"beacon 340 {value_of(340)}", Beacon(340, value_of(340))),
        ("beacon 340 -", Beacon(340)),
    ],
)
def test_a_line_of_the_beacon_reads_back(line: str, event: Event) -> None:
    assert read_event(line) == event and write_event(event) == line


@each_row(
    "line",
    [
        "A dudo beacon=0",
        "A dudo beacon=",
        "A dudo beacon=07",
        "A dudo beacon=x",
        "A dudo beacon=1234567890",
        "A dudo beacon=20 salt=9f86d081",
        "A 4-2s beacon=20",
        "beacon 340",
        "beacon 0 -",
        "beacon -",
        f"beacon 340 {value_of(340)[1:]}",
        f"beacon 340 {value_of(340).upper()}",
        f"beacon 340 {value_of(340)} x",
        "beacon x -",
    ],
)
def test_a_malformed_line_of_the_beacon_is_not_an_event(line: str) -> None:
    with pytest.raises(Refused, match="unreadable_event"):
        read_event(line)


@pytest.fixture(scope="module")
def record() -> Record:
    return proven_game(RULE_SETS["pbmserv"], 3, Random(11), beacons=True)


def lines_of(record: Record) -> list[str]:
    return list(record.lines)


def place_of(lines: list[str], begins: str, nth: int = 1) -> int:
    return [n for n, line in enumerate(lines) if line.startswith(begins)][nth]


def drop_value(lines: list[str]) -> None:
    del lines[place_of(lines, "beacon ")]


def drop_announcement(lines: list[str]) -> None:
    place = place_of(lines, "beacon ") - 1
    lines[place] = lines[place].partition(" beacon=")[0]


def drop_both(lines: list[str]) -> None:
    drop_announcement(lines)
    drop_value(lines)


def other_round(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    words = lines[place].split()
    lines[place] = f"beacon {int(words[1]) + 20} {words[2]}"


def other_round_in_both(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    number = lines[place].split()[1]
    for each in (place - 1, place):
        lines[each] = lines[each].replace(number, str(int(number) + 20))


def other_value(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    lines[place] = f"beacon {lines[place].split()[1]} {value_of(1)}"


def no_value(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    lines[place] = f"beacon {lines[place].split()[1]} -"


def twice(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    lines.insert(place, lines[place])


def behind_the_cups(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    lines.insert(place + 1, lines.pop(place))


def behind_the_deal(lines: list[str]) -> None:
    place = place_of(lines, "beacon ")
    line = lines.pop(place)
    deal = next(n for n in range(place, len(lines)) if lines[n].startswith("deal "))
    lines.insert(deal + 1, line)


def a_bid_between(lines: list[str]) -> None:
    lines.insert(place_of(lines, "beacon "), "A 15-6s")


def malformed(lines: list[str]) -> None:
    lines[place_of(lines, "beacon ")] += "0"


def unannounced_for_a_bid(lines: list[str]) -> None:
    lines.insert(place_of(lines, "beacon ") - 1, f"beacon 340 {value_of(340)}")


@each_row(
    "change",
    [
        drop_value,
        drop_announcement,
        drop_both,
        other_round,
        other_round_in_both,
        other_value,
        no_value,
        twice,
        behind_the_cups,
        behind_the_deal,
        a_bid_between,
        malformed,
        unannounced_for_a_bid,
    ],
)
def test_a_forged_beacon_breaks_the_proof(record: Record, change: object) -> None:
    """Though the seal is computed anew, `verify` and `referee` refuse the record."""
    lines = lines_of(record)
    assert callable(change)
    change(lines)
    text = write_lines(lines)
    with pytest.raises(Refused):
        verify(read_record(text))
    report = referee(text, "forged.txt")
    assert report.fault and report.line


def test_a_record_that_ends_at_a_waiting_call_is_that_of_a_running_game(record: Record) -> None:
    """Every letter of the call shows the digest of these lines, so they stood before the value."""
    lines = lines_of(record)
    text = write_lines(lines[: place_of(lines, "beacon ")])
    found = verify(read_record(text))
    assert found[-1].why == "running"
    report = referee(text, "running.txt")
    assert report.running and not report.fault


def test_a_value_that_was_known_at_the_call_proves_nothing(record: Record) -> None:
    """A forger who names an old round of the beacon has a sound record, and is found out."""
    assert not any("known" in each for each in of_beacon(verify(record), None))
    proofs = verify(record)
    first, second, *_ = (place for place, each in enumerate(proofs) if each.beacon)
    for number, is_known in ((0, True), (1, True), (EVERY + 1, False)):
        named = proofs[first].beacon
        assert named is not None
        again = Beacon(named.round - 1 + number, value_of(1))
        forged = [*proofs[:second], proofs[second]._replace(beacon=again)]
        assert ("known" in of_beacon(forged, None)[-1]) == is_known


def test_a_value_from_before_the_game_proves_nothing(record: Record) -> None:
    """A forger can choose among old rounds.  Without a day of the start, nothing is claimed."""
    proofs = verify(record)
    place = next(place for place, each in enumerate(proofs) if each.beacon)
    midnight = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp())
    first = beacon.round_at(midnight - 1) + 1
    for number, is_early in ((20, True), (first - 1, True), (first, False), (first + 20, False)):
        named = [proofs[place]._replace(beacon=Beacon(number, value_of(number)))]
        (told,) = of_beacon(named, "2026-11-20")
        assert ("known" in told) == ("early" in told) == is_early
        assert all("known" not in of_beacon(named, day)[0] for day in (None, "2026-02-30"))


def test_an_old_record_without_a_beacon_is_proven_as_before() -> None:
    plain_game = proven_game(RULE_SETS["pbmserv"], 3, Random(11))
    assert write_record(plain_game).startswith("pbmserv record 2\n")
    assert all(each.proven and each.beacon is None for each in verify(plain_game))


def test_a_study_may_leave_the_beacon_out_or_name_it() -> None:
    text = "position pyrudo 22/5/- B 7 30 A:2-2s\nB dudo beacon=20\n"
    text += f"beacon 20 {value_of(20)}\nlose B\n"
    assert referee(text, "study.txt").fault == {}
    assert referee(text.replace(" beacon=20", "").replace("beacon 20", "beacon 40"), "x").fault
