"""The inputs of the networks: those that their modules tell, and the same in the training."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pbmserv.games.perudo.bots import multiplayer_inputs, network
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.network_inputs import (
    DOUBT,
    FACES,
    INPUTS,
    KINDS,
    RoundOfTwo,
    cell,
    cup_inputs,
    most,
    place,
    position,
    public_inputs,
)
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Bid, View, new_table, view
from scripts.training import two_player_rules
from scripts.training.two_player_rounds import Rounds, Seen, pairs


def _seen(written: str) -> View:
    table = read_position(written)
    return view(table, table.turn)


def test_the_inputs_of_two_are_those_of_the_table_in_the_module() -> None:
    known = position(_seen("pbmserv 11234/123 A 1 3 A:2-5s,B:3-6s"))
    assert known is not None
    own = counting((1, 1, 2, 3, 4), FACES, wild=False)
    assert [*public_inputs(known)] == [
        *(4, 7, 15, 16, 17, 18),  # five and three dice; the last bid is three 6s
        *(26 + 10, 86 + 17),  # two 5s, three 6s
        *(166, 167, 201, 202, 203, 206, 207),
    ]
    assert cup_inputs(own, known.last) == [214, 215, 219, 224, 229, 244 + 5]
    assert max(public_inputs(known)) < INPUTS
    # Four 6s need four dice beside the cup, and one beyond the other's three.
    assert cell(Bid(4, 6), own, (0, 0, 0, 0, 0, 3)) == 5 * 8 + 4


def test_the_inputs_of_three_are_those_of_the_table_in_the_module() -> None:
    known = multiplayer_inputs.position(_seen("pbmserv 12344/123/12 A 1 3 A:2-5s,B:1-6s,C:3-4s"))
    assert known is not None
    own = counting((1, 2, 3, 4, 4), FACES, wild=False)
    assert sorted(multiplayer_inputs.public_inputs(known)) == sorted(
        [
            *(4, 5 + 2, 10 + 1),  # the dice of each place
            *(15, 16, 17),  # five hidden dice
            *(23 + 3, 29, 30, 31),  # three 4s
            *(41 + 4, 41 + 6, 41 + 7, 53 + 5, 53 + 6, 65 + 3, 65 + 6, 65 + 7, 65 + 8),
            *(77 + 4, 77 + 6, 77 + 7, 91 + 5, 91 + 6),
            *(105 + 24, 105 + 25, 141 + 30, 177 + 18, 177 + 19, 177 + 20),
            *(213, 214, 215),
        ]
    )
    found = multiplayer_inputs.cup_inputs(known.layout, known.last, known.expected_of_last, own)
    assert found == [224, 229, 234, 239, 240, 254 + 3, 266 + 5]
    # Four 4s need two dice beside the cup, where one is expected.  One other has bid three 4s.
    assert multiplayer_inputs.cells(known, Bid(4, 4)).of(2) == (3 * 6 + 1, 60 + 1 * 8 + 2)


@pytest.mark.parametrize("more", ["", "/12345"])
def test_the_highest_inputs_of_several_are_below_their_number(more: str) -> None:
    bids = "A:1-6s,B:2-5s,C:3-4s,A:12-6s"
    known = multiplayer_inputs.position(_seen(f"pbmserv 66666/12345/12345{more} B 1 3 {bids}"))
    assert known is not None
    at, own = known.layout, counting((1,), FACES, wild=False)
    cup = multiplayer_inputs.cup_inputs(at, known.last, known.expected_of_last, own)
    assert max(cup) == at.inputs - 1
    assert max(multiplayer_inputs.public_inputs(known)) < at.cup


def test_a_table_of_four_has_more_inputs() -> None:
    three, four = map(multiplayer_inputs.layout, multiplayer_inputs.PLAYERS)
    assert (three.inputs, three.tables, four.inputs, four.tables) == (277, 84, 349, 92)
    assert (three.palifico, three.cup, four.palifico, four.cup) == (223, 224, 295, 296)


def test_wild_ones_and_palifico_count_in_the_inputs_of_three() -> None:
    wild = multiplayer_inputs.position(_seen("bga 1/12345/12345 A 1 8 C:3-6s"))
    palifico = multiplayer_inputs.position(_seen("bga 1/12345/12345 A 1 8 C:3-6s palifico=C"))
    assert wild is not None
    assert palifico is not None
    assert (wild.expected(6), wild.expected(1), palifico.expected(6)) == (3, 2, 2)
    only = {*multiplayer_inputs.public_inputs(palifico)} - {*multiplayer_inputs.public_inputs(wild)}
    assert only == {223}


_BIDS = [Bid(quantity, face) for quantity in range(1, 11) for face in range(1, 7)]


def _positions(kind: str, seen: Seen) -> Iterator[RoundOfTwo]:
    for palifico, (own, other), made, heard, last in zip(
        seen.palifico.tolist(),
        seen.counts.tolist(),
        seen.made,
        seen.heard,
        seen.last.tolist(),
        strict=True,
    ):
        mine, its = (tuple(bid for bid in _BIDS if bids[place(bid)]) for bids in (made, heard))
        yield RoundOfTwo(
            kind, palifico, own, other, mine, its, last=None if last < 0 else _BIDS[last]
        )


def _legal(known: RoundOfTwo) -> list[int]:
    """The numbers of the actions that the network considers here."""
    bids = sorted([(0, bid) for bid in known.made] + [(1, bid) for bid in known.heard])
    bids.sort(key=lambda each: each[1] == known.last)  # the others in any order
    table = new_table(KINDS[known.kind], 2)._replace(
        cups=((1,) * known.own, (1,) * known.other),
        round=1,
        bids=tuple(bids),
        palifico=0 if known.palifico else None,
    )
    return sorted(network.Choice(view(table, 0), known).numbers)


@pytest.mark.parametrize("kind", KINDS)
def test_the_training_sees_what_the_network_sees(kind: str) -> None:
    """Rounds by chance: inputs, legal actions and places in the table are the same."""
    chance = np.random.default_rng(5)
    rounds, rows = (
        Rounds(two_player_rules.kind(kind), chance, 20, pairs(2, 10)),
        np.arange(20),
    )
    for _ in range(4):
        seen = rounds.views(rows)
        inputs, cells, legal = seen.inputs(), seen.cells(), seen.legal()
        for row, known in enumerate(_positions(kind, seen)):
            assert _legal(known) == np.flatnonzero(legal[row]).tolist()
            cup = tuple(seen.cup[row].tolist())
            active = {*public_inputs(known), *cup_inputs(cup, known.last)}
            assert set(np.flatnonzero(inputs[row]).tolist()) == active
            for bid in _BIDS:
                assert cells[row, place(bid), 0] == cell(bid, cup, most(known.heard))
        raises = legal[:, :DOUBT]
        rows = rows[raises.any(axis=1)]
        bids = [chance.choice(np.flatnonzero(each)) for each in raises if each.any()]
        rounds.bid(rows, np.array(bids))
