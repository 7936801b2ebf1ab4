"""The network of three players: its choices are legal, mixed, and the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import network, three
from pbmserv.games.perudo.bots.hands import Counting, counting, hands
from pbmserv.games.perudo.bots.three_inputs import (
    CUP,
    FACES,
    INPUTS,
    cells,
    cup_inputs,
    position,
    public_inputs,
)
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Bid, Raise, View, legal_actions, view
from scripts import (
    arena_reader,
    arena_three,
    training_network_layers,
    training_three,
    training_three_reader,
)
from scripts.training_three_rounds import CRITIC_INPUTS, Round

POSITIONS = (
    "pbmserv 11234/12345/12345 A 1 3 -",
    "pbmserv 12345/12345/12 A 1 8 A:2-5s,B:3-5s,C:1-6s",
    "pbmserv 123/-/12/1234 C 5 9 C:1-6s,D:2-4s,A:1-5s",
    "pbmserv 1/1/1 A 5 9 C:3-6s",
)

READ = (
    "pbmserv 1123/12/123 A 1 3 -",
    "pbmserv 12/123/14 A 1 8 B:1-4s,C:2-2s",
    "pbmserv 112/145/4 B 1 8 B:1-6s,C:2-4s,A:1-5s",
    "pbmserv 112/14/44 B 1 8 B:1-6s,C:2-4s,A:3-5s",
)

STORED = (
    (
        "pbmserv 11234/12345/12345 A 1 3 -",
        "1-1s 0.038962002891, 1-2s 0.052050553882, 1-3s 0.053496312785, 1-4s 0.044507577847, "
        "1-5s 0.070082406471, 1-6s 0.074611464432, 2-1s 0.029857669222, 2-2s 0.037174390414, "
        "2-3s 0.055631618899, 2-4s 0.045923210194, 2-5s 0.086575974677, 2-6s 0.315011493250, "
        "3-3s 0.022088817479",
    ),
    (
        "pbmserv 12345/12345/12 A 1 8 A:2-5s,B:3-5s,C:1-6s",
        "2-1s 0.192257417418, 2-2s 0.158706109351, 2-3s 0.156240818568, 2-4s 0.292253745751, "
        "2-6s 0.146183435007, 4-5s 0.043277789023",
    ),
    (
        "pbmserv 123/-/12/1234 C 5 9 C:1-6s,D:2-4s,A:1-5s",
        "2-1s 0.386446517865, 2-2s 0.354563585949, 2-3s 0.110016659088, 2-5s 0.082352041814, "
        "3-4s 0.046688031577",
    ),
)


def _seen(written: str) -> View:
    table = read_position(written)
    return view(table, table.turn)


def _cups(seen: View) -> list[Counting]:
    return [own for _, own, _ in hands(len(seen.cups[seen.turn]), FACES, wild=False).held]


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
    policy = three.policy(seen)
    assert policy is not None
    assert arena_three.mixtures(seen, known) == {own: policy(own) for own in _cups(seen)}


def test_most_choices_are_mixed() -> None:
    seen = _seen(POSITIONS[1])
    policy = bots.policy(seen)
    mixed = [max(policy(own).values()) < 0.9 for own in _cups(seen)]
    assert sum(mixed) > len(mixed) / 2


@pytest.mark.parametrize(
    ("written", "is_played"),
    [
        ("pbmserv 12345/12345/1 A 5 9 -", True),
        ("pbmserv 12345/-/1/12 A 5 9 C:3-4s", True),
        ("pbmserv 12345/-/1 A 5 9 C:3-4s", False),
        ("pbmserv 1/1/1/1 A 5 9 -", False),
        ("pbmserv,dice=4 1234/12/1 A 5 9 -", True),
        ("pbmserv,raise=quantity 12345/12345/1 A 5 9 -", False),
        ("pbmserv,faces=8 12345/1/1 A 5 9 -", False),
        ("pbmserv,dice=7 1234566/1/1 A 5 9 -", False),
        ("pacao 12345/12345/1 A 5 9 -", False),
    ],
)
def test_it_plays_rounds_of_three_of_its_rules(written: str, is_played: bool) -> None:
    assert (three.policy(_seen(written)) is not None) is is_played


def test_the_inputs_are_those_of_the_table_in_the_module() -> None:
    known = position(_seen("pbmserv 12344/123/12 A 1 3 A:2-5s,B:1-6s,C:3-4s"))
    assert known is not None
    own = counting((1, 2, 3, 4, 4), FACES, wild=False)
    assert sorted(public_inputs(known)) == sorted(
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
    found = cup_inputs(known.last, known.expected, own)
    assert found == [223, 228, 233, 238, 239, 253 + 3, 265 + 5]
    # Four 4s need two dice beside the cup, where one is expected.  One other has bid three 4s.
    assert cells(known, Bid(4, 4)).of(2) == (3 * 6 + 1, 60 + 1 * 8 + 2)


def test_the_highest_inputs_are_below_their_number() -> None:
    known = position(_seen("pbmserv 66666/12345/12345 B 1 3 A:1-6s,B:2-5s,C:3-4s,A:12-6s"))
    assert known is not None
    own = counting((1,), FACES, wild=False)
    assert max(cup_inputs(known.last, known.expected, own)) == INPUTS - 1
    assert max(public_inputs(known)) < CUP


@pytest.mark.parametrize(("written", "mixture"), STORED)
def test_every_machine_finds_the_same_mixture(written: str, mixture: str) -> None:
    """Another network changes these figures: the failure shows the new ones."""
    seen = _seen(written)
    policy = three.policy(seen)
    assert policy is not None
    found = policy(counting(seen.cups[seen.turn], FACES, wild=False))
    likely = [(action, part) for action, part in found.items() if part >= 0.02]
    told = [f"{getattr(each, 'bid', 'dudo')} {part:.12f}" for each, part in likely]
    assert ", ".join(told) == mixture


def test_training_makes_the_same_network_again() -> None:
    """A tiny training learns from a seed: the same weights again, and others with another seed."""
    tiny = [each._replace(rounds=2, read=min(each.read, 1)) for each in training_three.PHASES]
    made = [training_three.file(1, seed, tiny) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert len(three.read(made[0]).first) == INPUTS


def _parts(weights: network.Weights) -> dict[str, NDArray[np.float32]]:
    """The weights as the training has them."""
    found: dict[str, NDArray[np.float32]] = {}
    for name, each in weights._asdict().items():
        values = (np.array(each) / 1024).astype(np.float32)
        found[name] = values.T if name in {"second", "last"} else values
    return found


def _played(seen: View) -> tuple[Round, Sequence[Bid]]:
    """The beginning of the round of a view, with its reader at seat 0; and its bids."""
    seats = [(seen.turn + step) % len(seen.cups) for step in range(len(seen.cups))]
    starter = seen.bids[0][0] if seen.bids else seen.turn
    cups = tuple(counting(seen.cups[seat], FACES, wild=False) for seat in seats)
    dice = tuple(len(seen.cups[seat]) for seat in seats)
    played = Round(cups, dice, seats.index(starter))
    return played, [bid for _, bid in seen.bids]


@pytest.mark.parametrize("written", READ)
def test_the_reader_of_the_training_is_that_of_the_arena(written: str) -> None:
    """Both choose the same action against the stored network, after the same bids."""
    seen = _seen(written)
    played, bids = _played(seen)
    chance = np.random.default_rng(1)
    parts = _parts(three.weights())
    critic = training_network_layers.new(chance, CRITIC_INPUTS, 3)
    reader = training_three_reader.Reader()
    round_ = training_three_reader.ReadRound((parts, critic), chance, played, reader)
    for bid in bids:
        if played.turn != training_three_reader.READER:
            round_.answered(bid)
        played.bid(bid)
    chosen = arena_reader.choose(seen, bots.DEFAULT)
    assert round_.replied() == (chosen.bid if isinstance(chosen, Raise) else None)
