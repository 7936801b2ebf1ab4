"""Whole random games for the tests: hypothesis chooses rules, seats, dice and every move."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from pbmserv.games.perudo.beacon import with_beacon
from pbmserv.games.perudo.commitments import chain, chain_of, commitment
from pbmserv.games.perudo.dice import SealedDice, from_rolls
from pbmserv.games.perudo.notation import public, write_event
from pbmserv.games.perudo.player_salts import salt_of
from pbmserv.games.perudo.record import BEACON_VERSION, Record, write_lines
from pbmserv.games.perudo.rules import OPTIONS, RULE_SETS, Rules, rules_named, with_options
from pbmserv.games.perudo.table import (
    Action,
    Beacon,
    Call,
    Dealt,
    Dice,
    Event,
    Resign,
    Revealed,
    Table,
    after_all,
    legal_actions,
    legal_calls,
    new_table,
    open_cups,
    play,
    start,
    stop,
)

NOW = 1_700_000_000
NAMES = ("ann", "bob", "cleo", "dan", "eve", "fay")


def sealed(record: Record) -> Record:
    """The record with a right seal over its lines, as a skilled forger makes it."""
    return replace(record, seal=chain_of(record.lines).hex())


def write_record(record: Record) -> str:
    """The whole text of a record; one without a seal is sealed."""
    return write_lines(record.lines, record.seal)


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """One of the five, with any of its options."""
    name = draw(st.sampled_from(list(RULE_SETS)))
    options = {}
    for option, choice in OPTIONS[name].items():
        if option not in {"dice", "faces"} and draw(st.booleans()):
            options[option] = draw(st.sampled_from(list(choice.values)))
    if draw(st.booleans()):
        options["dice"] = str(draw(st.integers(1, 6)))
        options["faces"] = str(draw(st.integers(2, 9)))
    return with_options(rules_named(name), options)


randoms = st.integers(0, 2**32).map(Random)
seats = st.integers(2, 6)


def plain(random: Random) -> Dice:
    return from_rolls(lambda faces: random.randint(1, faces))


def an_action(table: Table, random: Random) -> tuple[int, Action]:
    """A legal action of any seat: mostly on turn, at times an exact call out of turn."""
    if random.random() < 0.02:
        return table.turn, Resign()
    for seat in range(len(table.cups)):
        words = legal_calls(table, seat)
        if words and (seat != table.turn and random.random() < 0.1):
            return seat, Call(words[0])
    actions = legal_actions(table)
    calls = [action for action in actions if isinstance(action, Call)]
    if calls and random.random() < 0.25:
        return table.turn, random.choice(calls)
    return table.turn, random.choice(actions[: len(actions) // 3 + 1])


def moves(
    table: Table, random: Random, dice: Dice
) -> Iterator[tuple[Table, int, Action, tuple[Event, ...]]]:
    """Every move of a game from a started table: the table before it, and what it led to."""
    while table.winner is None:
        seat, action = an_action(table, random)
        events = play(table, seat, action, dice)
        yield table, seat, action, events
        table = after_all(table, events)


def value_of(number: int) -> str:
    """A value of a round of the beacon."""
    return hashlib.sha256(f"drand {number}".encode()).hexdigest()


def proven_game(
    rules: Rules,
    players: int,
    random: Random,
    most_moves: int = 10**9,
    stopping: float = 0.0,
    *,
    beacons: bool = False,
) -> Record:
    """A game with provable dice, played to its end (or for so many moves), as its record.

    `stopping` is the chance of every move that the game is stopped instead.  Seat 0 is a bot, whose
    moves have no salts.  Every third move of the others has words of its player in it.  With
    `beacons` every call waits for a value of the beacon, which is that of `value_of`.
    """
    seeds = (hashlib.sha256(b"%d" % random.getrandbits(64)).digest() for _ in iter(int, 1))
    record = Record(12, rules, NAMES[:players])
    running, coming = None, next(seeds)
    salts = ((1, salt_of("<accepted@example.org>")),)
    record = Record(12, rules, NAMES[:players], (), "2026-11-20", commitment(coming), salts=salts)
    digest = bytes(32)
    for line in record.header:
        digest = chain(digest, line)
    if beacons:
        record = replace(record, version=BEACON_VERSION)
        digest = chain_of(record.header)
    table = new_table(rules, players)
    happened: tuple[Event, ...] = ()
    while table.winner is None and table.move <= most_moves:
        fresh = next(seeds)
        dice = SealedDice(running, coming, fresh, digest)
        if not table.round:
            events = start(table, dice)
        elif stopping and random.random() < stopping:
            events = stop(table, dice)
        elif table.pending and table.pending.beacon:
            number = table.pending.beacon
            events = open_cups(table, Beacon(number, value_of(number)), dice)
        else:
            seat, action = an_action(table, random)
            words = f"word {table.move}" if table.move % 3 == 0 else ""
            salt = salt_of(f"<{table.move}@example.org>" if seat else "", words)
            action = replace(action, salt=salt)
            action = with_beacon(action, NOW + 600 * table.move) if beacons else action
            events = play(table, seat, action, dice)
        if any(isinstance(event, Dealt) for event in events):
            running, coming = coming, fresh
        for event in events:
            digest = chain(digest, write_event(public(event)))
        happened += tuple(public(event) for event in events)
        table = after_all(table, events)
    return sealed(replace(record, events=happened))


def without_proof(record: Record, rounds: set[int]) -> Record:
    """The record of a server that leaves out the seeds of these rounds everywhere."""
    events: list[Event] = []
    number = 0
    for event in record.events:
        number = event.round if isinstance(event, Dealt) else number
        if isinstance(event, Dealt) and number + 1 in rounds:
            events.append(replace(event, commitment=None))
        elif isinstance(event, Revealed) and number in rounds:
            events.append(replace(event, seed=None))
        else:
            events.append(event)
    commitment = None if 1 in rounds else record.commitment
    return sealed(replace(record, commitment=commitment, events=tuple(events)))
