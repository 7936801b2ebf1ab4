"""The laws of every rule set, on random whole games."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import (
    public,
    read_event,
    read_position,
    read_view,
    write_event,
    write_position,
    write_view,
)
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.games.perudo.table import (
    Bade,
    Bid,
    Call,
    Called,
    Dealt,
    Drawn,
    Eliminated,
    Event,
    Gained,
    Lost,
    PlainDice,
    Raise,
    Resigned,
    Revealed,
    Table,
    Won,
    after,
    after_all,
    legal_calls,
    legal_raises,
    most_dice,
    new_table,
    play,
    smallest_raises,
    start,
    view,
)
from pbmserv.games.perudo.verify import verify
from tests.examples import examples
from tests.games.games import write_record
from tests.rows import each_row

from .games import moves, plain, proven_game, randoms, rule_sets, seats

pytestmark = pytest.mark.long

few = settings(max_examples=examples(60))


def begun(rules: Rules, players: int, random: Random) -> Table:
    table = new_table(rules, players)
    return after_all(table, start(table, plain(random)))


@few
@given(rule_sets(), seats, randoms)
def test_dice_are_conserved(rules: Rules, players: int, random: Random) -> None:
    """A die leaves the table only as lost or with a resignation, and comes back only as gained."""
    table = begun(rules, players, random)
    for before, _, _, events in moves(table, random, plain(random)):
        dice = sum(before.counts)
        dice -= sum(isinstance(event, Lost) for event in events)
        dice += sum(isinstance(event, Gained) for event in events)
        for event in events:
            if isinstance(event, Resigned):
                dice -= before.counts[event.seat]
        assert sum(after_all(before, events).counts) == dice
        assert max(before.counts) <= rules.dice


@few
@given(rule_sets(), seats, randoms)
def test_a_game_ends_with_exactly_one_winner(rules: Rules, players: int, random: Random) -> None:
    """The winner alone has dice left, and after that nothing may be played."""
    table = begun(rules, players, random)
    happened: list[Event] = []
    for before, _, _, events in moves(table, random, plain(random)):
        happened += events
        table = after_all(before, events)
    assert [isinstance(event, Won) for event in happened].count(True) == 1
    assert isinstance(happened[-1], Won)
    assert [seat for seat, count in enumerate(table.counts) if count] == [table.winner]
    for seat in range(players):
        with pytest.raises(Refused, match="game_over"):
            play(table, seat, Call("dudo"), PlainDice())


@few
@given(rule_sets(), seats, randoms)
def test_each_round_ends(rules: Rules, players: int, random: Random) -> None:
    """A round has at most as many bids as there are bids; the turn moves on among the living."""
    table = begun(rules, players, random)
    for before, seat, action, events in moves(table, random, plain(random)):
        table = after_all(before, events)
        assert len(before.bids) <= most_dice(before) * rules.faces
        assert table.move == before.move + 1
        assert table.winner is not None or table.cups[table.turn]
        if isinstance(action, Raise):
            assert events == (Bade(seat, action.bid),)
            assert table.round == before.round
        elif table.winner is None:
            assert table.round == before.round + 1
            assert table.bids == ()


@pytest.mark.slow
@few
@given(rule_sets(), seats, randoms)
def test_legal_raises_are_what_play_accepts(rules: Rules, players: int, random: Random) -> None:
    """Over every quantity 0..cap+1 and face 0..faces+1; the smallest raises are among them.

    A refusal offers the smallest of the refused face first, and then these.
    """
    for table, _, _, _ in moves(begun(rules, players, random), random, plain(random)):
        if table.move % 3:
            continue
        listed = list(legal_raises(table))
        accepted = []
        for quantity in range(most_dice(table) + 2):
            for face in range(rules.faces + 2):
                try:
                    play(table, table.turn, Raise(Bid(quantity, face)), PlainDice())
                except Refused as refusal:
                    of_face = [each for each in listed if each.face == face][:1]
                    offered = dict.fromkeys(map(str, (*of_face, *smallest_raises(table))))
                    assert refusal.facts["smallest"] == list(offered)
                else:
                    accepted.append(Bid(quantity, face))
        assert listed == accepted
        assert set(smallest_raises(table)) <= set(listed)
        assert bool(smallest_raises(table)) == bool(listed)
        assert list(legal_raises(view(table, table.turn))) == listed


@few
@given(rule_sets(), seats, randoms)
def test_legal_calls_are_what_play_accepts(rules: Rules, players: int, random: Random) -> None:
    """This holds for every seat, on turn or not. A view lists the same calls as the table."""
    for table, _, _, _ in moves(begun(rules, players, random), random, plain(random)):
        for seat in range(players):
            accepted = []
            for word in ("dudo", "calza", "pacao"):
                try:
                    play(table, seat, Call(word), PlainDice())
                except Refused:
                    continue
                accepted.append(word)
            assert legal_calls(table, seat) == tuple(accepted)
            assert legal_calls(view(table, seat), seat) == tuple(accepted)


@few
@given(rule_sets(), seats, randoms)
def test_a_view_holds_no_other_cup(rules: Rules, players: int, random: Random) -> None:
    """Dice of others are 0; where counts are hidden, their cups are empty."""
    for table, _, _, _ in moves(begun(rules, players, random), random, plain(random)):
        for reader in (None, *range(players)):
            seen = view(table, reader)
            for seat, cup in enumerate(seen.cups):
                hidden = rules.hidden and seat != reader and bool(table.cups[seat])
                if seat == reader:
                    assert cup == table.cups[seat]
                else:
                    assert not any(cup)
                    assert len(cup) == (0 if hidden else len(table.cups[seat]))
                assert seen.counts[seat] == (None if hidden else len(table.cups[seat]))
                assert seen.out[seat] == (not table.cups[seat])


@few
@given(rule_sets(), seats, randoms)
def test_a_spectator_can_follow(rules: Rules, players: int, random: Random) -> None:
    """Public events, read again from their lines, give the table but for the unknown dice."""
    table = begun(rules, players, random)
    public_table = read_position(write_view(view(table, None)))
    for before, _, _, events in moves(table, random, plain(random)):
        table = after_all(before, events)
        for event in events:
            assert read_event(write_event(event)) == event
            public_table = after(public_table, read_event(write_event(public(event))))
        if not rules.hidden:
            assert view(public_table, None) == view(table, None)


@pytest.mark.slow
@few
@given(rule_sets(), seats, randoms)
def test_positions_and_views_read_back(rules: Rules, players: int, random: Random) -> None:
    """Write and read is the identity for every position of a game and every view of it."""
    tables = [new_table(rules, players), begun(rules, players, random)]
    for before, _, _, events in moves(tables[1], random, plain(random)):
        tables.append(after_all(before, events))
    for table in tables:
        assert read_position(write_position(table)) == table
        for reader in (None, *range(players)):
            seen = view(table, reader)
            assert read_view(write_view(seen)) == seen
            assert view(read_position(write_view(seen)), reader) == seen


@settings(max_examples=examples(30))
@given(rule_sets(), seats, randoms, st.sampled_from((7, 10**9)))
def test_records_read_back_and_hold(
    rules: Rules, players: int, random: Random, most_moves: int
) -> None:
    """A record reads back as itself, the referee finds no fault, every round is proven."""
    record = proven_game(rules, players, random, most_moves, stopping=0.02)
    text = write_record(record)
    assert read_record(text) == record
    report = referee(text, "game.txt")
    assert report.fault == {}
    proofs = verify(record)
    assert list(report.proven) == proofs
    assert all(proof.proven or proof.why == "running" for proof in proofs)
    over = any(isinstance(event, Won | Drawn) for event in record.events)
    assert sum(not proof.proven for proof in proofs) == (not over)


@each_row("name", [name for name, rules in RULE_SETS.items() if rules.wild])
@each_row("frozen", [False, True])
def test_every_raise_climbs(name: str, frozen: bool) -> None:
    """The level of a bid rises with every legal raise, so that no round goes on for ever.

    level(QxF) = Q + F/10, level(n ones) = 2n + 0.9.
    """
    from pbmserv.games.perudo.bidding import objection, raises

    def level(bid: Bid) -> float:
        return 2 * bid.quantity + 0.9 if bid.face == 1 else bid.quantity + bid.face / 10

    rules = RULE_SETS[name]
    for last in raises(rules, 30, True, None):
        for bid in raises(rules, 30, frozen, last):
            assert not objection(rules, 30, frozen, last, bid)
            assert level(bid) > level(last)


@pytest.mark.parametrize("raising", ["quantity", "strict"])
def test_every_plain_raise_climbs(raising: str) -> None:
    """With pbmserv's two ordered raises no bid can come back, even without being remembered."""
    from pbmserv.games.perudo.bidding import raises

    rules = RULE_SETS["pbmserv"]._replace(raising=raising)
    for last in raises(rules, 12, False, None):
        for bid in raises(rules, 12, False, last):
            assert (bid.quantity, bid.face) > (last.quantity, last.face)


