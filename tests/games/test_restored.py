"""A round that is rolled again after a restore: the record says so, and its proofs still hold."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from pbmserv.errors import Refused
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.dice import SealedDice
from pbmserv.games.perudo.notation import (
    public,
    read_event,
    read_position,
    write_event,
    write_position,
)
from pbmserv.games.perudo.record import Record, read_record
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import Rules, rules_named
from pbmserv.games.perudo.table import (
    Dealt,
    Restored,
    Revealed,
    Table,
    after_all,
    new_table,
    play,
    roll_again,
    start,
    stop,
)
from pbmserv.games.perudo.verify import verify
from tests.games.games import (
    NAMES,
    an_action,
    plain,
    randoms,
    rule_sets,
    sealed,
    seats,
    write_record,
)


def restored_game(rules: Rules, players: int, random: Random) -> Record:
    """A proven game of some moves, in which two rounds are rolled again, and that is stopped."""
    seeds = [random.randbytes(32) for _ in range(400)]
    running, following = b"", seeds.pop()
    record = Record(12, rules, NAMES[:players], (), "2026-11-22", commitment(following))
    table = new_table(rules, players)
    record = sealed(record)
    moves = 0
    while table.winner is None and moves < 40:
        fresh = seeds.pop()
        anew = moves in {7, 20}
        if anew:
            following = seeds.pop()
        chain = bytes.fromhex(str(record.seal))
        dice = SealedDice(running or None, following, fresh, chain)
        if not table.round:
            events = start(table, dice)
        elif anew:
            events = roll_again(table, commitment(following), dice)
        elif moves == 39:
            events = stop(table, dice)
        else:
            events = play(table, *an_action(table, random), dice)
        if any(isinstance(event, Dealt) for event in events):
            running, following = following, fresh
        table = after_all(table, events)
        shown = tuple(public(event) for event in events)
        record = sealed(replace(record, events=(*record.events, *shown)))
        moves += 1
    return record


@pytest.fixture(scope="module")
def record() -> Record:
    return restored_game(rules_named("bga"), 3, Random(5))


def test_the_record_of_rerolled_rounds_reads_back_and_is_proven(record: Record) -> None:
    text = write_record(record)
    assert text.count("\nrestored ") == 2
    assert read_record(text) == record
    found = verify(record)
    assert all(proof.proven for proof in found)
    events = record.events
    after = [
        event.round
        for place, event in enumerate(events)
        if isinstance(event, Dealt) and isinstance(events[max(0, place - 2)], Restored)
    ]
    assert len(after) == 2
    assert [proof.round for proof in found if proof.why == "restored"] == after
    report = referee(text, "restored.txt")
    assert report.fault == {}


def test_another_commitment_is_found_out(record: Record) -> None:
    place = next(n for n, event in enumerate(record.events) if isinstance(event, Restored))
    forged = list(record.events)
    forged[place] = Restored("0" * 64)
    with pytest.raises(Refused, match="proof_broken"):
        verify(sealed(replace(record, events=tuple(forged))))


@given(rule_sets(), seats, randoms)
def test_rolling_again_favours_no_player(rules: Rules, players: int, random: Random) -> None:
    """The same dice for everybody, who opened the round opens it, and Palifico stays."""
    dice = plain(random)
    table = after_all(new_table(rules, players), start(new_table(rules, players), dice))
    for _ in range(random.randrange(12)):
        if table.winner is None:
            table = after_all(table, play(table, *an_action(table, random), dice))
    if table.winner is not None:
        with pytest.raises(Refused, match="game_over"):
            roll_again(table, None, dice)
        return
    events = roll_again(table, None, dice)
    assert events[:2] == (Restored(None), Revealed(table.cups, None, None))
    again = after_all(table, events)
    opener = table.bids[0][0] if table.bids else table.turn
    assert (again.counts, again.palifico, again.turn) == (table.counts, table.palifico, opener)
    assert (again.round, again.move, again.bids) == (table.round + 1, table.move, ())
    assert read_position(write_position(again)) == again


def test_a_game_that_has_not_begun_is_not_rolled_again() -> None:
    table: Table = new_table(rules_named("bga"), 2)
    with pytest.raises(Refused, match="not_started"):
        roll_again(table, None, plain(Random(1)))


def test_a_restored_event_reads_back() -> None:
    for event in (Restored("ab" * 32), Restored()):
        assert read_event(write_event(event)) == event
    assert write_event(Restored("ab" * 32)) == "restored " + "ab" * 32
    assert write_event(Restored()) == "restored"
    with pytest.raises(Refused, match="unreadable_event"):
        read_event("restored soon")
