"""Many rounds of three and four at once: each row is what the engine says of this round alone."""

from __future__ import annotations

import numpy as np
import pytest

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import multiplayer_network
from pbmserv.games.perudo.bots.multiplayer_inputs import FACES, KINDS
from scripts.training import networks
from scripts.training.layers import Numbers
from scripts.training.multiplayer_arrays import NONE, Rounds
from scripts.training.multiplayer_rounds import Round, critic_sees, payoff, seen

NUMBER = 60  # rounds


def alone(rounds: Rounds, kind: str, row: int) -> Round:
    """One of the rounds, without any bid."""
    cups = tuple(tuple(cup) for cup in rounds.cups[row].tolist())
    dice = tuple(rounds.dice[row].tolist())
    return Round(kind, bool(rounds.palifico[row]), cups, dice, int(rounds.starts[row]))


def agrees(found: networks.Seen, row: int, played: Round) -> None:
    """Compare a row with the round, through the functions that the bot itself uses."""
    choice = multiplayer_network.Choice(played.legal(), played.seen())
    seats, players = played.around(), len(played.dice)
    cups = [played.cups[seat] for seat in seats]
    wanted = seen([(choice, cups[:1])])
    assert found.own[row] == played.turn
    assert found.inputs[row].tolist() == wanted.inputs[0].tolist()
    assert found.legal[row].tolist() == wanted.legal[0].tolist()
    assert found.cells[row].tolist() == wanted.cells[0].tolist()
    missing = played.missing(cups)
    critic = np.flatnonzero(found.critic_inputs[row, wanted.inputs.shape[1] :])
    beyond = critic_sees(choice.seen, cups[1:], missing)
    assert (critic + wanted.inputs.shape[1]).tolist() == sorted(beyond)
    called = payoff(players, played.turn, np.array([missing > 0], np.float32))
    assert found.called[row].tolist() == (called if played.bids else 0 * called).tolist()


def raised(chance: np.random.Generator, found: networks.Seen) -> Numbers:
    """A legal raise by chance in each row, `NONE` where there is none."""
    raises = found.legal[:, : multiplayer_network.DOUBT]
    likely = raises * chance.random(raises.shape)
    return np.where(raises.any(axis=1), likely.argmax(axis=1), NONE)


@pytest.mark.parametrize("players", [3, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_row_is_what_the_engine_says_of_its_round(kind: str, players: int) -> None:
    """From the first bid to the last one: inputs, legal actions, tables, and what a doubt wins."""
    chance = np.random.default_rng(players)
    rounds = Rounds(chance, kind, players, NUMBER)
    played = [alone(rounds, kind, row) for row in range(NUMBER)]
    rows, longest = np.arange(NUMBER), 0
    while len(rows):
        found = rounds.seen(rows)
        for place, row in enumerate(rows):
            agrees(found, place, played[row])
        actions = raised(chance, found)
        rows, actions = rows[actions != NONE], actions[actions != NONE]
        for row, bid in zip(rows, rounds.raises[rows, actions].tolist(), strict=True):
            played[row].bid(Bid(bid // FACES + 1, bid % FACES + 1))
        rounds.bid(rows, actions)
        longest += 1
    assert longest > 6


def test_whose_palifico_it_is_begins_with_one_die() -> None:
    rounds = Rounds(np.random.default_rng(1), "bga", 3, 400)
    palifico = np.flatnonzero(rounds.palifico)
    assert 20 < len(palifico) < 80
    assert (rounds.dice[palifico, rounds.starts[palifico]] == 1).all()
    assert not Rounds(np.random.default_rng(1), "pacao", 3, 400).palifico.any()