@few
@given(rule_sets(), seats, randoms)
def test_a_call_costs_the_documented_dice(rules: Rules, players: int, random: Random) -> None:
    """The documents' sentences on calls, written once more in another way."""
    for table, seat, action, events in moves(begun(rules, players, random), random, plain(random)):
        if not isinstance(action, Call):
            continue
        bidder, bid = table.bids[-1]
        dice = [die for cup in table.cups for die in cup]
        wild = rules.wild and (table.palifico is None or rules.palifico_wild)
        total = sum(die in ({bid.face, 1} if wild and bid.face > 1 else {bid.face}) for die in dice)
        assert events[:2] == (Called(seat, action.word), Revealed(table.cups, total, None))
        if action.word == "calza" and total == bid.quantity:
            full = table.counts[seat] == rules.dice
            assert events[2:-1] == (() if full else (Gained(seat),))
            expected = seat
        else:
            true = total >= bid.quantity
            loser = bidder if true == (action.word == "pacao") else seat
            if action.word == "calza":
                loser = seat
            gone = table.counts[loser] == 1
            assert events[2:-1] == (Lost(loser), *([Eliminated(loser)] if gone else []))
            expected = {"winner": bidder + seat - loser, "loser": loser, "after_loser": loser + 1}[
                rules.starter
            ]
        last = events[-1]
        if isinstance(last, Dealt):
            while not after_all(table, events).cups[expected % players]:
                expected += 1
            assert last.starter == expected % players
