"""The networks of two to four players: their choices are legal, mixed, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import (
    multiplayer_inputs,
    multiplayer_network,
    network,
    network_inputs,
)
from pbmserv.games.perudo.bots.hands import Counting, counting, hands
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.plain_levels import LAST_CALZA
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Action, Bid, Call, Raise, View, legal_actions, view
from scripts import arena_multiplayer, arena_network, arena_reader
from scripts.training import multiplayer as training_of_several
from scripts.training import (
    multiplayer_reader,
    multiplayer_rounds,
    two_player_reader,
    two_player_rounds,
    two_player_rules,
)
from scripts.training import two_players as training_of_two
from scripts.training.layers import Parts, new
from scripts.training.networks import Phase
from tests.rows import each_row

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
    "pyrudo 12345/123 A 1 8 A:2-5s,B:2-6s",
    "pyrudo 1/1234 A 5 9 B:3-4s palifico=A",
    "bga,calza=yes 12345/123 A 1 8 A:2-5s,B:2-6s",
    "bga,calza=yes 1/1234 A 5 9 B:3-4s palifico=A",
    "pbmserv 11234/12345/12345 A 1 3 -",
    "pbmserv 12345/12345/12 A 1 8 A:2-5s,B:3-5s,C:1-6s",
    "pbmserv 123/-/12/1234 C 5 9 C:1-6s,D:2-4s,A:1-5s",
    "pbmserv 1/1/1 A 5 9 C:3-6s",
    "bga 12345/12345/12 A 1 8 A:2-5s,B:3-5s,C:2-1s",
    "bga 12345/1/-/12 A 5 9 B:1-1s,D:2-1s palifico=B",
    "pbmserv 1/12/12345/1 B 1 8 B:2-1s,C:2-5s,D:4-4s,A:1-6s",
    "bga 12345/12/123/12345 D 1 8 A:2-5s,B:3-5s,C:2-1s",
    "bga,calza=yes 12345/12/123/12345 D 1 8 A:2-5s,B:3-5s,C:2-1s",
    "classic 12345/12345/12 A 1 3 -",
    "pyrudo 12345/1/-/12 A 5 9 B:1-4s,D:2-4s palifico=B",
    "pacao 1/12345/12/123 A 1 8 B:2-5s,C:2-1s,D:5-5s",
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
    "pyrudo 112/145 A 1 8 A:1-2s,B:2-2s",
    "pyrudo 145/1 A 1 8 B:1-2s palifico=B",
    "bga,calza=yes 112/145 A 1 8 A:1-2s,B:2-2s",
    "bga,calza=yes 145/1 A 1 8 B:1-2s palifico=B",
    "pbmserv 1123/12/123 A 1 3 -",
    "pbmserv 12/123/14 A 1 8 B:1-4s,C:2-2s",
    "pbmserv 112/145/4 B 1 8 B:1-6s,C:2-4s,A:1-5s",
    "pbmserv 112/14/44 B 1 8 B:1-6s,C:2-4s,A:3-5s",
    "bga 112/14/44 B 1 8 B:1-6s,C:2-6s,A:1-1s",
    "bga 12/4/144 B 1 8 B:1-1s,C:2-1s palifico=B",
    "pbmserv 14/1/44/2 B 1 8 B:1-6s,C:2-4s,D:1-5s,A:3-5s",
    "bga 14/1/44/2 B 1 8 B:1-6s,C:2-6s,D:1-1s,A:2-1s",
    "classic 112/14/44 B 1 8 B:1-6s,C:2-6s,A:1-1s",
    "classic,palifico=yes 12/4/144 A 1 8 B:1-5s,C:2-5s palifico=B",
    "pacao 14/13/44/2 B 1 8 B:1-6s,C:2-6s,D:3-6s,A:2-1s",
)

STORED = (
    (
        "pbmserv 11234/12345 A 1 3 -",
        "1-1s 0.084878095035, 1-2s 0.084546539976, 1-3s 0.098488936814, 1-4s 0.094708640050, "
        "1-5s 0.126029988493, 1-6s 0.236667848106, 2-1s 0.091789144359, 2-2s 0.019256491163, "
        "2-3s 0.017190297514, 2-4s 0.012618286605, 2-5s 0.037311335943, 2-6s 0.080983810081",
    ),
    (
        "pbmserv 12345/12345 A 1 3 A:2-5s,B:3-5s",
        "1-6s 0.674263142326, 2-6s 0.061455544998, 4-5s 0.103426651274, dudo 0.154173780213",
    ),
    (
        "pbmserv 123/1234 B 1 8 B:1-6s,A:2-4s,B:1-5s,A:2-1s,B:1-2s,A:1-4s",
        "2-2s 0.034978553785, 2-3s 0.028649221180, 2-5s 0.157224145481, 2-6s 0.193467420637, "
        "3-1s 0.045466072097, 3-4s 0.528996203574",
    ),
    (
        "pbmserv 13/46 B 5 9 A:1-3s",
        "1-4s 0.669395857708, 1-5s 0.048053806700, 1-6s 0.242906276693, 2-1s 0.014450864801, "
        "2-3s 0.012308429925",
    ),
    (
        "pacao 11234/12345 A 1 3 -",
        "1-1s 0.050190549896, 1-2s 0.044980883069, 1-3s 0.049994493060, 1-4s 0.038312174071, "
        "1-5s 0.038013444809, 1-6s 0.036127675887, 2-1s 0.249766250387, 2-2s 0.052398588422, "
        "2-3s 0.062002662232, 2-4s 0.050783345577, 2-5s 0.043765257006, 2-6s 0.045512147885, "
        "3-2s 0.076895071606, 3-3s 0.072510639026, 3-4s 0.062734969618, 3-5s 0.013316646756, "
        "3-6s 0.011166178340",
    ),
    (
        "pacao 1/134 A 1 8 B:2-4s",
        "dudo 0.187540690433, pacao 0.810615782376",
    ),
    (
        "pyrudo 12345/123 A 1 8 A:2-5s,B:2-6s",
        "1-1s 0.486826217605, 2-1s 0.078266231022, 3-6s 0.315281027531, 4-6s 0.015666169980, "
        "dudo 0.098596552176",
    ),
    (
        "pyrudo 1/1234 A 5 9 B:3-4s palifico=A",
        "4-4s 0.315343110313, dudo 0.554054350455, calza 0.129191040066",
    ),
    (
        "bga,calza=yes 12345/123 A 1 8 A:2-5s,B:2-6s",
        "1-1s 0.653556563733, 2-1s 0.054868028103, 3-6s 0.238088644291, 4-6s 0.028317552048, "
        "dudo 0.022216162565",
    ),
    (
        "bga,calza=yes 1/1234 A 5 9 B:3-4s palifico=A",
        "dudo 0.904354969684, calza 0.095645030316",
    ),
    (
        "pbmserv 11234/12345/12345 A 1 3 -",
        "1-1s 0.038962002891, 1-2s 0.052050553882, 1-3s 0.053496312785, 1-4s 0.044507577847, "
        "1-5s 0.070082406471, 1-6s 0.074611464432, 2-1s 0.029857669222, 2-2s 0.037174390414, "
        "2-3s 0.055631618899, 2-4s 0.045923210194, 2-5s 0.086575974677, 2-6s 0.315011493250, "
        "3-1s 0.013756200461, 3-2s 0.014028053720, 3-3s 0.022088817479, 3-4s 0.019110868581, "
        "3-5s 0.011901630289, 3-6s 0.015229754507",
    ),
    (
        "pbmserv 12345/12345/12 A 1 8 A:2-5s,B:3-5s,C:1-6s",
        "2-1s 0.192257417418, 2-2s 0.158706109351, 2-3s 0.156240818568, 2-4s 0.292253745751, "
        "2-6s 0.146183435007, 4-5s 0.043277789023",
    ),
    (
        "pbmserv 123/-/12/1234 C 5 9 C:1-6s,D:2-4s,A:1-5s",
        "2-1s 0.386446517865, 2-2s 0.354563585949, 2-3s 0.110016659088, 2-5s 0.082352041814, "
        "2-6s 0.016038520051, 3-4s 0.046688031577",
    ),
    (
        "bga 11234/12345/12345 A 1 3 -",
        "1-2s 0.056389436297, 1-3s 0.070759584827, 1-4s 0.072725006749, 1-5s 0.083076168033, "
        "1-6s 0.055296650920, 2-2s 0.064921718728, 2-3s 0.065946104777, 2-4s 0.085050165950, "
        "2-5s 0.072725006749, 2-6s 0.070483180199, 3-2s 0.049751323336, 3-3s 0.047654838642, "
        "3-4s 0.050933479555, 3-5s 0.078954929969, 3-6s 0.075332405268",
    ),
    (
        "bga 1/122/1134 C 5 9 A:1-2s,B:2-2s",
        "1-1s 0.075467666749, 2-1s 0.111183316876, 2-3s 0.277836492387, 2-4s 0.248997685882, "
        "2-5s 0.133637860856, 2-6s 0.067370095275, 3-2s 0.084870052215",
    ),
    (
        "bga 1/122/1134 C 5 9 A:1-2s,B:2-2s palifico=A",
        "dudo 0.999329790788",
    ),
    (
        "classic 1/122/1134 C 5 9 A:1-2s,B:2-2s",
        "1-1s 0.069272962197, 2-1s 0.060641658881, 2-3s 0.310156842963, 2-4s 0.229455214532, "
        "2-5s 0.192401127293, 2-6s 0.054989079671, 3-2s 0.081649724541",
    ),
    (
        "pyrudo 1/122/1134 C 5 9 A:1-2s,B:2-2s palifico=A",
        "3-2s 0.999005172932",
    ),
    (
        "pacao 12/1/1134/136 D 5 9 A:2-2s,B:3-5s,C:2-1s",
        "3-1s 0.083637607589, 5-2s 0.063098217427, 5-3s 0.347634841814, 5-4s 0.080113179444, "
        "5-5s 0.100136338191, 5-6s 0.323986690404",
    ),
)

TRAINED = (*(f"{kind}-few" for kind in network_inputs.KINDS), "pbmserv-three", "bga-four")
"""Networks of all rules, and of all numbers of players."""


def _seen(written: str) -> View:
    table = read_position(written)
    return view(table, table.turn)


def _policy(seen: View) -> Policy | None:
    return network.policy(seen) or multiplayer_network.policy(seen)


def _is_wild(seen: View) -> bool:
    return seen.rules.counts_wild(2, seen.palifico is not None)


def _cups(seen: View) -> list[Counting]:
    dice = len(seen.cups[seen.turn])
    return [own for _, own, _ in hands(dice, seen.rules.faces, _is_wild(seen)).held]


@pytest.mark.parametrize("written", POSITIONS)
def test_the_choices_of_every_cup_are_legal(written: str) -> None:
    table = read_position(written)
    legal = set(legal_actions(table))
    policy = bots.policy(_seen(written))
    for own in _cups(_seen(written)):
        found = policy(own)
        assert set(found) <= legal
        assert sum(found.values()) == pytest.approx(1)


def _at_once(seen: View) -> dict[Counting, Mixture]:
    of_two, of_several = network_inputs.position(seen), multiplayer_inputs.position(seen)
    if of_two is not None:
        return arena_network.mixtures(seen, of_two)
    assert of_several is not None
    return arena_multiplayer.mixtures(seen, of_several)


@pytest.mark.parametrize("written", POSITIONS)
def test_all_cups_at_once_have_the_same_choices(written: str) -> None:
    """What the reader computes in numpy is what `house` does, to the last digit."""
    seen = _seen(written)
    policy = _policy(seen)
    assert policy is not None
    assert _at_once(seen) == {own: policy(own) for own in _cups(seen)}


@pytest.mark.parametrize("written", [POSITIONS[1], "pbmserv 12345/12345/12 A 1 8 A:2-5s,B:3-5s"])
def test_the_networks_mix_actions_for_most_cups(written: str) -> None:
    seen = _seen(written)
    policy = bots.policy(seen)
    mixed = [max(policy(own).values()) < 0.9 for own in _cups(seen)]
    assert sum(mixed) > len(mixed) / 2


def test_chance_decides_between_the_choices() -> None:
    made = {bots.choose(_seen(POSITIONS[0]), chance=part / 50) for part in range(50)}
    assert len(made) > 1
    assert len({bots.choose(_seen(POSITIONS[0]), chance=0.3) for _ in range(3)}) == 1


@each_row(
    ("written", "of"),
    [
        ("pbmserv 12345/12345 A 5 9 -", "two"),
        ("pbmserv 12345/-/1 A 5 9 C:3-4s", "two"),
        ("pbmserv,raise=quantity 12345/12345 A 5 9 -", None),
        ("pbmserv,faces=8 12345/1 A 5 9 -", None),
        ("pbmserv,dice=7 1234566/1 A 5 9 -", None),
        ("pacao 12345/12345 A 5 9 -", "two"),
        ("pacao 1/-/12 A 5 9 C:2-4s", "two"),
        ("pacao,faces=8 12345/1 A 5 9 -", None),
        ("bga 12345/12345 A 5 9 -", None),
        ("pyrudo 12345/12345 A 5 9 -", "two"),
        ("pyrudo 1/345 A 5 9 - palifico=A", "two"),
        (f"pyrudo 12345/123 A {LAST_CALZA + 1} 900 -", None),
        ("pyrudo,dice=4 1234/123 A 5 9 -", None),
        ("bga,calza=yes 12345/12345 A 5 9 -", "two"),
        ("bga,calza=yes 1/345 A 5 9 - palifico=A", "two"),
        (f"bga,calza=yes 12345/123 A {LAST_CALZA + 1} 900 -", None),
        ("bga,calza=yes,dice=4 1234/123 A 5 9 -", None),
        ("pbmserv 12345/12345/1 A 5 9 -", "more"),
        ("pbmserv 12345/-/1/12 A 5 9 C:3-4s", "more"),
        ("pbmserv 1/1/1/1 A 5 9 -", "more"),
        ("pbmserv 1/1/1/1/1 A 5 9 -", None),
        ("bga 1/-/1/1/1 A 5 9 -", "more"),
        ("pbmserv,dice=4 1234/12/1 A 5 9 -", "more"),
        ("pbmserv,raise=quantity 12345/12345/1 A 5 9 -", None),
        ("pbmserv,faces=8 12345/1/1 A 5 9 -", None),
        ("pbmserv,dice=7 1234566/1/1 A 5 9 -", None),
        ("pacao 12345/12345/1 A 5 9 -", "more"),
        ("bga 12345/12345/1 A 5 9 -", "more"),
        ("bga 12345/12345/1 C 5 9 - palifico=C", "more"),
        ("bga,calza=yes 12345/12345/1 A 5 9 -", "more"),
        ("bga,hidden=yes 12345/12345/1 A 5 9 -", None),
        ("classic 12345/12345/1 A 5 9 -", "more"),
        ("classic,palifico=yes 1/1234/1 A 5 9 - palifico=A", "more"),
        ("classic,raise=one_or_both 1/1234/1 A 5 9 -", None),
        ("pyrudo 1/12/1234/1 A 5 9 - palifico=A", "more"),
    ],
)
def test_networks_play_rounds_with_up_to_five_dice(written: str, of: str | None) -> None:
    seen = _seen(written)
    policies = {"two": network.policy(seen), "more": multiplayer_network.policy(seen)}
    assert [name for name, policy in policies.items() if policy] == ([of] if of else [])


def _word(action: Action) -> str:
    return action.word if isinstance(action, Call) else str(getattr(action, "bid", action))


@each_row(("written", "mixture"), STORED)
def test_every_machine_finds_the_same_mixture(written: str, mixture: str) -> None:
    """Another network changes these figures: the failure shows the new ones."""
    seen = _seen(written)
    policy = _policy(seen)
    assert policy is not None
    found = policy(counting(seen.cups[seen.turn], seen.rules.faces, _is_wild(seen)))
    likely = [(action, part) for action, part in found.items() if part >= 0.01]
    told = [f"{_word(each)} {part:.12f}" for each, part in likely]
    assert ", ".join(told) == mixture


def test_a_step_makes_an_action_a_little_less_likely() -> None:
    found = network.shares([0, -(1 << network.STEP), -(1 << 30)])
    assert found == [256 / 511, 255 / 511, 0]


def _tiny(phases: tuple[Phase, ...], rounds: int) -> list[Phase]:
    return [each._replace(rounds=rounds, read=min(each.read, 1)) for each in phases]


def _file(name: str, seed: int) -> bytes:
    """The file of a tiny training."""
    if name in multiplayer_network.NAMES:
        tiny = _tiny(training_of_several.PHASES, 2)
        return training_of_several.file(name, 1, seed, tiny)
    return training_of_two.file(name, 3, seed, _tiny(training_of_two.PHASES, 16))


@pytest.mark.parametrize("name", TRAINED)
def test_training_makes_the_same_network_again(name: str) -> None:
    """A tiny training learns from a seed: the same weights again, and others with another seed."""
    made = [_file(name, seed) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    if name in multiplayer_network.NAMES:
        players = multiplayer_network.NAMES[name][1]
        found, inputs = (
            multiplayer_network.read(made[0], players),
            multiplayer_inputs.layout(players).inputs,
        )
    else:
        found, inputs = network.read(made[0]), network_inputs.INPUTS
    assert len(found.first) == inputs


def _parts(weights: network.Weights) -> Parts:
    """The weights as the training has them."""
    found: Parts = {}
    for name, each in weights._asdict().items():
        values = (np.array(each) / (1 << network.ONE)).astype(np.float32)
        found[name] = values.T if name in {"second", "last"} else values
    return found


def _own(seen: View, seat: int) -> Counting:
    return counting(seen.cups[seat], seen.rules.faces, _is_wild(seen))


def _reply_of_two(seen: View, known: network_inputs.RoundOfTwo) -> Action:
    """What the reader of the training replies to the stored network, after the same bids."""
    chance = np.random.default_rng(1)
    held = hands(known.other, network_inputs.FACES, known.is_wild).held
    round_ = two_player_reader.Round(
        two_player_rules.kind(known.kind),
        known.palifico,
        (known.own, known.other),
        _parts(network.weights(network.name(known))),
        new(chance, two_player_rounds.CRITIC_INPUTS, 1),
        chance,
        two_player_reader.USUAL,
        cup=np.array(_own(seen, seen.turn)),
        held=np.array([own for _, own, _ in held]),
        believed=np.array([part for *_, part in held]),
        bids=np.zeros((2, network_inputs.BIDS), bool),
    )
    for seat, bid in seen.bids:
        number = network_inputs.place(bid)
        if seat != seen.turn:
            round_.answered(1, number)
        round_.bid(number, by_network=seat != seen.turn)
    made = round_.replied()
    if made < network_inputs.DOUBT:
        quantity, face = divmod(made, network_inputs.FACES)
        return Raise(Bid(quantity + 1, face + 1))
    other = "calza" if seen.rules.calza else "pacao"
    return Call("dudo" if made == network_inputs.DOUBT else other)


def _reply_of_several(seen: View, known: multiplayer_inputs.RoundOfSeveral) -> Action:
    """The same, at a table of three or four; there the reader has seat 0."""
    seats = [(seen.turn + step) % len(seen.cups) for step in range(len(seen.cups))]
    cups = tuple(_own(seen, seat) for seat in seats)
    starter = seats.index(seen.bids[0][0] if seen.bids else seen.turn)
    played = multiplayer_rounds.Round(known.kind, known.palifico, cups, known.dice, starter)
    chance = np.random.default_rng(1)
    players = len(seats)
    critic = new(chance, multiplayer_rounds.critic_inputs(players), players)
    learning = _parts(multiplayer_network.weights(known.kind, players)), critic
    round_ = multiplayer_reader.ReadRound(learning, chance, played, multiplayer_reader.USUAL)
    for _, bid in seen.bids:
        if played.turn != multiplayer_reader.READER:
            round_.answered(bid)
        played.bid(bid)
    replied = round_.replied()
    return Raise(replied) if replied else Call("dudo")


@pytest.mark.parametrize("written", READ)
def test_the_reader_of_the_training_is_that_of_the_arena(written: str) -> None:
    """Both choose the same action against the stored network, after the same bids."""
    seen = _seen(written)
    of_two, of_several = network_inputs.position(seen), multiplayer_inputs.position(seen)
    if of_two is not None:
        replied = _reply_of_two(seen, of_two)
    else:
        assert of_several is not None
        replied = _reply_of_several(seen, of_several)
    assert replied == arena_reader.choose(seen, bots.DEFAULT)
