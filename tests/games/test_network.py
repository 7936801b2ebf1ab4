"""The network of rounds of two: its choices are legal, mixed, and the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.hands import counting, hands
from pbmserv.games.perudo.bots.network_inputs import (
    DOUBT,
    FACES,
    INPUTS,
    KINDS,
    OTHER_CALL,
    Position,
    cell,
    cup_inputs,
    most,
    place,
    position,
    public_inputs,
)
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import (
    Action,
    Bid,
    Call,
    Raise,
    View,
    legal_actions,
    new_table,
    view,
)
from scripts import (
    arena_network,
    arena_reader,
    training_network,
    training_network_layers,
    training_network_reader,
    training_network_rules,
)
from scripts.training_network_rounds import Rounds, Seen, pairs

POSITIONS = (
    "pbmserv 11234/12345 A 1 3 -",
    "pbmserv 12345/12345 A 1 3 A:2-5s,B:3-5s",
    "pbmserv 12345/-/1 A 5 9 C:2-4s",
    "pbmserv 12/12 A 5 9 A:1-6s,B:3-1s",
    "pbmserv 123/1234 B 1 8 B:1-6s,A:2-4s,B:1-5s,A:2-1s,B:1-2s,A:1-4s",
    "pbmserv 1/12345 A 5 9 B:6-6s",
    "pacao 11234/12345 A 1 3 -",
    "pacao 12345/123 A 1 8 A:2-5s,B:2-1s,A:5-4s,B:5-6s",
    "pacao 1/12345 A 5 9 B:3-4s",
    "pacao 1/12345 A 5 9 A:1-2s,B:2-1s",
)

READ = (
    "pbmserv 11234/12345 A 1 3 -",
    "pbmserv 12/123 A 1 3 B:1-4s",
    "pbmserv 1234/1134 A 1 8 B:1-6s,A:2-4s,B:1-5s",
    "pbmserv 112/145 B 1 8 B:1-6s,A:2-4s,B:1-5s,A:2-1s",
    "pacao 112/145 A 1 3 -",
    "pacao 112/145 B 1 8 B:1-6s,A:2-4s",
    "pacao 1/1345 A 1 8 A:1-6s,B:2-5s",
    "pacao 134/1 A 1 8 A:1-6s,B:2-6s",
)

STORED = (
    (
        "pbmserv 11234/12345 A 1 3 -",
        "1-1s 0.127340597087, 1-2s 0.073332622106, 1-3s 0.091661076220, 1-4s 0.126347691735, "
        "1-5s 0.138249116426, 1-6s 0.214307944421, 2-1s 0.086434709945, 2-2s 0.017991792860, "
        "2-3s 0.011160937777, 2-5s 0.029003352288, 2-6s 0.070794439903",
    ),
    (
        "pbmserv 12345/12345 A 1 3 A:2-5s,B:3-5s",
        "1-6s 0.299337146810, 2-6s 0.095460439656, 4-5s 0.072868238912, dudo 0.530065095352",
    ),
    (
        "pbmserv 123/1234 B 1 8 B:1-6s,A:2-4s,B:1-5s,A:2-1s,B:1-2s,A:1-4s",
        "2-2s 0.024981788833, 2-3s 0.239000829658, 2-5s 0.120486129914, 2-6s 0.089136098109, "
        "3-4s 0.520782760476",
    ),
    (
        "pbmserv 13/46 B 5 9 A:1-3s",
        "1-4s 0.763410241662, 1-5s 0.051880693192, 1-6s 0.173875862778",
    ),
    (
        "pacao 11234/12345 A 1 3 -",
        "1-1s 0.040143097301, 1-2s 0.051368552195, 1-3s 0.055768993674, 1-4s 0.058222445306, "
        "1-5s 0.049590588429, 1-6s 0.037559044485, 2-1s 0.237308455569, 2-2s 0.047130501191, "
        "2-3s 0.043411678263, 2-4s 0.044269590025, 2-5s 0.036259054173, 2-6s 0.053002408441, "
        "3-2s 0.063706756407, 3-3s 0.073633854378, 3-4s 0.072206884990, 3-5s 0.020396145147, "
        "3-6s 0.014913009807",
    ),
    (
        "pacao 1/134 A 1 8 B:2-4s",
        "dudo 0.016980964614, pacao 0.979353530855",
    ),
)


def _seen(written: str) -> View:
    table = read_position(written)
    return view(table, table.turn)


def _parts(weights: network.Weights) -> dict[str, NDArray[np.float32]]:
    """The weights as the training has them."""
    found: dict[str, NDArray[np.float32]] = {}
    for name, each in weights._asdict().items():
        values = (np.array(each) / (1 << network.ONE)).astype(np.float32)
        found[name] = values.T if name in {"second", "last"} else values
    return found


def _cups(seen: View) -> list[tuple[int, ...]]:
    return [own for _, own, _ in hands(len(seen.cups[seen.turn]), FACES, seen.rules.wild).held]


@pytest.mark.parametrize("written", POSITIONS)
def test_the_choices_of_every_cup_are_legal(written: str) -> None:
    table = read_position(written)
    legal = set(legal_actions(table))
    policy = bots.policy(_seen(written))
    for own in _cups(_seen(written)):
        found = policy(own)
        assert set(found) <= legal
        assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("written", POSITIONS)
def test_all_cups_at_once_have_the_same_choices(written: str) -> None:
    """What the reader computes in numpy is what `house` does, to the last digit."""
    seen = _seen(written)
    known = position(seen)
    assert known is not None
    policy = network.policy(seen)
    assert policy is not None
    found = arena_network.mixtures(seen, known)
    assert found == {own: policy(own) for own in _cups(seen)}


def test_most_choices_are_mixed() -> None:
    seen = _seen(POSITIONS[1])
    policy = bots.policy(seen)
    mixed = [max(policy(own).values()) < 0.9 for own in _cups(seen)]
    assert sum(mixed) > len(mixed) / 2


def test_chance_decides_between_the_choices() -> None:
    made = {bots.choose(_seen(POSITIONS[0]), chance=part / 50) for part in range(50)}
    assert len(made) > 1
    assert len({bots.choose(_seen(POSITIONS[0]), chance=0.3) for _ in range(3)}) == 1


@pytest.mark.parametrize(
    ("written", "is_played"),
    [
        ("pbmserv 12345/12345 A 5 9 -", True),
        ("pbmserv 12345/-/1 A 5 9 C:3-4s", True),
        ("pbmserv 12345/1/1 A 5 9 B:3-4s", False),
        ("pbmserv,raise=quantity 12345/12345 A 5 9 -", False),
        ("pbmserv,faces=8 12345/1 A 5 9 -", False),
        ("pbmserv,dice=7 1234566/1 A 5 9 -", False),
        ("pacao 12345/12345 A 5 9 -", True),
        ("pacao 1/-/12 A 5 9 C:2-4s", True),
        ("pacao,faces=8 12345/1 A 5 9 -", False),
        ("bga 12345/12345 A 5 9 -", False),
    ],
)
def test_it_plays_rounds_of_two_with_up_to_five_dice(written: str, is_played: bool) -> None:
    assert (network.policy(_seen(written)) is not None) is is_played


def test_the_inputs_are_those_of_the_table_in_the_module() -> None:
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


def _word(action: Action) -> str:
    return action.word if isinstance(action, Call) else str(getattr(action, "bid", action))


@pytest.mark.parametrize(("written", "mixture"), STORED)
def test_every_machine_finds_the_same_mixture(written: str, mixture: str) -> None:
    """Another network changes these figures: the failure shows the new ones."""
    seen = _seen(written)
    policy = network.policy(seen)
    assert policy is not None
    found = policy(counting(seen.cups[seen.turn], FACES, seen.rules.wild))
    likely = [(action, part) for action, part in found.items() if part >= 0.01]
    told = [f"{_word(each)} {part:.12f}" for each, part in likely]
    assert ", ".join(told) == mixture


def test_a_step_makes_an_action_a_little_less_likely() -> None:
    found = network.shares([0, -(1 << network.STEP), -(1 << 30)])
    assert found == [256 / 511, 255 / 511, 0]


_BIDS = [Bid(quantity, face) for quantity in range(1, 11) for face in range(1, 7)]


def _positions(kind: str, seen: Seen) -> Iterator[Position]:
    for palifico, (own, other), made, heard, last in zip(
        seen.palifico.tolist(),
        seen.counts.tolist(),
        seen.made,
        seen.heard,
        seen.last.tolist(),
        strict=True,
    ):
        mine, its = (tuple(bid for bid in _BIDS if bids[place(bid)]) for bids in (made, heard))
        yield Position(
            kind, palifico, own, other, mine, its, last=None if last < 0 else _BIDS[last]
        )


def _legal(known: Position) -> list[int]:
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
        Rounds(training_network_rules.kind(kind), chance, 20, pairs(2, 10)),
        np.arange(20),
    )
    for number in range(4):
        seen = rounds.seen(rows, number)
        inputs, cells, legal = seen.inputs(), seen.cells(), seen.legal()
        for row, known in enumerate(_positions(kind, seen)):
            assert _legal(known) == np.flatnonzero(legal[row]).tolist()
            cup = tuple(seen.cup[row].tolist())
            active = {*public_inputs(known), *cup_inputs(cup, known.last)}
            assert set(np.flatnonzero(inputs[row]).tolist()) == active
            for bid in _BIDS:
                assert cells[row, place(bid)] == cell(bid, cup, most(known.heard))
        raises = legal[:, :DOUBT]
        rows = rows[raises.any(axis=1)]
        bids = [chance.choice(np.flatnonzero(each)) for each in raises if each.any()]
        rounds.bid(rows, number, np.array(bids))


@pytest.mark.parametrize("kind", KINDS)
def test_training_makes_the_same_network_again(kind: str) -> None:
    """A tiny training learns from a seed: the same weights again, and others with another seed."""
    tiny = [each._replace(rounds=16, read=min(each.read, 1)) for each in training_network.PHASES]
    made = [training_network.file(f"{kind}-few", 3, seed, tiny) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert len(network.read(made[0]).first) == INPUTS


@pytest.mark.parametrize("written", READ)
def test_the_reader_of_the_training_is_that_of_the_arena(written: str) -> None:
    """Both choose the same action against the stored network, after the same bids."""
    seen = _seen(written)
    known = position(seen)
    assert known is not None
    parts = _parts(network.weights(network.name(known)))
    round_ = training_network_reader.Round(
        training_network_rules.kind(known.kind),
        known.palifico,
        (known.own, known.other),
        parts,
        training_network_layers.new(np.random.default_rng(1), INPUTS + 40, 1),
        np.random.default_rng(1),
        training_network_reader.Reader(),
        cup=np.array(counting(seen.cups[seen.turn], FACES, seen.rules.wild)),
        held=np.array([own for _, own, _ in hands(known.other, FACES, known.is_wild).held]),
        believed=np.array([part for *_, part in hands(known.other, FACES, known.is_wild).held]),
        bids=np.zeros((2, len(_BIDS)), bool),
    )
    for seat, bid in seen.bids:
        if seat != seen.turn:
            round_.answered(1, place(bid))
        round_.bid(place(bid), by_network=seat != seen.turn)
    chosen = arena_reader.choose(seen, bots.DEFAULT)
    if isinstance(chosen, Raise):
        made = place(chosen.bid)
    else:
        made = DOUBT if chosen == Call("dudo") else OTHER_CALL
    assert round_.replied() == made
